"""The Debian package: built from a copy of the sources, installed by dpkg, and used."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from systems import run, system_over
from wheel_tools import ROOT, Machine, check_commands

DEBIAN = "/usr/bin/python3"


def made_package(*command: str | Path, **environment: str) -> Path:
    made = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    said = next(line for line in made.stdout.splitlines() if line.startswith("deb: "))
    return ROOT / said.split()[1]


@pytest.fixture(scope="module")
def package(wheel: Path) -> Path:
    """Of the wheel that the other tests use, so that nothing is compiled."""
    version = subprocess.run([DEBIAN, "--version"], check=True, capture_output=True, text=True).stdout
    if not version.startswith(f"Python {sys.version_info.major}.{sys.version_info.minor}."):
        pytest.skip(f"{DEBIAN} is {version.strip()}, and .venv was made with another one")
    return made_package("scripts/deb", "--wheel", wheel)


def test_it_is_installed_and_works(package: Path, tmp_path: Path) -> None:
    with system_over(Path("/"), tmp_path) as enter:
        (tmp_path / package.name).write_bytes(package.read_bytes())
        run(enter, f"dpkg -i '{tmp_path / package.name}'")
        assert run(enter, "headrace --version") == "headrace 0.1.0\n"
        machine = Machine(tmp_path, Path("/usr/bin"), enter)
        check_commands(machine)
        assert "Capture works here" in machine.shell("headrace doctor")
        assert machine.shell("headrace config --prefix") == "/usr/lib/headrace\n"
        run(enter, "dpkg -r headrace && ! test -e /usr/lib/headrace")
    assert not Path("/usr/lib/headrace").exists()


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_it_is_compiled_with_the_projects_own_flags(tmp_path: Path) -> None:
    """Flags of whoever builds the package are not for what is loaded into other people's programs."""
    flags = "-O1 -D_FORTIFY_SOURCE=2 -fstack-protector-strong"
    package = made_package("make", "deb", CFLAGS=flags, CXXFLAGS=flags)
    subprocess.run(["dpkg-deb", "-x", package, tmp_path], check=True)
    library = tmp_path / "usr/lib/headrace/lib/headrace/libheadrace.so"
    symbols = subprocess.run(
        ["readelf", "-W", "--dyn-syms", library], check=True, capture_output=True, text=True
    ).stdout
    called = re.findall(r" UND (\w+)", symbols)
    assert "memcpy" in called
    assert [name for name in called if name.endswith("_chk") or name == "__stack_chk_fail"] == []


def test_it_depends_on_what_debian_has_and_brings_the_rest(package: Path) -> None:
    said = subprocess.run(
        ["dpkg-deb", "-f", package, "Depends"], check=True, capture_output=True, text=True
    ).stdout
    depends = {part.split()[0] for part in said.split(",")}
    assert {"libc6", "python3", "python3-click", "python3-rich"} <= depends
    listed = subprocess.run(["dpkg-deb", "-c", package], check=True, capture_output=True, text=True).stdout
    assert "site-packages/pyarrow/__init__.py" in listed
    assert "site-packages/click/" not in listed
    assert "./usr/bin/headrace -> ../lib/headrace/bin/headrace" in listed
