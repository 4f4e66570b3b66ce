"""Hundreds of threads: what each of them does is in its file, its function, its layer and the totals."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from capture_tools import COMMAND, COUNTERS, Captured, Mix
from capture_tools import check as check_mix

NOT_LOST = {"call sites", "excluded paths"}


def sizes_of(threads: int, rounds: int) -> int:
    """Bytes of the writes of one size or another that all threads do to one file."""
    return sum((number + each) * 37 % 500 + 1 for number in range(threads) for each in range(rounds))


def expected(threads: int, waves: int, rounds: int, processes: int) -> dict[str, dict[str, int]]:
    """Figures of one file of each layer, as c/crowd.c does them."""
    times, crowds = threads * waves * rounds * processes, waves * processes
    posix = [times, times, 2 * times, 3 * times, 8 * times, 20 * times + crowds * sizes_of(threads, rounds)]
    stdio = [times, times, 0, 3 * times, 0, 21 * times]
    return {
        "posix": dict(zip(COUNTERS, posix, strict=True)),
        "stdio": dict(zip(COUNTERS, stdio, strict=True)),
    }


def figures(rows: list[dict[str, Any]]) -> dict[str, int]:
    return {name: sum(row[name] for row in rows) for name in COUNTERS}


def check(
    captured: Captured, data: Path, files: int, wanted: dict[str, dict[str, int]], by_file: bool
) -> None:
    assert captured.status == 0, captured.stderr
    assert [gap for gap in captured.rows("gaps") if gap["what"] not in NOT_LOST] == []
    rows = [row for row in captured.rows("files") if row["kind"] != "excluded_rollup"]
    functions: dict[str, int] = {}
    for profile in captured.rows("profiles"):
        functions[profile["function"]] = functions.get(profile["function"], 0) + profile["calls"]
    for layer, start in (("posix", "p"), ("stdio", "s")):
        one = wanted[layer]
        here = [row for row in rows if row["layer"] == layer and row["path"].startswith(f"{data}/")]
        if not by_file:  # in a roll-up of a directory above, too, where the program has no other files
            here = [row for row in rows if row["layer"] == layer]
        assert figures(here) == {name: files * count for name, count in one.items()}
        for number in range(files) if by_file else ():
            own = [row for row in here if row["path"] == f"{data}/{start}{number}"]
            assert figures(own) == one, f"{start}{number}"
    assert functions["write"] == files * wanted["posix"]["writes"]
    assert functions["pread"] == files * wanted["posix"]["reads"]
    assert functions["fwrite"] == files * wanted["stdio"]["writes"]
    assert functions["fopen"] == files * wanted["stdio"]["opens"]


@pytest.mark.parametrize(
    ("threads", "files", "waves", "rounds", "processes"),
    [
        (300, 1, 2, 1, 1),
        (1000, 1, 2, 1, 1),
        (300, 60, 2, 1, 1),  # more of threads and files than there is memory for
        (1000, 30, 1, 1, 1),
        (1, 1, 10_000, 1, 1),  # one after the other
        (300, 10, 1, 1, 3),
    ],
)
def test_crowds_are_counted_whole(
    threads: int,
    files: int,
    waves: int,
    rounds: int,
    processes: int,
    program: Callable[[str], Path],
    capture: Callable[..., Captured],
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    arguments = [threads, files, waves, rounds, processes]
    captured = capture([program("crowd"), data, *map(str, arguments)])
    check(captured, data, files, expected(threads, waves, rounds, processes), by_file=True)
    if waves == 10_000:  # each takes the place of the one before
        assert max(row["memory_bytes"] for row in captured.rows("processes")) < 4 << 20


@pytest.mark.parametrize("memory", ["128K", "256K"])
def test_crowds_without_memory_are_in_the_totals(
    memory: str, program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    """More files are open at once than there is memory for: roll-ups take what has no row of its own."""
    data = tmp_path / "data"
    data.mkdir()
    captured = capture([program("crowd"), data, "300", "150", "1", "1", "1"], "--memory", memory)
    check(captured, data, 150, expected(300, 1, 1, 1), by_file=False)


@pytest.mark.parametrize("options", [(), ("--trace-memory", "1M")])
def test_traces_of_crowds_have_every_call(
    options: tuple[str, ...], program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    """Or say how many are lost; the figures of the log are exact in either case."""
    data = tmp_path / "data"
    data.mkdir()
    captured = capture([program("crowd"), data, "1000", "2", "1", "1", "1"], "--trace", *options)
    functions = {row["function"]: row["calls"] for row in captured.rows("profiles")}
    assert functions["write"] == functions["fwrite"] == 6000
    assert functions["pread"] == 4000
    assert {row["opens"] for row in captured.files(kind="file")} == {1000}
    told = [COMMAND, "trace", "stats", "--json", str(tmp_path / "job.trace.hr")]
    seen = json.loads(subprocess.run(told, capture_output=True, check=True).stdout)
    assert seen["kinds"]["io_begin"] + seen["lost_calls"] == sum(functions.values())


def test_a_crowd_that_is_killed_keeps_what_it_did(
    mix: Callable[..., Mix], capture: Callable[..., Captured]
) -> None:
    """While it shares what its files have: at most one operation a thread is uncertain."""
    made = mix(rows=100, files=60)
    captured = capture(made.command(threads=100, operations=0, kill=400_000), "--memory", "512K")
    check_mix(made, captured)
    assert not {gap["what"] for gap in captured.rows("gaps")} & {"reads and writes", "threads"}
    (process,) = captured.rows("processes")
    assert process["uncertain_operations"] <= 101


def test_threads_that_come_one_after_another_are_as_many(capture: Callable[..., Captured]) -> None:
    program = """
import os, threading
for _ in range(5):
    thread = threading.Thread(target=lambda: os.write(1, b"x"))
    thread.start()
    thread.join()
"""
    captured = capture([sys.executable, "-S", "-c", program])
    (process,) = captured.rows("processes")
    assert process["threads"] == 6
