"""What changed between two scans of a file system, and where that leads."""

from __future__ import annotations

import math
from typing import Any

from headrace._errors import UsageError
from headrace.scans.scan import Scan

__all__ = ["LIMITS", "compare"]

_NS_A_DAY = 86400 * 10**9
_LEAST_DAYS = 1.0  # between scans that say where growth leads
# Forecasts are of the next power of ten, unless another limit is given.
LIMITS = {
    "files": [10**n for n in range(6, 16)],
    "bytes": [10**n for n in range(12, 22)],
}


def compare(
    before: Scan, after: Scan, owned_by: str = "user", limits: dict[str, int] | None = None
) -> dict[str, Any]:
    """Facts of growth, for the terminal and as JSON. `limits`: of files and of bytes.

    UsageError: the first is not older, or the two are of different file systems.
    """
    days = (after.number("start_utc_ns") - before.number("start_utc_ns")) / _NS_A_DAY
    if days <= 0:
        raise UsageError(f"{before.path}: is not older than {after.path}: name the older scan first")
    if before.file_system != after.file_system:
        raise UsageError(
            f"{before.path} is of {before.file_system}, {after.path} of {after.file_system}: "
            "compare two scans of one file system, or give both scans its name by --file-system"
        )
    growth = {
        name: _growth(before.number(name), after.number(name), days)
        for name in ("files", "bytes", "capacity", "directories")
    }
    return {
        "file_system": after.file_system,
        "before": _side(before),
        "after": _side(after),
        "days": days,
        "growth": growth,
        "owned_by": owned_by,
        "owners": _owners(before, after, owned_by),
        "forecast": [
            _forecast(name, after, growth[name], days, (limits or {}).get(name))
            for name in ("files", "bytes")
        ],
        "incomplete": [scan.path for scan in (before, after) if not scan.complete],
    }


def _side(scan: Scan) -> dict[str, Any]:
    return {
        "path": scan.path,
        "start_utc_ns": scan.number("start_utc_ns"),
        "complete": scan.facts.get("complete", ""),
        **{name: scan.number(name) for name in ("files", "bytes", "capacity", "directories")},
    }


def _growth(before: int, after: int, days: float) -> dict[str, Any]:
    change = after - before
    return {
        "before": before,
        "after": after,
        "change": change,
        "share": change / before if before else None,
        "per_day": change / days,
    }


def _owners(before: Scan, after: Scan, owned_by: str) -> list[dict[str, Any]]:
    """The one whose number of files changed most first."""
    rows = []
    total = after.number("files") - before.number("files")
    for owner in sorted({*before.owners(owned_by), *after.owners(owned_by)}):
        (files, size), (new_files, new_size) = before.sums(owned_by, owner), after.sums(owned_by, owner)
        rows.append({
            "owner": owner, "files_before": files, "files_after": new_files,
            "files_change": new_files - files, "bytes_before": size, "bytes_after": new_size,
            "bytes_change": new_size - size,
            "share_of_files_change": (new_files - files) / total if total else None,
        })  # fmt: skip
    return sorted(rows, key=lambda row: (-abs(row["files_change"]), -abs(row["bytes_change"]), row["owner"]))


def _forecast(
    name: str, after: Scan, growth: dict[str, Any], days: float, limit: int | None
) -> dict[str, Any]:
    """When a limit is reached: as much is added each day (linear), or it grows by the same factor."""
    now = growth["after"]
    limit = limit or next((one for one in LIMITS[name] if one > now), None)
    result: dict[str, Any] = {"of": name, "limit": limit, "linear_utc_ns": None, "doubling_utc_ns": None}
    result["doubling_days"] = None
    if limit is None or growth["change"] <= 0 or days < _LEAST_DAYS:
        return result
    start = after.number("start_utc_ns")
    result["linear_utc_ns"] = start + round(max(0, limit - now) / growth["per_day"] * _NS_A_DAY)
    if growth["before"] > 0:
        doubling = days * math.log(2) / math.log1p(growth["change"] / growth["before"])
        result["doubling_days"] = doubling
        result["doubling_utc_ns"] = start + round(max(0.0, doubling * math.log2(limit / now)) * _NS_A_DAY)
    return result
