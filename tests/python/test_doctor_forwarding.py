"""What `headrace doctor` says of forwarding and mounts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from commands import headrace
from headrace import _places
from headrace.commands import _forward_checks
from headrace.commands._checks import FAILS, LIMITED, OK


def program(directory: Path, name: str, script: str) -> Path:
    made = directory / "bin" / name
    made.parent.mkdir(exist_ok=True)
    made.write_text(f"#!/bin/sh\n{script}\n")
    made.chmod(0o755)
    return made


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation whose `headrace` does nothing."""
    for module in (_forward_checks, _places):
        monkeypatch.setattr(module, "native_program", lambda: program(tmp_path, "headrace", "exit 0"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    library = tmp_path / "lib" / "headrace"
    library.mkdir(parents=True)
    for name in ("libheadrace.so", "libheadrace-forward.so", "headrace-mount"):
        (library / name).touch()
    return tmp_path


def test_it_has_a_line_for_each() -> None:
    checks = {check["name"]: check for check in json.loads(headrace("doctor", "--json").stdout)}
    assert checks["forwarding"]["state"] == checks["shared memory"]["state"] == OK
    assert {"mount", "munge"} <= set(checks)
    assert not any(checks[name]["needed"] for name in checks if checks[name]["state"] != OK)


def test_forwarding_that_does_not_work(installed: Path) -> None:
    check = _forward_checks.forwarding()
    assert (check.state, check.needed) == (FAILS, False) and "they are not there" in check.found
    program(installed, "headrace", "echo broken >&2; exit 3")
    (installed / "lib" / "headrace" / "libheadrace-forward.so").unlink()
    assert "libheadrace-forward.so is not there" in _forward_checks.forwarding().found


def test_mounts_that_do_not_work(installed: Path) -> None:
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("no /dev/fuse")
    assert "fusermount3 is not there" in _forward_checks.mount().found
    program(installed, "fusermount3", "exit 0").chmod(0o4755)
    assert _forward_checks.mount().state == OK
    (installed / "lib" / "headrace" / "headrace-mount").unlink()
    check = _forward_checks.mount()
    assert (check.state, check.needed) == (FAILS, False) and "without libfuse3" in check.found


def test_a_device_that_others_may_not_open(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, flags: int) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(_forward_checks.os, "open", refuse)
    check = _forward_checks.mount()
    assert "Permission denied" in check.found and "load the module" not in check.advice
    assert "chmod 666 /dev/fuse" in check.advice


def test_munge(installed: Path) -> None:
    check = _forward_checks.secrets()
    assert check.state == OK and "not installed" in check.found
    program(installed, "munge", "echo MUNGE:x")
    program(installed, "unmunge", "exit 0")
    assert "--munge" in _forward_checks.secrets().found
    program(installed, "munge", "echo no socket >&2; exit 6")
    check = _forward_checks.secrets()
    assert (check.state, check.found) == (LIMITED, "no socket") and "start munged" in check.advice
