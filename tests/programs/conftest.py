"""Compiles the programs of c/ once a session and gives tests a Tracer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tracing import Compile, Tracer

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """build(NAME) → the compiled c/NAME.c; build(NAME, "musl-gcc", "-static"): another compiler, flags."""
    directory = tmp_path_factory.mktemp("transparent")
    # Programs that change their user must still find themselves.
    for place in (directory, *directory.parents):
        if place.name.startswith(("transparent", "popen-", "pytest-")):
            place.chmod(0o755)

    def compile_once(name: str, compiler: str = "cc", *flags: str) -> Path:
        out = directory / "-".join([name, compiler, *(flag.strip("-") for flag in flags)])
        if not out.exists():
            command = [compiler, "-O1", "-g", "-Wall", "-Wextra", "-Werror", *flags, "-pthread"]
            subprocess.run([*command, "-o", out, HERE / "c" / f"{name}.c"], check=True)
        return out

    return compile_once


@pytest.fixture
def tracer(tmp_path: Path) -> Tracer:
    return Tracer(tmp_path)
