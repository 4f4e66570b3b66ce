"""Building the parallel programs of examples/, and running them with and without capture."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from capture_tools import COMMAND, Captured, run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
# A rank that is bound to a core waits for whatever else runs there: on a busy machine milliseconds a message.
PARALLEL = {**os.environ, "OMPI_MCA_hwloc_base_binding_policy": "none"}
INSTRUMENTED = ["-finstrument-functions", "-finstrument-functions-exclude-file-list=headrace/phases.h"]


def build(mpi: str, name: str, out: Path, *options: str) -> Path:
    """As the README says, but with little optimisation, and every warning as an error."""
    words = [f"mpicc.{mpi}", "-std=gnu11", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
    sources = sorted((EXAMPLES / name).glob("*.c"))
    done = subprocess.run(
        [*words, *options, f"-I{ROOT / 'include'}", "-o", out, *sources, "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


class Program:
    """An example, built with one MPI; what its options write is in `directory`."""

    def __init__(self, mpi: str, name: str, built: Path, directory: Path) -> None:
        self.mpi, self.directory = mpi, directory
        self.path = build(mpi, name, built / f"{name}.{mpi}", *(INSTRUMENTED if mpi == "mpich" else []))

    def command(self, ranks: int, *options: str) -> list[str]:
        return [f"mpirun.{self.mpi}", "-np", str(ranks), str(self.path), *options]

    def run(self, ranks: int, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(ranks, *options),
            env={**PARALLEL, **environment},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
            cwd=self.directory,
        )

    def capture(self, ranks: int, *options: str) -> Captured:
        """A run that has to succeed, and whose trace has to hold, every message matched."""
        captured = run(
            self.command(ranks, *options),
            self.directory / f"{self.mpi}.hr",
            ["--trace"],
            env=PARALLEL,
            cwd=self.directory,
        )
        assert captured.status == 0, (captured.stdout, captured.stderr)
        assert captured.stderr == b""
        trace = captured.path.with_suffix(".trace.hr")
        done = subprocess.run(
            [COMMAND, "trace", "verify", trace], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
        return captured


def sent(captured: Captured) -> set[int]:
    """How many messages a rank sent: all there are."""
    ranks = {row["process"]: row["rank"] for row in captured.rows("processes") if row["rank"] >= 0}
    calls = {
        row["process"]: row["calls"] for row in captured.rows("profiles") if row["function"] == "MPI_Isend"
    }
    assert set(calls) == set(ranks)
    return set(calls.values())
