"""Kinds of ranks that a program's ranks found themselves when it ended (`headrace run --cluster`)."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import Any

from headrace.logs import JobLog

Facts = dict[str, Any]

_FUNCTIONS = 3  # that are named of a cluster
_MOST_SECONDS = 1e12


def stood_for(log: JobLog) -> set[int]:
    """Processes of ranks that others stand for (`--reduce clusters`): the log has sums of what they did."""
    if not log.native.columns("clusters"):
        return set()
    rows = log.native.frame("clusters").rows(None, ["process", "kept"])
    return {row["process"] for row in rows if not row["kept"]}


def saved(log: JobLog) -> Facts | None:
    """How many ranks others stand for, and what the log would have of them; None where none does."""
    told = [value for key, value in log.job.items() if key.startswith("stood_for.")]
    found = [value.split() for value in told if re.fullmatch(r"\d{1,20} \d{1,20} \d{1,20}", value, re.ASCII)]
    sums = [sum(int(number) for number in column) for column in zip(*found, strict=True)]
    return dict(zip(("ranks", "records", "bytes"), sums, strict=True)) if sums and sums[0] else None


def end_clusters(log: JobLog) -> list[Facts]:
    """An entry a program and phase, that of the whole run first; none where ranks were not clustered.

    docs/clustering.md has the keys.
    """
    if not log.native.columns("clusters"):
        return []
    processes = log.native.frame("processes").rows(None, ["process", "rank", "instance"])
    who = {row["process"]: row for row in processes if row["rank"] >= 0}
    by_phase: dict[tuple[int, str], dict[int, Facts]] = defaultdict(dict)
    for row in log.native.frame("clusters").rows():
        if process := who.get(row["process"]):
            by_phase[process["instance"], str(row["phase"])][process["rank"]] = row
    stats: dict[tuple[int, str, int], list[Facts]] = defaultdict(list)
    for row in log.native.frame("cluster_stats").rows():
        stats[row["instance"], str(row["phase"]), row["cluster"]].append(row)
    # The run, then its phases in the order in which they were clustered: by time.
    return [_phase(key, ranks, stats) for key, ranks in by_phase.items()]


def _phase(
    key: tuple[int, str], ranks: dict[int, Facts], stats: dict[tuple[int, str, int], list[Facts]]
) -> Facts:
    instance, phase = key
    numbers = sorted({row["cluster"] for row in ranks.values()} | {of[2] for of in stats if of[:2] == key})
    return {
        "phase": phase or None,
        "instance": f"{instance:016x}",
        "ranks": len(ranks),
        "clusters": [_cluster(number, ranks, stats.get((*key, number), [])) for number in numbers],
        "outliers": sorted(rank for rank, row in ranks.items() if row["outlier"]),
        "missing": sorted(rank for rank, row in ranks.items() if row["missing"]),
        "stood_for": sum(not row["kept"] for row in ranks.values()),
    }


def _cluster(number: int, ranks: dict[int, Facts], stats: list[Facts]) -> Facts:
    members = sorted(rank for rank, row in ranks.items() if row["cluster"] == number and not row["outlier"])
    known = [row for row in stats if (_seconds(row["mean_s"]) or 0) > 0]
    longest = sorted(known, key=lambda row: -row["mean_s"])
    representatives = [row["representative"] for row in (*ranks.values(), *stats) if row["cluster"] == number]
    return {
        "cluster": number,
        "size": stats[0]["ranks"] if stats else len(members),
        "representative": representatives[0],
        "members": members,
        "functions": [
            {
                "layer": row["layer"],
                "function": row["function"],
                **{f"{key}_s": _seconds(row[f"{key}_s"]) for key in ("mean", "least", "most")},
                "variance_s2": _seconds(row["variance_s2"]),
            }
            for row in longest[:_FUNCTIONS]
        ],
    }


def _seconds(value: float) -> float | None:
    """None: not known, as of a cluster without members that are no outliers, or damaged."""
    return value if math.isfinite(value) and abs(value) < _MOST_SECONDS else None
