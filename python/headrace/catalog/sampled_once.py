"""Samples of a device that several programs took at the same time, so that each moment counts once.

A store of `headrace monitor` and an export of iostat, sadf or LDMS may be of the same device. All programs
read the same counters, so any of them tells what a moment had. Exact samples, which say the boot of their
host, go before those that are computed of rates. Of samples alike the one counts that began first, and of the
next one what is behind its end. A sample that is left in part has the share of its figures that its time has.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["sql"]

_DEVICE = "host, kind, device"
_UNTIL = "ROWS BETWEEN UNBOUNDED PRECEDING AND"


def sql(samples: str, counted: Sequence[str]) -> str:
    """The same columns as `samples`, of which `counted` follow the device and the two times."""
    figures = ", ".join(_share(name) if name != "boot" else name for name in counted)
    same = " AND ".join(f"{{0}}.{name} = o.{name}" for name in _DEVICE.split(", "))
    covered = "CASE WHEN is_exact THEN 0 ELSE coalesce(t.covered - s.covered, 0) END"
    return f"""
WITH ahead AS (
  SELECT *, coalesce(boot, '') <> '' AS is_exact,
    max("end") OVER (PARTITION BY {_DEVICE}, coalesce(boot, '') <> '' ORDER BY "start", "end"
      {_UNTIL} 1 PRECEDING) AS before
  FROM ({samples}) samples
), own AS (
  SELECT *, CASE WHEN before > "start" THEN before ELSE "start" END AS first FROM ahead
  WHERE before IS NULL OR before <= "start" OR before < "end"
), exact AS (
  SELECT {_DEVICE}, first, "end" AS ended, sum(epoch_us("end") - epoch_us(first))
    OVER (PARTITION BY {_DEVICE} ORDER BY first, "end" {_UNTIL} CURRENT ROW)
    - (epoch_us("end") - epoch_us(first)) AS sooner
  FROM own WHERE is_exact
), points AS (
  SELECT {_DEVICE}, first AS moment, 0 AS place, first AS begun, ended, sooner FROM exact
  UNION ALL SELECT {_DEVICE}, first, 1, NULL, NULL, NULL FROM own WHERE NOT is_exact
  UNION ALL SELECT {_DEVICE}, "end", 1, NULL, NULL, NULL FROM own WHERE NOT is_exact
), seen AS (
  SELECT {_DEVICE}, moment, place, {", ".join(map(_last, ("begun", "ended", "sooner")))} FROM points
), cover AS (
  SELECT DISTINCT {_DEVICE}, moment, begun, ended, CASE WHEN begun IS NULL THEN 0
    ELSE sooner + epoch_us(least(moment, ended)) - epoch_us(begun) END AS covered
  FROM seen WHERE place = 1
), kept AS (
  SELECT o.*, epoch_us("end") - epoch_us(first) - {covered} AS micros,
    CASE WHEN NOT is_exact AND s.ended > first THEN least(s.ended, "end") ELSE first END AS from_here,
    CASE WHEN NOT is_exact AND t.ended >= "end" THEN t.begun ELSE "end" END AS to_here
  FROM own o LEFT JOIN cover s ON {same.format("s")} AND s.moment = o.first
  LEFT JOIN cover t ON {same.format("t")} AND t.moment = o."end"
)
SELECT {_DEVICE}, from_here AS "start", greatest(from_here, to_here) AS "end", {figures}
FROM kept WHERE micros > 0 OR "end" = "start"
"""


def _last(name: str) -> str:
    """Intervals are in order and apart, so the latest has the greatest of each."""
    window = f"PARTITION BY {_DEVICE} ORDER BY moment, place {_UNTIL} CURRENT ROW"
    return f"max({name}) OVER ({window}) AS {name}"


def _share(name: str) -> str:
    whole = 'epoch_us("end") - epoch_us("start")'
    part = f"CAST(round({name} * (micros / CAST({whole} AS DOUBLE))) AS BIGINT)"
    return f"CASE WHEN micros >= {whole} THEN {name} ELSE {part} END AS {name}"
