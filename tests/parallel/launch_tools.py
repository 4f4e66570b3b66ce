"""Starts the ranks of c/launching.c in every way that is to give the same log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import headrace
from capture_tools import COMMAND
from headrace.analysis.summary import summarize
from parallel_tools import skip_unless_it_launches_two_programs

LIBRARY = Path(sys.prefix) / "lib" / "headrace" / "libheadrace.so"
COLUMNS = ("opens", "reads", "writes", "bytes_read", "bytes_written")
Figures = dict[tuple[int, str], tuple[int, ...]]


def figures(log: Path, data: Path) -> Figures:
    """{(rank, name): counts} of the files below `data`; rank -1: of a process that is none."""
    with headrace.open(log) as opened:
        ranks = {row["process"]: row["rank"] for row in opened.processes.to_pylist()}
        result: Figures = {}
        for row in opened.files.to_pylist():
            if not row["path"].startswith(f"{data}/") or row["layer"] != "posix":
                continue
            key = (ranks[row["process"]], row["path"].rpartition("/")[2])
            before = result.get(key, (0,) * len(COLUMNS))
            counts = (before[i] + row[name] for i, name in enumerate(COLUMNS))
            result[key] = tuple(counts)
        return result


def expected(ranks: int) -> Figures:
    own: Figures = {(r, f"own.{r}"): (1, 0, 10 * (r + 1), 0, 1000 * (r + 1)) for r in range(ranks)}
    return own | {(r, "shared"): (1, 1, 3, 10, 150) for r in range(ranks)}


def shown(log: Path) -> dict[str, Any]:
    """What `headrace show` says of the job."""
    with headrace.open(log) as opened:
        result: dict[str, Any] = summarize(opened)
    return result


def kill_with_keeper(launcher: int) -> None:
    """Kills a launcher and, before it, the process that would collect what it leaves."""
    words = Path(f"/proc/{launcher}/cmdline").read_bytes()
    children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
    for child in children:
        if Path(f"/proc/{child}/cmdline").read_bytes() == words:
            os.kill(int(child), signal.SIGKILL)
    os.kill(launcher, signal.SIGKILL)


class Launching:
    """Everything of one test in a directory of its own: data, logs, spools."""

    def __init__(self, mpi: str, program: Path, directory: Path, spools: Path) -> None:
        self.mpi, self.program, self.directory, self.spools = mpi, program, directory, spools
        self.data = directory / "data"
        self.data.mkdir()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("HEADRACE")}
        self.environment |= {"HEADRACE_SPOOL": str(spools), "HEADRACE_CONFIG": "/dev/null"}

    def mpirun(self, ranks: int, *command: str | Path) -> list[str]:
        return [f"mpirun.{self.mpi}", "-np", str(ranks), *map(str, command)]

    def app(self, *options: str) -> list[str]:
        return [str(self.program), str(self.data), *options]

    def start(self, command: list[str], **more: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            env=self.environment | more,
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, command: list[str], **more: str) -> subprocess.CompletedProcess[bytes]:
        if ":" in command:
            skip_unless_it_launches_two_programs(self.mpi)
        return subprocess.run(
            command,
            env=self.environment | more,
            cwd=self.directory,
            capture_output=True,
            timeout=100,
            check=False,
        )

    def preloaded(self, ranks: int) -> list[str]:
        """`mpirun` that hands the capture library to its ranks in its own way."""
        if self.mpi == "openmpi":
            return self.mpirun(ranks, "-x", f"LD_PRELOAD={LIBRARY}", *self.app())
        return self.mpirun(ranks, "-genv", "LD_PRELOAD", LIBRARY, *self.app())

    def collect(self, *options: str | Path, **more: str) -> subprocess.CompletedProcess[bytes]:
        return self.run([COMMAND, "collect", *map(str, options)], **more)

    def logs(self) -> list[Path]:
        return sorted(self.directory.glob("*.hr"))
