"""The tables of a report of one job."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace.analysis.job_facts import JobFacts
from headrace.reports.payload import Column, Table, codes, numbers, texts

_FIGURES = ("depth", "pid", "start_at_ns", "run_ns", "bytes_read", "bytes_written", "calls")
_TIMES = ("read_ns", "write_ns", "meta_ns")


def tables(job: JobFacts) -> dict[str, Table]:
    """`files` and `processes` of docs/formats/report-payload.md."""
    return {"files": _files(job), "processes": _processes(job.processes)}


def title(job: JobFacts) -> str:
    """What a browser calls the page."""
    command = job.facts["summary"]["job"]["command"]
    text = " ".join(command) if isinstance(command, list) else str(command or "")
    return f"Headrace: {text[:200] or job.facts['summary']['log']['path']}"


def _files(job: JobFacts) -> Table:
    columns = {name: Column(kind, parts, values) for name, kind, parts, values in job.file_columns}
    columns["site"] = numbers("i32", job.file_sites)
    return Table(job.files, columns)


def _processes(rows: list[dict[str, Any]]) -> Table:
    """A row a program image. A parent that is left out, or comes later in a damaged log, is none."""
    place: dict[str, int] = {}
    parents = []
    for number, row in enumerate(rows):
        parents.append(place.get(row["parent"] or "", -1))
        place[row["process"]] = number

    def each(key: str) -> Iterable[Any]:
        return (row[key] for row in rows)

    columns = {
        "process": texts(each("process")),
        "parent": numbers("i32", parents),
        **{key: numbers("f64", each(key)) for key in (*_FIGURES, *_TIMES)},
        "rank": numbers("i32", map(_small, each("rank"))),
        "host": codes(each("host")),
        "executable": codes(each("executable")),
        "arguments": texts(" ".join(row["arguments"]) for row in rows),
        "ended": codes(each("ended")),
        "exit_status": numbers("i32", map(_small, each("exit_status"))),
        "captured": numbers("u8", each("captured")),
        "reason": codes(each("reason")),
    }
    return Table(len(rows), columns)


def _small(value: int) -> int:
    """What a hostile log may say in 64 bits in 32."""
    return max(-(1 << 31), min((1 << 31) - 1, value))
