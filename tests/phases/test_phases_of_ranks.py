"""Phases of MPI programs, with their messages, with and without a reduction when MPI ends."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from phase_logs import Phased, run_phased

SOURCE = Path(__file__).parent / "c" / "ranks.c"


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def ranks_program(mpi: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ranks") / "ranks"
    subprocess.run([f"mpicc.{mpi}", "-O1", "-Wall", "-o", str(out), str(SOURCE)], check=True)
    return out


def dumps(mpi: str, program: Path, place: Path, reduce: str) -> Phased:
    command = ["timeout", "100", f"mpirun.{mpi}", "-np", "4", str(program), str(place)]
    done = run_phased(command, place / "job.hr", env={**os.environ, "HEADRACE_REDUCE": reduce})
    assert done.status == 0
    return done


@pytest.mark.parametrize("reduce", ["always", "never"])
def test_every_rank_has_its_phases(mpi: str, ranks_program: Path, tmp_path: Path, reduce: str) -> None:
    done = dumps(mpi, ranks_program, tmp_path, reduce)
    processes = {row["rank"]: row["process"] for row in done.rows("processes") if row["rank"] >= 0}
    assert sorted(processes) == [0, 1, 2, 3]
    for rank, process in processes.items():
        whole = done.rows("phases", process=process, phase="dump", instance=0)
        assert sum(row["instances"] for row in whole) == 4
        assert sum(row["bytes_written"] for row in whole) == (4 * 16 * 4096 if rank % 2 == 0 else 0)
        assert sum(row["message_bytes"] for row in whole) == 3 * 65536
        assert sum(row["message_ns"] for row in whole) > 0
        one = done.phase("dump", 2, process=process)
        assert (one["message_bytes"], one["ended"]) == (65536, "end")
        numbers = [row["instance"] for row in done.rows("phases", process=process, phase="dump")]
        assert sorted(set(numbers) - {0}) == [1, 2, 3, 4]
        assert len(numbers) - numbers.count(0) == 4  # none twice
        moved = done.rows("phase_series", process=process, phase="dump", instance=1, direction="message")
        assert sum(row["bytes"] for row in moved) == 65536
        function = "MPI_Recv" if rank % 2 == 0 else "MPI_Send"
        rows = done.rows("phase_profiles", process=process, phase="dump", instance=1, function=function)
        assert [(row["calls"], row["bytes"], row["layer"]) for row in rows] == [(1, 65536, "mpi")]
        # The phase around MPI_Finalize is told once, whole.
        (end,) = done.rows("phases", process=process, phase="end", instance=1)
        assert (end["ended"], end["cut"]) == ("end", 0)
    messages = [row for row in done.rows("series") if row["direction"] == "message"]
    assert sum(row["bytes"] for row in messages) >= 4 * 3 * 65536
