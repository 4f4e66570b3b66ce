"""Quantiles and cumulative shares, against their definitions."""

from __future__ import annotations

import statistics

import pytest
from headrace.study.distribution import cumulative, quantile, share_below
from hypothesis import given
from hypothesis import strategies as some

NUMBERS = some.lists(some.floats(0, 1e12), min_size=1, max_size=50)


@given(NUMBERS, some.floats(0, 1))
def test_a_quantile_lies_between_its_neighbours(values: list[float], part: float) -> None:
    ordered = sorted(values)
    found = quantile(ordered, part)
    assert ordered[0] <= found <= ordered[-1]
    assert quantile(ordered, 0) == ordered[0]
    assert quantile(ordered, 1) == ordered[-1]


@given(some.lists(some.integers(0, 10**6), min_size=2, max_size=50))
def test_quartiles_are_those_of_the_standard_library(values: list[int]) -> None:
    ordered = [float(value) for value in sorted(values)]
    expected = statistics.quantiles(ordered, n=4, method="inclusive")
    assert [quantile(ordered, part) for part in (0.25, 0.5, 0.75)] == pytest.approx(expected)


def test_nothing_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="no quantile"):
        quantile([], 0.5)


@given(some.lists(some.integers(0, 10**15), max_size=50))
def test_cumulative_shares_rise_to_one(weights: list[int]) -> None:
    shares = cumulative(weights)
    if sum(weights) == 0:
        assert shares == []
        return
    assert shares == sorted(shares)
    assert (len(shares), shares[-1]) == (len(weights), 1.0)


@given(NUMBERS, some.floats(0, 1e12))
def test_a_share_below_counts_smaller_values(values: list[float], limit: float) -> None:
    assert share_below(sorted(values), limit) == sum(value < limit for value in values) / len(values)
