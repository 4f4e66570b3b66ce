"""Samples of devices near a job, and the steps of time that pictures and levels have.

`store` makes the tables that devices.py asks, for one connection:

    near      samples that reach into the steps, with begin and end in µs; `fs` is '' where no map names one
    levels    of the whole catalog: bytes moved by each server in each step, and the time of devices in it
              that is sampled

Both are of the catalog's view storage_samples, in which nothing counts twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from headrace.study.query import Connection, rows, store, time

__all__ = ["Steps", "moment", "store_samples"]

_MOST = 600  # steps of a job
_SPREAD = 1000  # steps of a sample, at most: a longer one says nothing of what is usual in a step
_AROUND = 5  # steps before and after it, at least
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Steps:
    """`count` steps of `width` from `first * width`, in µs."""

    width: int
    first: int
    count: int
    interval: int  # of most samples

    @property
    def begin(self) -> int:
        return self.first * self.width

    @property
    def end(self) -> int:
        return (self.first + self.count) * self.width


def moment(us: int) -> str:
    """A literal of SQL."""
    return time(_EPOCH + timedelta(microseconds=us))


def store_samples(connection: Connection, begin: int, end: int) -> Steps | None:
    """None: the catalog has no samples. There may be none near these times all the same."""
    during = f' AND "end" > {moment(begin)} AND "start" < {moment(end)}'
    interval = _interval(connection, during) or _interval(connection, "")
    if interval is None:
        return None
    steps = _steps(begin, end, interval)
    columns = (
        "coalesce(file_system, '') AS fs, server, host, device, kind, epoch_us(\"start\") AS a,"
        ' epoch_us("end") AS b, read_bytes, write_bytes, busy_ms, queue_ms, metadata'
    )
    near = f'"end" > {moment(steps.begin)} AND "start" < {moment(steps.end)}'
    store(connection, "near", f"SELECT {columns} FROM storage_samples WHERE {_COUNTED} AND {near}")
    store(
        connection,
        "levels",
        f"""SELECT fs, server, step, sum(moved * (inside / (b - a))) AS moved,
  CAST(sum(inside) AS DOUBLE) AS covered
FROM (SELECT *, least(b, (step + 1) * {steps.width}) - greatest(a, step * {steps.width}) AS inside FROM (
  SELECT *, coalesce(read_bytes, 0) + coalesce(write_bytes, 0) AS moved,
    unnest(range(a // {steps.width}, (b - 1) // {steps.width} + 1)) AS step
  FROM (SELECT {columns} FROM storage_samples WHERE {_COUNTED}) WHERE b - a <= {_SPREAD * steps.width}
    AND (read_bytes IS NOT NULL OR write_bytes IS NOT NULL)) cut) parts GROUP BY ALL""",
    )
    return steps


_COUNTED = '"end" > "start"'


def _interval(connection: Connection, during: str) -> int | None:
    """Tenths of seconds as most samples have them."""
    found = rows(
        connection,
        'SELECT CAST(round((epoch_us("end") - epoch_us("start")) / 100000.0) AS BIGINT) AS tenths'
        f" FROM storage_samples WHERE {_COUNTED}{during}"
        " GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1",
    )
    return max(1, found[0]["tenths"]) * 100_000 if found else None


def _steps(begin: int, end: int, interval: int) -> Steps:
    width = interval * max(1, -(-(end - begin) // (interval * _MOST)))
    around = max(_AROUND * width, (end - begin) // 7)
    first = max(0, (begin - around) // width)
    return Steps(width, first, -(-(end + around) // width) - first, interval)
