"""What ranks did to files: operations, from which counters, traces and time lines are counted."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

RUN_S = 12  # a job's length

SIZES = (80, 1000, 4096, 47008, 65536, 1 << 20, 5 << 20)


@dataclass(frozen=True)
class Operation:
    writes: bool
    offset: int
    size: int
    start: float  # seconds since the job's start
    end: float


@dataclass(frozen=True)
class Use:
    """What one rank did to one file, from the open to the close."""

    rank: int
    opened: tuple[float, float]
    closed: tuple[float, float]
    operations: list[Operation] = field(default_factory=list)

    def of(self, writes: bool) -> list[Operation]:
        return [each for each in self.operations if each.writes == writes]

    @property
    def bytes(self) -> int:
        return sum(each.size for each in self.operations)

    @property
    def meta_s(self) -> float:
        return sum(end - start for start, end in (self.opened, self.closed))

    @property
    def seconds(self) -> float:
        return self.meta_s + sum(each.end - each.start for each in self.operations)


def use(
    rng: random.Random, rank: int, *, reads: int, writes: int, sizes: tuple[int, ...] = SIZES, first: int = 0,
    slower: float = 1,
) -> Use:  # fmt: skip
    """Writes and reads in a shuffled order, most of them one behind the other, all within the job's span."""
    clock = rng.uniform(0.1, 2)
    step = (RUN_S - 4) / (reads + writes + 2) / 2

    def span() -> tuple[float, float]:
        nonlocal clock
        start = clock + rng.uniform(0, step)
        clock = start + min(rng.uniform(1e-6, 4e-4) * slower, step)
        return start, clock

    opened = span()
    kinds = [True] * writes + [False] * reads
    rng.shuffle(kinds)
    common, next_at = rng.sample(sizes, min(2, len(sizes))), [first, first]
    operations = []
    for kind in kinds:
        size = rng.choice(common) if rng.random() < 0.8 else rng.choice(sizes)
        next_at[kind] += rng.choice((0, 0, 0, 4096))
        operations.append(Operation(kind, next_at[kind], size, *span()))
        next_at[kind] += size
    return Use(rank, opened, span(), operations)
