"""What iostat and sadf have in common: a record's list of disks, and their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard

from headrace._errors import LogCorruptError
from headrace.foreign_samples.rows import Rows, is_left_out

__all__ = [
    "LackingError",
    "Record",
    "agrees",
    "counted",
    "disks_of",
    "is_name",
    "number",
    "samples_of",
    "scaled",
]

Record = tuple[int, dict[str, Any]]  # its place in the file, from 1, and what is in it
_LONGEST = 255  # characters of a name
_MOST = 1 << 63
_ROUNDED = 1.02  # by which a share of time may be above 1


class LackingError(LogCorruptError):
    """A disk lacks a figure, or has some that cannot be; or its record has another form."""


def is_name(value: Any) -> TypeGuard[str]:
    """Of a host or a disk. JSON can hold halves of characters, which no other format takes."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def disks_of(record: dict[str, Any], where: str, rows: Rows) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and disks, each once, without partitions. LackingError: the record has another form."""
    disks = record.get("disk", [])
    if not isinstance(disks, list) or not all(isinstance(disk, dict) for disk in disks):
        raise LackingError(f"{where}: 'disk' is no list of objects")
    names = [disk.get("disk_device", disk.get("disk-device")) for disk in disks]
    if names and not any(map(is_name, names)):
        raise LackingError(
            f"{where}: a disk has no name that is text ('disk_device' of iostat, 'disk-device' of sadf)"
        )
    all_names, taken = {name for name in names if is_name(name)}, set()
    for name, disk in zip(names, disks, strict=True):
        if not is_name(name):
            rows.problem(f"{where.removeprefix(rows.path + ': ')} has a disk without a name that is text")
            continue
        if name.startswith(" "):
            rows.note(f"'{name}' is a group of iostat, whose disks are counted themselves: it is left out")
            continue
        if is_left_out(name, all_names):
            continue
        if name in taken:
            rows.problem(f"{where.removeprefix(rows.path + ': ')} has '{name}' twice: the first is used")
            continue
        taken.add(name)
        yield name, disk


def samples_of(
    host: str,
    records: Iterable[tuple[str, dict[str, Any], tuple[int, int]]],
    rows: Rows,
    counters: Callable[[dict[str, Any], tuple[int, int], str], dict[str, float | None]],
) -> None:
    """The samples of records: where each is, what it has, and its span. What one lacks is a gap of that disk.

    A record of another form is left out. LogCorruptError: no record has all that is needed.
    """
    first: LogCorruptError | None = None
    some = False
    for where, record, span in records:
        try:
            disks = list(disks_of(record, where, rows))
        except LackingError as error:
            first = first or error
            rows.problem(f"{str(error).removeprefix(rows.path + ': ')}: the record is left out")
            continue
        for name, disk in disks:
            try:
                found = counters(disk, span, f"{where}: '{name}'")
                _limit_busy(found, span, f"{where}: '{name}'", rows)
                rows.sample(host, "block", name, *span, found)
            except LogCorruptError as error:
                first = first or error
                rows.lost(host, "block", name, *span, str(error))
                continue
            some = True
    if first is not None and not some:
        raise first


def agrees(moved: float, per_second: float, each: float, unit: float) -> bool:
    """Whether a rate of bytes is that of operations times their size, but for how each was rounded.

    All of them have two decimals; `unit` is the bytes that one of the rate of bytes means, and `each` is in
    bytes too, of kilobytes with two decimals.
    """
    half = 0.005
    rounded = half * unit + half * (each + half * 1024) + half * 1024 * (per_second + half)
    return abs(moved - per_second * each) <= rounded + 0.01 * max(moved, per_second * each)


def counted(disk: dict[str, Any], where: str, seconds: float, busy: str) -> dict[str, float | None]:
    """How long the disk was busy, and how long its queue; null where the version does not say."""
    share = scaled(number(disk, where, busy), seconds * 10)
    queue = scaled(number(disk, where, "aqu-sz", "avgqu-sz"), seconds * 1000)
    return {"busy_ms": share, "queue_ms": queue}


def _limit_busy(found: dict[str, float | None], span: tuple[int, int], where: str, rows: Rows) -> None:
    """No disk is busy for longer than the time that passed; a little more is how it was rounded."""
    passed, busy = (span[1] - span[0]) / 1000, found["busy_ms"]
    if busy is None:
        return
    if busy > passed * _ROUNDED:
        rows.problem(
            f"{where.removeprefix(rows.path + ': ')}: was busy for {busy / passed:.0%} of the time,"
            " which no disk can be: how long it was is not known"
        )
        found["busy_ms"] = None
    else:
        found["busy_ms"] = min(busy, passed)


def number(disk: dict[str, Any], where: str, *keys: str) -> float | None:
    """The first that is there. LackingError: it is no number that a disk can have."""
    for key in keys:
        value = disk.get(key)
        if value is not None:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
                raise LackingError(f"{where}: '{key}' is {str(value)[:40]!r}, which no disk can have")
            return value
    return None


def scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
