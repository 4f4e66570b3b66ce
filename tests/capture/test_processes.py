"""Every process of a job is in its log, under its parent, with how it ended."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured, complete

PYTHON = sys.executable
MULTIPROCESSING = """
import multiprocessing, os, sys
def work(path):
    with open(path, "wb", buffering=0) as out:
        for _ in range(20):
            out.write(b"x" * 5000)
    return os.getpid()
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    with multiprocessing.Pool(8) as pool:
        pool.map(work, sys.argv[2:], chunksize=1)
    pool.join()
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method: str, capture: Callable[..., Captured], tmp_path: Path) -> None:
    script = tmp_path / "work.py"
    script.write_text(MULTIPROCESSING)
    paths = [tmp_path / f"data-{number}" for number in range(8)]
    captured = capture([PYTHON, str(script), method, *map(str, paths)])
    assert captured.status == 0, captured.stderr
    complete(captured.path)  # the server may end after the program
    for path in paths:
        row = captured.file(str(path))
        assert (row["opens"], row["closes"], row["writes"], row["bytes_written"]) == (1, 1, 20, 100_000)
    processes = {row["process"]: row for row in captured.rows("processes")}
    roots = [row for row in processes.values() if row["parent"] == 0]
    assert len(roots) == 1
    assert all(row["parent"] in processes or row["parent"] == 0 for row in processes.values())
    assert len({row["pid"] for row in processes.values()}) >= 9


def test_tree_of_a_shell(capture: Callable[..., Captured], tmp_path: Path) -> None:
    script = (
        f"cat {tmp_path}/in | tr a b | dd of={tmp_path}/out bs=1k 2>/dev/null; "
        "sh -c 'exit 7'; sh -c 'kill -9 $$'; (exec sh -c 'exec true'); exit 5"
    )
    (tmp_path / "in").write_bytes(b"a" * 10_000)
    captured = capture(["sh", "-c", script])
    assert captured.status == 5
    assert (tmp_path / "out").read_bytes() == b"b" * 10_000
    assert captured.file("/in")["bytes_read"] == 10_000
    assert captured.file("/out")["bytes_written"] == 10_000
    processes = captured.rows("processes")
    by_command = {tuple(row["arguments"]): row for row in processes}
    (shell,) = [row for row in processes if row["parent"] == 0]
    assert shell["arguments"] == ["sh", "-c", script]
    assert (shell["ended"], shell["exit_status"]) == ("exit", 5)
    expected = {
        ("tr", "a", "b"): ("exit", 0),
        ("cat", f"{tmp_path}/in"): ("exit", 0),
        ("sh", "-c", "exit 7"): ("exit", 7),
        ("sh", "-c", "kill -9 $$"): ("killed", 137),
        ("true",): ("exit", 0),
    }
    ids = {row["process"]: row for row in processes}
    for command, (ended, status) in expected.items():
        row = by_command[command]
        assert (row["ended"], row["captured"]) == (ended, 1)
        assert row["exit_status"] in (status, -1) if ended == "killed" else row["exit_status"] == status
        root = row
        while root["parent"]:
            root = ids[root["parent"]]
        assert root == shell
    assert ids[by_command[("true",)]["parent"]]["ended"] == "exec"


def test_exec_of_scripts_and_missing_programs(capture: Callable[..., Captured], tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\nexec /no/such/program\n")
    script.chmod(0o755)
    captured = capture([str(script)])
    assert captured.status == 127
    (process,) = captured.rows("processes")
    assert (process["ended"], process["exit_status"]) == ("exit", 127)
    assert str(script) in process["arguments"]


def short_processes(capture: Callable[..., Captured], count: int) -> Captured:
    script = f"i=0; while [ $i -lt {count} ]; do /bin/true; i=$((i + 1)); done"
    captured = capture(["sh", "-c", script], "--memory", "128K", timeout=3000)
    assert captured.status == 0
    processes = captured.rows("processes")
    true = [row for row in processes if row["arguments"] == ["/bin/true"]]
    assert len(true) == count
    (shell,) = [row for row in processes if row["parent"] == 0]
    assert {(row["ended"], row["exit_status"], row["parent"]) for row in true} == {
        ("exit", 0, shell["process"])
    }
    assert not [gap for gap in captured.rows("gaps") if gap["what"] != "excluded paths"]
    return captured


def test_many_short_processes(capture: Callable[..., Captured]) -> None:
    short_processes(capture, 2000)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_short_processes(capture: Callable[..., Captured]) -> None:
    short_processes(capture, 100_000)
    # Of the launcher, the largest child of this process with a long life.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 400 << 10


def test_a_child_begins_when_it_is_forked(capture: Callable[..., Captured]) -> None:
    """Not with its first call."""
    program = "import os, time\nif os.fork() == 0: time.sleep(0.3); os.stat('.'); os._exit(0)\nos.wait()"
    done = capture([sys.executable, "-S", "-c", program])
    (child,) = [row for row in done.rows("processes") if row["parent"] != 0]
    assert child["end_at_ns"] - child["start_at_ns"] >= 300_000_000
