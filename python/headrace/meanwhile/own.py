"""The job that is asked about: what its log says, and where the catalog has it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from headrace import _native
from headrace.analysis.calls import finest_spans, rate
from headrace.analysis.processes import process_rows
from headrace.analysis.summary import job_run_ns, mounts
from headrace.logs import JobLog
from headrace.study.query import Connection, rows, text

__all__ = ["NEAR_US", "Own", "find"]

NEAR_US = 300_000_000  # as far as clocks of nodes and of the scheduler differ, as in the view log_runs
_LATEST_US = (
    253_000_000_000_000_000  # within the year 9987: what is beyond is no time, and steps may go on a little
)
_SPANS = 4_000  # of the job's own bytes over time

Row = dict[str, Any]


@dataclass(frozen=True)
class Own:
    """Times in microseconds since 1970, by the clock of the job."""

    begin: int
    end: int
    host: str | None
    mounts: list[Row]  # point, type, source, bytes_read, bytes_written and more
    rate: Row  # bytes by spans of the job
    log: int | None  # row of logs; None: this log is not in the catalog
    name: str | None  # the scheduler's id of it
    run: Row | None  # the scheduler's record of it
    elsewhen: list[Row]  # records of that id at other times

    @property
    def read(self) -> int:
        return sum(int(row["bytes_read"]) for row in self.mounts)

    @property
    def written(self) -> int:
        return sum(int(row["bytes_written"]) for row in self.mounts)

    @property
    def has_course(self) -> bool:
        """Logs of Darshan do not say when bytes were moved."""
        return any(self.rate["bytes_read"]) or any(self.rate["bytes_written"])


def find(connection: Connection, log: JobLog, number: int) -> Own | None:
    """None: the log does not say when the job ran. `number`: which job of the file, from 1."""
    facts = log.job
    processes = process_rows(log)
    run_ns = job_run_ns(facts, processes)
    start = facts.get("start_utc_ns")
    if not isinstance(start, int) or start <= 0 or (start + run_ns) // 1000 > _LATEST_US:
        return None
    begin = start // 1000
    end = max(begin + 1, (start + run_ns) // 1000)
    name = _name(facts)
    known = _records(connection, facts.get("scheduler"), name) if name else []
    runs = [row for row in known if _is_run(row, begin)]
    return Own(
        begin,
        end,
        facts.get("host"),
        mounts(log, []),
        rate(log, [], run_ns, finest_spans([log], run_ns, _SPANS)),
        _row_of(connection, log, number),
        name,
        runs[-1] if runs else None,
        [] if runs else known,
    )


def _name(facts: Row) -> str | None:
    name = facts.get("scheduler_job", facts.get("darshan_job_id"))
    return None if name is None else str(name)


def _is_run(row: Row, begin: int) -> bool:
    return row["begin"] - NEAR_US <= begin and (row["end"] is None or begin <= row["end"] + NEAR_US)


def _records(connection: Connection, scheduler: Any, name: str) -> list[Row]:
    """As the view log_runs finds them: logs of Darshan know the number alone."""
    which = f"split_part(job, '.', 1) = {text(name.split('.')[0])}"
    if scheduler is not None:
        which += f" AND job = {text(name)} AND scheduler = {text(str(scheduler))}"
    return rows(
        connection,
        'SELECT scheduler, job, epoch_us("start") AS begin, epoch_us("end") AS end'
        f' FROM scheduled WHERE {which} ORDER BY "start"',
    )


def _row_of(connection: Connection, log: JobLog, number: int) -> int | None:
    """The catalog knows logs by their content."""
    frames = _native.summarize_logs([os.fsencode(log.path)], 1)
    ids = [row["log"] for row in frames[0].rows()]
    if not 1 <= number <= len(ids):
        return None
    found = rows(connection, f"SELECT log FROM logs WHERE log = {ids[number - 1]} LIMIT 1")
    return ids[number - 1] if found else None
