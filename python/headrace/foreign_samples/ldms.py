"""CSV of LDMS (store_csv): cumulative counters of devices, a line a moment and producer.

Columns are those of the samplers procdiskstats, lustre_ost, lustre_mdt, lustre_client and lustre2_oss. Of two
lines the difference is exact, whatever was missed between; at the first line of a device its samples begin.
"""

from __future__ import annotations

import csv
import io
import itertools
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from headrace._errors import LogCorruptError
from headrace.foreign_samples.ldms_columns import Layout, layout_of, times_of
from headrace.foreign_samples.rows import Rows

__all__ = ["KIND", "is_ldms", "take"]

KIND = "ldms"
_WRAP = 1 << 32  # the kernel prints its milliseconds as 32 bits
_WRAPPING = ("read_ms", "write_ms", "busy_ms", "queue_ms")
_DEEPEST = 1 << 14  # requests at a time in a disk, on average; deeper queues than any that is built
_LONGEST = 1 << 20  # characters of a field


class _Reading(NamedTuple):
    at: int
    counters: dict[str, int]


_Readings = dict[tuple[str, str, str], list[_Reading]]  # by host, kind and device


def is_ldms(begin: bytes | bytearray) -> bool:
    line = begin[:1024].lstrip().split(b"\n", 1)[0].replace(b'"', b"").rstrip(b"\r")
    return line.startswith((b"#Time,", b"#Time_msec,")) and b"ProducerName" in line


def take(text: str, rows: Rows) -> str:
    """Adds the samples of all devices; "ldms". LogCorruptError: the header is none, or as Rows says."""
    csv.field_size_limit(_LONGEST)
    whole = text.rfind("\n") + 1
    if whole < len(text):  # LDMS writes what its buffer has: a number may be cut
        rows.unfinished = True
        rows.problem(f"its last line is not whole: its {len(text) - whole} characters are left out")
        text = text[:whole]
    found: _Readings = {}
    layout: Layout | None = None
    lines = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    try:
        for fields in lines:
            if fields and fields[0].startswith("#"):  # again in files that were put together
                layout = layout_of(fields, rows.path)
            elif fields and layout is not None:
                _take_line(fields, layout, found, rows, f"line {lines.line_num}")
    except csv.Error as error:
        raise LogCorruptError(f"{rows.path}: line {lines.line_num}: {error}") from error
    for (host, kind, device), readings in found.items():
        _subtract(host, kind, device, _in_time(readings, kind, rows), rows)
    return KIND


def _take_line(fields: Sequence[str], layout: Layout, found: _Readings, rows: Rows, where: str) -> None:
    if len(fields) != layout.width:
        rows.problem(f"{where}: has {len(fields)} columns and the header {layout.width}: left out")
        return
    at = times_of(fields, layout)
    if at is None:
        rows.problem(f"{where}: its time '{fields[layout.time][:40]}' is no number of seconds: left out")
        return
    for device in layout.devices:
        name = device.name if device.name_column is None else fields[device.name_column]
        counters = {}
        for counter, columns in device.counters.items():
            values = [fields[column].strip() for column, _ in columns]
            if not all(value.isascii() and value.isdigit() and len(value) <= 20 for value in values):
                rows.problem(f"{where}: {counter} of '{name}' is no integer: left out")
                break
            counters[counter] = sum(
                int(value) * scale for value, (_, scale) in zip(values, columns, strict=True)
            )
        else:
            found.setdefault((fields[layout.host], device.kind, name), []).append(_Reading(at, counters))


def _subtract(host: str, kind: str, device: str, readings: list[_Reading], rows: Rows) -> None:
    steps = [after.at - before.at for before, after in itertools.pairwise(readings)]
    usual = statistics.median_low([step for step in steps if step > 0] or [0])
    for before, after in itertools.pairwise(readings):
        if before == after:
            continue  # a line that is there twice
        grown = _grown(before, after, kind)
        if grown is None or after.at <= before.at:
            rows.gap(host, device, before.at, after.at, "reset" if after.at > before.at else "imported")
            rows.forget(host, kind, device)
            continue
        if after.at - before.at > 1.5 * usual:
            rows.gap(host, device, before.at, after.at, "missed")
        try:
            rows.sample(host, kind, device, before.at, after.at, grown)
        except LogCorruptError as error:
            rows.lost(host, kind, device, before.at, after.at, str(error))


def _in_time(readings: list[_Reading], kind: str, rows: Rows) -> list[_Reading]:
    """By their times, where lines are out of order and no counter goes back then; else as they are."""
    ordered = sorted(readings, key=lambda reading: reading.at)
    if ordered == readings:
        return readings
    for before, after in itertools.pairwise(ordered):
        if before != after and (before.at == after.at or _grown(before, after, kind) is None):
            return readings
    rows.note("its lines are not in the order of their times, and are taken in that order")
    return ordered


def _grown(before: _Reading, after: _Reading, kind: str) -> dict[str, int] | None:
    """None: a counter went back, so that the machine or target was started again meanwhile."""
    grown = {
        name: after.counters[name] - before.counters[name]
        for name in before.counters.keys() & after.counters.keys()
    }
    for name, most in _most(grown, after.at - before.at).items() if kind == "block" else ():
        wrapped = grown[name] + _WRAP
        if grown[name] < 0 and before.counters[name] < _WRAP and wrapped <= most:
            grown[name] = wrapped
    return grown if all(growth >= 0 for growth in grown.values()) else None


def _most(grown: dict[str, int], passed: int) -> dict[str, int]:
    """What those that wrap can have grown by in so many microseconds.

    A disk is busy for no longer than that, and all requests together for no longer than it is busy, times how
    many there can be; one that was counted from 0 again would seem to have done far more.
    """
    passed_ms = passed // 990 + 1000  # clocks differ, and counters are late
    busy_ms = min(passed_ms, grown.get("busy_ms", passed_ms) % _WRAP + 1000)
    limits = dict.fromkeys(_WRAPPING, _DEEPEST * busy_ms) | {"busy_ms": passed_ms}
    return {name: most for name, most in limits.items() if name in grown}
