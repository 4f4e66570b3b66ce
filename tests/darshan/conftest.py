"""The logs that tests read: made ones, and those of other sites that are at hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from darshan_tools import FOREIGN
from made_darshan import MADE, pack


@pytest.fixture(scope="session")
def log_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The path of a log by its name."""
    directory = tmp_path_factory.mktemp("logs")

    def find(name: str) -> Path:
        if name in FOREIGN:
            return FOREIGN[name]
        path = directory / f"{name}.darshan"
        if not path.exists():
            path.write_bytes(pack(MADE[name]()))
        return path

    return find


@pytest.fixture(scope="session")
def peer_log_of(log_of: Callable[[str], Path]) -> Callable[[str], Path]:
    """The same log for PyDarshan: its wheel has no bzip2, and it seeks the job right behind the header."""

    def find(name: str) -> Path:
        path = log_of(name)
        if name not in MADE:
            return path
        log = MADE[name]()
        if log.compression != "bzip2" and log.padding == 0:
            return path
        log.compression, log.padding = "zlib", 0
        path = path.with_suffix(".peer.darshan")
        path.write_bytes(pack(log))
        return path

    return find
