"""Clusters whose columns go together, which lie across the columns, are skewed or have long tails.

    python -m benchmarks.clustering.shapes --seeds 20 --first 3000

Each kind of data has k = 1 … 9 clusters in 4 to 32 columns. Shown is how often k and the division
(adjusted Rand index of 0.99) are right, and how many rows are outliers. HDBSCAN runs beside on the same
data where scikit-learn is installed: on 2,048 rows, with columns divided by the range of their middle
90 %, min_cluster_size 20 and min_samples 5. It does not look for a single cluster, so k = 1 is left out
of its figures.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import headrace
import numpy

from benchmarks.clustering.made import rand_index

ROWS, CLUSTERS = 4000, (1, 2, 3, 4, 6, 9)
_APART = 3.2  # the distance of two centres in sums of the clusters' deviations along the best line between

Table = tuple[Any, Any]  # rows, and the cluster of each


def slower_rows(random: Any, k: int) -> Table:
    """Times of k behaviours, and a factor of each row's own: a slower node, another clock."""
    columns, ratio = int(random.choice([6, 10, 16, 32])), int(random.choice([1, 2, 3, 5, 8]))
    centres = _unlike(random, k, columns, 0.16 * (1 + ratio))
    truth = random.integers(0, k, ROWS)
    factor = numpy.exp(random.normal(0, 0.02 * ratio, (ROWS, 1)))
    return centres[truth] * factor * numpy.exp(random.normal(0, 0.02, (ROWS, columns))), truth


def times(random: Any, k: int) -> Table:
    """Deviations are a share of the value, so clusters are not equally wide."""
    columns = int(random.choice([6, 10, 16, 32]))
    centres, truth = _unlike(random, k, columns, 1.6), random.integers(0, k, ROWS)
    share = random.uniform(0.02, 0.25)
    return centres[truth] * numpy.exp(random.normal(0, share, (ROWS, columns))), truth


def few_causes(random: Any, k: int) -> Table:
    """All columns follow two causes, in each cluster alike."""
    columns = int(random.choice([6, 10, 16, 32]))
    centres, truth = _spread(random, k, columns), random.integers(0, k, ROWS)
    causes = random.normal(size=(ROWS, 2)) @ random.normal(size=(2, columns))
    return centres[truth] + causes + 0.5 * random.normal(size=(ROWS, columns)), truth


def ellipsoids(random: Any, k: int) -> Table:
    """Each turned its own way; axes of 0.3 to 3."""
    return _turned(random, k, int(random.choice([4, 8, 16, 32])), 0.3)


def long_ellipsoids(random: Any, k: int) -> Table:
    """The same with axes of 0.25 to 4, in few columns."""
    return _turned(random, k, int(random.choice([2, 3, 4, 6, 10])), 0.25)


def skewed(random: Any, k: int) -> Table:
    columns = int(random.choice([4, 8, 16, 32]))
    centres, truth = _spread(random, k, columns), random.integers(0, k, ROWS)
    shapes = (
        lambda size: random.gamma(2, 0.7, size),
        lambda size: random.exponential(1, size),
        lambda size: random.lognormal(0, 0.6, size),
    )
    deviations = shapes[random.integers(3)]((ROWS, columns))
    return centres[truth] + random.choice([-1, 1], columns) * deviations, truth


def long_tailed(random: Any, k: int) -> Table:
    """Student's t, of each column by itself or of the row."""
    columns, freedom = int(random.choice([4, 8, 16, 32])), int(random.choice([3, 4, 5]))
    centres, truth = _spread(random, k, columns), random.integers(0, k, ROWS)
    deviations = random.normal(size=(ROWS, columns))
    size = (ROWS, columns if random.random() < 0.5 else 1)
    return centres[truth] + deviations / numpy.sqrt(random.chisquare(freedom, size) / freedom), truth


KINDS: dict[str, Callable[[Any, int], Table]] = {
    "a factor of the row": slower_rows,
    "times": times,
    "two causes": few_causes,
    "ellipsoids": ellipsoids,
    "long ellipsoids": long_ellipsoids,
    "skewed": skewed,
    "long tails": long_tailed,
}


def made(kind: str, k: int, seed: int) -> Table:
    return KINDS[kind](numpy.random.default_rng([seed, k, sorted(KINDS).index(kind)]), k)


