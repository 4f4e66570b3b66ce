"""Times clustering beside the k-medoids of the package kmedoids, which gets k.

    python -m benchmarks.clustering.beside --rows 10000 100000 1000000

Each is timed in turn on the same table of 32 columns of floats and 5 clusters; medians of the processor
time. The loss is the mean Manhattan distance of a row to the nearest medoid. CLARA is run as Kaufman and
Rousseeuw (1990) have it: the best of five samples of 40 + 2k rows, each by FasterPAM, judged on all
rows. FasterPAM needs all distances, so it is run on 10,000 rows or fewer. Both use numpy for distances,
on one core.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

for threads in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[threads] = "1"

import headrace  # noqa: E402
import kmedoids  # noqa: E402
import numpy  # noqa: E402

K, COLUMNS = 5, 32


def table(rows: int) -> Any:
    random = numpy.random.default_rng(rows)
    centres = random.uniform(0, 20, (K, COLUMNS)).astype(numpy.float32)
    values = numpy.empty((rows, COLUMNS), numpy.float32)
    for begin in range(0, rows, 50_000):
        part = values[begin : begin + 50_000]
        part[:] = centres[random.integers(0, K, len(part))] + random.normal(0, 2, part.shape)
    return values


def distances(values: Any, points: Any) -> Any:
    """Of each row to each point."""
    result = numpy.empty((len(values), len(points)), numpy.float32)
    for begin in range(0, len(values), 50_000):
        part = values[begin : begin + 50_000]
        for at, point in enumerate(points):
            result[begin : begin + 50_000, at] = numpy.abs(part - point).sum(axis=1)
    return result


def loss(values: Any, medoids: Any) -> float:
    return float(distances(values, values[medoids]).min(axis=1).mean())


def ours(values: Any) -> Any:
    return headrace.cluster(values).medoids


def ours_with_k(values: Any) -> Any:
    return headrace.cluster(values, k=K, normalisation="none").medoids


def clara(values: Any) -> Any:
    random = numpy.random.default_rng(1)
    best, least = None, numpy.inf
    for _ in range(5):
        rows = random.choice(len(values), 40 + 2 * K, replace=False)
        sample = values[rows]
        found = kmedoids.fasterpam(distances(sample, sample), K, random_state=1)
        each = loss(values, rows[found.medoids])
        if each < least:
            best, least = rows[found.medoids], each
    return best


def fasterpam(values: Any) -> Any:
    return kmedoids.fasterpam(distances(values, values), K, random_state=1).medoids


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print("| rows | program | k | seconds of processor | loss |\n|---|---|---|---|---|")
    for rows in given.rows:
        values = table(rows)
        programs: dict[str, Callable[[Any], Any]] = {
            "headrace": ours,
            "headrace, k given": ours_with_k,
            "CLARA": clara,
        }
        if rows <= 10_000:
            programs["FasterPAM"] = fasterpam
        took: dict[str, list[float]] = {name: [] for name in programs}
        medoids: dict[str, Any] = {}
        for _ in range(given.rounds):
            for name, program in programs.items():
                began = time.process_time()
                medoids[name] = program(values)
                took[name].append(time.process_time() - began)
        for name in programs:
            seconds, mean = statistics.median(took[name]), loss(values, medoids[name])
            print(f"| {rows:,} | {name} | {len(medoids[name])} | {seconds:.3f} | {mean:.3f} |")


if __name__ == "__main__":
    main()
