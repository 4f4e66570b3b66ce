"""Job logs, Headrace's and Darshan's, as rows of a catalog: many files at once, by native threads.

Columns are made of columns: logs come by the hundred thousand, and a step of Python for each of their figures
would take longer than reading them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import _native
from headrace.catalog.schema import arrow_schema
from headrace.catalog.source import Source, as_text, printed
from headrace.logs import job_facts, run_time_ns

if TYPE_CHECKING:
    import pyarrow

_NULL = -(2**63)
_LONGEST_NS = 10 * 366 * 86400 * 10**9  # ten years: no job runs so long
_USES = ("posix", "stdio", "mpiio", "hdf5", "pnetcdf")  # bits of the native column `uses`
_LATEST_US = 253_402_300_799_000_000  # the end of the year 9999: what is beyond is no time

Tables = dict[str, "pyarrow.Table"]


@dataclass
class Summaries:
    """What job logs say; two paths with one content are one source."""

    sources: dict[str, Source]  # by id
    tables: Tables  # rows of logs, instances, files and access_sizes
    bad: list[tuple[Path, str]]  # with reasons
    logs: dict[str, list[int]]  # ids of the logs of each source

    def without(self, sources: set[str]) -> Tables:
        """The tables without the rows of some sources."""
        import pyarrow
        import pyarrow.compute as compute

        logs = [log for source in sources for log in self.logs.get(source, ())]
        if not logs:
            return self.tables
        left_out = pyarrow.array(logs, pyarrow.int64())
        return {
            name: table.filter(compute.invert(compute.is_in(table["log"], left_out)))
            for name, table in self.tables.items()
        }


Frames = tuple[
    _native.Frame, _native.Frame, _native.Frame, _native.Frame, _native.Frame, list[tuple[int, bytes]]
]


@dataclass
class Reading:
    """Logs as they were read, which is done without the interpreter's lock."""

    paths: list[Path]
    frames: Frames
    known: int = 0  # logs that were not read


def read(paths: list[Path], threads: int, known: Container[str] = ()) -> Reading:
    """Reads those whose source is none of `known`."""
    names = [os.fsencode(path) for path in paths]
    if not known:
        return Reading(paths, _native.summarize_logs(names, threads))
    # After an adder that was interrupted they are nearly all, and looking at bytes is much less than reading.
    contents = _native.log_contents(names, threads)
    fresh = [path for path, content in zip(paths, contents, strict=True) if _source(content) not in known]
    frames = _native.summarize_logs([os.fsencode(path) for path in fresh], threads)
    return Reading(fresh, frames, len(paths) - len(fresh))


def summarize(paths: list[Path], threads: int) -> Summaries:
    return summarized(read(paths, threads))


def summarized(reading: Reading) -> Summaries:
    """What was read, as rows."""
    paths, frames = reading.paths, reading.frames
    result = Summaries({}, {}, [(paths[place], os.fsdecode(reason)) for place, reason in frames[5]], {})
    logs, instances, files, sizes = (_table(frame) for frame in frames[:4])
    if logs.num_rows == 0:
        return result
    ids, names = logs["log"].to_pylist(), [printed(paths[place]) for place in logs["path"].to_pylist()]
    for log, content, size, name in zip(
        ids, logs["content"].to_pylist(), logs["bytes"].to_pylist(), names, strict=True
    ):
        source = _source(content)
        result.sources.setdefault(source, Source(source, name, "job log", size))
        result.logs.setdefault(source, []).append(log)
    told = _told(logs, names, _facts(_table(frames[4]), ids))
    starts = dict(zip(ids, told["start"], strict=True))
    result.tables = {
        "logs": _logs(logs, told),
        "instances": _placed("instances", instances, starts, ("start", "end")),
        "files": _placed("files", files, starts, ("first_open", "last_io")),
        "access_sizes": _placed("access_sizes", sizes, starts, ()),
    }
    return result


def _source(content: str) -> str:
    return f"log:{content}"


def _table(frame: _native.Frame) -> pyarrow.Table:
    import pyarrow

    return pyarrow.Table.from_batches([pyarrow.record_batch(frame)])


def _facts(facts: pyarrow.Table, ids: Sequence[int]) -> list[dict[str, Any]]:
    """What the table `job` of each log says."""
    texts: dict[int, dict[str, str]] = {log: {} for log in ids}
    for log, key, value in zip(*(facts[name].to_pylist() for name in ("log", "key", "value")), strict=True):
        texts[log][key] = value
    return [job_facts(texts[log]) for log in ids]


_Log = tuple[dict[str, Any], dict[str, Any]]  # what its table `job` says, and some of its figures


