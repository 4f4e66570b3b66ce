"""Reading what ranks did out of their log."""

from __future__ import annotations

import functools
import subprocess
from typing import Any

import pytest
from capture_tools import Captured


def skip_unless_it_spawns(*command: object) -> None:
    """Skips the test where a program that calls MPI_Comm_spawn fails without capture too, or hangs."""
    limited = ["timeout", "-k", "5", "30", *map(str, command)]
    if subprocess.run(limited, capture_output=True, check=False).returncode:
        pytest.skip("MPI_Comm_spawn fails, captured or not (MPICH of Debian 12, Open MPI of Debian 13)")


@functools.cache
def _launches_two_programs(mpi: str) -> bool:
    command = ["timeout", "-k", "5", "30", f"mpirun.{mpi}", "-np", "1", "true", ":", "-np", "1", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def skip_unless_it_launches_two_programs(mpi: str) -> None:
    """Skips the test where `mpirun A : B` fails without capture too."""
    if not _launches_two_programs(mpi):
        pytest.skip(f"mpirun.{mpi} cannot launch two programs at once, captured or not (as in Debian 13)")


def is_open_mpi_4(mpi: str) -> bool:
    told = subprocess.run([f"mpirun.{mpi}", "--version"], capture_output=True, text=True, check=True).stdout
    return "(OpenRTE)" in told  # the runtime that version 5 has no more


def by_rank(captured: Captured) -> dict[int, int]:
    """{process: rank} of the ranks."""
    return {row["process"]: row["rank"] for row in captured.rows("processes") if row["rank"] >= 0}


def calls(captured: Captured, rank: int) -> dict[str, tuple[int, int]]:
    """{function: (calls, bytes)} of a rank, of MPI alone."""
    ranks = by_rank(captured)
    return {
        row["function"].removeprefix("MPI_"): (row["calls"], row["bytes"])
        for row in captured.rows("profiles")
        if ranks.get(row["process"]) == rank and row["layer"] in ("mpi", "mpiio")
    }


def figures(row: dict[str, Any], *names: str) -> tuple[int, ...]:
    return tuple(row[name] for name in names)
