"""The time of a phase in several runs: are they different?

Figures 3 to 6 of the paper on pF3D, and its "Hypothesis testing". A program goes on when its last rank is
done, so what is compared is the longest time of any rank in each instance. The test is that of Mann and
Whitney (1947), which asks nothing of the shape of times: how often an instance of one run takes longer than
one of the other. Instances that are not independent, as under a file system that is slow for a while, make
it too sure.
"""

from __future__ import annotations

import math
from itertools import combinations
from statistics import median
from typing import Any

from headrace._errors import UsageError

Facts = dict[str, Any]


def compare(runs: list[Facts], path: str) -> Facts:
    """Facts of runs (phase_facts) → times of the phase's instances in each, and a test of each two runs.

    Raises UsageError where a run has not enough of them.
    """
    samples = [_samples(run, path) for run in runs]
    for run, sample in zip(runs, samples, strict=True):
        if not sample:
            raise UsageError(f"{run['log']}: it has no instance of {path} to compare")
    return {
        "phase": path,
        "runs": [
            {"log": run["log"], "longest_ns": sample, "median_ns": median(sample)}
            for run, sample in zip(runs, samples, strict=True)
        ],
        "tests": [
            {"runs": [one, other], **mann_whitney(samples[one], samples[other])}
            for one, other in combinations(range(len(runs)), 2)
        ],
    }


def _samples(run: Facts, path: str) -> list[float]:
    phase = next((each for each in run["phases"] if each["phase"] == path), None)
    return [each["time_ns"]["most"] for each in phase["each"]] if phase else []


def mann_whitney(one: list[float], other: list[float]) -> Facts:
    """`longer`: the part of all pairs in which the first is longer, ties half; `p`: of both sides, normal
    approximation with ties and continuity; None where all are equal or a side has fewer than four."""
    n, m = len(one), len(other)
    above = math.fsum((a > b) + 0.5 * (a == b) for a in one for b in other)
    counts: dict[float, int] = {}
    for value in (*one, *other):
        counts[value] = counts.get(value, 0) + 1
    total = n + m
    ties = math.fsum(c**3 - c for c in counts.values()) / max(1, total * (total - 1))
    deviation = math.sqrt(max(0.0, n * m / 12 * (total + 1 - ties)))
    p = None
    if deviation > 0 and min(n, m) >= 4:
        p = math.erfc(max(0.0, abs(above - n * m / 2) - 0.5) / deviation / math.sqrt(2))
    return {
        "longer": above / (n * m),
        "p": p,
        "ratio_of_medians": median(one) / median(other) if median(other) else None,
    }
