"""A wheel: what it needs of a machine, and that it works where nothing is compiled, wherever pip puts it."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from wheel_tools import ROOT, Machine, base_python, check_commands, for_base_python, pip_install

# Every glibc has these; what else a file needs is in the wheel.
C_LIBRARY = re.compile(r"(libc|libm|libdl|librt|libpthread|ld-linux-(x86-64|aarch64))\.so\.\d")


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(directory)
    return directory


def elf_files(directory: Path) -> list[Path]:
    files = [path for path in sorted(directory.rglob("*")) if path.is_file()]
    found = [path for path in files if path.open("rb").read(4) == b"\x7fELF" and path.suffix != ".o"]
    assert len(found) > 12, "the command, modules, and what is in lib/headrace/"
    return found


def readelf(option: str, path: Path) -> str:
    return subprocess.run(["readelf", "-W", option, path], check=True, capture_output=True, text=True).stdout


def test_its_tag_says_which_c_library_it_needs(wheel: Path, unpacked: Path) -> None:
    tag = re.search(r"-manylinux_2_(\d+)_\w+\.whl$", wheel.name)
    assert tag is not None, wheel.name
    newest = max(
        int(minor)
        for path in elf_files(unpacked)
        for minor in re.findall(r"GLIBC_2\.(\d+)", readelf("-V", path))
    )
    assert newest == int(tag[1])
    assert newest <= 34, "docs/installing.md says glibc 2.34"
    assert "glibc 2.34" in (ROOT / "docs/installing.md").read_text(encoding="utf-8")


def test_it_needs_nothing_of_a_machine_but_the_c_library(unpacked: Path) -> None:
    brought = {path.name for path in unpacked.glob("headrace.libs/*")}
    for path in elf_files(unpacked):
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", path)))
        assert {name for name in needed - brought if not C_LIBRARY.fullmatch(name)} == set(), path


def test_it_has_every_part(unpacked: Path) -> None:
    data = unpacked / "headrace-0.1.0.data/data"
    assert (data / "lib/headrace/headrace-mount").exists()
    assert list(unpacked.glob("headrace/_otf2.*.so"))
    assert (unpacked / "headrace/reports/template.html").exists()
    assert (data / "share/doc/headrace/docs/what-escapes.md").exists()
    assert (data / "share/headrace/python/sitecustomize.py").exists()
    # Notices of what is linked in.
    notices = {path.name for path in unpacked.glob("*.dist-info/licenses/linked/*")}
    assert {"libzstd-dev", "zlib1g-dev", "libfuse3-dev"} <= notices


def test_its_modules_are_of_the_stable_abi_where_python_has_what_they_need(wheel: Path) -> None:
    stable = sys.version_info >= (3, 12)
    own = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert wheel.name.startswith("headrace-0.1.0-cp312-abi3-" if stable else f"headrace-0.1.0-{own}-{own}-")


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """At a path from which the loader preloads nothing by itself."""
    directory = tmp_path_factory.mktemp("environment") / "Mön espace/vénv"
    subprocess.run([base_python(), "-m", "venv", "--without-pip", directory], check=True)
    pip_install(directory / "bin/python3", wheel)
    return directory


def test_every_command_works_from_an_environment(environment: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path, environment / "bin")
    assert machine.shell("command -v cc c++ gcc ld cmake git || true") == ""
    check_commands(machine)
    checks = machine.shell("headrace doctor")
    assert "Capture works here" in checks
    assert str(environment / "lib/headrace/libheadrace.so") in checks


def test_the_package_finds_its_libraries(environment: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path, environment / "bin")
    (machine.work / "append.py").write_text(
        "from headrace import forward\n"
        "with forward.connect() as servers, servers.open('log', create=True) as file:\n"
        "    print(file.append(b'a record'))\n"
    )
    machine.shell("headrace run -q -o a.hr -- sh -c 'printf abc > three'")
    read = (
        "import headrace; print(sum(row['bytes_written'] for row in headrace.open('a.hr').files.to_pylist()))"
    )
    assert machine.shell(f'python3 -c "{read}"') == "3\n"
    machine.shell("mkdir root && headrace forward up -q --servers 1 --root root -- python3 append.py")
    assert (machine.work / "root/log").read_bytes() == b"a record"


@pytest.mark.parametrize("layout", ["prefix", pytest.param("user", marks=pytest.mark.soak)])
def test_the_command_finds_its_python_where_that_is_elsewhere(
    wheel: Path, layout: str, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    if layout == "user":
        pip_install(base_python(), "--user", wheel, *for_base_python(), PYTHONUSERBASE=str(base))
    else:
        pip_install(base_python(), "--prefix", base, wheel, *for_base_python())
    command = next(base.rglob("bin/headrace"))
    assert not (command.parent / "python3").exists()
    machine = Machine(tmp_path, command.parent)
    check_commands(machine)
    assert machine.shell("headrace config --prefix") == f"{command.parent.parent}\n"
    # The Python of its first line is gone.
    script = command.with_name("headrace-python")
    script.write_text(script.read_text().replace("#!", "#!/nowhere", 1))
    machine.shell("headrace show a.hr", status=127)
    assert "needs the Python package" in machine.said and "install the wheel" in machine.said


def test_a_python_without_the_package_is_told(environment: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare/bin"
    bare.mkdir(parents=True)
    for name in ("headrace", "headrace-python"):
        (bare / name).write_bytes((environment / "bin" / name).read_bytes())
        (bare / name).chmod(0o755)
    script = bare / "headrace-python"
    script.write_text(script.read_text().replace(script.read_text().splitlines()[0], f"#!{base_python()}", 1))
    machine = Machine(tmp_path, bare)
    machine.shell("headrace show a.hr", status=127)
    assert "finds no module headrace: install Headrace for this Python: " in machine.said
    assert "….whl" not in machine.said
