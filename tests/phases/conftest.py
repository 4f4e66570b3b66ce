"""A stand-in for the tracer, and programs with phases under the real one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from phase_logs import Phased, run_phased
from phase_tools import HERE, Tracer, compile_program


@pytest.fixture(scope="session")
def tracer_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tracer") / "tracer.so"
    return compile_program("cc -shared -fPIC", [HERE / "c" / "tracer.c"], out)


@pytest.fixture
def tracer(tracer_library: Path, tmp_path: Path) -> Tracer:
    return Tracer(tracer_library, tmp_path / "calls")


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """c/cases.c, compiled."""
    out = tmp_path_factory.mktemp("cases") / "cases"
    return compile_program("cc -O1 -Wall -Wextra -pthread", [HERE / "c" / "cases.c"], out)


@pytest.fixture
def phased(cases: Path, tmp_path: Path) -> Callable[..., Phased]:
    """phased(CASE, NUMBER…, options=…) runs a case of c/cases.c under capture."""

    def run(case: str, *more: object, options: tuple[str, ...] = (), **popen: object) -> Phased:
        return run_phased([cases, case, tmp_path, *map(str, more)], tmp_path / "job.hr", options, **popen)

    return run
