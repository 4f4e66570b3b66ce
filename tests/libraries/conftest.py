"""Builds the programs of c/ once a session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured, run
from library_tools import compile_with


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """built(NAME, PACKAGE…) → the compiled c/NAME.c."""
    directory = tmp_path_factory.mktemp("libraries")
    return lambda name, *packages: compile_with(directory, name, *packages)


@pytest.fixture
def capture(tmp_path: Path) -> Callable[..., Captured]:
    """capture(COMMAND, OPTIONS…) → Captured."""
    return lambda command, *options: run(command, tmp_path / "job.hr", options)
