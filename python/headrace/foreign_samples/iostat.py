"""Records of `iostat -o JSON -t`: rates of two decimals since the record before, at whole seconds.

The first record is about the time since the machine started (or, with -y, about an interval of which nothing
says when it began) and is left out: what it has is not known by time.
"""

from __future__ import annotations

import bisect
import datetime
import itertools
from typing import Any

from headrace._errors import LogCorruptError
from headrace.foreign_samples.disks import LackingError, Record, agrees, counted, number, samples_of, scaled
from headrace.foreign_samples.rows import Rows
from headrace.foreign_samples.timeline import SECOND, in_time, lay_out, moment_of

__all__ = ["KIND", "take"]

KIND = "iostat"

# Local times as the usual locales write them: C, en_US, de_DE, sv_SE.
_STAMPS = ("%m/%d/%y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p", "%d.%m.%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S")
# Bytes of one in a unit; sysstat counts with 1024.
_UNITS = {"kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "sec": 512, "Blk": 512}


def take(host: str, records: list[Record], rows: Rows) -> None:
    """LogCorruptError: a record that cannot be used, with its number and what to run instead."""
    records, ends, missing = _timed(records, rows)
    if (order := in_time(ends, [_usual(ends)] * len(ends))) is not None:
        records = [records[at] for at in order]
        ends, missing = [ends[at] for at in order], [missing[at] for at in order]
        rows.note("its records are not in the order of their times, and are taken in that order")
    spans, gaps = lay_out(ends, _lengths(ends, missing))
    for gap in gaps:
        rows.gap(host, "", gap.start, gap.end)
    kept = [
        (f"{rows.path}: record {place}", record, span)
        for (place, record), span in zip(records, spans, strict=True)
        if span is not None
    ]
    samples_of(host, kept, rows, _counters)


def _timed(records: list[Record], rows: Rows) -> tuple[list[Record], list[int], list[int]]:
    """Those with a time, when that is, and how many records before it have none.

    LogCorruptError: there are not two with one.
    """
    missing: list[int] = []
    timed: list[Record] = []
    ends: list[int] = []
    bad: list[LogCorruptError] = []
    lacking = 0
    for place, record in records:
        try:
            ends.append(_stamp(record, f"{rows.path}: record {place}", ends[-1] if ends else None))
        except LogCorruptError as error:
            bad.append(error)
            lacking += 1
            continue
        timed.append((place, record))
        missing.append(lacking)
        lacking = 0
    if bad and len(timed) < 2:
        raise bad[0]
    for why in bad:
        rows.problem(f"{str(why).removeprefix(rows.path + ': ')}: the record is left out")
    return timed, ends, missing


def _usual(ends: list[int]) -> int:
    """The middle step between records that are neighbours in the file and by time, else by time alone."""
    by_time = list(itertools.pairwise(sorted(ends)))
    neighbours = set(itertools.pairwise(ends))
    steps = sorted(
        after - before
        for before, after in ([pair for pair in by_time if pair in neighbours] or by_time)
        if after > before
    )
    return steps[len(steps) // 2] if steps else 0


def _lengths(ends: list[int], missing: list[int]) -> list[int]:
    """Of records by their stamps; 0: the clock was put, or iostat stood still, so that nobody knows.

    What is usual is the middle of all steps so far: those that come later change no record before them. Where
    `missing` records lie before one, each took as long as it.
    """
    lengths = [0] * min(len(ends), 1)
    steps: list[int] = []
    for (before, after), lacking in zip(itertools.pairwise(ends), missing[1:], strict=True):
        step = (after - before) // (lacking + 1)
        if step > 0:
            bisect.insort(steps, step)
        is_usual = step > 0 and abs(step - steps[(len(steps) - 1) // 2]) <= SECOND
        lengths.append(step if is_usual else 0)
    return lengths


def _stamp(record: dict[str, Any], where: str, before: int | None) -> int:
    text = record.get("timestamp")
    if not isinstance(text, str):
        raise LogCorruptError(f"{where}: has no time: run iostat with -t")
    if text.isascii() and text.isdigit() and len(text) < 12:  # S_TIME_FORMAT and -U of later versions
        return int(text) * SECOND
    for form in ("%Y-%m-%dT%H:%M:%S%z", *_STAMPS):
        try:
            return moment_of(datetime.datetime.strptime(text, form), before)
        except (ValueError, OverflowError, OSError):
            continue
    raise LogCorruptError(
        f"{where}: the time '{text[:40]}' is of a form not known: set S_TIME_FORMAT=ISO for iostat"
    )


def _counters(disk: dict[str, Any], span: tuple[int, int], where: str) -> dict[str, float | None]:
    seconds = (span[1] - span[0]) / SECOND
    reads, writes = (scaled(number(disk, where, key), seconds) for key in ("r/s", "w/s"))
    found: dict[str, float | None] = {"reads": reads, "writes": writes}
    for name, extended, plain in (("read_bytes", "r", "read"), ("write_bytes", "w", "wrtn")):
        found[name] = _bytes(disk, extended, plain, seconds, where)
        if found[name] is None:
            hint = ": run iostat without -s, which adds both directions up" if "await" in disk else ""
            raise LackingError(f"{where}: has no '{extended}kB/s' nor the same in another unit{hint}")
    if (why := _contradiction(disk, where)) is not None:
        raise LackingError(f"{where}: its figures contradict each other: {why}")
    for name, count, wait in (("read_ms", reads, "r_await"), ("write_ms", writes, "w_await")):
        each = number(disk, where, wait)
        found[name] = None if count is None or each is None else count * each
    return found | counted(disk, where, seconds, "util")


def _contradiction(disk: dict[str, Any], where: str) -> str | None:
    """Where operations times their size are not the bytes that the same record has."""
    both = 0.0, 0.0, 0.0  # operations, bytes and the unit
    for way, operations in (("r", "r/s"), ("w", "w/s")):
        count, each = number(disk, where, operations), number(disk, where, f"{way}areq-sz")
        rate, unit = _rate(disk, where, way)
        if count is None or rate is None:
            return None
        if each is not None and not agrees(rate, count, each * 1024, unit):
            return f"{count:g} '{operations}' of {each:g} '{way}areq-sz' (kB) are not {rate / 1024:g} kB/s"
        both = both[0] + count, both[1] + rate, unit
    sectors = number(disk, where, "avgrq-sz")
    if sectors is None or "areq-sz" in disk or agrees(both[1], both[0], sectors * 512, 2 * both[2]):
        return None
    return f"{both[0]:g} operations/s of {sectors:g} 'avgrq-sz' (sectors) are not {both[1] / 1024:g} kB/s"


def _rate(disk: dict[str, Any], where: str, way: str) -> tuple[float | None, float]:
    """Bytes a second, and the bytes of its unit."""
    for unit, size in _UNITS.items():
        if (rate := number(disk, where, f"{way}{unit}/s")) is not None:
            return rate * size, size
    return None, 1


def _bytes(disk: dict[str, Any], extended: str, plain: str, seconds: float, where: str) -> float | None:
    """Of `iostat -x` rates; else what was moved, which is whole units, where these are small."""
    for unit, size in _UNITS.items():
        moved = number(disk, where, f"{unit}_{plain}") if size <= 1024 else None
        if moved is not None:
            return moved * size
        rate = number(disk, where, f"{extended}{unit}/s", f"{unit}_{plain}/s")
        if rate is not None:
            return rate * size * seconds
    return None
