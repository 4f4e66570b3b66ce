"""However a process ends, its log has every operation that completed, once."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from capture_tools import Captured, Mix, check, complete

ENDS = {
    "return": (0, "exit"),
    "exit": (3, "exit"),
    "_exit": (4, "exit"),
    "quick_exit": (5, "exit"),
    "raw_exit": (6, "exit"),
    "pthread_exit": (0, "exit"),
    "abort": (128 + signal.SIGABRT, "killed"),
    "term": (128 + signal.SIGTERM, "killed"),
    "kill": (128 + signal.SIGKILL, "killed"),
    "segv": (128 + signal.SIGSEGV, "killed"),
}


@pytest.mark.parametrize("memory", ["4M", "128K"])
@pytest.mark.parametrize("how", ENDS)
def test_end(how: str, memory: str, mix: Callable[..., Mix], capture: Callable[..., Captured]) -> None:
    made = mix(rows=4, files=300, dirs=3)
    captured = capture(made.command(threads=4, operations=3000, end=how), "--memory", memory)
    status, ended = ENDS[how]
    assert captured.status == status
    seen = check(made, captured)
    assert seen["unfinished"] == 0
    assert seen["uncertain"] == 0
    (process,) = seen["processes"]
    assert (process["ended"], process["exit_status"]) == (ended, status)
    assert process["threads"] == 4 or memory == "128K"
    assert (seen["folded"] > 0) == (memory == "128K")


@pytest.mark.parametrize("how", ENDS)
def test_exec_chain(how: str, mix: Callable[..., Mix], capture: Callable[..., Captured]) -> None:
    made = mix(rows=12, files=50)
    captured = capture(made.command(threads=2, operations=500, end=how, exec=5))
    assert captured.status == ENDS[how][0]
    seen = check(made, captured)
    assert [row["ended"] for row in seen["processes"]].count("exec") == 5
    assert len({row["pid"] for row in seen["processes"]}) == 1
    by_start = sorted(seen["processes"], key=lambda row: row["start_at_ns"])
    assert [row["parent"] for row in by_start[1:]] == [row["process"] for row in by_start[:-1]]


@pytest.mark.parametrize("how", ["fork", "vfork", "spawn"])
def test_launched_program(how: str, mix: Callable[..., Mix], capture: Callable[..., Captured]) -> None:
    made = mix(rows=4, files=50)
    captured = capture(made.command(threads=2, operations=500, end="exit", launch=how))
    assert captured.status == 3
    seen = check(made, captured)
    first, *others = sorted(seen["processes"], key=lambda row: row["start_at_ns"])
    assert others
    assert all(row["parent_pid"] == first["pid"] or row["pid"] == first["pid"] for row in others)
    assert all(row["parent"] for row in others)


def test_forked_processes(mix: Callable[..., Mix], capture: Callable[..., Captured]) -> None:
    made = mix(rows=16, files=100)
    captured = capture(made.command(threads=4, processes=4, operations=1000, end="_exit"))
    seen = check(made, captured)
    assert len(seen["processes"]) == 4
    assert {row["exit_status"] for row in seen["processes"]} == {4}


def test_child_that_outlives_its_parent(mix: Callable[..., Mix], capture: Callable[..., Captured]) -> None:
    made = mix(rows=2, files=50)
    captured = capture(made.command(operations=500, end="exit", launch="detach"))
    assert captured.status == 0
    complete(captured.path)
    seen = check(made, captured)
    assert len({row["pid"] for row in seen["processes"]}) == 2
    assert {row["ended"] for row in seen["processes"]} == {"exit"}
