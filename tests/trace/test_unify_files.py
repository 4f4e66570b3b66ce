"""A trace of several files as one: nothing of it is missing, unless it was before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from trace_tools import Traced


def headrace(*words: str | Path, status: int = 0) -> str:
    command = [sys.executable, "-m", "headrace", "trace", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == status, (done.stdout, done.stderr)
    return done.stdout


def damage(trace: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(headrace("info", "--json", trace))["damage"]
    return found


def traced(place: Path, sink: str) -> Traced:
    script = f"ls / > {place}/out; cat {place}/out > /dev/null"
    return Traced(place, ["sh", "-c", script], ["--trace", "--trace-sink", sink])


def test_all_files_are_in_the_one(tmp_path: Path) -> None:
    for sink in ("process", "shared:2", "node"):
        place = tmp_path / sink.replace(":", "")
        place.mkdir()
        run = traced(place, sink)
        one, again = place / "one.trace.hr", place / "again.trace.hr"
        headrace("unify", "-o", one, run.trace)
        headrace("unify", "-o", again, one)
        for unified in (one, again):
            headrace("verify", "--log", run.log, unified)
            assert damage(unified) == []
            assert headrace("cat", unified) == headrace("cat", run.trace)


def test_a_file_that_was_missing_is_told(tmp_path: Path) -> None:
    run = traced(tmp_path, "process")
    lost = sorted(Path(f"{run.trace}.d").glob("*.hr"))[0]
    lost.unlink()
    assert [lost.name in place["reason"] for place in damage(run.trace)] == [True]
    one, again = tmp_path / "one.trace.hr", tmp_path / "again.trace.hr"
    headrace("unify", "-o", one, run.trace)
    headrace("unify", "-o", again, one)
    for unified in (one, again):
        (place,) = damage(unified)
        assert f"{lost.name}: is missing, with what 1 process did" in place["reason"]
        assert "is missing" in headrace("verify", "--log", run.log, unified, status=1)
