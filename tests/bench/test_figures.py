"""The statistics of the benchmark driver."""

from __future__ import annotations

import math

import pytest

from benchmarks.figures import Estimate, estimate, median, median_interval, paired, quantile, verdict


def test_quantiles_are_interpolated_and_order_does_not_matter() -> None:
    assert quantile([4, 1, 3, 2], 0.5) == 2.5
    assert quantile([10, 20], 0.25) == 12.5
    assert median([7]) == 7
    with pytest.raises(ValueError, match="no values"):
        median([])


def test_pairs_cancel_what_both_runs_share() -> None:
    noise = [100.0, 900.0, 500.0, 300.0]
    assert paired([n + 25 for n in noise], noise) == [25, 25, 25, 25]
    with pytest.raises(ValueError, match="3 measured rounds against 4"):
        paired([1, 2, 3], noise)


@pytest.mark.parametrize(("count", "outside"), [(6, 0), (9, 1), (15, 3), (25, 7)])
def test_the_interval_of_the_median_is_the_narrowest_with_95_percent(count: int, outside: int) -> None:
    values = [float(v) for v in range(count)]
    assert median_interval(values) == (outside, count - 1 - outside)
    below = sum(math.comb(count, k) for k in range(outside + 1)) / 2**count
    assert below <= 0.025
    assert below + math.comb(count, outside + 1) / 2**count > 0.025


def test_few_values_give_their_whole_range() -> None:
    assert median_interval([3, 1, 2]) == (1, 3)
    assert median_interval([5]) == (5, 5)


def test_an_estimate_is_not_moved_by_an_outlier() -> None:
    value = estimate([20, 21, 19, 20, 22, 18, 20, 21, 5000])
    assert value.median == 20
    assert value.high < 30
    assert value.rounds == 9


def between(low: float, middle: float, high: float) -> Estimate:
    return Estimate(middle, low, high, low, high, 9)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (between(20, 22, 25), "met"),
        (between(20, 24, 28), "met, within noise"),
        (between(20, 26, 28), "missed, within noise"),
        (between(26, 27, 28), "missed"),
    ],
)
def test_a_verdict_owns_up_to_noise(value: Estimate, word: str) -> None:
    assert verdict(value, 25) == word
