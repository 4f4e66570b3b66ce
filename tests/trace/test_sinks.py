"""What happens to processes, whatever files their trace has."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest
from trace_tools import COMMAND, Traced

SINKS = ("shared", "shared:2", "process", "node", "memory")


def sink_in(place: Path, sink: str) -> str:
    local = place / "local"
    local.mkdir()
    return f"node:{local}" if sink == "node" else sink


@pytest.mark.parametrize("sink", SINKS)
def test_processes_that_fork_and_become_others(tmp_path: Path, sink: str) -> None:
    (tmp_path / "in").write_text("abc")
    script = f"cd {tmp_path}; exec > out; cat in; (cat in; cat in) | cat; true < in & wait; exec cat in"
    traced = Traced(tmp_path, ["sh", "-c", script], ("--trace", "--trace-sink", sink_in(tmp_path, sink)))
    verified = traced.verify()
    assert "streams: all of" in verified and "files: the same bytes" in verified, verified
    assert (tmp_path / "out").read_text() == 4 * "abc"
    listed = json.loads(traced.command("info", "--json", "--locations"))["location_list"]
    first = min(listed, key=lambda row: row["begin_at_ns"] or 0)
    assert len({row["process"] for row in listed if row["pid"] == first["pid"]}) == 2, (
        "before exec, and behind"
    )
    assert not list((tmp_path / "local").iterdir())


def test_a_killed_launcher_leaves_the_file_of_its_node(tmp_path: Path) -> None:
    """What was stored there by then, and what the program does from then on."""
    spool = tmp_path / "spool"
    spool.mkdir(mode=0o700)
    script = f"""
import os, pathlib, time
place = pathlib.Path("{tmp_path}")
file = os.open(place / "data", os.O_CREAT | os.O_WRONLY)
def work():
    for i in range(50_000): os.pwrite(file, b"x", i)
work()
(place / "ready").touch()
while not (place / "go").exists(): time.sleep(0.01)
work()
(place / "done").touch()
"""
    options = [
        "--trace",
        "--trace-memory",
        "1M",
        "--trace-sink",
        sink_in(tmp_path, "node"),
        "--spool",
        str(spool),
    ]
    words = [
        COMMAND,
        "run",
        "-q",
        *options,
        "-o",
        str(tmp_path / "job.hr"),
        "--",
        "python3",
        "-c",
        script,
    ]
    with subprocess.Popen(words) as launcher:
        wait_for(tmp_path / "ready")
        launcher.kill()
    (tmp_path / "go").touch()
    wait_for(tmp_path / "done")
    assert list((tmp_path / "local").iterdir()), "there is something to copy"
    (left,) = spool.iterdir()
    for _ in range(300):  # as long as the process is ending
        subprocess.run([COMMAND, "collect", "-q", "-o", tmp_path / "job.hr", left], check=False, timeout=60)
        if not left.exists():
            break
        time.sleep(0.1)
    assert not left.exists() and not list((tmp_path / "local").iterdir())
    found = subprocess.run(
        [COMMAND, "trace", "stats", "--json", tmp_path / "job.trace.hr"],
        check=True,
        capture_output=True,
        timeout=60,
    )
    calls = {row["name"]: row["calls"] for row in json.loads(found.stdout)["functions"]}
    assert calls["pwrite"] == 100_000
    subprocess.run([COMMAND, "trace", "verify", tmp_path / "job.trace.hr"], check=True, timeout=60)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
