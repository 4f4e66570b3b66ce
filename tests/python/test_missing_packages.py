"""Without a package: what does not need it works, the rest says in a line how this Python gets it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from commands import headrace
from headrace import _packages
from headrace.analysis import _symbols
from made_logs import LogMaker

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]


def without(directory: Path, package: str) -> str:
    """A PYTHONPATH with which it cannot be imported."""
    directory.mkdir()
    text = f"raise ModuleNotFoundError(\"No module named '{package}'\", name='{package}')\n"
    (directory / f"{package}.py").write_text(text)
    return str(directory)


def log_of_python(tmp_path: Path) -> Path:
    """Its file was opened by code that there are names for."""
    module = str(Path(sys.executable).resolve())
    with Path(module).open("rb") as file:
        facts = _symbols.read_elf(file)
    assert facts is not None
    maker = LogMaker()
    process = maker.process(1)
    record = maker.file(process, "/data/out", opens=1, writes=1, bytes_written=10)
    maker.add("modules", module=5, path=maker.name(module), build_id=facts.build_id)
    maker.add("stacks", stack=7, depth=0, module=5, offset=0x1234)
    maker.add("sites", process=process, record=record, what="open", stack=7, bytes=0, time_ns=0, at_ns=0)
    return maker.write(tmp_path / "a.hr")


@pytest.mark.parametrize("words", [["show"], ["show", "--json"], ["report", "-o", "a.html"]])
def test_without_symbolic_code_is_shown_by_address(tmp_path: Path, words: list[str]) -> None:
    log = log_of_python(tmp_path)
    done = headrace(*words, log, cwd=tmp_path, PYTHONPATH=without(tmp_path / "lacking", "symbolic"))
    assert done.returncode == 0, done.stderr
    said = done.stderr.splitlines()
    assert len([line for line in said if "symbolic is not installed" in line]) == 1, said
    assert f"{sys.executable} -m pip install symbolic" in done.stderr
    if words == ["show"]:
        assert f"{Path(sys.executable).resolve().name}+0x1234" in done.stdout
    if words == ["show", "--json"]:
        assert json.loads(done.stdout)["rows"][0]["sites"][0]["frames"][0]["offset"] == 0x1234


@pytest.mark.parametrize("package", ["click", "rich", "pyarrow"])
@pytest.mark.parametrize(
    "words", [["show", "a.hr"], ["--help"], ["export", "a.hr", "--to", "csv", "-o", "tables"]]
)
def test_a_package_that_commands_need(tmp_path: Path, package: str, words: list[str]) -> None:
    LogMaker().write(tmp_path / "a.hr")
    done = headrace(*words, cwd=tmp_path, PYTHONPATH=without(tmp_path / "lacking", package))
    if done.returncode == 0:
        assert package != "click"
        return
    assert done.returncode == 5
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"headrace: {package} is not installed"), line
    assert line.endswith(f"{sys.executable} -m pip install {package}"), line


def test_doctor_names_what_is_missing(tmp_path: Path) -> None:
    lacking = tmp_path / "lacking"
    lacking.mkdir()
    (lacking / "sitecustomize.py").write_text(
        "from importlib import metadata\nreal = metadata.version\n"
        "def version(name):\n"
        "    if name in ('symbolic', 'duckdb'): raise metadata.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "metadata.version = version\n"
    )
    checks = {
        check["name"]: check
        for check in json.loads(headrace("doctor", "--json", PYTHONPATH=str(lacking)).stdout)
    }
    assert checks["Python"]["advice"] == f"{sys.executable} -m pip install symbolic"
    assert f"{sys.executable} -m pip install 'duckdb>=1.2' pytz" in checks["Python"]["found"]


def test_extras_are_those_of_the_project() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = tomllib.loads(text)["project"]["optional-dependencies"]
    assert {name: tuple(packages) for name, packages in declared.items()} == _packages.EXTRAS


def test_a_package_that_refuses_another_says_so(tmp_path: Path) -> None:
    lacking = tmp_path / "lacking"
    lacking.mkdir()
    (lacking / "pyarrow.py").write_text(
        'raise ImportError("pyarrow requires NumPy 2.0 or newer, found 1.24.2")\n'
    )
    maker = LogMaker()
    maker.file(maker.process(1), "/data/out", opens=1)
    log = maker.write(tmp_path / "a.hr")
    done = headrace("export", log, "--to", "csv", "-o", "tables", cwd=tmp_path, PYTHONPATH=str(lacking))
    assert done.returncode == 5
    assert (
        "pyarrow is installed and cannot be used (pyarrow requires NumPy 2.0 or newer, found 1.24.2)"
        in done.stderr
    )
    assert "pip install --upgrade pyarrow numpy" in done.stderr
