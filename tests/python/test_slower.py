"""Slow ranks are found, and equal ranks that chance makes differ are not."""

from __future__ import annotations

import random

import pytest
from headrace.analysis.slower import slower

RANKS, INSTANCES, MS = 16, 8, 1_000_000


def times(chance: random.Random, factors: dict[int, float], instances: int = INSTANCES) -> list[list[float]]:
    """In each instance some rank is interrupted for long, as on a busy machine."""
    return [
        [
            MS * factors.get(rank, 1.0) * chance.uniform(0.8, 1.2)
            + MS * chance.choice([0, 0, 0, 0, 0, 0, 0, 8])
            for _ in range(instances)
        ]
        for rank in range(RANKS)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_equal_ranks_are_not_slow(seed: int) -> None:
    assert slower(times(random.Random(seed), {}), 10 * MS) == ([], 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_slow_ranks_are_named_and_no_others(seed: int) -> None:
    found, longer = slower(times(random.Random(seed), {5: 6.0, 11: 5.0}), 10 * MS)
    assert found == [5, 11]
    assert 3.5 * MS < longer < 10 * MS


def test_little_of_the_phase_is_not_slow() -> None:
    assert slower(times(random.Random(1), {5: 3.0}), 100 * MS) == ([], 0.0)


def test_a_single_instance_needs_a_gap() -> None:
    assert slower([[1.0 * MS], [1.2 * MS], [1.4 * MS], [9.0 * MS], [1.1 * MS]], 10 * MS)[0] == [3]
    assert slower([[1.0 * MS], [2.0 * MS], [3.5 * MS], [4.5 * MS], [1.1 * MS]], 10 * MS)[0] == []


def test_most_are_no_exception() -> None:
    assert slower([[1.0 * MS]] * 3 + [[9.0 * MS]] * 5, 10 * MS) == ([], 0.0)
    assert slower([], 0.0) == ([], 0.0)
