"""A scan in memory, and its file (docs/formats/scan.md)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from headrace import _native
from headrace._errors import LogCorruptError, LogForeignError, LogUnsupportedError
from headrace._outputs import Refusal, any_file, new_file
from headrace.scans import bins

__all__ = ["COUNTS", "FORMAT", "MOST", "Bin", "Key", "Scan", "load"]

FORMAT = 1
MOST = (1 << 63) - 1  # where sums end

# Facts that are numbers and that add up over parts of a file system, but for `largest`.
COUNTS = (
    "files", "directories", "symlinks", "others", "bytes", "capacity", "directory_bytes", "symlink_bytes",
    "other_bytes", "other_capacity", "largest", "unreadable", "vanished", "mounts", "symlinks_absolute",
    "repeated_links", "links_elsewhere", "links_elsewhere_bytes", "unlisted_problems",
)  # fmt: skip


class Key(NamedTuple):
    histogram: str
    owned_by: str  # "all", "user", "group" or "project"
    owner: str
    bucket: int


class Bin(NamedTuple):
    files: int
    bytes: int
    total: int | None = None  # sum of the values; None where the file does not say
    weighted: float | None = None  # of ages: sum of the values, each times the size


@dataclass
class Scan:
    """What one scan found. Numbers are as in the file; `facts` has those that it does not know as text."""

    facts: dict[str, str]
    bins: dict[Key, Bin] = field(default_factory=dict)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)  # histogram: least and greatest value
    problems: list[tuple[str, str]] = field(default_factory=list)  # path, reason
    path: str = ""  # of its file

    def number(self, key: str) -> int:
        """A fact that is a number; 0 when it is not there. LogCorruptError: it is none."""
        text = self.facts.get(key, "0")
        if not (text.isascii() and text.removeprefix("-").isdecimal() and len(text) < 21):
            raise LogCorruptError(f"{self.path}: the fact '{key}' is no number: {text[:40]!r}")
        return max(-MOST, min(int(text), MOST))

    @property
    def roots(self) -> list[str]:
        return self.facts.get("root", "").split("\0")

    @property
    def root(self) -> str:
        return ", ".join(self.roots)

    @property
    def file_system(self) -> str:
        return self.facts.get("file_system") or self.root

    @property
    def complete(self) -> bool:
        return self.facts.get("complete") == "yes"

    def owners(self, owned_by: str) -> list[str]:
        """Of files, the one with the most first."""
        found: dict[str, int] = {}
        for key, value in self.bins.items():
            if key.owned_by == owned_by and key.histogram == "size":
                found[key.owner] = found.get(key.owner, 0) + value.files
        return sorted(found, key=lambda owner: (-found[owner], owner))

    def histogram(self, name: str, owned_by: str = "all", owner: str = "") -> dict[int, Bin]:
        """The bins that have something, in order."""
        return {
            bucket: self.bins[key]
            for bucket in bins.bucket_range(name)
            if (key := Key(name, owned_by, owner, bucket)) in self.bins
        }

    def sums(self, owned_by: str = "all", owner: str = "") -> tuple[int, int]:
        """Files and bytes of an owner."""
        found = self.histogram("size", owned_by, owner).values()
        return sum(one.files for one in found), min(sum(one.bytes for one in found), MOST)

    def identity(self) -> int:
        """Hash of the content: the same for copies of a scan, and for no two others."""
        content = [
            sorted(self.facts.items()),
            sorted([*key, *value] for key, value in self.bins.items()),
            sorted(self.ranges.items()),
            sorted(self.problems),
        ]
        text = json.dumps(content, ensure_ascii=True, default=str).encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little", signed=True) or 1

    def save(self, path: str, identity: int = 0, refusal: Refusal = any_file) -> None:
        """Replaces the file at once, so that a killed writer leaves the old one.

        `identity`: of the file; 0 stands for a random one. OutputError: it is not written.
        """
        keys = sorted(self.bins)
        columns: dict[str, list[Any]] = {name: [getattr(key, name) for key in keys] for name in Key._fields}
        known = all(self.bins[key].total is not None for key in keys)
        for name in ("files", "bytes", *(("total",) if known else ())):
            columns[name] = [getattr(self.bins[key], name) for key in keys]
        if known:
            columns["weighted"] = [float(self.bins[key].weighted or 0.0) for key in keys]
        tables: dict[str, dict[str, list[Any]]] = {
            "scan": {"key": list(self.facts), "value": list(self.facts.values())},
            "scan_histograms": columns,
            "scan_ranges": {
                "histogram": list(self.ranges),
                "least": [least for least, _ in self.ranges.values()],
                "greatest": [greatest for _, greatest in self.ranges.values()],
            },
            "scan_problems": {
                "path": [where for where, _ in self.problems],
                "reason": [reason for _, reason in self.problems],
            },
        }
        with new_file(path, refusal) as partial:
            _native.write_tables(os.fsencode(partial), tables, identity)


def load(path: str | os.PathLike[str]) -> Scan:
    """Reads a scan's file. Parts that are damaged make it incomplete; LogError: none of it can be used."""
    name = os.fspath(path)
    chunks = _native.Chunks(os.fsencode(name))
    if "scan" not in chunks.tables():
        raise LogForeignError(f"{name}: a chunk file, but no scan: it has no table 'scan'")
    facts = _rows(name, chunks, "scan", {"key": str, "value": str})
    scan = Scan({row["key"]: row["value"] for row in facts}, path=name)
    if scan.number("format_version") > FORMAT:
        raise LogUnsupportedError(f"{name}: a newer Headrace wrote it; read it with that one")
    _take_bins(scan, chunks)
    for row in _rows(name, chunks, "scan_ranges", {"histogram": str, "least": int, "greatest": int}):
        scan.ranges[row["histogram"]] = row["least"], row["greatest"]
    for row in _rows(name, chunks, "scan_problems", {"path": str, "reason": str}):
        scan.problems.append((row["path"], row["reason"]))
    if scan.complete and (damage := chunks.damage()):
        scan.facts["complete"] = "no: at offset {} of its file {} bytes are damaged: {}".format(*damage[0])
    elif scan.complete and not chunks.closed:
        scan.facts["complete"] = "no: the end of its file is missing"
    return scan


