"""Samples of a made-up facility's devices: how much all moved in each minute, and how servers share it.

Every server has the same part of a minute's bytes, and the first ones what does not divide: sums are exact.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.catalog.schema import arrow_schema
from headrace.facility.preset import micros

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Activity", "gap_rows", "make_activity", "server_table"]

MINUTE = 60_000_000
_REQUEST = 1 << 20  # bytes a request of a device: assumed


@dataclass
class Activity:
    minutes: list[int]  # µs, begins
    read: list[int]  # bytes of all servers in each
    written: list[int]
    gaps: list[tuple[int, int, str]]  # begin, end, reason
    calendar: list[tuple[int, int, str, str]]  # begin, end, kind, text
    file_systems: list[str]


def make_activity(preset: dict[str, Any], seed: int, most: int) -> Activity:
    """At most `most` minutes: if the preset has more, the first of them."""
    about = preset["samples"]
    draw = random.Random(seed ^ 0x5EED)
    calendar = [(micros(a), micros(b), kind, text) for a, b, kind, text in about["maintenance"]]
    lost = micros(about["lost"][0]), micros(about["lost"][1])
    calendar.append((*lost, "lost", "samples were lost"))
    minutes, missed = _minutes(preset, about["minutes"], [lost, *((a, b) for a, b, _, _ in calendar[:-1])])
    gaps = sorted([(*lost, "lost"), *missed])
    minutes = minutes[:most]
    gaps = [gap for gap in gaps if gap[1] <= minutes[-1]]
    changes = [micros(p["tapers_off"]) for p in preset["projects"] if "tapers_off" in p]
    change = min(changes, default=micros(preset["end"]))
    tapered = range(change, change + about["tapered_days"] * 1440 * MINUTE)
    levels, special = _levels(draw, len(minutes), about)
    read, written = [], []
    for minute, level in zip(minutes, levels, strict=True):
        whole = int(about["peak"] * level) * 60
        part = about["read_share"][1 if minute in tapered else 0] + draw.uniform(-0.1, 0.1)
        read.append(min(int(whole * part), whole))
        written.append(whole - read[-1])
    most, reads = special
    written[most] = about["peak_written"] * 60
    read[most] = about["peak"] * 60 - written[most]
    read[reads], written[reads] = about["peak_read"] * 60, about["peak_read"] // 2
    return Activity(minutes, read, written, gaps, sorted(calendar), about["file_systems"])


def _levels(draw: random.Random, count: int, about: dict[str, Any]) -> tuple[list[float], list[int]]:
    """What each minute moves, as a share of the peak, and those of the peak and of the most reads.

    So many as `below` says are below its share; these are stretched until all have the mean.
    """
    limit, often = about["below"]
    busy = draw.sample(range(count), max(2, round(count * (1 - often))))
    levels = [_quiet(draw, limit) for _ in range(count)]
    for minute in busy:
        levels[minute] = draw.uniform(limit, 0.9)
    levels[busy[0]], levels[busy[1]] = 1.0, about["peak_read"] / about["peak"]
    loud = sum(levels[minute] for minute in busy)
    stretch = max(0.0, (about["mean"] / about["peak"] * count - loud) / max(sum(levels) - loud, 1e-9))
    kept = set(busy)
    return [
        level if minute in kept else min(level * stretch, limit * 0.999)
        for minute, level in enumerate(levels)
    ], busy[:2]


def _quiet(draw: random.Random, limit: float) -> float:
    while (level := draw.lognormvariate(-3.6, 1.25)) >= limit:
        pass
    return level


def _minutes(
    preset: dict[str, Any], wanted: int, closed: list[tuple[int, int]]
) -> tuple[list[int], list[tuple[int, int, str]]]:
    """Minutes with samples; those missing besides `closed` are the first of each day (assumed)."""
    start, end, day = micros(preset["start"]), micros(preset["end"]), 1440 * MINUTE
    left = [m for m in range(start, end, MINUTE) if not any(a <= m < b for a, b in closed)]
    gaps = [(a, b, "missed") for a, b in closed[1:]]
    surplus, days = len(left) - wanted, (end - start) // day
    if surplus <= 0:
        return left, gaps
    out: set[int] = set()
    for number in range(days):
        count = surplus * (number + 1) // days - surplus * number // days
        begin = start + number * day
        here = [m for m in left if begin <= m < begin + day][:count]
        out.update(here)
        if here:
            gaps.append((here[0], here[-1] + MINUTE, "missed"))
    return [m for m in left if m not in out], gaps


def server_table(activity: Activity, number: int, servers: int) -> pyarrow.Table:
    """Samples of one server: a device of each file system."""
    import pyarrow

    half = len(activity.file_systems)
    columns: dict[str, list[Any]] = {name: [] for name in arrow_schema("samples").names}
    for place in range(half):
        part, parts = number * half + place, servers * half
        for minute, read, written in zip(activity.minutes, activity.read, activity.written, strict=True):
            mine = read // parts + (part < read % parts)
            given = written // parts + (part < written % parts)
            busy = min(60_000, (mine + given) // 4_000_000)
            values = (
                f"server{number:03d}",
                f"boot{number:03d}",
                "block",
                f"sd{'abcdefgh'[place]}",
                minute,
                minute + MINUTE,
                -(-mine // _REQUEST),
                mine,
                -(-given // _REQUEST),
                given,
                busy,
                busy,
                busy,
                2 * busy,
                None,
            )
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
    return pyarrow.table(columns, schema=arrow_schema("samples"))


def gap_rows(activity: Activity, number: int) -> list[dict[str, Any]]:
    return [
        {"host": f"server{number:03d}", "device": "", "start": a, "end": b, "reason": reason}
        for a, b, reason in activity.gaps
    ]
