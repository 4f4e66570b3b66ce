"""Reads what the measured programs print."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.figures import median


class OutputError(Exception):
    """A measured program printed something else than its figures."""


@dataclass(frozen=True)
class ProcessTime:
    """One process from start to end; ``exit_ns`` runs from the end of main, or is None."""

    wall_ns: int
    cpu_ns: int
    exit_ns: int | None


def _fields(text: str, keyword: str, count: int) -> list[list[int]]:
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        try:
            if len(words) != count + 1 or words[0] != keyword:
                raise ValueError
            rows.append([int(word) for word in words[1:]])
        except ValueError:
            problem = f"line {number}: {line!r} is not '{keyword}' and {count} whole numbers"
            raise OutputError(problem) from None
    if not rows:
        raise OutputError(f"no '{keyword}' line")
    return rows


@dataclass(frozen=True)
class Batch:
    """CPU ns per operation, through the C library and directly."""

    cost: float
    reference: float


def batches(text: str) -> list[Batch]:
    """Every batch but the first, which warms up."""
    rows = _fields(text, "batch", 3)
    if len(rows) < 2:
        raise OutputError("a single batch: the first one only warms up")
    if any(operations < 1 for operations, _, _ in rows):
        raise OutputError("a batch of no operations")
    return [Batch(cpu / count, reference / count) for count, cpu, reference in rows[1:]]


def operations(text: str) -> int:
    """Of all batches, the first one's too."""
    return sum(count for count, _, _ in _fields(text, "batch", 3))


def beyond_reference(text: str) -> dict[str, float]:
    """The figures of one run, in CPU ns per operation.

    "beyond" is what the call through the C library costs more than the direct one, the median of the calmest
    quarter of batches (those whose two parts cost least): the noise of a busy machine only ever adds.
    "beyond-all" is the same of all batches: calm ones are those in which threads did not hinder each other.
    "fastest" is the cost of the fastest batch and "typical" that of the median one, both as they stand.
    """
    measured = batches(text)
    calmest = sorted(measured, key=lambda batch: batch.cost + batch.reference)
    calmest = calmest[: max(1, len(calmest) // 4)]
    return {
        "beyond": median([b.cost - b.reference for b in calmest]),
        "beyond-all": median([b.cost - b.reference for b in measured]),
        "fastest": min(b.cost for b in measured),
        "typical": median([b.cost for b in measured]),
    }


def process_times(text: str) -> list[ProcessTime]:
    return [
        ProcessTime(wall, cpu, exit_ns if exit_ns >= 0 else None)
        for wall, cpu, exit_ns in _fields(text, "process", 3)
    ]


def median_times(text: str) -> dict[str, float]:
    """Medians over the processes of one round, in ms, under "wall", "cpu" and, where known, "exit"."""
    times = process_times(text)
    medians = {
        "wall": median([t.wall_ns / 1e6 for t in times]),
        "cpu": median([t.cpu_ns / 1e6 for t in times]),
    }
    exits = [t.exit_ns / 1e6 for t in times if t.exit_ns is not None]
    if exits:
        medians["exit"] = median(exits)
    return medians
