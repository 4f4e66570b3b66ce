"""Means and ratios of repeated runs, with their intervals."""

from __future__ import annotations

import math

import pytest
from headrace.papers.intervals import Estimate, mean, times
from hypothesis import given
from hypothesis import strategies as st

values = st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=40)


def test_one_run_has_no_interval() -> None:
    assert mean([4.0]) == Estimate(4.0)
    ratio = times([6.0], [3.0])
    assert ratio is not None and ratio.value == pytest.approx(2) and ratio.low is None


def test_students_t() -> None:
    # Of 1, 2, 3: standard deviation 1, standard error 1 / sqrt(3), t of two degrees of freedom 4.303.
    found = mean([1.0, 2.0, 3.0])
    assert found.value == 2 and found.high == pytest.approx(2 + 4.303 / math.sqrt(3))


def test_pairs_are_compared_with_each_other() -> None:
    # The machine was half as fast in the second repetition: that says nothing of the ratio.
    found = times([20.0, 10.0], [10.0, 5.0])
    assert found is not None and found.value == pytest.approx(2)
    assert found.low == pytest.approx(2) and found.high == pytest.approx(2)


@pytest.mark.parametrize(("better", "worse"), [([], []), ([0.0], [1.0]), ([1.0], [0.0])])
def test_no_ratio(better: list[float], worse: list[float]) -> None:
    assert times(better, worse) is None


@pytest.mark.parametrize(("number", "t"), [(21, 2.086), (22, 2.0796), (31, 2.042), (121, 1.980)])
def test_many_runs(number: int, t: float) -> None:
    found = mean([0.0, 2.0] * (number // 2) + [1.0] * (number % 2))
    deviation = math.sqrt(2 * (number // 2) / (number - 1))
    assert found.high is not None
    assert (found.high - found.value) / deviation * math.sqrt(number) == pytest.approx(t, abs=6e-4)


@given(values)
def test_intervals_are_around_their_means(sample: list[float]) -> None:
    found = mean(sample)
    assert found.low is not None and found.high is not None
    assert found.low <= found.value <= found.high
    assert min(sample) - 1e-6 <= found.value <= max(sample) + 1e-6


@given(values)
def test_ratios_turned_round_are_their_inverse(sample: list[float]) -> None:
    other = list(reversed(sample))
    one, turned = times(sample, other), times(other, sample)
    assert one is not None and turned is not None
    assert one.value * turned.value == pytest.approx(1)
