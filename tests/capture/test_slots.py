"""Descriptors that travel between threads and processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from capture_tools import FLAGS, Captured


def test_one_thread_opens_and_another_closes(
    program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    count = 280_000  # more than there are slots for open files
    captured = capture([program("handover"), tmp_path / "file", str(count)])
    assert captured.status == 0
    row = captured.file("/file")
    assert (row["opens"], row["closes"], row["writes"]) == (count, count, count)
    assert not row["flags"] & FLAGS["inherited"], "capture lost sight of the descriptors"
    assert not [gap for gap in captured.rows("gaps") if gap["what"] != "excluded paths"]
