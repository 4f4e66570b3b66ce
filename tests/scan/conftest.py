"""Running `headrace scan` as users do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from headrace import scans
from headrace.scans.scan import Scan

COMMAND = Path(sys.executable).parent / "headrace"


@pytest.fixture
def headrace() -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*words: object, status: int = 0) -> subprocess.CompletedProcess[str]:
        command = [COMMAND, "scan", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == status, done.stderr
        return done

    return run


@pytest.fixture
def scan(headrace: Callable[..., object], tmp_path: Path) -> Callable[..., Scan]:
    """Scans a directory and reads the result."""

    def run(*words: object) -> Scan:
        headrace(*words, "-o", tmp_path / "scan.hr")
        assert sorted(file.name for file in tmp_path.glob("scan.hr*")) == ["scan.hr"]
        return scans.load(tmp_path / "scan.hr")

    return run
