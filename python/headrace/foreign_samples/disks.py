"""What iostat and sadf have in common: a record's list of disks, and their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard

from headrace._errors import LogCorruptError
from headrace.foreign_samples.rows import Rows, is_left_out

__all__ = ["Record", "counted", "disks_of", "is_name", "number", "scaled"]

Record = tuple[int, dict[str, Any]]  # its place in the file, from 1, and what is in it
_LONGEST = 255  # characters of a name
_MOST = 1 << 63


def is_name(value: Any) -> TypeGuard[str]:
    """Of a host or a disk. JSON can hold halves of characters, which no other format takes."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def disks_of(record: dict[str, Any], where: str, rows: Rows) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and disks, each once, without partitions. LogCorruptError: the record has another form."""
    disks = record.get("disk", [])
    if not isinstance(disks, list) or not all(isinstance(disk, dict) for disk in disks):
        raise LogCorruptError(f"{where}: 'disk' is no list of objects")
    names = [disk.get("disk_device", disk.get("disk-device")) for disk in disks]
    if not all(map(is_name, names)):
        raise LogCorruptError(
            f"{where}: a disk has no name that is text ('disk_device' of iostat, 'disk-device' of sadf)"
        )
    all_names, taken = set(names), set()
    for name, disk in zip(names, disks, strict=True):
        if is_left_out(name, all_names):
            continue
        if name in taken:
            rows.problem(f"{where.removeprefix(rows.path + ': ')} has '{name}' twice: the first is used")
            continue
        taken.add(name)
        yield name, disk


def counted(disk: dict[str, Any], where: str, seconds: float, busy: str) -> dict[str, float | None]:
    """How long the disk was busy, and how long its queue; null where the version does not say."""
    share = scaled(number(disk, where, busy), seconds * 10)
    queue = scaled(number(disk, where, "aqu-sz", "avgqu-sz"), seconds * 1000)
    return {"busy_ms": None if share is None else min(share, seconds * 1000), "queue_ms": queue}


def number(disk: dict[str, Any], where: str, *keys: str) -> float | None:
    """The first that is there. LogCorruptError: it is no number that a disk can have."""
    for key in keys:
        if key in disk:
            value = disk[key]
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
                raise LogCorruptError(f"{where}: '{key}' is {str(value)[:40]!r}, which no disk can have")
            return value
    return None


def scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
