"""Nonblocking MPI-IO: what waits for its end is time of the file, not of communication."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from capture_tools import Captured
from parallel_tools import by_rank


def test_waits_count_as_the_files(
    mpi: str, compiled: Callable[[str, str], Path], parallel: Callable[..., Captured], tmp_path: Path
) -> None:
    captured = parallel(2, [compiled(mpi, "c/file_waits.c"), tmp_path])
    assert captured.status == 0, captured.stderr.decode()
    measured = {int(rank): (int(wrote), int(read)) for rank, wrote, read in map(str.split, captured.text)}
    ranks = by_rank(captured)
    rows = captured.files("/later", layer="mpiio")
    assert sorted(ranks[row["process"]] for row in rows) == [0, 1]
    for row in rows:
        assert (row["writes_nonblocking"], row["reads_nonblocking"]) == (8, 8)
        wrote, read = measured[ranks[row["process"]]]
        # Not more than the program saw; what it does between the calls is little.
        assert 0.7 * wrote <= row["write_ns"] <= 1.01 * wrote
        assert 0.7 * read <= row["read_ns"] <= 1.01 * read
    own = {
        row["function"]: row["own_ns"]
        for row in captured.rows("profiles")
        if row["function"] in ("MPI_Wait", "MPI_Waitany", "MPI_Waitall")
    }
    assert own == dict.fromkeys(("MPI_Wait", "MPI_Waitany", "MPI_Waitall"), 0)
