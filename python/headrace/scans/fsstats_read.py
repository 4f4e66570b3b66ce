"""The CSV of fsstats as a scan: of fsstats itself (1.4.5), and of `headrace scan csv`.

fsstats knows no owners, and its first bins are as wide as several of a scan: such a row has the number of
the last of them and its own bounds. When it ran it does not say: a line of comment has to.
"""

from __future__ import annotations

import datetime
import hashlib
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headrace._errors import LogCorruptError
from headrace.scans import bins
from headrace.scans.fsstats import COLUMNS, Column
from headrace.scans.fsstats_lines import Report, Row, report_of, whole_number
from headrace.scans.tables import as_tables

if TYPE_CHECKING:
    import pyarrow

__all__ = ["read_fsstats"]

_MOST = (1 << 63) - 1
# Histograms whose sums of values are bytes, in the unit of the column.
_SUMS = {
    "size", "capacity", "positive_overhead", "negative_overhead", "directory_size", "name_length",
    "symlink_length",
}  # fmt: skip


def read_fsstats(text: str, path: str) -> dict[str, pyarrow.Table]:
    """The tables `scans`, `scan_histograms` and `scan_problems`; what fsstats does not know is null.

    LogCorruptError: it is cut, a line is none of fsstats', or no comment says when it ran.
    """
    report = report_of(text, path)
    lacks = next((column.title for column in COLUMNS if column.title not in report.histograms), None)
    if lacks is not None:
        raise LogCorruptError(f"{path}: the histogram '{lacks}' is missing: is the file cut?")
    identity = _identity(text)
    histograms = []
    for column in COLUMNS:
        if not column.weighted:
            rows = report.histograms[column.title]
            for row in rows:
                low, high, bucket = _bounds(row, column, path)
                _check_sum(row, column, path)
                histograms.append({
                    "scan": identity, "histogram": column.histogram, "owned_by": "all", "owner": "",
                    "bucket": bucket, "low": low, "high": high, "files": row.number,
                    "bytes": _bytes(row, column, report),
                })  # fmt: skip
    return as_tables(_scan(report, identity, path, histograms), histograms, [])


def _identity(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True) or 1


def _scan(report: Report, identity: int, path: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    sums = {
        (name, key): sum(row[key] for row in rows if row["histogram"] == name)
        for name in ("size", "capacity", "directory_size", "symlink_length")
        for key in ("files", "bytes")
    }
    comments = report.comments
    start = _moment(comments.get("start"), path)
    if start is None:
        raise LogCorruptError(
            f"{path}: fsstats does not say when it ran: put a line into it, behind the first, such as"
            " #Comment: start=2026-11-24T04:00:00Z (and file_system=NAME in another)"
        )
    name = re.split(r"[/\\]", path)[-1].rpartition(".")[0] or path
    root = comments.get("root", "")
    others = whole_number(report.totals.get("skipped special files"))
    return {
        "scan": identity, "root": root, "file_system": comments.get("file_system") or root or name,
        "host": comments.get("host", ""), "start": start, "end": _moment(comments.get("end"), path),
        "files": sums["size", "files"], "directories": sums["directory_size", "files"],
        "symlinks": sums["symlink_length", "files"], "others": others,
        "bytes": min(sums["size", "bytes"], _MOST), "capacity": min(sums["capacity", "bytes"], _MOST),
        "largest": min(report.greatest["file size"] * 1024, _MOST), "unreadable": None, "vanished": None,
        "complete": {"yes": True, "no": False}.get(comments.get("complete", "")), "source": path,
    }  # fmt: skip


def _bounds(row: Row, column: Column, path: str) -> tuple[int | None, int | None, int]:
    """Of a row, in the unit of the scan, and the number of its last bin."""
    kind = bins.HISTOGRAMS[column.histogram].bins
    if (row.low, row.high) == (-1, 0) and kind == "ages":
        return None, 0, -1
    if row.low >= 0 and row.high == -1 and kind == "steps":
        low = row.low + 1
        return low, None, bins.bucket_of(column.histogram, low)
    low, high = row.low * int(column.scale), (row.high + (column.scale == 1)) * int(column.scale)
    bucket = bins.bucket_of(column.histogram, high - 1) if 0 <= low < high <= _MOST else -1
    if bucket < 0 or bins.edges(column.histogram, bucket)[1] != high:
        raise LogCorruptError(
            f"{path}: '{column.title}' has a bin from {row.low} to {row.high}, as fsstats has none"
        )
    return low, high, bucket


def _check_sum(row: Row, column: Column, path: str) -> None:
    """The values of a row add up to something between its bounds; each may be rounded by one.

    Overhead stands in the bins of the files' sizes, so that its sum may be any.
    """
    if column.histogram.endswith("overhead"):
        return
    slack = row.number + 1e-5 * abs(row.value) + 1e-3
    least = row.low * row.number if row.low >= 0 else -math.inf
    most = row.high * row.number if row.high >= 0 else math.inf
    if not least - slack <= row.value <= most + slack:
        raise LogCorruptError(
            f"{path}: {row.number:,} of '{column.title}' from {row.low:,} to {row.high:,} cannot add up to"
            f" {row.value:,}"
        )


def _bytes(row: Row, column: Column, report: Report) -> int | None:
    """Of ages what the histogram of KB has of the same bin; null of links and entries."""
    if column.histogram in bins.AGES:
        weighted = column.title.replace("(files)", "(KB)")
        same: Iterator[Row] = (one for one in report.histograms[weighted] if one[:2] == row[:2])
        return min(1024 * next((one.number for one in same), 0), _MOST)
    if column.histogram not in _SUMS:
        return None
    return min(max(0, round(row.value * column.scale)), _MOST)


def _moment(text: str | None, path: str) -> int | None:
    if not text:
        return None
    try:
        moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.astimezone()
    except (ValueError, OverflowError):
        raise LogCorruptError(f"{path}: '{text[:40]}' is no time such as 2026-11-24T04:00:00Z") from None
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(
        microseconds=1
    )
