"""Which threads share a row of an overview, and what such a row is called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commands import headrace as run
from headrace.analysis.overview_rows import row_name, rows_of
from headrace.analysis.traces import Trace
from hypothesis import given
from hypothesis import strategies as some
from made_traces import ENTER, LEAVE, STEP, event, write

Facts = dict[str, Any]


def locations_of(ranks: int, threads: int, others: int) -> list[Facts]:
    """As a trace has them: by rank and thread, then those without a rank."""
    ranked = [
        {"process": rank + 1, "thread": thread + 1, "rank": rank, "pid": 500 + rank}
        for rank in range(ranks)
        for thread in range(threads)
    ]
    return ranked + [{"process": 9000 + n, "thread": 1, "rank": -1, "pid": 90 + n} for n in range(others)]


@given(some.integers(0, 40), some.integers(1, 4), some.integers(0, 6), some.integers(1, 60))
def test_rows_have_every_location_once_and_mix_nothing(
    ranks: int, threads: int, others: int, most: int
) -> None:
    locations = locations_of(ranks, threads, others)
    rows = rows_of(locations, list(range(len(locations))), most)
    assert len(rows) <= most and all(rows)
    assert sorted(each for row in rows for each in row) == list(range(len(locations)))
    assert len(rows) == len(locations) or len(rows) <= most < len(locations)
    for row in rows if most >= 4 else []:
        assert len({locations[each]["rank"] < 0 for each in row}) == 1
        mains = {locations[each]["thread"] == 1 for each in row}
        assert len(mains) == 1


def test_helper_threads_are_folded_under_their_main_thread() -> None:
    locations = locations_of(3, 3, 0)
    assert rows_of(locations, list(range(9)), 6) == [[0], [1, 2], [3], [4, 5], [6], [7, 8]]
    assert rows_of(locations, list(range(9)), 4) == [[0], [3], [6], [1, 2, 4, 5, 7, 8]]


def test_rows_say_what_they_stand_for(tmp_path: Path) -> None:
    step = event(10, ENTER, STEP) + event(20, LEAVE, STEP)
    parts = [(rank + 1, thread, rank, "n", 500 + rank, 0, step) for rank in range(4) for thread in (1, 2, 3)]
    path = write(
        tmp_path / "job.trace.hr", [*parts, (9, 1, -1, "n", 90, 0, step), (10, 1, -1, "n", 91, 0, step)]
    )
    trace = Trace(path)

    def names(most: int) -> list[str]:
        rows = rows_of(trace.locations, list(range(len(trace.locations))), most)
        return [row_name(trace, trace.names(), row) for row in rows]

    assert names(14)[:3] == ["rank 0:1", "rank 0:2", "rank 0:3"]
    folded = [f"rank {rank}:{threads}" for rank in range(4) for threads in ("1", "2-3")]
    assert names(9) == [*folded, "2 threads without a rank"]
    assert names(4) == [
        "rank 0-1:1", "rank 2-3:1", "rank 0-3, other threads", "2 threads without a rank",
    ]  # fmt: skip
    assert names(2) == ["rank 0-3, all threads", "2 threads without a rank"]
    assert names(1) == ["rank 0-3 and 2 threads without"]
    shown = run("trace", "overview", path, "--rows", "4", "--columns", "5").stdout
    assert "\n  rank 0-3, other threads " in shown
    seen = json.loads(run("trace", "overview", path, "--rows", "4", "--columns", "5", "--json").stdout)
    assert [row["name"] for row in seen["rows"]] == names(4)
    assert [sum(row["class_ns"]["program"]) for row in seen["rows"]] == [20, 20, 80, 20]
