"""Quantiles and cumulative shares of small lists."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

__all__ = ["cumulative", "quantile", "share_below"]


def quantile(ordered: Sequence[float], part: float) -> float:
    """Of values in order, with linear interpolation between them (type 7 of Hyndman and Fan, 1996)."""
    if not ordered:
        raise ValueError("no values have no quantile")
    place = part * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    return low if low == high else min(max(low + (high - low) * (place - below), low), high)


def cumulative(weights: Sequence[float]) -> list[float]:
    """Running sums as shares of the whole; the last is exactly 1. Empty where all weights are 0."""
    whole = sum(weights)
    if whole <= 0:
        return []
    shares, running = [], 0.0
    for weight in weights:
        running += weight
        shares.append(min(1.0, running / whole))
    shares[-1] = 1.0
    return shares


def share_below(ordered: Sequence[float], limit: float) -> float:
    """The share of values in order that lie below a limit."""
    return bisect.bisect_left(ordered, limit) / len(ordered) if ordered else 0.0
