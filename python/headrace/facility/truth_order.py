"""The truth of jobs in order of their rates: boxes with quartiles, and ladders."""

from __future__ import annotations

from typing import Any

from headrace.facility.truth_coverage import ratio

__all__ = ["box", "rung", "rungs"]

_STEPS = 6  # jobs of a project that a ladder has


def rungs(jobs: int) -> list[int]:
    """The first, the last and four at equal distances between them; all where there are no more."""
    if jobs <= _STEPS:
        return list(range(jobs))
    return [-(-(jobs - 1) * step // (_STEPS - 1)) for step in range(_STEPS)]


def rung(rate: float, numbers: dict[str, int]) -> dict[str, Any]:
    """Which job it is, is not said: others may be as fast."""
    return {
        "processes": numbers["processes"],
        "nodes": numbers["nodes"],
        "mib_per_s_per_node": rate,
        "metadata_share": ratio(numbers["meta_ns"], numbers["all_ns"]),
        "io_share": ratio(numbers["busy_ns"], numbers["elapsed_ns"]),
        "key_direction": ("read", "write")[numbers["writes"]],
        "key_size": _size(numbers["size"]),
    }


def _size(bucket: int) -> str:
    if not bucket:
        return "0\u20131 B"
    unit = bucket // 10
    return f"≤ {1 << bucket % 10} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[unit]}"


def box(ordered: list[float]) -> dict[str, float]:
    """Quartiles between the two nearest values, as a continuous percentile of SQL has them."""

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (place - low)

    names = ("low", "q1", "median", "q3", "high")
    return {**{name: at(i / 4) for i, name in enumerate(names)}, "count": len(ordered)}
