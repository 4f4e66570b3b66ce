"""How many spans a phase's bandwidth needs so that ranks with other patterns over time are told apart.

python -m benchmarks.clustering.resolution

Made ranks, 64 of each of six patterns that move the same bytes; every burst is moved and its height changed
by chance. What the recorder keeps of each (64 bins at most) is brought to so many spans, as `headrace phases`
does, and clustered.
"""

from __future__ import annotations

import argparse
import random
import statistics
from unittest import mock

import numpy
from headrace.analysis import phase_features
from headrace.analysis.clusters import cluster
from headrace.analysis.point_tables import PointTable

from benchmarks.clustering.made import rand_index

PATTERNS: dict[str, list[tuple[float, float]]] = {  # (begin, end) of bursts, as parts of the phase
    "steady": [(0.0, 1.0)],
    "at once": [(0.0, 0.2)],
    "late": [(0.8, 1.0)],
    "two bursts": [(0.1, 0.2), (0.6, 0.7)],
    "four bursts": [(n / 4, n / 4 + 0.05) for n in range(4)],
    "eight bursts": [(n / 8, n / 8 + 0.04) for n in range(8)],
}
BINS = 64
PHASE_NS = 64_000_000


def recorded(pattern: str, shift: float, chance: random.Random) -> list[int]:
    """Bytes in the recorder's bins."""
    bursts = [
        (begin + chance.gauss(0, shift), end + chance.gauss(0, shift) / 4) for begin, end in PATTERNS[pattern]
    ]
    weights = [0.0] * BINS
    for begin, end in bursts:
        low, high = max(0.0, min(begin, 0.98)), min(1.0, max(end, begin + 0.01))
        height = chance.uniform(0.9, 1.1)
        for number in range(BINS):
            covered = min(high, (number + 1) / BINS) - max(low, number / BINS)
            weights[number] += max(0.0, covered) * height
    whole = sum(weights) or 1.0
    return [int(weight / whole * (64 << 20)) for weight in weights]


def quality(spans: int, shift: float, seed: int) -> tuple[int, float]:
    """(clusters found, adjusted Rand index)."""
    chance = random.Random(seed)
    truth = [number for number in range(len(PATTERNS)) for _ in range(64)]
    rows = [
        {
            "process": rank,
            "direction": "write",
            "start_at_ns": number * PHASE_NS // BINS,
            "width_ns": PHASE_NS // BINS,
            "bytes": moved,
        }
        for rank, pattern in enumerate(truth)
        for number, moved in enumerate(recorded(list(PATTERNS)[pattern], shift, chance))
    ]
    with mock.patch.object(phase_features, "SPANS", spans):
        columns = phase_features.bandwidth(rows, {rank: rank for rank in range(len(truth))})
    values = memoryview(bytearray(8 * len(truth) * len(columns))).cast("d")
    for at, column in enumerate(columns.values()):
        for rank, value in enumerate(column):
            values[rank * len(columns) + at] = value
    found = cluster(PointTable(values, True, len(truth), list(columns)), seed=seed, normalisation="none")
    return found.k, rand_index(numpy.asarray(found.assigned), numpy.asarray(truth))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    shifts = (0.005, 0.02, 0.05)
    print("| spans |", " | ".join(f"bursts moved by {shift:.1%}" for shift in shifts), "|")
    print("|---|" + "---|" * len(shifts))
    for spans in (2, 4, 8, 16, 32, 64):
        cells = []
        for shift in shifts:
            runs = [quality(spans, shift, seed) for seed in range(1, options.seeds + 1)]
            index = statistics.mean(run[1] for run in runs)
            cells.append(f"{index:.2f}, k {statistics.mean(run[0] for run in runs):.1f}")
        print(f"| {spans} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
