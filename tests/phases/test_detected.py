"""Phases of programs that mark none: dumps are found in what was written over time, steady work has none."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from phase_logs import COMMAND, run_phased
from phase_tools import HERE, compile_program


@pytest.fixture(scope="module")
def unmarked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("unmarked") / "unmarked"
    return compile_program("cc -O1", [HERE / "c" / "unmarked.c"], out)


def detected(program: Path, what: str, place: Path) -> tuple[dict[str, Any], str, str]:
    """What `phases --json`, `phases` and `show` say of a run."""
    done = run_phased([program, what, place], place / "job.hr")
    assert done.status == 0
    said = [
        subprocess.run([COMMAND, *words, done.path], capture_output=True, text=True, check=True).stdout
        for words in (["phases", "--json"], ["phases"], ["show"])
    ]
    return json.loads(said[0])["detected"], said[1], said[2]


def test_dumps_are_found(unmarked: Path, tmp_path: Path) -> None:
    facts, words, shown = detected(unmarked, "dumps", tmp_path)
    (phase,) = facts["phases"]
    assert (phase["kind"], phase["instances"]) == ("write", 5)
    assert [one["bytes_written"] for one in phase["each"]] == pytest.approx([8 << 20] * 5, rel=1e-3)
    assert phase["period_ns"] >= 200e6 - 2 * facts["width_ns"]
    assert facts["part_of_bytes"] == pytest.approx(1, rel=1e-3)
    assert "Detected from bytes read and written over time" in words
    assert "8 MiB written each" in words
    assert "burst 1" in shown


def test_steady_work_has_no_phases(unmarked: Path, tmp_path: Path) -> None:
    facts, words, shown = detected(unmarked, "steady", tmp_path)
    assert facts["phases"] == []
    assert facts["why_not"] in ("continuous", "coarse", "irregular")
    assert "Nothing is detected" in words
    assert "burst" not in shown
