"""Rows of `samples` and `sample_gaps` as they are found, and what of them can be right."""

from __future__ import annotations

import bisect
import datetime
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace import samples
from headrace._errors import LogCorruptError, LogForeignError
from headrace.text import significant

if TYPE_CHECKING:
    import pyarrow

__all__ = ["COUNTERS", "Imported", "Rows", "is_left_out"]

COUNTERS = (
    "reads", "read_bytes", "writes", "write_bytes", "read_ms", "write_ms", "busy_ms", "queue_ms", "metadata",
)  # fmt: skip
_MOST = (1 << 63) - 1
_LATEST = 1 << 53  # microseconds: the year 2255
_FASTEST = 1 << 44  # bytes a second: 16 TiB, of one device or target
_BUSIER = 1.1  # than its time: clocks differ, and counters are late
_LATE_MS = 2000
_OF_MEMORY = re.compile(r"(loop|ram|zram)\d")
_PROBLEMS = 20  # that are told of a file
_HINTS = {
    "iostat": "; the first record of iostat is about no known time, so two at least are needed; groups are"
    " sums of disks, which iostat writes without -T",
    "sadf": "; sadf writes those of devices with: sadf -j FILE -- -d",
    "ldms": "; of LDMS's samplers, those that docs/monitor.md lists are read",
}


@dataclass
class Imported:
    """`problems`: sentences on what could not be read; the rest is in `tables`. `notes`: nothing is lost."""

    kind: str  # iostat, sadf or ldms
    digest: str  # of the file's content
    tables: dict[str, pyarrow.Table]
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unfinished: bool = False  # the file ends inside a record: more of it may come


def _utc(at: int) -> str:
    return datetime.datetime.fromtimestamp(at // 1_000_000, datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )


def is_left_out(device: str, all_devices: Collection[str]) -> bool:
    """Partitions of a disk that is there itself, and disks of memory: what `headrace monitor` leaves out."""
    if _OF_MEMORY.match(device):
        return True
    named, _, number = device.rpartition("-part")  # by persistent names, as `iostat -j ID -p` has them
    if named in all_devices and number.isdigit():
        return True
    digits = len(device) - len(device.rstrip("0123456789"))
    if not 0 < digits < len(device):
        return False
    for cut in range(1, digits + 1):
        disk = device[:-cut]
        if disk in all_devices and not disk[-1].isdigit():
            return True
    rest = device[:-digits]
    return rest.endswith("p") and rest[:-1] in all_devices and rest[-2:-1].isdigit()


class Rows:
    """Collects them. Times are microseconds since 1970; `path` is for messages."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.unfinished = False
        self._samples: list[dict[str, Any]] = []
        self._gaps: list[dict[str, Any]] = []
        self._of_hosts: set[tuple[str, int, int]] = set()
        self._last: dict[tuple[str, str, str], int] = {}
        self._spans: dict[tuple[str, str, str], list[tuple[int, int]]] = {}

    def sample(
        self, host: str, kind: str, device: str, start: int, end: int, counters: Mapping[str, float | None]
    ) -> None:
        """A row, and a gap before it where the device was not in the source meanwhile.

        LogCorruptError: a counter or time that no device can have.
        """
        key = host, kind, device
        row = {"host": host, "boot": "", "kind": kind, "device": device}
        for moment in (start, end):
            if not 0 <= moment < _LATEST:
                raise LogCorruptError(
                    f"{self.path}: a time of '{device}' on '{host}' is before 1970 or after 2255"
                )
        numbers = {name: self._integer(counters.get(name), device, name) for name in COUNTERS}
        self._check(kind, device, max(end - start, 0) / 1e6, numbers)
        if not self._takes(key, start, end):
            self.problem(
                f"{_utc(start)} to {_utc(end)} of '{device}' on '{host}' is in part in another sample,"
                " as after a clock was put back: left out"
            )
            return
        last = self._last.get(key)
        if last is not None and start > last and (host, last, start) not in self._of_hosts:
            self.gap(host, device, last, start)
        self._last[key] = end
        self._samples.append({**row, "start": start, "end": end, **numbers})

    def _check(self, kind: str, device: str, seconds: float, numbers: Mapping[str, int | None]) -> None:
        """LogCorruptError: more than any device does in so long a time."""
        for name in ("read_bytes", "write_bytes"):
            moved = numbers.get(name) or 0
            if moved > _FASTEST * max(seconds, 1):
                raise LogCorruptError(
                    f"{self.path}: {name} of '{device}' would be {moved:,} in {significant(seconds)} s,"
                    " which no device moves"
                )
        busy = numbers.get("busy_ms") or 0
        if kind == "block" and busy > _BUSIER * seconds * 1000 + _LATE_MS:
            raise LogCorruptError(
                f"{self.path}: '{device}' would be busy for {busy:,} ms of {significant(seconds)} s"
            )

    def _takes(self, key: tuple[str, str, str], start: int, end: int) -> bool:
        """Notes a span of a device; False: another one has some of it."""
        spans = self._spans.setdefault(key, [])
        at = bisect.bisect_left(spans, (start, end))
        if (at > 0 and spans[at - 1][1] > start) or (at < len(spans) and spans[at][0] < end):
            return False
        spans.insert(at, (start, end))
        return True

    def gap(self, host: str, device: str, start: int, end: int, reason: str = "imported") -> None:
        if not device:
            self._of_hosts.add((host, start, end))
        row = {"host": host, "device": device, "start": start, "end": end, "reason": reason}
        self._gaps.append(row)

    def forget(self, host: str, kind: str, device: str) -> None:
        """The next sample of the device follows a gap that has been said."""
        self._last.pop((host, kind, device), None)

    def lost(self, host: str, kind: str, device: str, start: int, end: int, why: str) -> None:
        """A sample that the source should have and that cannot be used: a gap of its span."""
        key = host, kind, device
        last = self._last.get(key)
        if 0 <= start < _LATEST and 0 <= end < _LATEST:
            if last is not None and start > last and (host, last, start) not in self._of_hosts:
                self.gap(host, device, last, start)
            self.gap(host, device, start, end)
            self._last[key] = end
        self.problem(f"{why.removeprefix(self.path + ': ')}: a gap instead")

    def note(self, sentence: str) -> None:
        """Once."""
        if (text := f"{self.path}: {sentence}") not in self.notes and len(self.notes) < _PROBLEMS:
            self.notes.append(text)

    def problem(self, sentence: str) -> None:
        if len(self.problems) < _PROBLEMS:
            self.problems.append(f"{self.path}: {sentence}")
        elif len(self.problems) == _PROBLEMS:
            self.problems.append(f"{self.path}: … and more")

    def finish(self, kind: str, digest: str) -> Imported:
        """LogForeignError: there is no sample."""
        if not self._samples:
            raise LogForeignError(
                "; ".join([f"{self.path}: no sample of a device is in it", *self.problems, *self.notes])
                + _HINTS[kind]
            )
        tables = {"samples": samples.table("samples", self._samples)}
        if self._gaps:
            tables["sample_gaps"] = samples.table("sample_gaps", self._gaps)
        return Imported(kind, digest, tables, self.problems, self.notes, self.unfinished)

    def _integer(self, value: float | None, device: str, name: str) -> int | None:
        if value is None:
            return None
        if not math.isfinite(value) or not 0 <= value <= _MOST:
            raise LogCorruptError(
                f"{self.path}: {name} of '{device}' would be {value:g}, which no device counts"
            )
        return round(value)
