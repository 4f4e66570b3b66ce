"""Ranks that lose each other while they write the job log together, since its file system is too slow."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import run
from test_layouts import PROGRAM, Mounted

RANKS = 3


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_a_write_that_ends_too_late_does_not_count(mpi: str, mounted: Mounted, tmp_path: Path) -> None:
    """Rank 0 writes for two seconds; the others wait for one. Whatever it wrote, nothing is there twice."""
    point, below = mounted()
    slow = below / ".delay.job.hr"
    slow.write_text("2000000")
    data = tmp_path / "data"
    data.mkdir()
    program = compiled(mpi, tmp_path)
    more = {"HEADRACE_REDUCE": "always", "HEADRACE_REDUCE_PATIENCE": "1"}
    # Once the ranks are gone the launcher may write faster.
    script = f'mpirun.{mpi} -np {RANKS} "$@" && rm {slow}'
    launched = ["sh", "-c", script, "sh", program, data]
    captured = run(launched, point / "job.hr", (), env={**os.environ, **more}, timeout=200)
    assert captured.status == 0, captured.stderr
    assert not captured.rows("shared")
    assert writes(captured.rows, data) == {f"rank{rank}": 4 for rank in range(RANKS)} | {"shared": RANKS}
    with captured.log as log:
        assert log.damage == []
        assert log.job["complete"] == "yes"
    reasons = {row["reason"] for row in captured.rows("gaps") if row["what"] == "reduction over ranks"}
    assert reasons and all("each rank has rows of its own" in reason for reason in reasons)


def compiled(mpi: str, directory: Path) -> Path:
    source, program = directory / "ranks.c", directory / "ranks"
    source.write_text(PROGRAM)
    subprocess.run([f"mpicc.{mpi}", "-o", program, source], check=True)
    return program


def writes(rows: Callable[[str], list[dict[str, object]]], data: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows("files"):
        path, layer, count = str(row["path"]), row["layer"], row["writes"]
        if path.startswith(f"{data}/") and layer == "posix" and isinstance(count, int):
            name = path.rpartition("/")[2]
            found[name] = found.get(name, 0) + count
    return found
