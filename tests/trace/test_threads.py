"""Every thread is a location of its own, from its begin to its end, however many there are."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from headrace.analysis.traces import Trace
from trace_tools import HERE, Traced, compile_program

WRITES = 5  # of each thread


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("crowd") / "crowd"
    return compile_program("cc -O1 -pthread", [HERE / "c" / "crowd.c"], out)


def by_thread(traced: Traced) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in traced.rows():
        found[row["thread"]].append(row)
    return found


def check_life(rows: list[dict[str, Any]], may_outlive: bool = False) -> None:
    """It begins, does what it does, and ends."""
    first, *middle, last = rows
    assert (first["kind"], first["name"], first["layer"]) == ("enter", "thread", "thread"), rows
    if may_outlive and last["kind"] != "leave":
        return
    assert (last["kind"], last["name"]) == ("leave", "thread"), rows
    assert last["duration_ns"] >= sum(row["duration_ns"] for row in middle) >= 0


def check_all(traced: Traced, threads: int) -> None:
    found = by_thread(traced)
    assert sorted(found) == list(range(1, threads + 2))
    assert not any(row["name"] == "thread" for row in found.pop(1)), "the first thread is the program's own"
    for rows in found.values():
        check_life(rows)
        assert len({row["offset"] // (8 * WRITES) for row in rows[1:-1]}) == 1, "one thread's numbers alone"
    assert sum(len(rows) for rows in found.values()) == threads * (WRITES + 2)
    assert Trace(traced.trace).native.accounts() == {}
    traced.verify()


def test_threads_over_time(crowd: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [crowd, tmp_path, "over-time", "10000"], ["--trace", "--trace-memory", "8M"])
    check_all(traced, 10_000)
    assert traced.trace.stat().st_size < 10_000 * 1024, "a chunk a thread"
    for command in ("stats", "overview", "verify"):
        traced.command(command)


def test_threads_at_once(crowd: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [crowd, tmp_path, "at-once", "1000"])
    check_all(traced, 1000)


def test_many_threads_share_a_little_memory(crowd: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [crowd, tmp_path, "at-once", "300"], ["--trace=posix", "--trace-memory", "1M"])
    found = by_thread(traced)
    del found[1]
    assert len(found) == 300
    assert all(sum(row["name"] == "pwrite" for row in rows) == WRITES for rows in found.values())
    traced.verify()


def test_threads_that_wait_for_a_flush_sleep_until_it_is_over(crowd: Path, tmp_path: Path) -> None:
    threads = 100
    traced = Traced(
        tmp_path, [crowd, tmp_path, "flood", str(threads)], ["--trace=posix", "--trace-memory", "1M"]
    )
    functions = {row["name"]: row for row in Trace(traced.trace).stats()["functions"]}
    flushes = functions["flush"]
    assert functions["write"]["calls"] == threads * 5000
    assert flushes["calls"] >= 10
    # Once a flush at most, mostly less; and ten times a second, to see whether somebody is still there who
    # wakes. When they looked again and again it was nine times a flush.
    most = threads * (3 * flushes["calls"] + 10 * flushes["time_ns"] / 1e9)
    assert int(traced.stdout) < most, (traced.stdout, flushes)
    traced.verify()


def test_kinds_of_threads(crowd: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [crowd, tmp_path, "kinds", "0"])
    check_all(traced, 2)


@pytest.mark.parametrize("flush", [(), ("--trace-flush", "end")])
def test_what_threads_leave_is_of_use_whatever_its_size(
    crowd: Path, tmp_path: Path, flush: tuple[str, ...]
) -> None:
    traced = Traced(tmp_path, [crowd, tmp_path, "uneven", "1000"], ["--trace", *flush])
    written = sum((number * 2654435761 >> 7 & 0xFFFF) % 40 for number in range(1000))
    assert sum(row["name"] == "pwrite" for row in traced.rows()) == written > 15_000
    assert not any(row["class"] == "tracing" for row in Trace(traced.trace).functions()), "no flush"
    traced.verify()


def test_an_end_that_other_keys_put_off(crowd: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [crowd, tmp_path, "stubborn", "20"])
    check_all(traced, 20)


@pytest.mark.parametrize("way", ["fork", "_Fork"])
def test_children_start_threads_of_their_own(tmp_path: Path, way: str) -> None:
    source = HERE / "c" / "forks_threads.c"
    program = compile_program("cc -O1 -pthread", [source], tmp_path / "forks_threads")
    traced = Traced(tmp_path, [program, way, "40"])
    assert traced.stdout == "0\n"
    for process in {row["process"] for row in traced.rows() if row["name"] == "write"}:
        rows = [row for row in traced.rows() if row["process"] == process]
        (first,) = {row["thread"] for row in rows if row["name"] == "write"}
        assert not any(row["name"] == "thread" for row in rows if row["thread"] == first), "the child's own"
    traced.verify()


PYTHON = """
import sys, threading
def write(number):
    with open(f"{sys.argv[1]}/{number}", "wb", buffering=0) as out:
        for i in range(5): out.write(b"%d" % number)
for turn in range(3):
    threads = [threading.Thread(target=write, args=(turn * 4 + n,)) for n in range(4)]
    for each in threads: each.start()
    for each in threads: each.join()
"""


def test_threads_of_python(tmp_path: Path) -> None:
    traced = Traced(tmp_path, [sys.executable, "-c", PYTHON, str(tmp_path)], ["--trace=posix"])
    found = by_thread(traced)
    workers = [rows for thread, rows in found.items() if thread != 1]
    assert len(workers) == 12
    for rows in workers:
        check_life(rows, may_outlive=True)  # Python waits for its function alone
        written = {
            row["path"] for row in rows if row["name"] == "write" and row["path"].startswith(str(tmp_path))
        }
        assert len(written) == 1, "each thread has a file"
    traced.verify()
