"""A stand-in for the tracer."""

from __future__ import annotations

from pathlib import Path

import pytest
from phase_tools import HERE, Tracer, compile_program


@pytest.fixture(scope="session")
def tracer_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tracer") / "tracer.so"
    return compile_program("cc -shared -fPIC", [HERE / "c" / "tracer.c"], out)


@pytest.fixture
def tracer(tracer_library: Path, tmp_path: Path) -> Tracer:
    return Tracer(tracer_library, tmp_path / "calls")
