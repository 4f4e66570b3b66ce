"""The Debian package: built from a copy of the sources, installed by dpkg, and used."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from systems import run, system_over
from wheel_tools import ROOT, Machine, check_commands

# What is not in a compiler's cache is compiled.
pytestmark = pytest.mark.timeout(2400)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By the command that docs/installing.md names, where flags are set as some maintainers do."""
    flags = "-O1 -D_FORTIFY_SOURCE=2 -fstack-protector-strong"
    made = subprocess.run(
        ["make", "deb"], cwd=ROOT, env={**os.environ, "CXXFLAGS": flags, "CFLAGS": flags},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr
    said = next(line for line in made.stdout.splitlines() if line.startswith("deb: "))
    return ROOT / said.split()[1]


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


def test_its_capture_library_keeps_its_rules(package: Path, tmp_path: Path) -> None:
    """Flags of whoever builds the package are not for what is loaded into other people's programs."""
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
