"""Samples of devices as intervals of one length, the same for all figures: the table study_bins."""

from __future__ import annotations

from headrace.study.query import Connection, rows, store, time
from headrace.study.settings import Settings

__all__ = ["during", "store_bins"]

_SPREAD = 100  # intervals, at most, that a sample is split over


def during(settings: Settings, column: str) -> list[str]:
    return [
        *([f"{column} >= {time(settings.start)}"] if settings.start else []),
        *([f"{column} < {time(settings.end)}"] if settings.end else []),
    ]


def store_bins(connection: Connection, settings: Settings) -> tuple[int, int]:
    """Samples by intervals of one length: that of most samples, but a minute at least."""
    where = " AND ".join(during(settings, '"start"')) or "true"
    length = '(epoch_us("end") - epoch_us("start")) / 1000000.0'
    lengths = rows(
        connection,
        f"SELECT CAST(round({length}) AS BIGINT) AS seconds, count(*) AS samples FROM device_minutes"
        f" WHERE {where} AND kind <> 'lustre_llite' GROUP BY 1 ORDER BY samples DESC, seconds",
    )
    usual = lengths[0]["seconds"] if lengths else 0
    seconds = max(60, -(-usual // 60) * 60) if lengths else 0
    long = sum(row["samples"] for row in lengths if row["seconds"] > _SPREAD * seconds)
    hidden = settings.pseudonyms is not None
    called = "concat('file system ', CAST(dense_rank() OVER (ORDER BY file_system) AS VARCHAR(20)))"
    store(
        connection,
        "study_counters",
        "SELECT coalesce(file_system, 'not said') AS file_system, epoch_us(\"start\") AS began,"
        f' epoch_us("end") AS ended, read_bytes, write_bytes FROM storage_samples WHERE {where}',
    )
    store(
        connection,
        "study_bins",
        f"""SELECT bin, {called if hidden else "file_system"} AS file_system, short, devices, bytes_read,
  bytes_written FROM (
  SELECT bin, file_system, short, count(*) AS devices, CAST(sum(bytes_read) AS BIGINT) AS bytes_read,
    CAST(sum(bytes_written) AS BIGINT) AS bytes_written
  FROM ({_parts(max(1, seconds) * 1_000_000)}) parts GROUP BY bin, file_system, short) bins""",
    )
    return seconds, long


def _parts(micros: int) -> str:
    """Samples split over the intervals that they touch, by time; bytes of the parts add up to the sample's.

    Those that touch more than _SPREAD intervals are kept whole, and are not `short`.
    """
    first, last = f"floor(began / {micros})", f"floor((greatest(ended, began + 1) - 1) / {micros})"
    digits = " UNION ALL ".join(f"SELECT {digit} AS n" for digit in range(10))
    steps = f"SELECT a.n + 10 * b.n AS step FROM ({digits}) a CROSS JOIN ({digits}) b"
    begin = f"greatest(0e0, ((low + step) * {micros}e0 - began) / (ended - began))"
    end = f"least(1e0, ((low + step + 1) * {micros}e0 - began) / (ended - began))"
    parts = ", ".join(
        f"CAST(floor({name} * {end}) - floor({name} * {begin}) AS BIGINT) AS bytes_{verb}"
        for name, verb in (("read_bytes", "read"), ("write_bytes", "written"))
    )
    placed = f"SELECT *, {first} AS low, {last} AS high FROM study_counters"
    return f"""SELECT CAST(low AS BIGINT) AS bin, file_system, (low = high) AS short,
    read_bytes AS bytes_read, write_bytes AS bytes_written
  FROM ({placed}) placed WHERE low = high OR high - low >= {_SPREAD}
  UNION ALL SELECT CAST(low + step AS BIGINT) AS bin, file_system, true AS short, {parts}
  FROM ({placed}) placed JOIN ({steps}) steps ON step <= high - low
  WHERE low < high AND high - low < {_SPREAD}"""
