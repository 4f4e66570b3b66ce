"""What `headrace doctor` says of parts that a build lacks: the command that adds each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from commands import headrace
from headrace import _places
from headrace.commands import _build_checks, _forward_checks, _installation
from headrace.commands._checks import FAILS, LIMITED, OK, Check

ROOT = Path(__file__).resolve().parents[2]


def test_this_build_has_every_part() -> None:
    checks = {check["name"]: check for check in json.loads(headrace("doctor", "--json").stdout)}
    assert [checks[name]["state"] for name in ("command", "static programs", "OTF2", "report page")] == [
        OK
    ] * 4


def lacking(check: Check, packages: str, state: str = FAILS) -> None:
    assert (check.state, check.needed) == (state, False)
    assert f"apt-get install {packages}, then make -C {ROOT} build" in check.advice


def test_a_build_without_otf2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "headrace._otf2", None)
    lacking(_build_checks.otf2(), "libotf2-trace-dev")


def test_a_build_without_static_programs_and_mounts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in (_build_checks, _forward_checks):
        monkeypatch.setattr(module, "library", lambda name: tmp_path / name)
    lacking(_build_checks.static_capture(), "libc6-dev")
    lacking(_forward_checks.mount(), "libfuse3-dev fuse3")


def test_a_command_that_is_not_static(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_build_checks, "native_program", lambda: Path(sys.executable))
    lacking(_build_checks.static_command(), "libc6-dev libzstd-dev", LIMITED)
    script = tmp_path / "headrace"
    script.write_text("#!/bin/sh\n")
    monkeypatch.setattr(_build_checks, "native_program", lambda: script)
    assert "no program for this machine" in _build_checks.static_command().found


def test_a_build_without_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_build_checks, "TEMPLATE", tmp_path / "template.html")
    check = _build_checks.report_page()
    assert (check.state, check.needed) == (FAILS, False)
    assert check.advice == f"install Headrace again: make -C {ROOT} build"


def test_a_package_is_not_told_to_build_where_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_installation, "source_tree", lambda: None)
    assert "make wheel" in _installation.added_by("libfuse3-dev")
    assert f"{sys.executable} -m pip install --force-reinstall, then" in _installation.again()
    assert "….whl" not in _installation.again(), "no name of a file"


def test_without_the_capture_library_no_part_is_missing_for_a_reason_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As `pip install --target` leaves it."""
    monkeypatch.setattr(_installation, "source_tree", lambda: None)
    for module in (_build_checks, _forward_checks, _installation):
        monkeypatch.setattr(module, "library", lambda name: tmp_path / name)
    for check in (_build_checks.static_capture(), _forward_checks.mount()):
        assert "--target leaves files out" in check.advice, check
        assert "apt-get" not in check.advice and "libfuse3" not in check.found, check


def test_a_package_that_was_installed_into_a_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its command is beside it, where `headrace run` looks from."""
    package, command = tmp_path / "headrace/_places.py", tmp_path / "bin/headrace"
    command.parent.mkdir()
    command.touch()
    monkeypatch.setattr(_places, "__file__", str(package))
    monkeypatch.delenv("HEADRACE_LIBRARY", raising=False)
    assert _places.native_program() == command
    assert _places.library("libheadrace.so") == tmp_path / "lib/headrace/libheadrace.so"
