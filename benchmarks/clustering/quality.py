"""What clustering finds in made data, as a table.

    python -m benchmarks.clustering.quality --seeds 100 --first 1000

For each kind of data, k = 1 … 12 and each seed: is the number of clusters of one row in a hundred or
more right, is the division that of the truth (adjusted Rand index of 0.99 on what is not noise), are the
small group and the straggler found, and how many rows are outliers that are neither noise nor the
straggler.
"""

from __future__ import annotations

import argparse
from typing import Any

import headrace
import numpy

from benchmarks.clustering.made import GROUP_ROWS, KINDS, NOISE, Made, made, rand_index

CLUSTERS = range(1, 13)


def judge(table: Made, found: headrace.Clustering) -> dict[str, float]:
    assigned, outliers = numpy.asarray(found.assigned), set(found.outliers)
    real = table.truth != NOISE
    large = sum(size >= 0.008 * len(table.truth) for size in found.sizes)  # noise takes of a cluster of 1 %
    group = assigned[:GROUP_ROWS]
    label = numpy.bincount(group).argmax()
    false = sum(table.truth[row] != NOISE and row != table.straggler for row in outliers)
    return {
        "k": large == table.k,
        "division": rand_index(assigned[real], table.truth[real]) >= 0.99,
        "group": (group == label).sum() >= 0.8 * GROUP_ROWS and found.sizes[label] <= 2 * GROUP_ROWS,
        "straggler": table.straggler in outliers,
        "false": false / int(real.sum()),
        "seconds": found.seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=5000)
    given = parser.parse_args()
    print("| data | runs | k right | division right | small group | straggler | false outliers | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, options in KINDS.items():
        shown = _measure(kind, options, given)
        print(f"| {kind} | " + " | ".join(shown) + " |", flush=True)


def _measure(kind: str, options: dict[str, Any], given: argparse.Namespace) -> list[str]:
    rows = []
    for seed in range(given.first, given.first + given.seeds):
        for k in CLUSTERS:
            table = made(k, seed, rows=given.rows, **options)
            rows.append(judge(table, headrace.cluster(table.values, seed=seed)))
            if not rows[-1]["k"]:
                print(f"<!-- {kind}: k = {k}, seed {seed} -->")
    means = {name: float(numpy.mean([row[name] for row in rows])) for name in rows[0]}
    shares = [f"{means[name]:.2%}" for name in ("k", "division", "group", "straggler")]
    return [str(len(rows)), *shares, f"{means['false']:.4%}", f"{means['seconds']:.3f}"]


if __name__ == "__main__":
    main()
