"""Compiles programs with each MPI and runs them under capture."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from capture_tools import Captured, run
from launch_tools import Launching

HERE = Path(__file__).parent
INCLUDE = HERE.parent.parent / "include"
LIBRARIES = ("openmpi", "mpich")


@pytest.fixture(scope="session", params=LIBRARIES)
def mpi(request: pytest.FixtureRequest) -> str:
    """The name of an MPI that is installed."""
    name: str = request.param
    assert shutil.which(f"mpirun.{name}"), f"{name} is missing: run scripts/setup test"
    return name


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """compiled(MPI, SOURCE) → path of the program, compiled once a session."""
    directory = tmp_path_factory.mktemp("parallel")

    def compile_once(mpi: str, source: str) -> Path:
        out = directory / f"{Path(source).name}.{mpi}"
        compiler = f"mpicc.{mpi}" if source.endswith(".c") else f"mpifort.{mpi}"
        if not out.exists():
            options = ["-Wall", "-Wextra", "-pthread", f"-I{INCLUDE}"] if source.endswith(".c") else []
            subprocess.run([compiler, "-O1", "-g", *options, "-o", str(out), str(HERE / source)], check=True)
        return out

    return compile_once


@pytest.fixture
def parallel(mpi: str, tmp_path: Path) -> Iterator[Callable[..., Captured]]:
    """parallel(RANKS, COMMAND, OPTIONS…) → what `headrace run -- mpirun` captured."""
    logs: list[Captured] = []

    def run_ranks(ranks: int, command: list[str | Path], *options: str) -> Captured:
        launched = [f"mpirun.{mpi}", "-np", str(ranks), *command]
        logs.append(run(launched, tmp_path / "job.hr", options))
        return logs[-1]

    yield run_ranks
    # An MPI whose ranks were killed leaves its shared memory; which was its own is in the log.
    for captured in logs:
        for row in captured.files():
            if row["path"].startswith(("/dev/shm/mpich_", "/dev/shm/ucx_shm_", "/dev/shm/vader_")):
                Path(row["path"]).unlink(missing_ok=True)


@pytest.fixture
def spools() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="launching-test-", dir="/dev/shm"))
    yield place
    left = list(place.iterdir())
    shutil.rmtree(place)
    assert left == [], "litter"


@pytest.fixture
def launching(mpi: str, compiled: Callable[[str, str], Path], tmp_path: Path, spools: Path) -> Launching:
    return Launching(mpi, compiled(mpi, "c/launching.c"), tmp_path, spools)
