"""Operations of a ring with equal user_data, and names that change through one (c/ring_twins.c)."""

from __future__ import annotations

from pathlib import Path

import pytest
from capture_tools import FLAGS, Captured
from test_asynchronous import Capture, Program, captured, check_all, gaps, needs_rings, told

_TWINS = "operations with equal user_data"


def _lived(found: Captured) -> int:
    process = found.rows("processes")[0]
    return int(process["end_at_ns"] - process["start_at_ns"])


@pytest.fixture
def twins(program: Program, capture: Capture, tmp_path: Path) -> Capture:
    needs_rings()

    def run(mode: str) -> Captured:
        found = capture([program("ring_twins", "-luring"), mode], cwd=tmp_path)
        if found.status == 77:
            pytest.skip("the kernel does not do this through a ring")
        return found

    return run


@pytest.mark.parametrize("mode", ["sizes", "vectors", "equal", "chains"])
def test_results_go_to_the_operation_that_they_fit(twins: Capture, mode: str) -> None:
    found = twins(mode)
    check_all(found)
    assert gaps(found, _TWINS) == 0


def test_no_moment_counts_twice(twins: Capture) -> None:
    found = twins("chains")
    row = found.file("/a")
    assert 0 < row["read_ns"] + row["write_ns"] + row["meta_ns"] <= _lived(found)
    spent = sum(row["time_ns"] for row in found.rows("profiles") if row["function"].startswith("io_uring_"))
    assert spent <= 2 * _lived(found)  # the operations, and the calls that wait for them


def test_operations_without_a_completion_are_lost_and_said(twins: Capture) -> None:
    found = twins("silent")
    assert captured(found, "a") == told(found)["a"]
    assert gaps(found, "asynchronous I/O") == 10


def test_what_no_result_tells_is_said(twins: Capture) -> None:
    found = twins("doubtful")
    reads = sum(captured(found, name)[0] for name in ("a", "b"))
    assert reads == 1
    assert gaps(found, _TWINS) == 2


def test_names_that_change_through_a_ring(twins: Capture) -> None:
    found = twins("names")
    row = found.file("/old")
    assert row["final_path"].endswith("/new")
    assert (row["bytes_written"], row["renames"]) == (777, 1)
    assert found.file("/gone")["flags"] & FLAGS["deleted"]
    assert found.file("/made")["makes"] == 1
    assert [found.file(name)["links"] for name in ("/linked", "/symbolic")] == [1, 1]
    assert found.file("/directory")["unlinks"] == 1
    calls = {row["function"]: (row["calls"], row["errors"]) for row in found.rows("profiles")}
    assert calls["io_uring_unlink"] == (3, 1)
    assert {calls[f"io_uring_{name}"][0] for name in ("rename", "mkdir")} == {1}
