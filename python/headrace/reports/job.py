"""The tables of a report of one job."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from headrace.analysis.job_facts import JobFacts
from headrace.reports.payload import Column, Table, codes, numbers, texts

_FIGURES = ("depth", "pid", "start_at_ns", "run_ns", "bytes_read", "bytes_written", "calls")
_TIMES = ("read_ns", "write_ns", "meta_ns")
_RANK_FIGURES = (
    *("run_ns", "io_ns", *_TIMES, "mpi_ns", "mpiio_ns"),
    *("bytes_read", "bytes_written", "calls", "files", "mpi_calls", "mpi_bytes"),
)


def tables(job: JobFacts) -> dict[str, Table]:
    """`files` and `processes` of docs/formats/report-payload.md, and of a parallel job `ranks` and `heat`."""
    found = {"files": _files(job), "processes": _processes(job.processes)}
    if job.ranks:
        found["ranks"] = _ranks(job.ranks)
    if job.heat:
        rows = len(next(iter(job.heat.values()))) // 2
        found["heat"] = Table(rows, {name: Column("u16", (data,)) for name, data in job.heat.items()})
    return found


def title(job: JobFacts) -> str:
    """What a browser calls the page."""
    command = job.facts["summary"]["job"]["command"]
    text = " ".join(command) if isinstance(command, list) else str(command or "")
    return f"Headrace: {text[:200] or job.facts['summary']['log']['path']}"


def _files(job: JobFacts) -> Table:
    columns = {name: Column(kind, parts, values) for name, kind, parts, values in job.file_columns}
    columns["site"] = numbers("i32", job.file_sites)
    columns["interfaces"] = codes("+".join(names) for names in job.interfaces)
    if job.file_ranks:
        columns |= _file_ranks(job.file_ranks)
    return Table(job.files, columns)


def _file_ranks(rows: list[dict[str, Any] | None]) -> dict[str, Column]:
    """How evenly ranks used each file; where none did, 0 ranks and -1 for the slowest and fastest."""
    columns = {
        "strategy": codes(row["strategy"] if row else "" for row in rows),
        **{key: numbers("f64", (row[key] if row else 0 for row in rows)) for key in ("ranks", "world")},
    }
    for key in ("slowest", "fastest"):
        columns[f"{key}_rank"] = numbers(
            "i32", (_small(row[key]["rank"]) if row and row[key] else -1 for row in rows)
        )
        columns[f"{key}_host"] = codes(row[key]["host"] if row and row[key] else "" for row in rows)
    for key, name in (("bytes", "rank_bytes"), ("time_ns", "rank_ns")):
        for part in ("least", "mean", "most", "variance"):
            columns[f"{name}_{part}"] = numbers("f64", (_figure(row, key, part) for row in rows))
    return columns


def _figure(row: dict[str, Any] | None, key: str, part: str) -> float:
    """-1: not known, because one record stands for all ranks."""
    if row is None:
        return 0
    value: float | None = row[key][part]
    return -1 if value is None else value


def _ranks(rows: list[dict[str, Any]]) -> Table:
    """A row a rank, by instance and rank."""

    def each(key: str) -> Iterable[Any]:
        return (row[key] for row in rows)

    columns = {
        "rank": numbers("i32", map(_small, each("rank"))),
        "instance": codes(f"{number:016x}" for number in each("instance")),
        **{key: codes(each(key)) for key in ("host", "executable", "io_node", "nearest_switch")},
        **{key: numbers("f64", map(_known, each(key))) for key in _RANK_FIGURES},
        "captured": numbers("u8", each("captured")),
    }
    return Table(len(rows), columns)


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
        **{key: numbers("f64", map(_known, each(key))) for key in (*_FIGURES, *_TIMES)},
        "rank": numbers("i32", map(_small, each("rank"))),
        "host": codes(each("host")),
        "executable": codes(each("executable")),
        "arguments": texts(" ".join(row["arguments"]) for row in rows),
        "ended": codes(each("ended")),
        "run_at_least": numbers("u8", each("run_at_least")),
        "exit_status": numbers("i32", map(_small, each("exit_status"))),
        "captured": numbers("u8", each("captured")),
        "reason": codes(each("reason")),
    }
    return Table(len(rows), columns)


def _known(value: float | None) -> float:
    """What is not known is no number."""
    return math.nan if value is None else value


def _small(value: int) -> int:
    """What a hostile log may say in 64 bits in 32."""
    return max(-(1 << 31), min((1 << 31) - 1, value))
