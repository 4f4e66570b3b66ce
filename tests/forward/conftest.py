"""Servers that are gone when a test ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from forward_tools import Place, Servers
from mount_tools import Mounts

pytest.register_assert_rewrite("side_by_side")


@pytest.fixture
def servers() -> Iterator[Servers]:
    made = Servers()
    try:
        yield made
    finally:
        made.end()


@pytest.fixture
def place(servers: Servers, tmp_path: Path) -> Place:
    return Place(servers, tmp_path)


@pytest.fixture
def mounts(servers: Servers, tmp_path: Path) -> Iterator[Mounts]:
    made = Mounts(tmp_path)
    try:
        yield made
    finally:
        made.end()
