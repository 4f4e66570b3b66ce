"""Samples of devices as intervals of one length, the same for all figures.

    study_counters    a row a sample that says bytes: file system, device, begin and end in µs
    study_bins        bytes of the devices of a file system by interval
    study_intervals   bytes of all devices by interval; `counted`: half of them or more were sampled in it

A device is expected from its first sample to its last one; so neither do servers that come later make what
was before them partial, nor does a server that is lost for a while make storage look idle.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from headrace.study.query import Connection, keep, rows, store, time, total
from headrace.study.settings import NOT_SAID, Settings

__all__ = ["Intervals", "during", "parts", "store_bins"]

_SPREAD = 100  # intervals, at most, that a sample is split over
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Intervals:
    """Interval N begins at `phase` + N times the length."""

    seconds: int = 0  # 0: there are no samples
    phase: int = 0  # µs
    long_samples: int = 0  # of more than a hundred intervals, which are in totals and in no interval
    partial: int = 0  # intervals of which less than half is sampled, which no figure counts

    @property
    def micros(self) -> int:
        return self.seconds * 1_000_000

    def begin(self, number: int) -> datetime:
        return _EPOCH + timedelta(microseconds=self.phase + number * self.micros)

    def left_out(self) -> str:
        return (
            f"{self.long_samples:,} samples of more than a hundred intervals, and {self.partial:,} intervals"
            " of"
            " which less than half is sampled (of the time of devices between their first and their last"
            " sample), are left out"
        )


def during(settings: Settings, column: str) -> list[str]:
    return [
        *([f"{column} >= {time(settings.start)}"] if settings.start else []),
        *([f"{column} < {time(settings.end)}"] if settings.end else []),
    ]


def store_bins(connection: Connection, settings: Settings) -> Intervals:
    _store_counters(connection, settings)
    intervals = _chosen(connection)
    store(
        connection,
        "study_bins",
        f"""SELECT bin, file_system, {total("bytes_read")}, {total("bytes_written")}, sum(micros) AS covered
FROM ({parts(max(1, intervals.micros), intervals.phase, _SPREAD)}) parts GROUP BY bin, file_system""",
    )
    store(connection, "study_intervals", _intervals_sql(intervals))
    left = rows(connection, "SELECT count(*) AS n FROM study_intervals WHERE NOT counted")[0]["n"]
    return Intervals(intervals.seconds, intervals.phase, intervals.long_samples, left)


def _store_counters(connection: Connection, settings: Settings) -> None:
    import pyarrow

    found = rows(connection, "SELECT DISTINCT file_system AS name FROM device_places ORDER BY name")
    names = [row["name"] for row in found if row["name"]]
    hidden = settings.pseudonyms
    called = [hidden.file_system(name) if hidden else name for name in names]
    columns = [pyarrow.array(values, pyarrow.string()) for values in (names, called)]
    keep(connection, "study_file_systems", pyarrow.table(columns, names=["name", "called"]))
    where = " AND ".join(
        [*during(settings, '"start"'), "(read_bytes IS NOT NULL OR write_bytes IS NOT NULL)"]
    )
    store(
        connection,
        "study_counters",
        f"""SELECT coalesce(f.called, '{NOT_SAID}') AS file_system, host, kind, device,
  epoch_us("start") AS began, greatest(epoch_us("end"), epoch_us("start") + 1) AS ended,
  coalesce(read_bytes, 0) AS read_bytes, coalesce(write_bytes, 0) AS write_bytes
