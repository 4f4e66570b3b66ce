"""Runs `headrace bench`, alone and as ranks of each MPI that is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = os.environ.get("HEADRACE_TEST_COMMAND", str(Path(sys.prefix) / "bin" / "headrace"))
MPIS = ["openmpi", "mpich"]
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


def launcher(mpi: str, ranks: int) -> list[str]:
    """ "" is no MPI."""
    if not mpi:
        return []
    found = shutil.which(f"mpirun.{mpi}")
    if found is None:
        pytest.skip(f"no {mpi}")
    return ["timeout", "60", found, "-n", str(ranks)]


class Bench:
    """Runs in a directory, of which nothing may be left."""

    def __init__(self, directory: Path, mpi: str = "", ranks: int = 4) -> None:
        self.directory = directory
        self.words = [*launcher(mpi, ranks), COMMAND, "bench"]
        self.environment = {**os.environ, **ENVIRONMENT}

    def command(self, *words: str) -> list[str]:
        return [*self.words, *words, "--dir", str(self.directory)]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words),
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
            env=self.environment,
            stdin=subprocess.DEVNULL,
        )

    def figures(self, *words: str, status: int = 0) -> dict[str, Any]:
        done = self.run(*words, "--json")
        assert done.returncode == status, (done.stdout, done.stderr)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def left(self) -> list[str]:
        return sorted(path.name for path in self.directory.iterdir())
