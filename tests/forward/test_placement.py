"""Where the bytes of unmodified programs' files go when there are several servers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from forward_tools import NATIVE, Servers

# Processes that write their parts of one file, look at each other's, and append to another.
PROGRAM = """
import os, sys
from multiprocessing import Barrier, Process

PART, COUNT = 300_000, 4

def work(number, together):
    with open("/fwd/shared", "r+b", buffering=0) as shared, open("/fwd/log", "ab", buffering=0) as log:
        for turn in range(4):
            shared.seek((turn * COUNT + number) * PART)
            shared.write(bytes([1 + turn * COUNT + number]) * PART)
            log.write(b"%d.%d\\n" % (number, turn))
        together.wait()
        other = (number + 1) % COUNT
        assert os.path.getsize("/fwd/shared") == 4 * COUNT * PART
        assert os.pread(shared.fileno(), PART, other * PART) == bytes([1 + other]) * PART
        assert os.pread(shared.fileno(), 100, 4 * COUNT * PART) == b""

open("/fwd/shared", "wb").close()
together = Barrier(COUNT)
all = [Process(target=work, args=(number, together)) for number in range(COUNT)]
[each.start() for each in all]
[each.join() for each in all]
assert all and [each.exitcode for each in all] == [0] * COUNT
lines = open("/fwd/log").read().split()
assert sorted(lines) == [f"{i}.{t}" for i in range(COUNT) for t in range(4)]
assert all and [[l for l in lines if l[0] == str(i)] for i in range(COUNT)] == [
    [f"{i}.{t}" for t in range(4)] for i in range(COUNT)]
os.truncate("/fwd/shared", 16 * PART - 5)
"""


def up(
    tmp_path: Path, *options: str, program: str = PROGRAM
) -> tuple[subprocess.CompletedProcess[str], Path]:
    root = tmp_path / "root"
    root.mkdir()
    words = [NATIVE, "forward", "up", "--root", root, "--prefix", "/fwd", "--report", tmp_path / "report"]
    command = [*words, "-o", tmp_path / "job.hr", *options, "--", sys.executable, "-c", program]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60), root


def test_stripes_of_a_shared_file_are_at_all_servers(tmp_path: Path) -> None:
    done, root = up(tmp_path, "--servers", "3", "--place", "stripe", "--stripe-size", "64K")
    assert done.returncode == 0, done.stderr
    expected = b"".join(bytes([1 + i]) * 300_000 for i in range(16))[:-5]
    assert (root / "shared").read_bytes() == expected
    servers = json.loads((tmp_path / "report").read_text())["servers"]
    assert len(servers) == 3 and all(each["bytes_written"] > 1_000_000 for each in servers)


def test_placements_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    done, _ = up(tmp_path, "--place", "node")
    assert done.returncode == 125 and "on one node" in done.stderr
    words = [NATIVE, "serve", "--root", tmp_path, "--listen", f"unix:{tmp_path}/s", "--stripe-size", "100K"]
    refused = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 125 and "multiple of 64K" in refused.stderr


def test_servers_that_do_not_agree_are_told(servers: Servers, tmp_path: Path) -> None:
    one = servers.start("--root", tmp_path, "--place", "stripe", name="a")
    other = servers.start("--root", tmp_path, name="b")
    spec = f"/fwd={tmp_path}@{one.addresses[0]},{other.addresses[0]}"
    words = [NATIVE, "run", "-q", "-o", tmp_path / "job.hr", "--forward", spec, "--", "ls", "/fwd"]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "the servers do not agree" in done.stderr and "--place stripe" in done.stderr
