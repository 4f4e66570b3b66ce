"""scripts/setup: what it says where it may not install, and what a second run costs."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A tree with what the script reads, owned by an ordinary user."""
    tree = tmp_path / "tree"
    (tree / "scripts").mkdir(parents=True)
    for name in ("scripts/setup", "scripts/constraints.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tree / name)
    if os.geteuid() == 0:
        for path in (tree, *tree.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        for parent in tree.parents:  # one more where tests run in several processes
            if parent.owner() == "root" and parent.name.startswith(("test_", "popen-", "pytest-")):
                parent.chmod(0o755)
    return tree


@pytest.fixture
def path_without_cmake(tmp_path: Path) -> str:
    """A PATH with the machine's commands but cmake, ninja and sudo."""
    commands = tmp_path / "commands"
    commands.mkdir()
    for command in Path("/usr/bin").iterdir():
        if command.name not in ("cmake", "ninja", "sudo"):
            (commands / command.name).symlink_to(command)
    return str(commands)


def run_setup(tree: Path, *arguments: str, path: str) -> subprocess.CompletedProcess[str]:
    user = NOBODY if os.geteuid() == 0 else None
    command = [tree / "scripts" / "setup", *arguments]
    environment = {"PATH": path, "HOME": str(tree)}
    return subprocess.run(
        command,
        env=environment,
        user=user,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_rights_it_prints_the_command(copy: Path, path_without_cmake: str) -> None:
    result = run_setup(copy, "build", path=path_without_cmake)
    assert result.returncode != 0
    assert "Run this as root" in result.stderr
    command = next(line.split() for line in result.stderr.splitlines() if "apt-get install" in line)
    assert {"cmake", "ninja-build"} <= set(command)
    assert not (copy / ".venv").exists()


def test_unknown_group_names_the_groups(copy: Path, path_without_cmake: str) -> None:
    result = run_setup(copy, "tests", path=path_without_cmake)
    assert result.returncode != 0
    assert "one of build, demo, wheel, deb, test, fuzz" in result.stderr


@pytest.mark.alone
def test_second_run_is_quick_and_silent() -> None:
    assert (ROOT / ".venv" / ".headrace-setup-test").exists(), "run the tests through `make pytest`"
    start = time.monotonic()
    result = subprocess.run([ROOT / "scripts" / "setup", "test"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
    assert time.monotonic() - start < 1.0
