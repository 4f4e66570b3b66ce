"""What the summary of a job log says of programs that ran one after another, hostile facts, and damage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from headrace.catalog.job_logs import Summaries, read, summarize, summarized
from made_job_logs import SECOND, Span, write, write_counters


def row(found: Summaries) -> dict[str, Any]:
    assert found.bad == []
    rows: list[dict[str, Any]] = found.tables["logs"].to_pylist()
    assert len(rows) == 1
    return rows[0]


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([(0, 100, 7)], 7),
        ([(0, 100, 7), (100, 200, 5), (200, 300, 9)], 21),  # one after another
        ([(0, 100, 7), (0, 100, 5), (1, 99, 9)], 9),  # at the same time
        ([(0, 100, 7), (50, 150, 5), (150, 300, 9)], 16),  # two, and then one
        ([(200, 300, 9), (0, 100, 7)], 16),  # in whatever order the log has them
    ],
)
def test_programs_one_after_another_add_up(tmp_path: Path, spans: list[Span], seconds: int) -> None:
    found = summarize([write(tmp_path / "a.hr", spans)], 1)
    assert row(found)["slowest_ns"] == seconds * SECOND
    assert row(found)["instances"] == len(spans)
    assert [one["slowest_ns"] for one in found.tables["instances"].to_pylist()] == [
        spent * SECOND for *_, spent in spans
    ]
    assert row(found)["files_new"] == row(found)["creates"] == 2 * len(spans)


@pytest.mark.parametrize(
    ("facts", "column", "value"),
    [
        ({"start_utc_ns": "9" * 60}, "start", None),
        ({"start_utc_ns": "-5", "end_utc_ns": "1"}, "start", None),
        ({"start_utc_ns": "soon"}, "start", None),
        ({"end_utc_ns": "9" * 60}, "elapsed_ns", 100 * SECOND),
        ({"end_utc_ns": "9" * 5000}, "elapsed_ns", 100 * SECOND),
        ({"command": "[" * 100_000}, "command", "[" * 100_000),
        ({"command": "7"}, "command", "7"),
        ({"scheduler_job": "x'; DROP VIEW logs; --"}, "scheduler_job", "x'; DROP VIEW logs; --"),
        ({"complete": "no: killed"}, "why_incomplete", "killed"),
        ({"complete": ""}, "why_incomplete", "nobody says that it is"),
    ],
)
def test_facts_that_are_none(tmp_path: Path, facts: dict[str, str], column: str, value: Any) -> None:
    """Whatever somebody wrote into a log's facts, there is a row, and other rows stay."""
    path = write(tmp_path / "a.hr", [(0, 100, 7)], **facts)
    found = summarize([path, write(tmp_path / "b.hr", [(0, 100, 7)], 2)], 1)
    rows = {one["source"]: one for one in found.tables["logs"].to_pylist()}
    assert rows[str(path)][column] == value
    assert len(rows) == 2


def test_a_log_without_a_start_has_no_times(tmp_path: Path) -> None:
    """They were given as those since 1970."""
    found = summarize([write(tmp_path / "a.hr", [(0, 100, 7)], start_utc_ns="x")], 1)
    assert found.tables["files"]["first_open"].null_count == 2
    assert found.tables["files"]["last_io"].null_count == 2
    assert found.tables["instances"]["start"].null_count == 1


