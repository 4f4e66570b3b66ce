"""Bytes of calls that are started in one step and completed in another count, by the program's own tally."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured
from parallel_tools import by_rank, calls

ROOT = Path(__file__).resolve().parents[2]
Parallel = Callable[..., Captured]
Compiled = Callable[[str, str], Path]


def _tally(printed: bytes) -> dict[int, dict[str, tuple[int, int]]]:
    told: dict[int, dict[str, tuple[int, int]]] = {0: {}, 1: {}}
    for line in printed.decode().splitlines():
        rank, function, count, size = line.split()
        told[int(rank)][function] = (int(count), int(size))
    return told


@pytest.mark.parametrize("options", [[], ["--trace"]])
def test_all_bytes_count(mpi: str, compiled: Compiled, parallel: Parallel, options: list[str]) -> None:
    captured = parallel(2, [compiled(mpi, "c/two_steps.c")], *options)
    assert captured.status == 0, captured.stderr.decode()
    for rank, tally in _tally(captured.stdout).items():
        assert len(tally) > 15
        counted = calls(captured, rank)
        assert {name: counted.get(name) for name in tally} == tally


def test_what_finds_no_room_is_told(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    captured = parallel(2, [compiled(mpi, "c/many_receives.c"), "20000"])
    assert captured.status == 0, captured.stderr.decode()
    lost = [row for row in captured.rows("gaps") if row["what"] == "requests of MPI"]
    assert len(lost) == 2
    ranks = by_rank(captured)
    for row in lost:
        counted = calls(captured, ranks[row["process"]])
        received = sum(size for name, (_, size) in counted.items() if name.startswith("Wait"))
        assert (received, row["amount"]) == ((20000 - row["amount"]) * 4, row["amount"])


def test_every_function_of_this_mpi_has_its_place(mpi: str, compiled: Compiled) -> None:
    linked = subprocess.run(
        ["ldd", compiled(mpi, "c/two_steps.c")], capture_output=True, text=True, check=True
    ).stdout
    library = next(line.split()[2] for line in linked.splitlines() if "libmpi" in line)
    check = [sys.executable, ROOT / "scripts" / "check_mpi_functions.py", library]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
