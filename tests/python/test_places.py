"""Where an installation's native parts are found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from headrace import _places


def program(prefix: Path) -> Path:
    path = prefix / "bin" / "headrace"
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def module_in(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_places, "__file__", str(directory / "headrace" / "_places.py"))
    monkeypatch.setattr(sys, "executable", "/nowhere/bin/python3")
    monkeypatch.setattr(sys, "prefix", "/nowhere")


def test_a_package_finds_the_command_of_its_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = program(tmp_path)
    module_in(tmp_path / "lib" / "python3.11" / "site-packages", monkeypatch)
    assert _places.native_program() == own


def test_a_source_tree_takes_no_command_of_a_directory_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = program(tmp_path)  # as ~/bin/headrace is above ~/src/headrace
    module_in(tmp_path / "src" / "headrace" / "python", monkeypatch)
    monkeypatch.setenv("PATH", "")
    assert _places.native_program() != foreign
