"""Runs `headrace bench`, alone and as ranks of each MPI that is installed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

COMMAND = os.environ.get("HEADRACE_TEST_COMMAND", str(Path(sys.prefix) / "bin" / "headrace"))
MPIS = ["openmpi", "mpich"]


def launcher(mpi: str, ranks: int) -> list[str]:
    """ "" is no MPI."""
    if not mpi:
        return []
    found = shutil.which(f"mpirun.{mpi}")
    if found is None:
        pytest.skip(f"no {mpi}")
    return ["timeout", "60", found, "-n", str(ranks)]


def flip_byte(path: Path, offset: int) -> None:
    with path.open("r+b") as stream:
        stream.seek(offset)
        byte = stream.read(1)[0]
        stream.seek(offset)
        stream.write(bytes([byte ^ 4]))


class Bench:
    """Runs in a directory, of which nothing may be left."""

    def __init__(self, directory: Path, mpi: str = "", ranks: int = 4) -> None:
        self.directory = directory
        self.words = [*launcher(mpi, ranks), COMMAND, "bench"]
        self.environment = dict(os.environ)

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

    def interrupt(
        self, words: Sequence[str], begun: Callable[[], bool], number: signal.Signals, patience: float = 10
    ) -> None:
        """Sends a signal once the run has begun; its files may go a little later than its launcher."""
        before = self.left()
        command = [word for word in self.command(*words) if word not in ("timeout", "60")]
        with subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL) as running:
            deadline = time.monotonic() + 30
            while not begun():
                assert time.monotonic() < deadline and running.poll() is None
                time.sleep(0.01)
            os.kill(running.pid, number)
            assert running.wait(timeout=30) != 0
        deadline = time.monotonic() + patience
        while self.left() != before and time.monotonic() < deadline:
            time.sleep(0.05)
        assert self.left() == before

    def left(self) -> list[str]:
        return sorted(path.name for path in self.directory.iterdir())