def _told(logs: pyarrow.Table, names: list[str], facts: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """The columns of `logs` that are no figures: one list each."""
    columns = ("last_at_ns", "damaged_bytes", "closed", "missing_ranks")
    figures = [
        dict(zip(columns, row, strict=True))
        for row in zip(*(logs[name].to_pylist() for name in columns), strict=True)
    ]
    rows: list[_Log] = list(zip(facts, figures, strict=True))
    made: dict[str, Callable[[_Log], Any]] = {
        "format": lambda row: "darshan" if "darshan_job_id" in row[0] else "headrace",
        "scheduler": lambda row: _text(row[0].get("scheduler")),
        "scheduler_job": lambda row: _text(row[0].get("scheduler_job", row[0].get("darshan_job_id"))),
        "user": lambda row: _text(row[0].get("user_id")),
        "command": lambda row: _command(row[0].get("command")),
        "host": lambda row: _text(row[0].get("host")),
        "elapsed_ns": _elapsed_ns,
        "why_incomplete": lambda row: _why_incomplete(*row),
    }
    told = {name: [make(row) for row in rows] for name, make in made.items()}
    told["source"] = names
    told["complete"] = [why is None for why in told["why_incomplete"]]
    begins = [fact.get("start_utc_ns") for fact in facts]
    told["start"] = [_time(begin) for begin in begins]
    told["end"] = [
        _time(begin + elapsed) if isinstance(begin, int) else None
        for begin, elapsed in zip(begins, told["elapsed_ns"], strict=True)
    ]
    return told


def _text(value: Any) -> str | None:
    return None if value is None else as_text(str(value))


def _command(value: Any) -> str | None:
    return _text(" ".join(value) if isinstance(value, list) else value)


def _elapsed_ns(row: _Log) -> int:
    facts, figures = row
    return run_time_ns(facts, int(figures["last_at_ns"]), _LONGEST_NS)


def _time(ns: Any) -> int | None:
    us = ns // 1000 if isinstance(ns, int) else -1
    return us if 0 <= us <= _LATEST_US else None


def _why_incomplete(facts: dict[str, Any], figures: dict[str, Any]) -> str | None:
    complete = facts.get("complete")
    if figures["damaged_bytes"]:
        return f"the log is damaged: {figures['damaged_bytes']} bytes of it cannot be used"
    if complete != "yes":
        return as_text(str(complete or "nobody says that it is").removeprefix("no: "))
    if not figures["closed"]:
        return "the log was not closed: its end may be missing"
    if figures["missing_ranks"]:
        return f"{figures['missing_ranks']} ranks are not in the log"
    return None


def _logs(logs: pyarrow.Table, told: dict[str, list[Any]]) -> pyarrow.Table:
    import pyarrow
    import pyarrow.compute as compute

    schema = arrow_schema("logs")
    uses = logs["uses"].combine_chunks()
    columns = []
    for field in schema:
        if field.name in told:
            columns.append(pyarrow.array(told[field.name], field.type))
        elif field.name.startswith("uses_"):
            bit = 1 << _USES.index(field.name.removeprefix("uses_"))
            columns.append(compute.not_equal(compute.bit_wise_and(uses, bit), 0))
        elif field.name == "executable":
            columns.append(_without(logs["executable"], "").cast(field.type))
        else:
            columns.append(_without(logs[field.name], _NULL).cast(field.type))
    return pyarrow.table(columns, schema=schema)


def _without(column: pyarrow.ChunkedArray, nothing: Any) -> pyarrow.Array:
    """With nulls in place of a value."""
    import pyarrow.compute as compute

    values = column.combine_chunks()
    stands = compute.equal(values, nothing)
    return compute.if_else(stands, None, values) if stands.true_count else values


def _placed(
    name: str, table: pyarrow.Table, starts: dict[int, int | None], times: tuple[str, ...]
) -> pyarrow.Table:
    """With nulls, and points in time in place of those since the job's start."""
    import pyarrow
    import pyarrow.compute as compute

    schema = arrow_schema(name)
    if table.num_rows == 0:
        return schema.empty_table()
    log = table["log"].combine_chunks().dictionary_encode()
    found = [starts.get(number) for number in log.dictionary.to_pylist()]
    begin = pyarrow.array(found, pyarrow.int64()).take(log.indices) if times else None
    columns = []
    for field in schema:
        if field.name in times:
            values = table[field.name].combine_chunks()
            moment = compute.add(compute.divide(values, 1000), begin)
            fits = compute.and_(compute.greater_equal(moment, 0), compute.less_equal(moment, _LATEST_US))
            moment = compute.if_else(fits, moment, None)
            instead = pyarrow.scalar(None, pyarrow.int64()) if field.name == "last_io" else begin
            columns.append(compute.if_else(compute.equal(values, 0), instead, moment).cast(field.type))
        elif field.type == pyarrow.string():
            nothing = "" if field.name in ("mount", "file_system") else None
            column = table[field.name]
            columns.append(
                (_without(column, nothing) if nothing == "" else column.combine_chunks()).cast(field.type)
            )
        else:
            columns.append(_without(table[field.name], _NULL).cast(field.type))
    return pyarrow.table(columns, schema=schema)
