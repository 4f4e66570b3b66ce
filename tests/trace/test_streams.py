"""`headrace trace verify` on traces that have nothing of processes which the job log knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import headrace
from headrace import _native
from headrace.analysis.traces import Trace
from trace_tools import Traced


def streams(traced: Traced, status: int = 0) -> dict[str, Any]:
    checks = json.loads(traced.command("verify", "--json", status=status))["checks"]
    found: dict[str, Any] = next(check for check in checks if check["name"] == "streams")
    return found


def test_every_process_is_there(tmp_path: Path) -> None:
    traced = Traced(tmp_path, ["sh", "-c", "true; (exit 3); sleep 0"])
    found = streams(traced)
    assert (found["holds"], found["amounts"]["missing"]) == (True, [])
    assert found["amounts"]["processes"] >= 2


def test_missing_processes_are_named(tmp_path: Path) -> None:
    traced = Traced(tmp_path, ["sh", "-c", "sleep 0; true"])
    with headrace.open(traced.log) as log:
        captured = [row for row in log.processes.to_pylist() if row["captured"]]
    facts = Trace(traced.trace).facts
    traced.trace.unlink()
    kept, missing = captured[0], captured[1:]
    _native.write_trace(
        bytes(traced.trace), [(kept["process"], 1, -1, kept["host"], kept["pid"], 0, b"")], [], facts=facts
    )
    found = streams(traced, status=1)
    assert found["holds"] is False
    assert {row["pid"] for row in found["amounts"]["missing"]} == {row["pid"] for row in missing}
    assert f"pids {missing[0]['pid']} on {missing[0]['host']}" in found["says"]


def test_what_is_there_twice_is_told_and_counts_once(tmp_path: Path) -> None:
    """As a writer leaves it that goes on behind one that was killed."""
    traced = Traced(tmp_path, ["sh", "-c", f"echo some > {tmp_path}/text"])
    before = traced.verify()
    traced.trace.write_bytes(traced.trace.read_bytes() * 2)
    checks = json.loads(traced.command("verify", "--json"))["checks"]
    copies = checks[0]["amounts"]["copies"]
    assert copies > 0 and checks[0]["amounts"]["damaged_places"] == 0
    assert traced.verify() == before.replace(";", f", {copies} second copies left out;", 1)
