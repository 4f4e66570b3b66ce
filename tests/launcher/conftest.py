"""Fixtures that run `headrace run`: with a library that captures nothing, or with the real one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from launcher_tools import Launcher, job_directories


@pytest.fixture(scope="session")
def idle_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that can be preloaded and does nothing."""
    out = tmp_path_factory.mktemp("library") / "libidle.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", str(out), "-x", "c", "-"], input=b"int headrace_idle;\n", check=True
    )
    return out


@pytest.fixture
def launcher(tmp_path: Path, idle_library: Path) -> Iterator[Launcher]:
    """A launcher that captures nothing; fails the test if something of it is left."""
    before = job_directories()
    yield Launcher(tmp_path, idle_library)
    assert job_directories() <= before, "litter"


@pytest.fixture
def capturing(tmp_path: Path) -> Iterator[Launcher]:
    """A launcher with the capture library it was installed with."""
    before = job_directories()
    yield Launcher(tmp_path, None)
    assert job_directories() <= before, "litter"


@pytest.fixture
def facts() -> Callable[[Path], dict[str, Any]]:
    """facts(LOG): what the log says about the job."""
    import headrace

    def read(path: Path) -> dict[str, Any]:
        with headrace.open(path) as log:
            return log.job

    return read
