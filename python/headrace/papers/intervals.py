"""Means and their 95 % intervals, by Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Estimate", "mean", "times"]

# Two-sided 95 % quantiles of Student's t by degrees of freedom, from 1, and of the normal distribution.
_T: tuple[float, ...] = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_T += (2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086)
_NORMAL = 1.959964


@dataclass(frozen=True)
class Estimate:
    """`low` and `high` are None where one run alone says nothing of how runs differ."""

    value: float
    low: float | None = None
    high: float | None = None


def mean(values: Sequence[float]) -> Estimate:
    """Of figures that are never below 0, as their interval is not. ValueError: there are none."""
    middle, half = _interval(values)
    return Estimate(middle) if half is None else Estimate(middle, max(0.0, middle - half), middle + half)


def times(better: Sequence[float], worse: Sequence[float]) -> Estimate | None:
    """How many times more the first are, each compared with the one of the same repetition: what slows a
    machine down for a while slows both. The geometric mean. None where a value is not above 0, or there are
    none."""
    pairs = list(zip(better, worse, strict=True))
    if not pairs or any(one <= 0 or other <= 0 for one, other in pairs):
        return None
    middle, half = _interval([math.log(one / other) for one, other in pairs])
    if half is None:
        return Estimate(math.exp(middle))
    return Estimate(math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def _interval(values: Sequence[float]) -> tuple[float, float | None]:
    number = len(values)
    if number == 0:
        raise ValueError("no values")
    middle = math.fsum(values) / number
    if number == 1:
        return middle, None
    variance = math.fsum((value - middle) ** 2 for value in values) / (number - 1)
    return middle, _quantile(number - 1) * math.sqrt(variance / number)


def _quantile(freedom: int) -> float:
    """Beyond the table by its series in 1 / freedom (Abramowitz and Stegun 26.7.5), to four digits."""
    if freedom <= len(_T):
        return _T[freedom - 1]
    z = _NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
