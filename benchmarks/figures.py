"""The statistics of alternated runs: differences of pairs, their median, and how far to trust it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


def quantile(values: Sequence[float], fraction: float) -> float:
    """The value below which ``fraction`` of ``values`` lie, interpolated between neighbours."""
    if not values:
        raise ValueError("no values to take a quantile of")
    ordered = sorted(values)
    place = fraction * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def median(values: Sequence[float]) -> float:
    return quantile(values, 0.5)


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """An interval that holds the true median in at least 95 of 100 repetitions, from order statistics.

    It supposes nothing about the noise but that rounds are independent. Below six values no such interval
    exists: the whole range is returned.
    """
    ordered = sorted(values)
    count = len(ordered)
    cut = 0
    tail = 0.0
    for k in range(count // 2):
        tail += math.comb(count, k) / 2**count
        if tail > 0.025:
            break
        cut = k + 1
    if cut == 0:
        return ordered[0], ordered[-1]
    return ordered[cut - 1], ordered[count - cut]


@dataclass(frozen=True)
class Estimate:
    """A median with its interval and the middle half of the values."""

    median: float
    low: float
    high: float
    quarter: float
    three_quarters: float
    rounds: int


def estimate(values: Sequence[float]) -> Estimate:
    low, high = median_interval(values)
    return Estimate(median(values), low, high, quantile(values, 0.25), quantile(values, 0.75), len(values))


def paired(measured: Sequence[float], base: Sequence[float]) -> list[float]:
    """What ``measured`` adds to ``base``, round by round."""
    if len(measured) != len(base):
        raise ValueError(f"{len(measured)} measured rounds against {len(base)} base rounds: pairs are needed")
    return [m - b for m, b in zip(measured, base, strict=True)]


def verdict(value: Estimate, limit: float) -> str:
    """Whether a goal is met, in a word: beyond doubt, or inside the interval."""
    if value.high <= limit:
        return "met"
    if value.low > limit:
        return "missed"
    return "met, within noise" if value.median <= limit else "missed, within noise"
