"""Compiles the measured programs with the machine's C compiler: no configured build tree is needed."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

SOURCES = Path(__file__).parent / "programs"
FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-pthread", "-Wall", "-Wextra")


class BuildError(Exception):
    """The measured programs could not be compiled."""


def _is_current(program: Path, source: Path) -> bool:
    if not program.exists():
        return False
    newest = max(p.stat().st_mtime for p in (source, *SOURCES.glob("*.h"), Path(__file__)))
    return program.stat().st_mtime > newest


def compile_programs(directory: Path) -> Path:
    """Brings every program of ``programs/`` up to date in ``directory``."""
    directory.mkdir(parents=True, exist_ok=True)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    for source in sorted(SOURCES.glob("*.c")):
        program = directory / source.stem
        if _is_current(program, source):
            continue
        command = [*compiler, *FLAGS, "-o", str(program), str(source)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except FileNotFoundError:
            raise BuildError(f"{compiler[0]}: no such compiler: install one, or name it in CC") from None
        if done.returncode != 0:
            raise BuildError(f"{shlex.join(command)}\n{done.stderr}")
    return directory
