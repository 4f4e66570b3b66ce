"""The bins of a scan's histograms (docs/formats/scan.md): fixed, so that all scans add up.

Every bin is half open: a value v is in the one with low <= v < high.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["AGES", "HISTOGRAMS", "Histogram", "bucket_of", "bucket_range", "edges"]

_TOP = 1 << 63  # values are below
_AGE = 675  # seconds: the width of the first bins of ages, so that 2**7 of them are a day
_STEP = 8  # characters, as wide as fsstats has them
_LONGEST = 511  # the last of those bins, which takes what is longer


class Histogram(NamedTuple):
    name: str
    bins: str  # "powers", "ages" or "steps"
    unit: str  # of the values
    counts: str  # what is counted
    doc: str


HISTOGRAMS: dict[str, Histogram] = {
    name: Histogram(name, bins, unit, counts, doc)
    for name, bins, unit, counts, doc in (
        ("size", "powers", "bytes", "files", "size"),
        ("capacity", "powers", "bytes", "files", "what is allocated"),
        ("positive_overhead", "powers", "bytes", "entries", "by size: allocated beyond it"),
        ("negative_overhead", "powers", "bytes", "entries", "by size: not allocated of it"),
        ("modified_age", "ages", "seconds", "files", "since the data was written"),
        ("accessed_age", "ages", "seconds", "files", "since the data was read"),
        ("changed_age", "ages", "seconds", "files", "since data, owner, name or mode changed"),
        ("directory_entries", "powers", "entries", "directories", "entries in it"),
        ("directory_files", "powers", "files", "directories", "regular files in it"),
        ("directory_size", "powers", "bytes", "directories", "size of the directory itself"),
        ("name_length", "steps", "bytes", "entries", "length of the name"),
        ("links", "powers", "links", "files", "hard links of it"),
        ("symlink_length", "steps", "bytes", "symbolic links", "length of what it points to"),
    )
}
AGES = ("modified_age", "accessed_age", "changed_age")


def bucket_range(histogram: str) -> range:
    """The numbers that bins of this histogram can have."""
    kind = HISTOGRAMS[histogram].bins
    return range(-1, 55) if kind == "ages" else range(_LONGEST + 1) if kind == "steps" else range(64)


def edges(histogram: str, bucket: int) -> tuple[int | None, int | None]:
    """(low, high) of a bin; None: it has no end on that side. ValueError: there is no such bin."""
    if bucket not in bucket_range(histogram):
        raise ValueError(f"{histogram} has no bin {bucket}")
    kind = HISTOGRAMS[histogram].bins
    if kind == "steps":
        return _STEP * bucket, _STEP * (bucket + 1) if bucket < _LONGEST else None
    if bucket < 0:
        return None, 0
    width = _AGE if kind == "ages" else 1
    high = width << bucket
    return (width << bucket >> 1) if bucket else 0, high if high < _TOP else None


def bucket_of(histogram: str, value: int) -> int:
    """The bin that a value of less than 2**63 is in; what is below zero is an age, or counts as zero."""
    kind = HISTOGRAMS[histogram].bins
    if kind == "steps":
        return min(max(value, 0) // _STEP, _LONGEST)
    if kind == "ages":
        return -1 if value < 0 else (value // _AGE).bit_length()
    return max(value, 0).bit_length()
