"""Streams at the edge of what the C library allows (c/stream_edges.c): no crash, and no figure too high."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from capture_tools import FLAGS, Captured

Run = Callable[[str], tuple[Captured, dict[str, Any]]]


@pytest.fixture
def edge(capture: Callable[..., Captured], program: Callable[[str], Path], tmp_path: Path) -> Run:
    """edge(CASE) → what was captured and the stdio row of the file it used, or {}."""

    def run_case(case: str) -> tuple[Captured, dict[str, Any]]:
        captured = capture([program("stream_edges"), case, tmp_path])
        rows = [row for row in captured.rows("files") if row["layer"] == "stdio"]
        return captured, next((row for row in rows if row["path"] == str(tmp_path / "file")), {})

    return run_case


def test_calls_that_need_no_stream(edge: Run) -> None:
    assert edge("no-stream")[0].status == 0


def test_a_sandbox_that_forbids_looking_at_memory_through_the_kernel(edge: Run) -> None:
    captured, _ = edge("sandbox")
    if captured.status == 77:
        pytest.skip("no system call filters here")
    assert captured.status == 0
    assert captured.stdout == b"x" * 1000
    assert captured.file("<stdout>", kind="stream")["writes"] == 1000  # those that waited as well


def test_offsets_beyond_4_gib_in_a_mapped_stream(edge: Run) -> None:
    captured, row = edge("mapped")
    assert captured.status == 0
    assert (row["reads"], row["bytes_read"], row["read_end"]) == (10, 160, (5 << 30) + 160)


def test_threads_that_share_a_stream_are_never_counted_twice(edge: Run, tmp_path: Path) -> None:
    captured, row = edge("threads")
    assert captured.status == 0
    assert 0 < row["reads"] <= 80004  # one more a thread, at the end
    assert row["bytes_read"] <= (tmp_path / "file").stat().st_size
    assert row["flags"] & FLAGS["lower_bound"]


def test_bytes_that_waited_when_threads_began_are_counted(edge: Run) -> None:
    captured, row = edge("bytes-then-threads")
    assert captured.status == 0
    assert (row["writes"], row["bytes_written"]) == (7 + 4 * 500, 7 + 4 * 500 * 8)


def test_another_mode_is_no_close(edge: Run) -> None:
    captured, row = edge("another-mode")
    assert captured.status == 0
    assert (row["opens"], row["closes"]) == (1, 1)
    assert (row["bytes_written"], row["bytes_read"]) == (10, 10)
    assert row["reads_backward"] == row["writes_backward"] == 0


def test_an_excluded_stream_counts_its_writes_alone_as_writes(
    capture: Callable[..., Captured], program: Callable[[str], Path], tmp_path: Path
) -> None:
    captured = capture([program("stream_edges"), "excluded", tmp_path], "--exclude", f"{tmp_path}/")
    assert captured.status == 0
    row = captured.file(f"{tmp_path}/**", kind="excluded_rollup")
    assert (row["opens"], row["writes"], row["bytes_written"]) == (1, 3, 24)
