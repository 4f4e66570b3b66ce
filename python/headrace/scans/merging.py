"""Scans of parts of a file system, as one."""

from __future__ import annotations

from collections.abc import Sequence

from headrace import _native
from headrace._errors import UsageError
from headrace.scans.scan import COUNTS, FORMAT, MOST, Bin, Scan

__all__ = ["merge"]

_LISTED = 100_000


def merge(scans: Sequence[Scan]) -> Scan:
    """Adds everything up. The order of the scans does not matter.

    Ages stay relative to the start of each part. UsageError: two parts overlap, or a part is named twice.
    """
    _check_apart(scans)
    ordered = sorted(scans, key=lambda scan: (scan.roots, scan.number("start_utc_ns"), scan.identity()))
    merged = Scan(_facts(ordered))
    for scan in ordered:
        for key, one in scan.bins.items():
            merged.bins[key] = _sum(merged.bins[key], one) if key in merged.bins else one
        for name, (least, greatest) in scan.ranges.items():
            known = merged.ranges.get(name, (least, greatest))
            merged.ranges[name] = min(least, known[0]), max(greatest, known[1])
    problems = sorted(problem for scan in ordered for problem in scan.problems)
    merged.problems = problems[:_LISTED]
    unlisted = merged.number("unlisted_problems") + len(problems[_LISTED:])
    merged.facts["unlisted_problems"] = str(unlisted)
    return merged


def _facts(scans: Sequence[Scan]) -> dict[str, str]:
    names = {scan.file_system for scan in scans}
    hosts = sorted({host for scan in scans for host in scan.facts.get("host", "").split(", ") if host})
    facts = {
        "format_version": str(FORMAT),
        "headrace_version": _native.version,
        "root": "\0".join(sorted(root for scan in scans for root in scan.roots)),
        "file_system": names.pop() if len(names) == 1 else "",
        "host": ", ".join(hosts),
        "start_utc_ns": str(min(scan.number("start_utc_ns") for scan in scans)),
        "end_utc_ns": str(max(scan.number("end_utc_ns") for scan in scans)),
    }
    for name in COUNTS:
        numbers = [scan.number(name) for scan in scans]
        facts[name] = str(max(numbers) if name == "largest" else min(sum(numbers), MOST))
    facts["parts"] = str(sum(max(1, scan.number("parts")) for scan in scans))
    missing = [scan for scan in scans if not scan.complete]
    why = missing[0].facts.get("complete", "").removeprefix("no: ") if missing else ""
    facts["complete"] = f"no: {len(missing)} of {len(scans)} parts: {why}" if missing else "yes"
    return facts


def _sum(one: Bin, other: Bin) -> Bin:
    known = one.total is not None and other.total is not None
    total = max(-MOST - 1, min((one.total or 0) + (other.total or 0), MOST)) if known else None
    weighted = (one.weighted or 0.0) + (other.weighted or 0.0) if known else None
    return Bin(min(one.files + other.files, MOST), min(one.bytes + other.bytes, MOST), total, weighted)


def _check_apart(scans: Sequence[Scan]) -> None:
    """Of one file system. Two of different names may have the same paths, on different hosts."""
    known: list[tuple[str, str, str]] = []
    for scan in scans:
        # A file system without a name is called as its root, which says nothing of others.
        name = scan.facts.get("file_system", "")
        for root in scan.roots:
            for other_name, other_root, other in known:
                if (not name or not other_name or name == other_name) and _overlap(root, other_root):
                    raise UsageError(
                        f"{scan.path}: {root} and {other_root} of {other} overlap, and would count twice; "
                        "scans of different file systems need different names, by --file-system"
                    )
            known.append((name, root, scan.path))


def _overlap(one: str, other: str) -> bool:
    one, other = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return one.startswith(other) or other.startswith(one)
