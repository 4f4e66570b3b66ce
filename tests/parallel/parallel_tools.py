"""Reading what ranks did out of their log."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from capture_tools import Captured


def skip_unless_it_spawns(*command: object) -> None:
    """Skips the test where a program that calls MPI_Comm_spawn fails without capture too."""
    if subprocess.run(list(map(str, command)), capture_output=True, timeout=60, check=False).returncode:
        pytest.skip("MPI_Comm_spawn of this MPI fails, captured or not, as that of Debian 12's MPICH does")


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
