"""The truth of what devices moved and of what lies on the file system."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from headrace.facility.contents import scan_tables
from headrace.facility.preset import micros
from headrace.facility.truth_applications import day_of, stamp
from headrace.facility.truth_coverage import ratio

if TYPE_CHECKING:
    from headrace.facility.devices import Activity

__all__ = ["device_figures", "scan_figures"]

_MINUTE = 60  # s
_STEPS = 200  # points of the curve of burstiness
_QUIET = 20  # the peak divided by this is quiet
_WINDOWS = 20  # quiet times that a study lists
_BILLION = 10**9


def device_figures(activity: Activity, servers: int, jobs: dict[str, list[int]]) -> dict[str, Any]:
    """Sums are exact, rates in bytes a second. `jobs`: bytes that jobs read and wrote, by day."""
    both = [a + b for a, b in zip(activity.read, activity.written, strict=True)]
    peak, ordered = max(both), sorted(both)
    totals = {"all": _totals(activity.read, activity.written)}
    for place, name in enumerate(activity.file_systems):
        totals[name] = _totals(
            *(_shares(activity, moved, servers, place) for moved in (activity.read, activity.written))
        )
    gaps: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for begin, end, reason in activity.gaps:
        gaps[reason][0] += servers
        gaps[reason][1] += servers * (end - begin)
    return {
        "throughput": {
            f"{stamp(minute)}/{word}": {"bytes_per_s": moved / _MINUTE}
            for i, minute in enumerate(activity.minutes)
            for word, moved in (("read", activity.read[i]), ("written", activity.written[i]))
        },
        "throughput_totals": totals,
        "burstiness": {
            str(step / _STEPS): {"share_of_time": _below(ordered, peak * step / _STEPS)}
            for step in range(1, _STEPS + 1)
        },
        "idle": {str(place): window for place, window in enumerate(_idle(activity.minutes, both), 1)},
        "sample_gaps": {
            reason: {"gaps": count, "hours": micro / 3_600_000_000, "hosts": servers}
            for reason, (count, micro) in sorted(gaps.items())
        },
        "devices_applications": _against(activity, jobs),
    }


def _shares(activity: Activity, moved: list[int], servers: int, place: int) -> list[int]:
    """What one file system has of each minute: every device has a part, and the first ones the rest."""
    count = len(activity.file_systems)
    parts = servers * count
    return [servers * (m // parts) + max(0, -(-(m % parts - place) // count)) for m in moved]


def _totals(read: list[int], written: list[int]) -> dict[str, float]:
    days = len(read) / 1440
    both = [a + b for a, b in zip(read, written, strict=True)]
    return {
        "bytes_read": sum(read),
        "bytes_written": sum(written),
        "read_share": sum(read) / sum(both),
        "read_per_day": sum(read) / days,
        "written_per_day": sum(written) / days,
        "peak_read": max(read) / _MINUTE,
        "peak_written": max(written) / _MINUTE,
        "peak": max(both) / _MINUTE,
        "mean": sum(both) / _MINUTE / len(both),
        "days": days,
    }


def _below(ordered: list[int], limit: float) -> float:
    """The share of minutes that moved at most so much."""
    return bisect_right(ordered, limit) / len(ordered)


def _idle(minutes: list[int], moved: list[int]) -> list[dict[str, Any]]:
    """The longest spans of quiet minutes that follow each other, the first ones of equal length first."""
    peak = max(moved)
    spans: list[list[int]] = []  # begin, end, bytes
    for minute, amount in zip(minutes, moved, strict=True):
        if amount * _QUIET >= peak:
            continue
        if not spans or spans[-1][1] != minute:
            spans.append([minute, minute, 0])
        spans[-1][1] += _MINUTE * 1_000_000
        spans[-1][2] += amount
    spans.sort(key=lambda span: (span[0] - span[1], span[0]))
    return [
        {
            "start": stamp(begin),
            "end": stamp(end),
            "hours": (end - begin) / 3_600_000_000,
            "mean_bytes_per_s": amount / ((end - begin) // 1_000_000),
        }
        for begin, end, amount in spans[:_WINDOWS]
    ]


def _against(activity: Activity, jobs: dict[str, list[int]]) -> dict[str, Any]:
    """What devices moved in a day for each byte of the jobs that began on it."""
    days: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for minute, read, written in zip(activity.minutes, activity.read, activity.written, strict=True):
        day = days[day_of(minute)]
        day[0] += read
        day[1] += written
    return {
        f"{day}/{word}": {
            "device_bytes": moved[place],
            "job_bytes": jobs.get(day, [0, 0])[place],
            "ratio": ratio(moved[place], jobs.get(day, [0, 0])[place]),
        }
        for day, moved in days.items()
        for place, word in enumerate(("read", "written"))
    }


def scan_figures(preset: dict[str, Any]) -> dict[str, Any]:
    about = preset["scans"]
    bins = scan_tables(preset, 1)["scan_histograms"].to_pylist()
    sizes = [row for row in bins if row["histogram"] == "size"]
    whole = [row for row in sizes if row["owned_by"] == "all"]
    project = {row["bucket"]: row for row in sizes if row["owner"] == about["project"]}
    nothing = {"files": 0, "bytes": 0}
    without = [
        row | {key: row[key] - project.get(row["bucket"], nothing)[key] for key in ("files", "bytes")}
        for row in whole
    ]
    names = ("files", "bytes"), ("project_files", "project_bytes")
    return {
        "file_sizes": {**_sizes("all files", whole), **_sizes(f"without {about['project']}", without)},
        "ages": _ages([row for row in bins if row["histogram"] == "modified_age"]),
        "growth": {
            who: _growth(about, *(about[name] for name in keys))
            for who, keys in zip(("all", about["project"]), names, strict=True)
        },
    }


def _sizes(population: str, bins: list[dict[str, Any]]) -> dict[str, Any]:
    sums = {key: list(accumulate(row[key] for row in bins)) for key in ("files", "bytes")}
    return {
        f"{population}/{row['high']}": {
            "files": row["files"],
            "bytes": row["bytes"],
            "share_of_files": sums["files"][i] / sums["files"][-1],
            "share_of_bytes": sums["bytes"][i] / sums["bytes"][-1],
        }
        for i, row in enumerate(bins)
    }


def _ages(bins: list[dict[str, Any]]) -> dict[str, Any]:
    whole = {key: sum(row[key] for row in bins) for key in ("files", "bytes")}
    rows = {}
    for i, row in enumerate(bins):
        if row["low"]:
            older = {key: sum(each[key] for each in bins[i:]) for key in ("files", "bytes")}
            shares = {f"share_of_{key}": older[key] / whole[key] for key in older}
            rows[f"modified/{row['low'] / 86400}"] = shares
    return rows


def _growth(about: dict[str, Any], files: list[int], stored: list[int]) -> dict[str, Any]:
    first, last = (
        datetime.fromtimestamp(micros(about[end]) // 10**6, timezone.utc) for end in ("start", "end")
    )
    days = (last - first) / timedelta(days=1)
    forecast = None
    if files[0] < files[1] < _BILLION:
        forecast = last + timedelta(days=(_BILLION - files[1]) * days / (files[1] - files[0]))
    return {
        "first": stamp(micros(about["start"])),
        "last": stamp(micros(about["end"])),
        "days": days,
        "files_first": files[0],
        "files_last": files[1],
        "files_change": (files[1] - files[0]) / files[0],
        "bytes_first": stored[0],
        "bytes_last": stored[1],
        "bytes_change": (stored[1] - stored[0]) / stored[0],
        "forecast": forecast.strftime("%Y-%m-%dT%H:%M:%SZ") if forecast else None,
    }
