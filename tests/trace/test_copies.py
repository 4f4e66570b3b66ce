"""Copies inside the kernel: the trace has what they read and what they write, as the job log has."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import headrace
import pytest
from headrace.analysis import trace_checks
from headrace.analysis.traces import Trace
from trace_tools import HERE, Traced, compile_program

_NAMES = ("copy_file_range", "sendfile", "splice")


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program("cc -O1", [HERE / "c" / "copies.c"], tmp_path_factory.mktemp("copies") / "copies")


def run(program: Path, place: Path, *options: str) -> Traced:
    source = place / "source"
    source.write_bytes(bytes(9000))
    return Traced(place, [program, source, place / "target"], ("--trace", *options))


def halves(traced: Traced) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in traced.rows():
        if row["kind"] == "io" and row["name"].split()[0] in _NAMES and row["path"] is not None:
            yield row["name"], {**row, "path": Path(row["path"]).name}


def facts_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["path"], row["size"], row["offset"], row["moved"]


def test_both_sides_of_a_copy(copies: Path, tmp_path: Path) -> None:
    traced = run(copies, tmp_path)
    done = [(name, row) for name, row in halves(traced) if not row["error"]]
    of = {name: [facts_of(row) for other, row in done if other == name] for name, _ in done}
    assert of["copy_file_range (source)"] == [("source", 4000, 100, 4000), ("source", 5000, 8000, 1000)]
    assert of["copy_file_range"] == [("target", 4000, 50, 4000), ("target", 5000, 0, 1000)]
    assert of["sendfile (source)"][0] == ("source", 3000, 0, 3000)
    assert of["sendfile"] == [("target", 3000, 1000, 3000)]
    assert of["splice (source)"][0] == ("source", 2000, 10, 2000)
    assert of["splice"][1] == ("target", 2000, 4000, 2000)
    # A source is at the begin of its copy, which has the time of both.
    assert [name for name, _ in done][:2] == ["copy_file_range (source)", "copy_file_range"]
    assert all(row["duration_ns"] == 0 for name, row in done if name.endswith(" (source)"))
    starts = [row["time_ns"] for name, row in done if name.startswith("copy_file_range")]
    assert starts[0] == starts[1] and starts[2] == starts[3]


def test_copies_that_fail(copies: Path, tmp_path: Path) -> None:
    rows = [row for row in run(copies, tmp_path).rows() if row["kind"] == "io" and row["error"]]
    failed = {row["name"]: (row["path"], row["size"], row["error"]) for row in rows}
    assert failed["sendfile"] == (None, 10, errno.EBADF)
    assert failed["copy_file_range"] == (str(tmp_path / "source"), 10, errno.EBADF)


def test_bytes_by_file_are_those_of_the_log(copies: Path, tmp_path: Path) -> None:
    traced = run(copies, tmp_path)
    assert "files: the same bytes read and written of 3 files of 1 process in both" in traced.verify()
    with headrace.open(traced.log) as log:
        by_path: Counter[str] = Counter()
        for row in log.table("files").to_pylist():
            by_path[Path(row["path"]).name] += row["bytes_read"]
        assert by_path["source"] == 4000 + 1000 + 3000 + 2000 + 500
    native = Trace(traced.trace).native
    there = {row["path"]: row["bytes_read"] for row in native.file_totals().rows()}
    assert there[str(tmp_path / "source")] == 10_500


def test_verify_sees_bytes_that_the_trace_lacks(
    copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced = run(copies, tmp_path)
    monkeypatch.setattr("headrace.analysis.trace_files.traced_bytes", lambda trace: {})
    with headrace.open(traced.log) as log:
        (found,) = (each for each in trace_checks.check(Trace(traced.trace), log) if each.name == "files")
    assert found.holds is False
    assert "source: 0 bytes read, 0 written; in the log 10,500 and 0" in found.says


def test_what_is_left_out_is_left_out_on_both_sides(copies: Path, tmp_path: Path) -> None:
    traced = run(copies, tmp_path, "--trace-skip", "sendfile")
    assert {name for name, _ in halves(traced)} == {
        "copy_file_range (source)", "copy_file_range", "splice (source)", "splice",
    }  # fmt: skip
    traced.verify()
