"""Everyday programs in scripts/, run with and without capture: same output, status and files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tracing import Tracer

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.sh"))
NEEDS = {"git": "git", "gcc": "make", "perl": "perl", "sqlite_shell": "sqlite3"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script(tracer: Tracer, script: Path) -> None:
    program = NEEDS.get(script.stem, "bash")
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    tracer.compare(["bash", script])


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) > 10
