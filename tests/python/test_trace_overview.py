"""`headrace trace overview`, on traces of known content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import headrace as run
from headrace import _native
from headrace.analysis.traces import Trace
from made_traces import damage, two_ranks


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return two_ranks(tmp_path / "job.trace.hr")


def facts(*arguments: Any) -> dict[str, Any]:
    found = run("trace", "overview", "--json", *arguments)
    assert found.returncode == 0, found.stderr
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def test_one_cell_is_what_stats_add_up(trace: Path) -> None:
    seen = facts(trace, "--columns", 1, "--rows", 1)
    sums = json.loads(run("trace", "stats", "--json", trace).stdout)
    (row,) = seen["rows"]
    assert {name: cells[0] for name, cells in row["class_ns"].items()} == sums["class_ns"]
    assert (row["bytes_read"], row["bytes_written"]) == ([0], [4096])  # the other write failed
    assert [each["rank"] for each in row["locations"]] == [0, 1]
    assert (seen["precision_ns"], seen["chunks"], seen["unread_chunks"]) == (0, 2, 0)


def test_a_narrow_range_is_exact(trace: Path) -> None:
    seen = facts(trace, "--columns", 40, "--from", "1.000002", "--until", "1.000022", "--rank", 0)
    assert (seen["precision_ns"], seen["decoded_chunks"]) == (0, 1)
    assert seen["rows"][0]["class_ns"]["write"] == [500] * 40
    assert seen["rows"][0]["bytes_written"] == [0] * 40  # it ends behind the range
    behind = facts(trace, "--columns", 2, "--from", "1.000022", "--until", "1.000024", "--rank", 0)
    assert behind["rows"][0]["bytes_written"] == [4096, 0]


def test_the_picture_has_letters_and_what_they_mean(trace: Path) -> None:
    shown = run("trace", "overview", trace, "--columns", 30).stdout.splitlines()
    assert shown[1].startswith("  rank 0   dwwwwwwwww")
    assert shown[2] == "  rank 1"  # an event takes no time
    assert any(line.startswith("  written") for line in shown)
    assert any(line.startswith("  w  write") for line in shown)
    assert not any(line.startswith("  c  collective") for line in shown)


@pytest.mark.parametrize(
    ("options", "ends"),
    [
        ((), ("1.0000000 s", "1.0000600 s")),
        (("--rank", "1"), ("1.0000000 s", "1.0000600 s")),
        (("--from", "1.000002", "--until", "1.000022"), ("1.0000020 s", "1.0000220 s")),
        (("--from", "0.5", "--until", "2.5"), ("0.50 s", "2.50 s")),
        (("--from", "900ms", "--until", "1.000000005"), ("0.900 s", "1.000 s")),
        (("--from", "1", "--until", "1.00000001"), ("1.000000000 s", "1.000000010 s")),
    ],
)
def test_the_axis_tells_both_ends_apart(trace: Path, options: tuple[str, ...], ends: tuple[str, str]) -> None:
    """In one unit, and as exact as a column is wide; whatever is chosen of the ranks."""
    axis = run("trace", "overview", trace, *options).stdout.splitlines()[0].strip()
    assert (axis.startswith(f"{ends[0]} "), axis.endswith(f" {ends[1]}")) == (True, True), axis
    seen = facts(trace, *options)
    assert [
        f"{seen[key] / 1e9:.9f}"[: len(end) - 2]
        for key, end in zip(("begin_at_ns", "end_at_ns"), ends, strict=True)
    ] == [end.removesuffix(" s") for end in ends]


def test_a_range_of_few_nanoseconds_has_fewer_columns(trace: Path) -> None:
    seen = facts(trace, "--from", "1", "--until", "1.00000001")
    assert (seen["begin_at_ns"], seen["end_at_ns"], seen["columns"]) == (10**9, 10**9 + 10, 10)
    assert facts(trace, "--until", "12ns")["columns"] == 12


def test_damaged_chunks_are_told(trace: Path) -> None:
    damage(trace)
    assert facts(trace)["unread_chunks"] == 1
    assert "1 damaged chunk passed over" in run("trace", "overview", trace).stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--from", "2s", "--until", "1s"), "--from 2s is after --until 1s"),
        (("--from", "1s", "--until", "1s"), "at least a nanosecond a column"),
        (("--rank", 9), "has no rank 9"),
    ],
)
def test_what_cannot_be_drawn_is_said(trace: Path, arguments: tuple[Any, ...], says: str) -> None:
    found = run("trace", "overview", trace, *arguments)
    assert (found.returncode, says in found.stderr) == (2, True), found.stderr


def test_arrays_are_of_rows_and_columns(trace: Path) -> None:
    seen = Trace(trace).overview(5, 10)
    assert (seen.rows, seen.columns, seen.locations) == (2, 5, [[0], [1]])
    array = seen.array("write")
    assert array.shape == (2, 5)
    assert array.sum() == 21_000
    assert seen.arrow().num_rows == 10


def test_a_trace_without_events(tmp_path: Path) -> None:
    path = tmp_path / "job.trace.hr"
    _native.write_trace(bytes(path), [], [], facts={"trace_of": "job.hr"})
    shown = run("trace", "overview", path)
    assert (shown.returncode, shown.stdout) == (0, "")
    assert shown.stderr == f"headrace: {path}: there are no events\n"
    seen = facts(path, "--columns", 3)
    assert (seen["rows"], seen["columns"], seen["chunks"]) == ([], 3, 0)
