"""Bytes of one record, in the version and the byte order of its log."""

from __future__ import annotations

import struct

from made_darshan.autoperf import Plain
from made_darshan.counters import names
from made_darshan.records import AnyRecord, Record, Stripes, TimeLine, Trace


def record_bytes(module: str, version: int, order: str, record: AnyRecord) -> bytes:
    """`order`: "<" or ">", as `struct` has it."""
    if isinstance(record, Record):
        return _counters(module, version, order, record)
    if isinstance(record, Plain):
        return record.packed(order)
    if isinstance(record, Stripes):
        return _stripes(version, order, record)
    if isinstance(record, TimeLine):
        return _time_line(order, record)
    return _trace(order, record, threads=version >= (2 if module == "DXT_POSIX" else 3))


def _counters(module: str, version: int, order: str, record: Record) -> bytes:
    counts, reals = names(module, version)
    file = [record.file] if module == "PNETCDF_VAR" or (module == "H5D" and version > 1) else []
    values = [record.values[name] for name in [*counts, *reals]]
    form = f"{order}Qq{len(file)}Q{len(counts)}q{len(reals)}d"
    return struct.pack(form, record.id, record.rank, *file, *values)


def _stripes(version: int, order: str, record: Stripes) -> bytes:
    targets = struct.pack(f"{order}{len(record.targets)}q", *record.targets)
    if version == 1:  # how many servers there are of each kind, and the first one of the file
        values = (24, 1, record.targets[0], *record.components[0].counters[:2])
        return struct.pack(f"{order}Qq5q", record.id, record.rank, *values) + targets
    parts = [(*each.counters, each.pool.encode()) for each in record.components]
    parts += [(-1, 0, 0, 0, 0, 0, 0, b"")] * record.unused
    head = struct.pack(f"{order}Qqqq", record.id, record.rank, len(parts), len(record.targets))
    return head + b"".join(struct.pack(f"{order}7q16s", *part) for part in parts) + targets


def _time_line(order: str, record: TimeLine) -> bytes:
    bins = [*record.written, *record.read]
    pointers = (0x7F30_1122_3344_5566, 0x7F30_1122_3344_7788)  # left over from the process
    head = (record.id, record.rank, record.width_s, len(record.written), *pointers)
    return struct.pack(f"{order}QqdqQQ{len(bins)}q", *head, *bins)


def _trace(order: str, record: Trace, *, threads: bool) -> bytes:
    form, fields = (f"{order}qqddQ", 5) if threads else (f"{order}qqdd", 4)
    head = (
        record.id,
        record.rank,
        record.shared,
        record.host.encode(),
        len(record.writes),
        len(record.reads),
    )
    segments = (struct.pack(form, *each[:fields]) for each in (*record.writes, *record.reads))
    return struct.pack(f"{order}Qqq64sqq", *head) + b"".join(segments)