def _take_bins(scan: Scan, chunks: _native.Chunks) -> None:
    kinds: dict[str, type] = {"histogram": str, "owned_by": str, "owner": str, "bucket": int}
    kinds |= {"files": int, "bytes": int}
    for row in _rows(scan.path, chunks, "scan_histograms", kinds, {"total": int, "weighted": float}):
        key = Key(row["histogram"], row["owned_by"], row["owner"], row["bucket"])
        if key.histogram not in bins.HISTOGRAMS:
            continue  # of a later version, which says the rest in the same way
        if key.bucket not in bins.bucket_range(key.histogram) or key in scan.bins:
            where = f"{scan.path}: table 'scan_histograms'"
            raise LogCorruptError(f"{where}: {key.histogram} has bin {key.bucket} twice or where none can be")
        if not (0 <= row["files"] <= MOST and 0 <= row["bytes"] <= MOST):
            raise LogCorruptError(f"{scan.path}: table 'scan_histograms': a count is beyond 2^63")
        scan.bins[key] = Bin(row["files"], row["bytes"], row.get("total"), row.get("weighted"))


def _rows(
    path: str, chunks: _native.Chunks, table: str, kinds: dict[str, type], more: dict[str, type] | None = None
) -> Iterable[dict[str, Any]]:
    """The rows with the columns `kinds`, and those of `more` that are there, checked for their types."""
    if table not in chunks.tables():
        return
    rows = chunks.raw(table).rows()
    for row in rows:
        found: dict[str, Any] = {}
        for name, kind in {**kinds, **(more or {})}.items():
            if name not in row and name not in kinds:
                continue
            value = row.get(name)
            if isinstance(value, bytes):
                value = value.decode(errors="replace")
            if not isinstance(value, kind):
                raise LogCorruptError(
                    f"{path}: table '{table}': column '{name}' is missing or of a wrong type"
                )
            found[name] = value
        yield found
