"""Records of `sadf -j FILE -- -d`: rates of two decimals over an interval that is given in whole seconds.

sar does not tell reads from writes by number, only by bytes, and knows no time of either.
"""

from __future__ import annotations

import datetime
from typing import Any

from headrace._errors import LogCorruptError
from headrace.foreign_samples.disks import LackingError, Record, agrees, counted, number, samples_of, scaled
from headrace.foreign_samples.rows import Rows
from headrace.foreign_samples.timeline import SECOND, in_time, lay_out, moment_of

__all__ = ["KIND", "take"]

KIND = "sadf"
_LONGEST = 400 * 86400  # seconds of an interval


def take(host: str, records: list[Record], restarts: list[Any], rows: Rows) -> None:
    """LogCorruptError: no record can be used; its number and why."""
    records, ends, lengths = _timed(records, rows)
    if (order := in_time(ends, lengths)) is not None:
        records = [records[at] for at in order]
        ends, lengths = [ends[at] for at in order], [lengths[at] for at in order]
        rows.note("its records are not in the order of their times, and are taken in that order")
    places = [f"{rows.path}: record {place}" for place, _ in records]
    boots = _boots(restarts, rows)
    spans, gaps = lay_out(ends, lengths)
    for gap in gaps:
        rebooted = any(gap.start - SECOND <= boot <= gap.end + SECOND for boot in boots)
        back = "clock" if gap.end < gap.start else "imported"
        rows.gap(host, "", gap.start, gap.end, "reboot" if rebooted else back)
    kept = []
    for (_, record), span, where in zip(records, spans, places, strict=True):
        if span is None:
            rows.problem(f"{where.removeprefix(rows.path + ': ')}: its interval of 0 seconds is left out")
        else:
            kept.append((where, record, span))
    samples_of(host, kept, rows, _counters)


def _timed(records: list[Record], rows: Rows) -> tuple[list[Record], list[int], list[int]]:
    """Those with a time, when that is and how long each lasted. LogCorruptError: none has one."""
    timed: list[Record] = []
    ends: list[int] = []
    lengths: list[int] = []
    bad: list[LogCorruptError] = []
    for place, record in records:
        stamp, where = record.get("timestamp"), f"{rows.path}: record {place}"
        try:
            end, length = _moment(stamp, where, ends[-1] if ends else None), _length(stamp, where)
        except LogCorruptError as error:
            bad.append(error)
            continue
        timed.append((place, record))
        ends.append(end)
        lengths.append(length)
    if bad and not timed:
        raise bad[0]
    for why in bad:
        rows.problem(f"{str(why).removeprefix(rows.path + ': ')}: the record is left out")
    return timed, ends, lengths


def _boots(restarts: list[Any], rows: Rows) -> list[int]:
    boots = []
    for place, restart in enumerate(restarts, 1):
        stamp = restart.get("boot") if isinstance(restart, dict) else None
        try:
            boots.append(_moment(stamp, f"{rows.path}: restart {place}"))
        except LogCorruptError as error:
            rows.problem(f"{str(error).removeprefix(rows.path + ': ')}: the restart is left out")
    return boots


def _length(stamp: Any, where: str) -> int:
    seconds = stamp.get("interval") if isinstance(stamp, dict) else None
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 0 <= seconds <= _LONGEST:
        raise LogCorruptError(f"{where}: has no 'interval' in seconds")
    return seconds * SECOND


def _moment(stamp: Any, where: str, before: int | None = None) -> int:
    """In microseconds. Times that are not UTC are local ones of this machine, or of TZ."""
    try:
        text = f"{stamp['date']} {stamp['time']}"
        moment = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
        if stamp.get("utc") == 1 or stamp.get("tz") in ("UTC", "GMT"):
            moment = moment.replace(tzinfo=datetime.timezone.utc)
        return moment_of(moment, before)
    except (TypeError, KeyError, AttributeError, ValueError, OverflowError, OSError):
        raise LogCorruptError(f"{where}: has no 'date' and 'time' as 2026-11-24 and 04:00:00") from None


def _counters(disk: dict[str, Any], span: tuple[int, int], where: str) -> dict[str, float | None]:
    seconds = (span[1] - span[0]) / SECOND
    found: dict[str, float | None] = {}
    moved = 0.0
    for name, sectors, kib in (("read_bytes", "rd_sec", "rkB"), ("write_bytes", "wr_sec", "wkB")):
        rate = scaled(number(disk, where, sectors), 512)
        if rate is None:
            rate = scaled(number(disk, where, kib), 1024)
        if rate is None:
            raise LackingError(f"{where}: has neither '{sectors}' nor '{kib}'")
        found[name] = rate * seconds
        moved += rate
    moved += (number(disk, where, "dkB") or 0.0) * 1024
    count, each = number(disk, where, "tps"), number(disk, where, "areq-sz")
    if count is not None and each is not None and not agrees(moved, count, each * 1024, 3 * 1024):
        raise LackingError(
            f"{where}: its figures contradict each other: {count:g} 'tps' of {each:g} 'areq-sz' (kB) are not"
            f" {moved / 1024:g} kB a second"
        )
    return found | counted(disk, where, seconds, "util-percent")
