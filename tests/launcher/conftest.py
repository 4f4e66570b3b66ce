"""Fixtures that run `headrace run`: with a library that captures nothing, or with the real one."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from launcher_tools import Launcher


@pytest.fixture(scope="session")
def idle_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that can be preloaded and does nothing."""
    out = tmp_path_factory.mktemp("library") / "libidle.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", str(out), "-x", "c", "-"], input=b"int headrace_idle;\n", check=True
    )
    return out


@pytest.fixture
def spools() -> Iterator[Path]:
    """A directory for spools; fails the test if something is left in it."""
    place = Path(tempfile.mkdtemp(prefix="launcher-test-", dir="/dev/shm"))
    yield place
    left = list(place.iterdir())
    shutil.rmtree(place)
    assert left == [], "litter"


@pytest.fixture
def launcher(tmp_path: Path, spools: Path, idle_library: Path) -> Launcher:
    """A launcher that captures nothing."""
    return Launcher(tmp_path, spools, idle_library)


@pytest.fixture
def capturing(tmp_path: Path, spools: Path) -> Launcher:
    """A launcher with the capture library it was installed with."""
    return Launcher(tmp_path, spools, None)


@pytest.fixture
def facts() -> Callable[[Path], dict[str, Any]]:
    """facts(LOG): what the log says about the job."""
    import headrace

    def read(path: Path) -> dict[str, Any]:
        with headrace.open(path) as log:
            return log.job

    return read
