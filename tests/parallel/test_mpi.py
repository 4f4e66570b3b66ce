"""MPI and MPI-IO as C and Fortran programs call them, under both MPIs: exact counts, nothing twice."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured
from parallel_tools import by_rank, calls, figures

Compiled = Callable[[str, str], Path]
Parallel = Callable[..., Captured]


@pytest.mark.parametrize("ranks", [2, 4, 16])
def test_every_call_counts_once(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path, ranks: int
) -> None:
    captured = parallel(ranks, [compiled(mpi, "c/mpi_calls.c"), tmp_path])
    assert captured.status == 0, captured.stderr.decode()
    assert sorted(by_rank(captured).values()) == list(range(ranks))
    rows = [row for row in captured.rows("processes") if row["rank"] >= 0]
    assert {row["ranks"] for row in rows} == {ranks}
    assert len({row["instance"] for row in rows}) == 1
    for rank in range(ranks):
        told = calls(captured, rank)
        expected = {
            "Init": (1, 0),
            "Finalize": (1, 0),
            "Bcast": (1, 40),
            "Allreduce": (3, 24),
            "Barrier": (3, 0),
            "Irecv": (1, 0),
            "Isend": (1, 100),
            "Waitall": (1, 100),  # of Irecv
            "Wait": (1, 0),
            "Sendrecv": (1, 28),
            "Gather": (1, 4),  # at the root in place
            "File_open": (2, 0),
            "File_close": (2, 0),
            "File_write_at": (3, 3000),
            "File_write_at_all": (1, 2000),
            "File_iwrite_at": (1, 1000),
            "File_write_at_all_begin": (1, 1000),
            "File_write_at_all_end": (1, 0),
            "File_sync": (1, 0),
            "File_read_at": (1, 1000),
            "File_read_at_all": (1, 1000),
            "File_set_view": (2, 0),
            "File_write": (1, 40),
            "File_write_all": (1, 40),
            "File_seek": (1, 0),
            "File_read": (1, 0),
        }
        if rank == 0:
            expected["Send"] = (1, 100)
        if rank == 1:
            expected["Recv"] = (1, 100)  # as many as came
        assert told == expected, rank


def test_files_of_mpi_io(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path) -> None:
    captured = parallel(2, [compiled(mpi, "c/mpi_calls.c"), tmp_path])
    ranks = by_rank(captured)
    rows = captured.files("/offsets", layer="mpiio")
    assert sorted(ranks[row["process"]] for row in rows) == [0, 1]
    for row in rows:
        start = ranks[row["process"]] * 100000
        assert figures(row, "opens", "opens_collective", "closes", "syncs") == (1, 1, 1, 1)
        assert figures(row, "writes", "bytes_written", "write_end") == (6, 7000, start + 7000)
        assert figures(row, "writes_collective", "writes_nonblocking", "writes_split") == (2, 1, 1)
        assert figures(row, "writes_consecutive", "writes_forward") == (5, 0)  # the first follows none
        assert figures(row, "reads", "bytes_read", "reads_collective") == (2, 2000, 1)
        assert figures(row, "writes_noncontiguous", "writes_shared_pointer", "views") == (0, 0, 0)
    for row in captured.files("/pointers", layer="mpiio"):
        assert figures(row, "writes", "bytes_written", "writes_noncontiguous", "views") == (2, 80, 2, 2)
        assert figures(row, "writes_collective", "reads", "bytes_read", "seeks") == (1, 1, 0, 1)


def test_hints_asked_and_in_force(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path) -> None:
    captured = parallel(2, [compiled(mpi, "c/mpi_calls.c"), tmp_path])
    (record,) = {row["record"] for row in captured.rows("properties") if row["key"].startswith("hint_asked")}
    assert record in {row["record"] for row in captured.files("/offsets", layer="mpiio")}
    facts = {row["key"]: row["value"] for row in captured.rows("properties") if row["record"] == record}
    assert facts["hint_asked.cb_buffer_size"] == "1048576"
    assert facts["hint_used.cb_buffer_size"] == "1048576"


def test_the_same_bytes_are_seen_below(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path
) -> None:
    captured = parallel(4, [compiled(mpi, "c/mpi_calls.c"), tmp_path])
    written = Counter[str]()
    for row in captured.files("/offsets"):
        written[row["layer"]] += row["bytes_written"]
    assert written["mpiio"] == 4 * 7000
    assert written["posix"] >= 4 * 7000  # collective buffering may write holes as well
    assert (tmp_path / "offsets").stat().st_size == 3 * 100000 + 7000


@pytest.mark.parametrize("binding", ["mpif", "mpi", "f08"])
def test_fortran(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path, binding: str) -> None:
    captured = parallel(2, [compiled(mpi, f"fortran/calls_{binding}.f90"), tmp_path / "out"])
    assert captured.status == 0, captured.stderr.decode()
    for rank in range(2):
        told = calls(captured, rank)
        assert told.pop("Send" if rank == 0 else "Recv") == (1, 40)
        assert told == {
            "Init": (1, 0),
            "Finalize": (1, 0),
            "Bcast": (1, 40),
            "Allreduce": (1, 8),
            "File_open": (1, 0),
            "File_write_at": (1, 40),
            "File_write_at_all": (1, 40),
            "File_close": (1, 0),
        }
    assert sum(row["bytes_written"] for row in captured.files("/out", layer="mpiio")) == 160


@pytest.mark.parametrize("ending", ["abort", "kill", "exit", "after"])
def test_endings(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path, ending: str) -> None:
    captured = parallel(4, [compiled(mpi, "c/endings.c"), ending, tmp_path / "out"])
    # A launcher may end before the ranks that it kills: what is left of them is collected in the background.
    deadline = time.monotonic() + 20
    while len(captured.files("/out", layer="mpiio")) < 4 and time.monotonic() < deadline:
        time.sleep(0.2)
    rows = captured.files("/out", layer="mpiio")
    assert sorted(by_rank(captured).values()) == [0, 1, 2, 3]
    assert [figures(row, "writes", "bytes_written") for row in rows] == [(1, 1000)] * 4
    if ending == "after":
        assert captured.status == 0
        late = captured.files("/out.late")
        assert [figures(row, "opens", "bytes_written") for row in late] == [(1, 2)] * 4
    elif ending != "exit":
        assert captured.status != 0


def test_threads_of_a_rank(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path) -> None:
    captured = parallel(2, [compiled(mpi, "c/endings.c"), "threads", tmp_path / "out"])
    if captured.status == 77:
        pytest.skip("this MPI has no MPI_THREAD_MULTIPLE")
    assert captured.status == 0, captured.stderr.decode()
    rows = captured.files("/out", layer="mpiio")
    assert [figures(row, "writes", "bytes_written") for row in rows] == [(200, 20000)] * 2
    for rank in range(2):
        assert calls(captured, rank)["File_write_at"] == (200, 20000)
