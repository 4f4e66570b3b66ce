"""All that the catalog says of the time of one job, as facts: the keys are those of docs/live.md."""

from __future__ import annotations

import itertools
from typing import Any

from headrace.catalog import Catalog
from headrace.catalog.engine import damage_told
from headrace.logs import JobLog
from headrace.meanwhile import devices, others, said
from headrace.meanwhile.names import Names
from headrace.meanwhile.own import Own, find
from headrace.meanwhile.steps import Steps, moment, store_samples
from headrace.meanwhile.used import tell_used
from headrace.study.query import Connection, rows

__all__ = ["look"]

Facts = dict[str, Any]


def look(catalog: Catalog, log: JobLog, number: int = 1, names: Names | None = None) -> Facts:
    """Of the job with this number in its file, from 1. The log must show names as they are.

    `names`: instead of those of people, jobs, programs, servers and file systems. Raises CatalogError,
    LogError, and MissingPackageError without duckdb.
    """
    connection = catalog.connect()
    try:
        with damage_told(catalog.path):
            own = find(connection, log, number)
            facts = _nothing(catalog) if own is None else _facts(connection, catalog, own)
    finally:
        connection.close()
    if names:
        names.hide(facts)
    facts["said"] = said.sentences(facts)
    return facts


def _nothing(catalog: Catalog) -> Facts:
    empty: list[Any] = []
    return {
        "catalog": str(catalog.path),
        "begin_utc_ns": None,
        "end_utc_ns": None,
        "job": {
            "in_catalog": False,
            "name": None,
            "scheduled": None,
            "steps": 0,
            "read_bytes": 0,
            "written_bytes": 0,
        },
        "periods": {},
        "file_systems": empty,
        "servers": empty,
        "interval_ns": None,
        "picture": None,
        "jobs": empty,
        "jobs_in_all": 0,
        "jobs_with_logs": 0,
        "jobs_on_same": 0,
        "bytes_on_same": 0,
        "calendar": empty,
        "uncovered": empty,
        "gaps": empty,
        "gaps_in_all": 0,
    }


def _facts(connection: Connection, catalog: Catalog, own: Own) -> Facts:
    steps = store_samples(connection, own.begin, own.end)
    facts = _nothing(catalog) | {
        "begin_utc_ns": own.begin * 1000,
        "end_utc_ns": own.end * 1000,
        "job": _job(own),
        "periods": _periods(connection),
        "calendar": _calendar(connection, own),
    }
    jobs, facts["job"]["steps"] = others.find(connection, own)
    facts["jobs"], facts["jobs_in_all"] = [_in_job(row, own) for row in jobs[: others.MOST]], len(jobs)
    same = [row for row in jobs if row["logs"] and row["same"]]
    facts["jobs_with_logs"] = sum(1 for row in jobs if row["logs"])
    facts["jobs_on_same"] = len(same)
    facts["bytes_on_same"] = sum(row["bytes_meanwhile"] or 0 for row in same)
    if steps:
        facts |= _devices(connection, own, steps)
    return facts


def _devices(connection: Connection, own: Own, steps: Steps) -> Facts:
    found = devices.file_systems(connection, own.begin, own.end, steps.width)
    tell_used(connection, own, found)
    known, gaps_in_all = devices.gaps(connection, own.begin, own.end)
    return {
        "interval_ns": steps.interval * 1000,
        "file_systems": found,
        "servers": devices.servers(connection, own.begin, own.end, steps.width),
        "picture": _picture(connection, own, steps, [row["name"] for row in found]) if found else None,
        "uncovered": devices.uncovered(connection, own.begin, own.end),
        "gaps": [_in_job(row, own) for row in known],
        "gaps_in_all": gaps_in_all,
    }


def _job(own: Own) -> Facts:
    scheduled = None
    run = own.run or min(own.elsewhen, key=lambda row: abs(row["begin"] - own.begin), default=None)
    if run:
        end = run["end"]
        scheduled = {
            "is_this_run": own.run is not None,
            "begin_at_ns": (run["begin"] - own.begin) * 1000,
            "end_at_ns": None if end is None else (end - own.begin) * 1000,
        }
    return {
        "in_catalog": own.log is not None,
        "name": own.name,
        "scheduled": scheduled,
        "read_bytes": own.read,
        "written_bytes": own.written,
    }


def _in_job(row: Facts, own: Own) -> Facts:
    """Times as nanoseconds since the job began."""
    times = {"a": "begin_at_ns", "b": "end_at_ns", "begin": "begin_at_ns", "end": "end_at_ns"}
    return {
        times.get(key, key): (None if value is None else (value - own.begin) * 1000)
        if key in times
        else value
        for key, value in row.items()
    }


def _periods(connection: Connection) -> Facts:
    """When the catalog begins and ends, by what it is of; what it has nothing of is left out."""
    found = {}
    for name, table in (
        ("samples", "device_minutes"),
        ("logs", "logs"),
        ("scheduler_jobs", "scheduler_jobs"),
    ):
        row = rows(connection, f'SELECT epoch_us(min("start")) AS a, epoch_us(max("end")) AS b FROM {table}')[
            0
        ]
        if row["a"] is not None:
            found[name] = {"begin_utc_ns": row["a"] * 1000, "end_utc_ns": (row["b"] or row["a"]) * 1000}
    return found


def _calendar(connection: Connection, own: Own) -> list[Facts]:
    found = rows(
        connection,
        'SELECT DISTINCT epoch_us("start") AS a, epoch_us("end") AS b, kind, "text" FROM calendar'
        f' WHERE "start" < {moment(own.end)} AND "end" > {moment(own.begin)} ORDER BY a LIMIT 200',
    )
    return [_in_job(row, own) for row in found]


def _picture(connection: Connection, own: Own, steps: Steps, names: list[str | None]) -> Facts:
    return {
        "begin_at_ns": (steps.begin - own.begin) * 1000,
        "span_ns": steps.width * 1000,
        "lines": devices.picture(connection, steps, names),
        "own": {
            "is_mean": not own.has_course,
            "read": _spread(own, steps, own.rate["bytes_read"] if own.has_course else [own.read]),
            "written": _spread(own, steps, own.rate["bytes_written"] if own.has_course else [own.written]),
        },
    }


def _spread(own: Own, steps: Steps, moved: list[int]) -> list[int | None]:
    """Bytes by equal spans of the job as bytes by steps; None where it did not run."""
    # Times since the job began: those since 1970 have no room for parts of a microsecond.
    width, length, ahead = steps.width, own.end - own.begin, own.begin - steps.begin
    span = length / max(1, len(moved))
    sums: list[float | None] = [None] * steps.count
    for place in range(steps.count):
        begin = place * width - ahead
        if begin < length and begin + width > 0:
            sums[place] = 0.0
    for number, bytes_ in enumerate(moved):
        a = number * span
        for place in range(int((a + ahead) // width), int((a + span + ahead) // width) + 1) if bytes_ else ():
            begin = place * width - ahead
            part = max(0.0, min(a + span, begin + width) - max(a, begin)) / span
            if part and 0 <= place < steps.count:
                sums[place] = (sums[place] or 0.0) + bytes_ * part
    # Rounded where each ends, so that the sum stays what it is.
    ends = [round(end) for end in itertools.accumulate(value or 0.0 for value in sums)]
    whole = [end - before for before, end in itertools.pairwise([0, *ends])]
    return [None if value is None else moved_ for value, moved_ in zip(sums, whole, strict=True)]