FROM storage_samples s LEFT JOIN study_file_systems f ON f.name = s.file_system WHERE {where}""",
    )


def _chosen(connection: Connection) -> Intervals:
    """The length is that of most samples, but a minute at least; the phase that of most samples so long."""
    length = "CAST(round((ended - began) / 1000000.0) AS BIGINT)"
    lengths = rows(
        connection,
        f"SELECT {length} AS seconds, count(*) AS samples FROM study_counters GROUP BY 1"
        " ORDER BY samples DESC, seconds",
    )
    if not lengths:
        return Intervals()
    usual = lengths[0]["seconds"]
    seconds = max(60, -(-usual // 60) * 60)
    phase = 0
    if usual == seconds:
        micros = seconds * 1_000_000
        phase = rows(
            connection,
            f"SELECT began - floor(began / {micros}e0) * {micros} AS phase, count(*) AS samples FROM"
            " study_counters"
            f" WHERE {length} = {seconds} GROUP BY 1 ORDER BY samples DESC, phase LIMIT 1",
        )[0]["phase"]
    long = sum(row["samples"] for row in lengths if row["seconds"] > _SPREAD * seconds)
    return Intervals(seconds, int(phase), long)


def parts(micros: int, phase: int, most: int) -> str:
    """Samples split over the intervals that they touch, by time; bytes of the parts add up to the sample's.

    Those that touch more than `most` intervals, 1,000 at most, are left out.
    """
    first, last = _ends(micros, phase)
    digits = " UNION ALL ".join(f"SELECT {digit} AS n" for digit in range(10))
    tens = f"({digits}) a CROSS JOIN ({digits}) b CROSS JOIN ({digits}) c"
    steps = f"SELECT a.n + 10 * b.n + 100 * c.n AS step FROM {tens}"
    begin = f"greatest(began, {phase} + (low + step) * {micros})"
    end = f"least(ended, {phase} + (low + step + 1) * {micros})"
    shares = ", ".join(
        f"CAST(floor({name} * (({end} - began) / CAST(ended - began AS DOUBLE)))"
        f" - floor({name} * (({begin} - began) / CAST(ended - began AS DOUBLE))) AS BIGINT) AS bytes_{verb}"
        for name, verb in (("read_bytes", "read"), ("write_bytes", "written"))
    )
    placed = f"SELECT *, {first} AS low, {last} AS high FROM study_counters"
    return f"""SELECT low AS bin, file_system, read_bytes AS bytes_read, write_bytes AS bytes_written,
    ended - began AS micros
  FROM ({placed}) placed WHERE low = high
  UNION ALL SELECT low + step AS bin, file_system, {shares}, {end} - {begin} AS micros
  FROM ({placed}) placed JOIN ({steps}) steps ON step <= high - low
  WHERE low < high AND high - low < {most}"""


def _ends(micros: int, phase: int) -> list[str]:
    """Numbers of the first and the last interval that a span touches."""
    return [f"CAST(floor(({end} - {phase}) / {micros}e0) AS BIGINT)" for end in ("began", "(ended - 1)")]


def _intervals_sql(intervals: Intervals) -> str:
    """Whether an interval counts is told by running sums of when devices begin and end."""
    micros, phase = max(1, intervals.micros), intervals.phase
    first, last = _ends(micros, phase)
    return f"""WITH devices AS (
  SELECT began, ended, {first} AS low, {last} AS high FROM (
    SELECT min(began) AS began, max(ended) AS ended
    FROM study_counters GROUP BY file_system, host, kind, device) ends
), changes AS (
  SELECT low AS bin, least(ended, {phase} + (low + 1) * {micros}) - began AS here, 0 AS later FROM devices
  UNION ALL SELECT high, ended - ({phase} + high * {micros}), 0 FROM devices WHERE high > low
  UNION ALL SELECT low + 1, 0, {micros} FROM devices WHERE high > low
  UNION ALL SELECT high, 0, -{micros} FROM devices WHERE high > low
  UNION ALL SELECT bin, 0, 0 FROM study_bins
), expected AS (
  SELECT bin, here + sum(later) OVER (ORDER BY bin ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS micros
  FROM (SELECT bin, sum(here) AS here, sum(later) AS later FROM changes GROUP BY bin) sums
)
SELECT b.bin, {total("b.bytes_read", "bytes_read")}, {total("b.bytes_written", "bytes_written")},
  2 * sum(b.covered) >= max(e.micros) AS counted
FROM study_bins b JOIN expected e ON e.bin = b.bin GROUP BY b.bin"""
