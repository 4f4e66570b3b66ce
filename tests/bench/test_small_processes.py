"""The loops of tiny processes are timed only where all of their processes were recorded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.small_processes import COMMAND, LOOPS, Loop, check, processor_seconds, ratio, script
from benchmarks.variants import RunError

TIMES = 3


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.name)
def test_each_loop_is_recorded_whole(loop: Loop, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a line\n")
    assert ratio(loop, TIMES, 0, tmp_path) > 0
    assert not (tmp_path / "loop.hr").exists()


def test_a_loop_that_was_recorded_in_part_is_no_figure(tmp_path: Path) -> None:
    loop, log = LOOPS[0], tmp_path / "loop.hr"
    processor_seconds([str(COMMAND), "run", "-o", str(log), "--", "sh", "-c", script(loop, TIMES)], tmp_path)
    check(log, loop, TIMES)
    with pytest.raises(RunError, match=re.escape(f"{TIMES} processes of true instead of {TIMES + 1}")):
        check(log, loop, TIMES + 1)


def test_a_failing_loop_is_no_figure(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="status 3"):
        processor_seconds(["sh", "-c", "exit 3"], tmp_path)
