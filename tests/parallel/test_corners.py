"""What few parallel programs do, under both MPIs: spawned ranks, neighbours, shared pointers, untidy ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import COMMAND, Captured
from launch_tools import LIBRARY, Launching, shown
from parallel_tools import by_rank, calls, figures, skip_unless_it_spawns

Compiled = Callable[[str, str], Path]
Parallel = Callable[..., Captured]


def test_spawned_ranks_are_a_run_of_their_own(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path
) -> None:
    program = compiled(mpi, "c/spawns.c")
    skip_unless_it_spawns(f"mpirun.{mpi}", "-np", "2", program, tmp_path)
    captured = parallel(2, [program, tmp_path])
    assert captured.status == 0, captured.stderr.decode()
    ranks = [row for row in captured.rows("processes") if row["rank"] >= 0]
    groups = {row["instance"]: row["ranks"] for row in ranks}
    assert sorted(groups.values()) == [2, 3]
    for instance, count in groups.items():
        assert sorted(row["rank"] for row in ranks if row["instance"] == instance) == list(range(count))
        name, amount = ("parent", 100) if count == 2 else ("child", 200)
        for row in ranks:
            if row["instance"] == instance:
                file = captured.file(f"/{name}.{row['rank']}")
                assert figures(file, "process", "bytes_written") == (row["process"], amount)
    assert sum(row["spawned_ranks"] for row in ranks) == 3
    assert [row["ranks"] for row in ranks if row["spawned"]] == [3, 3, 3]
    assert shown(tmp_path / "job.hr")["job"]["complete"] == "yes"


def test_ranks_that_were_spawned_behind_the_launcher_are_missed(
    launching: Launching, compiled: Compiled
) -> None:
    program = compiled(launching.mpi, "c/spawns.c")
    skip_unless_it_spawns(f"mpirun.{launching.mpi}", "-np", "2", program, launching.data)
    command = launching.mpirun(2, COMMAND, "run", "-o", "job.hr", program, launching.data)
    done = launching.run(command)
    assert done.returncode == 0, done.stderr.decode()
    facts = shown(launching.directory / "job.hr")
    assert facts["job"]["complete"] == (
        "no: 3 ranks that MPI_Comm_spawn started are not in the log; "
        "put `headrace run` before the MPI launcher"
    )
    missed = [(row["what"], row["amount"]) for row in facts["not_captured"] if row["loss"]]
    assert missed == [("ranks not in the log", 3)]


@pytest.mark.parametrize("variable", ["HEADRACE=off", "HEADRACE_SPOOL=/nonexistent"])
def test_ranks_are_spawned_where_nothing_is_recorded(
    launching: Launching, compiled: Compiled, variable: str
) -> None:
    program = compiled(launching.mpi, "c/spawns.c")
    skip_unless_it_spawns(f"mpirun.{launching.mpi}", "-np", "2", program, launching.data)
    name, _, value = variable.partition("=")
    set_both = {
        "openmpi": ["-x", f"LD_PRELOAD={LIBRARY}", "-x", variable],
        "mpich": ["-genv", "LD_PRELOAD", LIBRARY, "-genv", name, value],
    }[launching.mpi]
    done = launching.run(launching.mpirun(2, *set_both, program, launching.data))
    assert done.returncode == 0, done.stderr.decode()
    assert len(list(launching.data.glob("child.*"))) == 3
    launching.collect("-q")


@pytest.mark.parametrize("left", [[], ["left open"]])
def test_neighbours(mpi: str, compiled: Compiled, parallel: Parallel, left: list[str]) -> None:
    captured = parallel(3, [compiled(mpi, "c/topologies.c"), *left])
    assert captured.status == 0, captured.stderr.decode()
    assert sorted(by_rank(captured).values()) == [0, 1, 2]
    for rank in range(3):
        told = calls(captured, rank)
        line = [False, True] if rank == 0 else [True, False] if rank == 2 else [True, True]
        neighbours = sum(line) + 2 + 1  # on the line, in the graph, one way round
        each = sum(count for count, there in zip([1, 2], line, strict=True) if there) + 3 + 1
        assert told["Neighbor_allgather"] == (3, 3 * 20)
        assert told["Neighbor_alltoall"] == (3, neighbours * 12)
        assert told["Neighbor_alltoallv"] == (3, each * 4)
        assert told["Ineighbor_alltoall"] == (3, neighbours * 8)
        assert told["Ineighbor_alltoallw"] == (3, each * 4)
        assert not {"Allgather", "Alltoall", "Isend", "Sendrecv"} & told.keys()


def test_shared_pointer(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path) -> None:
    captured = parallel(3, [compiled(mpi, "c/shared_pointer.c"), tmp_path / "out"])
    assert captured.status == 0, captured.stderr.decode()
    ranks = by_rank(captured)
    rows = captured.files("/out", layer="mpiio")
    assert sorted(ranks[row["process"]] for row in rows) == [0, 1, 2]
    for row in rows:
        own = ranks[row["process"]] + 1
        assert figures(row, "writes", "bytes_written") == (own + 3, own * 100 + 100)
        assert figures(row, "writes_shared_pointer", "writes_collective") == (own + 3, 2)
        assert figures(row, "writes_nonblocking", "writes_split") == (1, 1)
        assert figures(row, "reads", "bytes_read", "reads_shared_pointer", "reads_collective") == (
            2,
            50,
            2,
            1,
        )
    assert (tmp_path / "out").stat().st_size == sum(row["bytes_written"] for row in rows)


def test_a_file_left_open(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path) -> None:
    captured = parallel(2, [compiled(mpi, "c/unfinished.c"), "open", tmp_path])
    rows = captured.files("/shared", layer="mpiio")
    assert [figures(row, "opens", "closes", "bytes_written") for row in rows] == [(1, 0, 10)] * 2
    assert not captured.log.damage


def test_threads_write_while_mpi_ends(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path
) -> None:
    place = tmp_path / "files"
    place.mkdir()
    captured = parallel(2, [compiled(mpi, "c/unfinished.c"), "threads", place])
    assert captured.status == 0, captured.stderr.decode()
    for rank in range(2):
        for thread in range(3):
            size = (place / f"{rank}.{thread}").stat().st_size
            rows = captured.files(f"/files/{rank}.{thread}")
            assert sum(row["bytes_written"] for row in rows) == size
            assert sum(row["writes"] for row in rows) == size // 10
            assert [sum(row[end] for row in rows) for end in ("opens", "closes")] == [1, 1]
