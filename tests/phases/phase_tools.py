"""Programs that mark phases, and what a tracer is told by them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMMAND = Path(sys.prefix) / "bin" / "headrace"
needs_mpy = pytest.mark.skipif(shutil.which("mpy.openmpi") is None, reason="no mpy.openmpi, as in Debian 13")


def config(option: str) -> str:
    """What `headrace config` says."""
    done = subprocess.run([COMMAND, "config", option], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def compile_program(compiler: str, options: Sequence[str | Path], out: Path) -> Path:
    """Compiles with every warning as an error."""
    words = [*compiler.split(), "-Wall", "-Wextra", "-Werror", config("--cflags"), "-o", str(out)]
    done = subprocess.run([*words, *map(str, options)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


class Tracer:
    """c/tracer.c, and the calls that it saw."""

    def __init__(self, library: Path, log: Path) -> None:
        self.library, self.log = library, log

    def calls(
        self, command: Sequence[str | Path], *, preload: Sequence[str | Path] = (), **more: str
    ) -> list[str]:
        """Runs a program with it preloaded; the calls, in order."""
        libraries = ":".join(str(each) for each in (*preload, self.library))
        self.run(command, LD_PRELOAD=libraries, PHASE_LOG=str(self.log), **more)
        lines = self.log.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        self.log.unlink()
        return lines

    def run(self, command: Sequence[str | Path], **more: str) -> str:
        """Runs a program without it; what it printed."""
        environment = {**os.environ, **more}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=100, check=False
        )
        assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
        assert done.stderr == "", done.stderr
        return done.stdout
