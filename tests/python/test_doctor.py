"""`headrace doctor`: each check says what is, and what to do when it is not good."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import headrace
from headrace.commands import _checks
from headrace.commands._checks import FAILS, LIMITED, OK


def test_every_check_says_what_to_do_unless_all_is_well() -> None:
    run = headrace("doctor", "--json")
    checks = json.loads(run.stdout)
    assert [check["name"] for check in checks][:2] == ["system", "C library"]
    for check in checks:
        assert check["state"] in (OK, LIMITED, FAILS)
        assert check["found"]
        assert bool(check["advice"]) == (check["state"] != OK), check
    failed = any(check["needed"] and check["state"] == FAILS for check in checks)
    assert run.returncode == int(failed)
    assert ("Capture does not work here." if failed else "Capture works here.") in headrace("doctor").stdout


def test_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.delenv("HEADRACE", raising=False)
    assert _checks.switched_off().state == OK
    monkeypatch.setenv("LD_PRELOAD", "libother.so")
    assert _checks.switched_off().state == LIMITED
    monkeypatch.setenv("HEADRACE", "off")
    assert _checks.switched_off().state == FAILS


def test_what_was_switched_off_is_not_tried() -> None:
    checks = {
        check["name"]: check for check in json.loads(headrace("doctor", "--json", HEADRACE="off").stdout)
    }
    assert checks["capture library"]["state"] == OK
    for name in ("capture", "event trace", "forwarding"):
        assert checks[name]["found"].startswith("not tried: HEADRACE=off"), checks[name]
        assert checks[name]["advice"] == "unset HEADRACE"


def test_a_library_at_a_path_with_a_space(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "Mön espace: vénv"
    place.mkdir()
    shutil.copy(_checks.preload_library(), place / "libheadrace.so")
    monkeypatch.setenv("HEADRACE_LIBRARY", str(place / "libheadrace.so"))
    check = _checks.library()
    assert (check.state, check.needed) == (LIMITED, False), check
    assert "no path with spaces or colons" in check.found and "HEADRACE_LIBRARY=" in check.advice


def test_a_missing_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEADRACE_LIBRARY", str(tmp_path / "none.so"))
    check = _checks.library()
    assert check.state == FAILS
    assert "none.so is not there" in check.found


def test_a_library_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "broken.so"
    broken.write_text("no library")
    monkeypatch.setenv("HEADRACE_LIBRARY", str(broken))
    check = _checks.library()
    assert check.state == FAILS
    assert "broken.so" in check.found


def test_a_library_of_a_newer_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    newer = tmp_path / "newer.so"
    newer.write_bytes(b"\0GLIBC_2.17\0GLIBC_99.1\0")
    monkeypatch.setenv("HEADRACE_LIBRARY", str(newer))
    check = _checks.c_library()
    assert check.state == FAILS
    assert "glibc 99.1" in check.advice


def fake_command(directory: Path, script: str) -> Path:
    """A `headrace` that does what the script says, beside a Python."""
    program = directory / "bin/headrace"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("echo it broke >&2; exit 7", "it broke"),
        ("exit 7", "exit status 7"),
        ("exit 0", "doctor.hr"),  # says that all is well and writes no log
        ("exec sleep 100", "did not work"),
    ],
)
def test_captures_that_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, found: str) -> None:
    fake_command(tmp_path, script)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python3"))
    if "sleep" in script:
        run = _checks.subprocess.run
        monkeypatch.setattr(_checks.subprocess, "run", lambda *a, **k: run(*a, **{**k, "timeout": 0.2}))
    check = _checks.capture()
    assert check.state == FAILS
    assert found in check.found


def test_spool_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEADRACE_SPOOL", str(tmp_path))
    check = _checks.spool()
    assert check.state == LIMITED  # a directory of one's own choice works, but memory is faster
    assert str(tmp_path) in check.found
    monkeypatch.setattr(_checks, "file_system_type", lambda path: "lustre")
    check = _checks.spool()
    assert check.state == FAILS
    assert "on lustre" in check.found


def test_file_system_types() -> None:
    assert _checks.file_system_type("/proc/self/status") == "proc"
    assert _checks.file_system_type("/") not in ("", "unknown")


def test_a_site_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, logs = tmp_path / "site.conf", tmp_path / "logs"
    monkeypatch.setenv("HEADRACE_CONFIG", str(site))
    site.write_text("")
    assert _checks.configuration().state == OK
    assert _checks.log_directory().state == OK
    site.write_text("memory = much\n")
    assert f"{site}:1: " in _checks.configuration().found
    site.write_text(f"log_directory = {logs}\n")
    assert _checks.log_directory().state == FAILS
    logs.mkdir()
    check = _checks.log_directory()
    assert check.state == LIMITED and "headrace make-log-directories" in check.advice
    subprocess.run([_checks.native_program(), "make-log-directories", "--days", "1"], check=True)
    assert _checks.log_directory().state == OK
    (day,) = logs.glob("*/*/*")
    day.chmod(0o777)
    check = _checks.log_directory()
    assert check.state == LIMITED and "remove each other's" in check.found
