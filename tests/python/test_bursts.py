"""Bursts in series: those that are there are found, and none that chance or steady work made."""

from __future__ import annotations

import random

import pytest
from headrace.analysis.bursts import alike, bursts, is_regular
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 1 << 30),
    count=st.integers(2, 8),
    length=st.integers(1, 7),
    quiet=st.integers(4, 14),
    noise=st.sampled_from([0.0, 0.001, 0.01]),
)
def test_bursts_are_where_they_were_put(seed: int, count: int, length: int, quiet: int, noise: float) -> None:
    chance = random.Random(seed)
    values = [noise * chance.random() for _ in range(count * (length + quiet) + 60)]
    wanted = []
    for number in range(count):
        begin = 5 + number * (length + quiet)
        wanted.append((begin, begin + length))
        values[begin : begin + length] = [chance.uniform(0.5, 1) for _ in range(length)]
    found = bursts(values)
    assert (found.runs, found.why_not) == (wanted, None)
    for (begin, end), (first, last) in zip(found.runs, found.edges(values), strict=True):
        assert 0 <= begin - first <= 1
        assert 0 <= last - end <= 1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1e15), min_size=1, max_size=220), st.floats(1e-3, 1e6))
def test_runs_are_apart_and_do_not_depend_on_the_unit(values: list[float], unit: float) -> None:
    found = bursts(values)
    assert bool(found.runs) == (found.why_not is None)
    edges = [0, *(edge for run in found.edges(values) for edge in run), len(values)]
    assert edges == sorted(edges)
    assert all(begin < end for begin, end in found.runs)
    assert all(sum(values[begin:end]) > 0 for begin, end in found.runs)
    doubled = bursts([2.0 * value for value in values])
    assert (doubled.runs, doubled.why_not) == (found.runs, found.why_not)


@pytest.mark.parametrize("mean", [0.3, 0.5, 1, 2, 5])
def test_steady_work_of_few_operations_a_bin_is_no_burst(mean: float) -> None:
    said = set()
    for seed in range(40):
        chance = random.Random(seed)
        values, at = [0.0] * 160, chance.expovariate(mean)
        while at < len(values):
            values[int(at)] += 1
            at += chance.expovariate(mean)
        found = bursts(values)
        said.add(found.why_not)
        assert not found.runs, (seed, found)
    assert said <= {"continuous", "coarse", "irregular"}


@pytest.mark.parametrize("count", [8, 13])
def test_a_few_writes_at_times_of_their_own_are_no_bursts(count: int) -> None:
    for seed in range(40):
        chance = random.Random(seed)
        values = [0.0] * 150
        for at in chance.sample(range(150), count):
            values[at] = 4096.0
        assert bursts(values).why_not in ("irregular", "coarse"), seed
    regular = [4096.0 if at % 15 == 3 else 0.0 for at in range(150)]
    assert len(bursts(regular).runs) == 10


@given(st.lists(st.floats(0.2, 1), min_size=8, max_size=200))
def test_continuous_work_is_no_burst_however_it_varies(values: list[float]) -> None:
    assert bursts(values).why_not == "continuous"


def test_work_that_pauses_for_a_bin_is_one_burst() -> None:
    values = [0.0] * 50 + [1.0] * 8 + [0.0] + [1.0] * 8 + [0.0] * 50
    assert bursts(values).runs == [(50, 67)]


def test_small_bursts_beside_large_ones_are_found_as_well() -> None:
    values = [0.0] * 120
    values[0:2] = [1000.0, 1000.0]
    for begin in range(20, 120, 20):
        values[begin] = 10.0
    assert bursts(values).runs == [(0, 2), *((begin, begin + 1) for begin in range(20, 120, 20))]


def test_nothing_is_told_of_little() -> None:
    assert bursts([]).why_not == "nothing"
    assert bursts([0.0] * 100).why_not == "nothing"
    assert bursts([0.0, 1, 0, 0, 1]).why_not == "short"
    assert bursts([1.0, 0] * 50).why_not == "coarse"


def test_bursts_of_alike_bytes_are_one_phase() -> None:
    assert alike([100, 10, 110, 9, 1000, 90]) == [[3, 1], [5, 0, 2], [4]]
    assert is_regular([20, 21, 20, 3]) and not is_regular([1, 5, 20]) and not is_regular([7])
