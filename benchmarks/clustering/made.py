"""Tables whose clusters are known.

Centres are six standard deviations or more apart in four columns; one row straggles in a single column,
by 12 standard deviations (20 of Laplace rows); a group of 20 rows is smaller than one in a hundred;
noise lies anywhere in the range of the clusters and a quarter beyond.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

NOISE, GROUP_ROWS = -1, 20
KINDS = {
    "normal": {},
    "normal, 1 % noise": {"noise": 0.01},
    "normal, 2 % noise": {"noise": 0.02},
    "Laplace, 1 % noise": {"shape": "laplace", "noise": 0.01},
    "anisotropic, 1 % noise": {"anisotropic": True, "noise": 0.01},
    "unequal, 1 % noise": {"unequal": True, "noise": 0.01},
    "identical rows, 1 % noise": {"shape": "same", "noise": 0.01},
    "constant columns, 1 % noise": {"constant": 4, "noise": 0.01},
}


@dataclass(frozen=True)
class Made:
    values: Any
    truth: Any  # the cluster of each row; NOISE; k is the group
    straggler: int
    k: int


def made(
    k: int,
    seed: int,
    *,
    rows: int = 5000,
    shape: str = "normal",
    noise: float = 0.0,
    anisotropic: bool = False,
    unequal: bool = False,
    constant: int = 0,
) -> Made:
    random = numpy.random.default_rng([seed, k])
    columns = int(random.choice([4, 8, 16, 32]))
    scale = (
        numpy.exp(random.normal(0, 1.5, columns))
        if anisotropic
        else numpy.full(columns, random.uniform(0.1, 10))
    )
    centres = _centres(random, k + 1, columns)
    weights = random.uniform(1, 20, k) if unequal else numpy.ones(k)
    weights = numpy.maximum(weights / weights.sum(), 0.015)  # a cluster has one row in a hundred at least
    truth = random.choice(k, rows, p=weights / weights.sum())
    truth[:GROUP_ROWS] = k
    values = centres[truth] + _deviations(random, shape, (rows, columns))
    lost = numpy.flatnonzero(random.random(rows) < noise)
    lost = lost[lost >= GROUP_ROWS]
    low, high = centres.min(axis=0) - 3, centres.max(axis=0) + 3
    margin = (high - low) / 4
    values[lost] = random.uniform(low - margin, high + margin, (len(lost), columns))
    truth[lost] = NOISE
    straggler = int(random.choice(numpy.flatnonzero((truth >= 0) & (truth < k))))
    far = 20 if shape == "laplace" else 12
    values[straggler, random.integers(columns)] += far * random.choice([-1, 1])
    still = numpy.full((rows, constant), 7.0)
    return Made(
        numpy.hstack([values * scale + random.uniform(-100, 100, columns), still]), truth, straggler, k
    )


def _centres(random: Any, count: int, columns: int) -> Any:
    """Half of the coordinates lie on a grid of just more than six: some centres are no further apart."""
    if columns < 8:  # few columns have to tell all of them apart
        return numpy.array([6.1 * random.permutation(count) for _ in range(columns)]).T
    centres: list[Any] = []
    while len(centres) < count:
        grid = 6.1 * random.integers(0, 5, columns)
        each = numpy.where(random.random(columns) < 0.5, grid, random.uniform(0, 25, columns))
        if all((numpy.abs(each - other) >= 6).sum() >= 4 for other in centres):
            centres.append(each)
    return numpy.array(centres)


def _deviations(random: Any, shape: str, size: tuple[int, int]) -> Any:
    if shape == "same":
        return numpy.zeros(size)
    return random.laplace(0, 0.5**0.5, size) if shape == "laplace" else random.normal(size=size)


def rand_index(a: Any, b: Any) -> float:
    """How alike two divisions are, 1 when equal (adjusted Rand index)."""
    _, a = numpy.unique(a, return_inverse=True)
    _, b = numpy.unique(b, return_inverse=True)
    table = numpy.zeros((a.max() + 1, b.max() + 1))
    numpy.add.at(table, (a, b), 1)

    def pairs(counts: Any) -> float:
        return float((counts * (counts - 1) / 2).sum())

    together, one, other = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    chance, most = one * other / (len(a) * (len(a) - 1) / 2), (one + other) / 2
    return 1.0 if most == chance else (together - chance) / (most - chance)