def test_a_log_cut_anywhere_is_bad_or_says_what_is_missing(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.hr", [(0, 100, 7), (100, 200, 5)]).read_bytes()
    paths = []
    for length in range(0, len(whole), 37):
        path = tmp_path / f"{length}.hr"
        path.write_bytes(whole[:length])
        paths.append(path)
    found = summarize(paths, 2)
    rows = {one["source"]: one for one in found.tables["logs"].to_pylist()} if found.tables else {}
    assert len(found.bad) + len(rows) == len(paths)
    assert all(not one["complete"] and one["why_incomplete"] for one in rows.values())
    assert all(str(path) in reason for path, reason in found.bad)


def test_a_log_with_bytes_changed_ends_nothing(tmp_path: Path) -> None:
    whole = bytearray(write(tmp_path / "whole.hr", [(0, 100, 7)]).read_bytes())
    paths = []
    for place in range(0, len(whole), 29):
        changed = bytearray(whole)
        changed[place] ^= 0x5A
        paths.append(tmp_path / f"{place}.hr")
        paths[-1].write_bytes(changed)
    found = summarize(paths, 2)
    logs = found.tables["logs"].num_rows if found.tables else 0
    assert len(found.bad) + logs == len(paths)


def test_rows_of_some_sources_can_be_left_out(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n}.hr", [(0, 100, n)], n) for n in (1, 2, 3)]
    found = summarize(paths, 1)
    first = next(source for source in found.sources.values() if source.path == str(paths[0]))
    left = found.without({first.id})
    assert sorted(left["logs"]["source"].to_pylist()) == [str(paths[1]), str(paths[2])]
    assert left["files"].num_rows == 4
    assert found.without(set())["logs"].num_rows == 3


@pytest.mark.parametrize("calls", [1 << 51, (1 << 50) + 1])
def test_a_log_whose_counters_cannot_be_is_bad(tmp_path: Path, calls: int) -> None:
    """One such log made every question fail for good: sums of it do not fit."""
    found = summarize([write(tmp_path / "a.hr", [(0, 100, 7)], calls=calls), write(tmp_path / "b.hr", [])], 1)
    assert [(path.name, why.rpartition(": ")[0].rpartition("/")[2]) for path, why in found.bad] == [
        (
            "a.hr",
            "a.hr: has a counter of less than 0 or more than 2^60, or a time of more than 2^61 ns, which no job has",
        )
    ]
    assert found.tables["logs"].num_rows == 1


@pytest.mark.parametrize(
    "counter", ["writes_consecutive", "reads_forward", "writes_unaligned_file", "write_ns"]
)
@pytest.mark.parametrize(
    ("processes", "value"), [(1, 1 << 62), (2, 1 << 62), (128, 1 << 56), (1, 1 << 63), (1, (1 << 64) - 1)]
)
def test_sums_that_have_no_room_are_bad(tmp_path: Path, counter: str, processes: int, value: int) -> None:
    """Of these, a catalog took what was left of the sum, or one that no sum over jobs had room for."""
    found = summarize([write_counters(tmp_path / "a.hr", processes, opens=1, **{counter: value})], 1)
    assert [why.rpartition(": ")[0].rpartition(": ")[2] for _, why in found.bad] == [
        "has a counter of less than 0 or more than 2^60, or a time of more than 2^61 ns, which no job has"
    ]
    hours = 90_000 * 4 * 3600 * SECOND  # of I/O, by as many processes
    assert summarize([write_counters(tmp_path / "c.hr", 2, opens=1, write_ns=hours // 2)], 1).bad == []
    small = summarize([write_counters(tmp_path / "b.hr", 2, opens=1, writes_consecutive=5)], 1)
    assert row(small)["sequential"] == row(small)["consecutive"] == 10


def test_ranks_of_several_programs_count_once(tmp_path: Path) -> None:
    found = summarize([write(tmp_path / "a.hr", [(0, 100, 7), (100, 200, 5), (200, 300, 9)])], 1)
    assert (row(found)["io_ranks"], row(found)["io_rank_last"], row(found)["bytes_rank0"]) == (2, 1, 3 * 4096)


def test_logs_that_are_known_are_not_read(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n}.hr", [(0, 100, n)], n) for n in (1, 2, 3)]
    first = read(paths, 1)
    sources = list(summarized(first).sources)
    assert (len(sources), first.known) == (3, 0)
    again = read([*paths, tmp_path / "none.hr"], 1, set(sources[:2]))
    assert (again.known, again.paths) == (2, [paths[2], tmp_path / "none.hr"])
    found = summarized(again)
    assert list(found.sources) == [sources[2]]
    assert [path.name for path, _ in found.bad] == ["none.hr"]


def test_logs_are_read_by_as_many_threads_as_there_is_room_for(tmp_path: Path) -> None:
    """Where no thread can be made, the process was ended."""
    paths = [str(write(tmp_path / f"{n}.hr", [(0, 100, n)], n)) for n in (1, 2, 3)]
    code = """
import resource, sys
from pathlib import Path
from headrace.catalog.job_logs import read
paths = list(map(Path, sys.argv[1:]))
read(paths, 1)
size = int(next(line for line in open("/proc/self/status") if line.startswith("VmSize")).split()[1]) << 10
resource.setrlimit(resource.RLIMIT_AS, (size + (4 << 20), resource.RLIM_INFINITY))  # a stack has 8 MiB
found = read(paths, 3)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(len(found.frames[5]), len(found.frames[0]))
"""
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 3\n", "")