def _unlike(random: Any, k: int, columns: int, apart: float) -> Any:
    """Centres whose logarithms are so far apart in half of the columns, or in four."""
    width = 1.5
    while True:
        centres = numpy.exp(random.normal(0, width, (k, columns)))
        logs = numpy.log(centres)
        pairs = ((numpy.abs(logs[a] - logs[b]) > apart).sum() for a in range(k) for b in range(a))
        if all(count >= min(4, columns // 2) for count in pairs):
            return centres
        width *= 1.002


def _spread(random: Any, k: int, columns: int) -> Any:
    """Centres that are seven apart in half of the columns, or in four."""
    centres: list[Any] = []
    while len(centres) < k:
        each = random.uniform(0, 35, columns)
        if all((numpy.abs(each - other) >= 7).sum() >= min(4, columns // 2) for other in centres):
            centres.append(each)
    return numpy.array(centres)


def _turned(random: Any, k: int, columns: int, least: float) -> Table:
    shapes = []
    for _ in range(k):
        turned, _ = numpy.linalg.qr(random.normal(size=(columns, columns)))
        axes = numpy.exp(random.uniform(numpy.log(least), -numpy.log(least), columns))
        axes[0], axes[1] = least, 1 / least
        shapes.append(turned * axes)
    width = 8.0
    while True:
        centres = random.normal(0, width, (k, columns))
        if all(_apart(centres, shapes, a, b) for a in range(k) for b in range(a)):
            break
        width *= 1.02
    truth, rows = random.integers(0, k, ROWS), random.normal(size=(ROWS, columns))
    return numpy.array(
        [centres[each] + shapes[each] @ row for each, row in zip(truth, rows, strict=True)]
    ), truth


def _apart(centres: Any, shapes: list[Any], a: int, b: int) -> bool:
    both = [shapes[each] @ shapes[each].T for each in (a, b)]
    between = centres[a] - centres[b]
    line = numpy.linalg.solve(sum(both), between)
    return bool(line @ between >= _APART * sum((line @ each @ line) ** 0.5 for each in both))


def _ours(values: Any, seed: int) -> tuple[int, Any, int]:
    found = headrace.cluster(values, seed=seed)
    return found.k, numpy.asarray(found.assigned), len(found.outliers)


def _hdbscan(values: Any, seed: int) -> tuple[int, Any, int]:
    from sklearn.cluster import HDBSCAN

    low, high = numpy.quantile(values, [0.05, 0.95], axis=0)
    rows = numpy.random.default_rng(seed).choice(len(values), 2048, replace=False)
    scaled = values[rows] / (high - low)
    labels = HDBSCAN(min_cluster_size=20, min_samples=5, copy=True).fit_predict(scaled)
    whole = numpy.full(len(values), -1)
    whole[rows] = labels
    return int(labels.max()) + 1, whole, int((labels < 0).sum() * len(values) / 2048)


def _row(kind: str, name: str, find: Any, given: argparse.Namespace) -> str:
    right = alike = outliers = runs = 0
    began = time.process_time()
    for seed in range(given.first, given.first + given.seeds):
        for k in CLUSTERS[find is _hdbscan :]:
            values, truth = made(kind, k, seed)
            count, assigned, apart = find(values, seed)
            there = assigned >= 0
            runs += 1
            right += count == k
            alike += count > 0 and rand_index(assigned[there], truth[there]) >= 0.99
            outliers += apart
            if count != k and find is _ours:
                print(f"<!-- {kind}: k = {k}, found {count}, seed {seed} -->")
    seconds = (time.process_time() - began) / runs
    return (
        f"| {kind} | {name} | {runs} | {right / runs:.1%} | {alike / runs:.1%} "
        f"| {outliers / runs / ROWS:.2%} | {seconds:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=3000)
    given = parser.parse_args()
    programs = {"headrace": _ours}
    try:
        import sklearn.cluster  # noqa: F401

        programs["HDBSCAN"] = _hdbscan
    except ImportError:
        print("<!-- scikit-learn is not installed: no HDBSCAN beside -->")
    print("| data | program | runs | k right | division right | outliers | seconds with making |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for name, find in programs.items():
            print(_row(kind, name, find, given), flush=True)


if __name__ == "__main__":
    main()
