"""Compiles the programs of c/ once a session and gives tests a way to run them under capture."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from capture_tools import Captured, Mix, run

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Path of the compiled c/NAME.c; what follows the name are options for the linker."""
    directory = tmp_path_factory.mktemp("programs")

    def compile_once(name: str, *libraries: str) -> Path:
        out = directory / name
        if not out.exists():
            source = HERE / "c" / f"{name}.c"
            options = ["-O1", "-g", "-Wall", "-Wextra", "-pthread"]
            subprocess.run(["cc", *options, "-o", str(out), str(source), *libraries], check=True)
        return out

    return compile_once


@pytest.fixture
def mix(program: Callable[[str], Path], tmp_path: Path) -> Callable[..., Mix]:
    """Makes a Mix: mix(rows, files, dirs)."""
    return lambda rows, files, dirs=1: Mix(program("mix"), tmp_path, rows, files, dirs)


@pytest.fixture
def capture(tmp_path: Path) -> Callable[..., Captured]:
    """capture(COMMAND, OPTIONS…) → Captured, with the log beside the test's files."""
    return lambda command, *options, **more: run(command, tmp_path / "job.hr", options, **more)
