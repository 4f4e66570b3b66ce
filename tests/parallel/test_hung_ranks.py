"""Ranks that hang until they are killed: who was where is in log and trace, in words and in OTF2."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import headrace
import pytest
from capture_tools import COMMAND

Compiled = Callable[[str, str], Path]
RANKS = 2


def pids(fifo: Path) -> list[int]:
    found = []
    for rank in range(RANKS):
        with contextlib.suppress(OSError, ValueError):
            found.append(int(Path(f"{fifo}.{rank}").read_text()))
    return found


def reads(pid: int) -> bool:
    """Whether its first thread waits in `read`."""
    try:
        number = Path(f"/proc/{pid}/syscall").read_text().split()[0]
    except OSError:
        return False
    return number == ("0" if os.uname().machine == "x86_64" else "63")


def remove_shared_memory(log: Path) -> None:
    """What an MPI leaves whose ranks were killed; which was its own is in the log."""
    with headrace.open(log) as opened:
        paths = opened.files.to_pylist()
    for row in paths:
        if row["path"].startswith(("/dev/shm/mpich_", "/dev/shm/ucx_shm_", "/dev/shm/vader_")):
            Path(row["path"]).unlink(missing_ok=True)


def facts(*command: str | Path) -> dict[str, Any]:
    words = [sys.executable, "-m", "headrace", *map(str, command), "--json"]
    found: dict[str, Any] = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return found


@pytest.fixture
def killed(mpi: str, compiled: Compiled, tmp_path: Path) -> Path:
    """The log of ranks that were killed when all of them hung."""
    fifo, log = tmp_path / "fifo", tmp_path / "job.hr"
    os.mkfifo(fifo)
    ranks = [f"mpirun.{mpi}", "-np", str(RANKS), str(compiled(mpi, "c/hung.c")), str(fifo)]
    run = ["timeout", "90", COMMAND, "run", "-q", "--trace", "-o", str(log), "--", *ranks]
    with subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as launcher:
        end = time.monotonic() + 60
        while len(pids(fifo)) < RANKS or not reads(pids(fifo)[1]):
            assert time.monotonic() < end and launcher.poll() is None
            time.sleep(0.02)
        time.sleep(1)  # so long they hang
        for pid in pids(fifo):
            os.kill(pid, signal.SIGKILL)
        launcher.wait()
    remove_shared_memory(log)
    return log


def test_hung_ranks(killed: Path) -> None:
    trace = killed.with_name("job.trace.hr")
    for threads in (facts("show", killed)["unfinished"], facts("trace", "info", trace)["unfinished"]):
        found = {row["rank"]: row for row in threads if row["thread"] == 1 and row["rank"] is not None}
        (received,), (read,) = (found[rank]["calls"][:1] for rank in range(RANKS))
        assert (received["function"], received["layer"], received["path"]) == ("MPI_Recv", "mpi", None)
        assert (read["function"], read["layer"]) == ("read", "posix")
        assert read["path"] == str(killed.with_name("fifo"))
        assert {found[rank]["ended"] for rank in range(RANKS)} == {"killed"}
        assert all(found[rank]["for_ns"] > 0.7e9 for rank in range(RANKS))
    done = subprocess.run([COMMAND, "trace", "verify", trace], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_hung_ranks_in_otf2(killed: Path) -> None:
    """The last thing that a rank entered is what it hung in, and it left that when it was killed."""
    pytest.importorskip("headrace._otf2")
    trace, archive = killed.with_name("job.trace.hr"), killed.with_name("archive")
    subprocess.run([COMMAND, "trace", "export", trace, "--to", "otf2", "-o", archive], check=True)
    command = ["otf2-print", archive / "traces.otf2"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    records = [line.split(maxsplit=3) for line in printed.stdout.splitlines() if " Region: " in line]
    for name in ("MPI_Recv", "read"):
        own = [record for record in records if f'"{name}"' in record[3]]
        ends = {location: [each for each in own if each[1] == location][-2:] for _, location, *_ in own}
        longest = max(ends.values(), key=lambda pair: int(pair[-1][2]) - int(pair[0][2]))
        assert [record[0] for record in longest] == ["ENTER", "LEAVE"]
        assert int(longest[1][2]) - int(longest[0][2]) > 700_000_000
