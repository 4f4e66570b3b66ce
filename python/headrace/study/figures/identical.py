"""Jobs that are nearly the same (section V-A of the paper): to repair one repairs all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from headrace.study.figure import Figure, Finding
from headrace.study.query import Connection, data, rows
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.text import size

_PARTS = 10  # one of these is the most by which two differ
_GROUPS = 100
_LEAST = 10  # jobs of a group

Row = dict[str, Any]


def identical(connection: Connection, _: Settings, __: Scope) -> Figure:
    found = rows(
        connection,
        f"""SELECT project, program, processes, moved, files, count(*) AS jobs, sum(core_hours) AS core_hours
FROM (SELECT *, count(*) OVER (PARTITION BY project, program, processes) AS alike
  FROM study_runs WHERE moved > 0) runs WHERE alike >= {_LEAST}
GROUP BY project, program, processes, moved, files ORDER BY project, program, processes, moved, files""",
    )
    records = []
    for key, of_key in groupby(found, key=lambda row: (row["project"], row["program"], row["processes"])):
        for of_bytes in _windows(list(of_key), lambda row: int(row["moved"])):
            records += [_record(key, each) for each in _windows(of_bytes, lambda row: int(row["files"]))]
    records.sort(
        key=lambda row: (-row["jobs"], -row["bytes"], row["project"], row["program"] or "", row["processes"])
    )
    figure = Figure(
        "identical",
        "Jobs that are nearly the same",
        "table",
        data(
            records[:_GROUPS],
            "project text, program text, processes int, jobs int, bytes_per_job real, bytes int, core_hours"
            " real",
        ),
        "Jobs of the same project, program and number of processes, of which one moves a tenth more bytes at"
        " most than another, and has a tenth more files at most. The group of most jobs is taken first, and"
        " so on"
        " with the jobs that are left.",
        f"Jobs with a log that moved bytes; groups of {_LEAST} jobs or more, the first {_GROUPS} of"
        f" {len(records):,}.",
        units={
            **dict.fromkeys(("processes", "jobs", "core_hours"), "count"),
            "bytes_per_job": "bytes",
            "bytes": "bytes",
        },
        paper="Section V-A",
        missing="" if records else f"There are no {_LEAST} such jobs.",
    )
    if records:
        first = records[0]
        jobs = f"{first['jobs']:,} jobs of {first['project']}"
        each = f"{first['processes']:,} processes that move {size(first['bytes_per_job'])}"
        figure.words = [f"{jobs} are nearly the same: {each}."]
        figure.findings = [Finding(figure.words[0], "identical", 0.3)]
    return figure


def _order(row: Row) -> tuple[Any, ...]:
    return -row["jobs"], -row["bytes"], row["project"], row["program"] or "", row["processes"]


def _windows(found: list[Row], value: Callable[[Row], int]) -> Iterator[list[Row]]:
    """Rows whose values are alike, those of most jobs first; each row once. Of as many the smaller values."""
    left = sorted(found, key=value)
    while left:
        best, first, last = 0, 0, 0
        jobs = end = 0
        for begin, row in enumerate(left):
            while end < len(left) and _PARTS * value(left[end]) <= (_PARTS + 1) * value(row):
                jobs += left[end]["jobs"]
                end += 1
            if jobs > best:
                best, first, last = jobs, begin, end
            jobs -= row["jobs"]
        if best < _LEAST:
            return
        yield left[first:last]
        del left[first:last]


def _record(key: tuple[str, str | None, int], found: list[Row]) -> Row:
    jobs, moved = sum(row["jobs"] for row in found), sum(row["moved"] * row["jobs"] for row in found)
    return {
        **dict(zip(("project", "program", "processes"), key, strict=True)),
        "jobs": jobs,
        "bytes": moved,
        "bytes_per_job": moved / jobs,
        "core_hours": sum(row["core_hours"] for row in found),
    }
