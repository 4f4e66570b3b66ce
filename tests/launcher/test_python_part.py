"""What the native command says where it cannot become the Python package."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from launcher_tools import COMMAND


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """A `headrace` with nothing beside it."""
    place = tmp_path / "bin/headrace"
    place.parent.mkdir()
    shutil.copy(COMMAND, place)
    return place


def run(command: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([command, "show", "a.hr"], capture_output=True, text=True, timeout=60, check=False)


def test_a_python_that_this_user_may_not_run(command: Path) -> None:
    """As of an environment in somebody's home. Not even root runs what has no permission to be run."""
    (command.parent / "python3").write_text("#!/bin/sh\n")
    (command.parent / "headrace-python").write_text("#!/bin/sh\n")
    done = run(command)
    assert done.returncode == 126
    assert f"{command.parent}/python3 may not be run by this user" in done.stderr
    assert "install the wheel" not in done.stderr


def test_no_python_at_all(command: Path) -> None:
    done = run(command)
    assert done.returncode == 127
    assert "No such file or directory; install the wheel" in done.stderr
