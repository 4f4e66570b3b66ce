"""Job logs, Headrace's and Darshan's, as rows of a catalog: many files at once, by native threads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import _native
from headrace.catalog.batch import Source
from headrace.catalog.schema import TABLES, arrow_schema
from headrace.logs import job_facts

if TYPE_CHECKING:
    import pyarrow

_NULL = -(2**63)
_USES = ("posix", "stdio", "mpiio", "hdf5", "pnetcdf")  # bits of the native column `uses`
_LATEST_US = 253_402_300_799_000_000  # the end of the year 9999: what is beyond is no time

Tables = dict[str, "pyarrow.Table"]


def summarize(paths: list[Path], threads: int) -> tuple[list[Source], Tables, list[tuple[Path, str]]]:
    """Sources, rows of logs, instances, files and access_sizes, and the bad files with reasons.

    Two paths with one content give one source.
    """
    frames = _native.summarize_logs([os.fsencode(path) for path in paths], threads)
    bad = [(paths[place], reason) for place, reason in frames[5]]
    logs, instances, files, sizes = (_table(frame) for frame in frames[:4])
    sources: dict[str, Source] = {}
    if logs.num_rows == 0:
        return [], {}, bad
    facts: dict[int, dict[str, str]] = {}
    for row in _table(frames[4]).to_pylist():
        facts.setdefault(row["log"], {})[row["key"]] = row["value"]
    rows: dict[int, dict[str, Any]] = {}
    for row in logs.to_pylist():
        name = str(paths[row["path"]])
        source = _source(row["content"], row["bytes"])
        sources.setdefault(source, Source(source, name, "job log", row["bytes"]))
        rows.setdefault(row["log"], _row(row, facts.get(row["log"], {}), name))
    starts = {number: row["start"] or 0 for number, row in rows.items()}
    tables = {
        "logs": _made("logs", list(rows.values())),
        "instances": _placed("instances", instances, starts, ("start", "end")),
        "files": _placed("files", files, starts, ("first_open", "last_io")),
        "access_sizes": _placed("access_sizes", sizes, starts, ()),
    }
    return list(sources.values()), _with_content(tables, logs), bad


def without(tables: Tables, sources: set[str]) -> Tables:
    """The tables without the rows of some sources."""
    import pyarrow
    import pyarrow.compute as compute

    left_out = pyarrow.array([int(source.split(":")[1]) for source in sources], pyarrow.int64())
    return {
        name: table.filter(compute.invert(compute.is_in(table["_content"], left_out)))
        for name, table in tables.items()
    }


def _source(content: int, size: int) -> str:
    return f"log:{content}:{size}"


def _table(frame: _native.Frame) -> pyarrow.Table:
    import pyarrow

    return pyarrow.Table.from_batches([pyarrow.record_batch(frame)])


def _row(figures: dict[str, Any], texts: dict[str, str], path: str) -> dict[str, Any]:
    facts = job_facts(texts)
    start, end = facts.get("start_utc_ns"), facts.get("end_utc_ns")
    elapsed = figures["last_at_ns"]
    if isinstance(start, int) and isinstance(end, int) and end >= start:
        elapsed = end - start
    command = facts.get("command")
    row = {name: None if value == _NULL else value for name, value in figures.items()}
    row |= {f"uses_{name}": bool(figures["uses"] >> bit & 1) for bit, name in enumerate(_USES)}
    darshan = facts.get("darshan_job_id")
    why = _why_incomplete(facts.get("complete"), figures)
    return row | {
        "source": path,
        "format": "headrace" if darshan is None else "darshan",
        "scheduler": facts.get("scheduler"),
        "scheduler_job": facts.get("scheduler_job", darshan),
        "user": _text(facts.get("user_id")),
        "command": " ".join(command) if isinstance(command, list) else command,
        "executable": figures["executable"] or None,
        "host": facts.get("host"),
        "start": _time(start) if isinstance(start, int) else None,
        "end": _time(start + elapsed) if isinstance(start, int) else None,
        "elapsed_ns": elapsed,
        "slowest_exact": bool(figures["slowest_exact"]),
        "complete": why is None,
        "why_incomplete": why,
    }


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _time(ns: int) -> int | None:
    us = ns // 1000
    return us if 0 <= us <= _LATEST_US else None


def _why_incomplete(complete: Any, figures: dict[str, Any]) -> str | None:
    if figures["damaged_bytes"]:
        return f"the log is damaged: {figures['damaged_bytes']} bytes of it cannot be used"
    if complete != "yes":
        return str(complete or "nobody says that it is").removeprefix("no: ")
    if not figures["closed"]:
        return "the log was not closed: its end may be missing"
    if figures["missing_ranks"]:
        return f"{figures['missing_ranks']} ranks are not in the log"
    return None


def _made(name: str, rows: list[dict[str, Any]]) -> pyarrow.Table:
    import pyarrow

    return pyarrow.Table.from_pylist(rows, schema=arrow_schema(name))


def _placed(name: str, table: pyarrow.Table, starts: dict[int, int], times: tuple[str, ...]) -> pyarrow.Table:
    """With nulls, and points in time in place of those since the job's start."""
    import pyarrow
    import pyarrow.compute as compute

    if table.num_rows == 0:
        return _made(name, [])
    log = table["log"].combine_chunks().dictionary_encode()
    begin = pyarrow.array([starts.get(number, 0) for number in log.dictionary.to_pylist()]).take(log.indices)
    columns = {}
    for column in TABLES[name].columns:
        values = table[column.name].combine_chunks()
        if column.type == "text":
            if column.name in ("mount", "file_system"):
                values = compute.if_else(compute.equal(values, ""), None, values)
        elif column.name in times:
            never = compute.equal(values, 0)
            moment = compute.add(compute.divide(values, 1000), begin)
            fits = compute.and_(compute.greater_equal(moment, 0), compute.less_equal(moment, _LATEST_US))
            moment = compute.if_else(fits, moment, None)
            instead = None if column.name == "last_io" else begin
            values = compute.if_else(never, instead, moment).cast(pyarrow.timestamp("us", "UTC"))
        else:
            values = compute.if_else(compute.equal(values, _NULL), None, values)
            values = values.cast(arrow_schema(name).field(column.name).type)
        columns[column.name] = values
    return pyarrow.table(columns).cast(arrow_schema(name))


def _with_content(tables: Tables, logs: pyarrow.Table) -> Tables:
    """With the content that each row is of, by which sources are left out."""
    import pyarrow

    content = dict(zip(logs["log"].to_pylist(), logs["content"].to_pylist(), strict=True))
    result = {}
    for name, table in tables.items():
        log = table["log"].combine_chunks().dictionary_encode()
        of = pyarrow.array([content[number] for number in log.dictionary.to_pylist()], pyarrow.int64())
        result[name] = table.append_column("_content", of.take(log.indices))
    return result
