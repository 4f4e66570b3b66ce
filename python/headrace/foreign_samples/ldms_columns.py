"""Which columns of LDMS's CSV are which counter of which device, by the names that its samplers give them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from headrace._errors import LogCorruptError
from headrace.foreign_samples.rows import is_left_out

__all__ = ["Columns", "Device", "Layout", "layout_of", "times_of"]

Columns = tuple[tuple[int, int], ...]  # column and factor, to be added up
_SECTOR = 512  # bytes of /proc/diskstats' sectors, whatever the device has
_LATEST = 1 << 33  # seconds

_DISKSTATS = {
    "reads_comp": ("reads", 1), "sect_read": ("read_bytes", _SECTOR), "time_read": ("read_ms", 1),
    "writes_comp": ("writes", 1), "sect_written": ("write_bytes", _SECTOR), "time_write": ("write_ms", 1),
    "time_ios": ("busy_ms", 1), "weighted_time": ("queue_ms", 1),
}  # fmt: skip
# Column that names the target, and its kind. A client counts calls where it is configured to.
_TARGETS = {"ost": "lustre_ost", "mdt": "lustre_mdt", "llite": "lustre_llite"}
_LUSTRE = {
    "read_bytes.sum": "read_bytes",
    "write_bytes.sum": "write_bytes",
    "read": "reads",
    "write": "writes",
}
# As src/collect/devices/lustre_stats.cc has them, as far as the samplers do.
_METADATA = {
    "open", "close", "create", "mknod", "link", "unlink", "symlink", "mkdir", "rmdir", "rename", "getattr",
    "setattr", "getxattr", "setxattr", "listxattr", "removexattr", "statfs", "sync", "fsync", "truncate",
    "punch", "destroy", "readdir", "fallocate", "quotactl", "inode_permission", "flock",
}  # fmt: skip
_OSS = re.compile(r"oss\.lstats\.(read_bytes|write_bytes)#ost\.(.+)")


class Device(NamedTuple):
    """`name`: of the device; where `name_column` is not None, that column has it."""

    kind: str
    name: str
    name_column: int | None
    counters: dict[str, Columns]


class Layout(NamedTuple):
    width: int
    time: int
    in_milliseconds: bool
    more: int  # column of the microseconds
    host: int
    devices: tuple[Device, ...]


def layout_of(header: Sequence[str], path: str) -> Layout:
    """LogCorruptError: it has no time or no producer, or a column twice."""
    names = [name.strip().removesuffix(".value") for name in header]
    names[0] = names[0].lstrip("#").strip('"')
    twice = (
        next((name for name in names if names.count(name) > 1), None)
        if len(set(names)) < len(names)
        else None
    )
    lacks = [name for name in ("Time_usec", "ProducerName") if name not in names]
    if lacks or names[0] not in ("Time", "Time_msec"):
        raise LogCorruptError(f"{path}: the header has no column '{(lacks or ['#Time'])[0]}'")
    if twice is not None:
        raise LogCorruptError(f"{path}: the header has the column '{twice}' twice")
    devices = (*_disks(names), *_servers(names), *_target(names))
    in_milliseconds = names[0] == "Time_msec"
    return Layout(
        len(names), 0, in_milliseconds, names.index("Time_usec"), names.index("ProducerName"), devices
    )


def times_of(fields: Sequence[str], layout: Layout) -> int | None:
    """Microseconds since 1970; None: it is no time."""
    whole, _, part = fields[layout.time].strip().partition(".")
    more = fields[layout.more].strip()
    texts = (whole, more) if layout.in_milliseconds else (whole, part or more)
    if not all(text.isascii() and text.isdigit() and len(text) <= 13 for text in texts):
        return None
    if layout.in_milliseconds:
        at = int(whole) * 1000 + int(more)
    else:
        at = int(whole) * 1_000_000 + (int(part.ljust(6, "0")[:6]) if part else int(more))
    return at if at < _LATEST * 1_000_000 else None


def _disks(names: Sequence[str]) -> list[Device]:
    """procdiskstats: FIELD#DEVICE; of partitions too."""
    found: dict[str, dict[str, Columns]] = {}
    for column, name in enumerate(names):
        field, _, device = name.partition("#")
        if device and field in _DISKSTATS and not device.endswith(".userdata"):
            counter, scale = _DISKSTATS[field]
            found.setdefault(device, {})[counter] = ((column, scale),)
    return [
        Device("block", device, None, counters)
        for device, counters in found.items()
        if not is_left_out(device, found)
    ]


def _servers(names: Sequence[str]) -> list[Device]:
    """lustre2_oss: of its metrics, only those that are bytes are sums of one unit in all versions."""
    found: dict[str, dict[str, Columns]] = {}
    for column, name in enumerate(names):
        match = _OSS.fullmatch(name)
        if match:
            found.setdefault(match[2], {})[match[1]] = ((column, 1),)
    return [Device("lustre_ost", device, None, counters) for device, counters in found.items()]


def _target(names: Sequence[str]) -> list[Device]:
    """lustre_ost, lustre_mdt and lustre_client: a column names the target. Their job_stats are not read."""
    column = next((name for name in _TARGETS if name in names), None)
    is_of_jobs = "snapshot_time" in names
    if column is None or is_of_jobs:
        return []
    counters: dict[str, Columns] = {
        counter: ((names.index(name), 1),) for name, counter in _LUSTRE.items() if name in names
    }
    metadata = tuple((place, 1) for place, name in enumerate(names) if name in _METADATA)
    if metadata:
        counters["metadata"] = metadata
    return [Device(_TARGETS[column], "", names.index(column), counters)] if counters else []
