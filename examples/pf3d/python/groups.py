"""I/O groups: a leader writes for all its members. A group is a list of ranks, the leader first."""

from __future__ import annotations

from pathlib import Path


def contiguous(ranks: int, size: int) -> list[list[int]]:
    """One rank after the other."""
    return [list(range(first, min(first + size, ranks))) for first in range(0, ranks, size)]


def topology_aware(pset_of_rank: list[int], size: int) -> list[list[int]]:
    """Each I/O node gets as many leaders as the others, and groups lie within its set of processes (pset)."""
    psets = [
        [rank for rank, pset in enumerate(pset_of_rank) if pset == each] for each in sorted(set(pset_of_rank))
    ]
    leaders = -(-max(map(len, psets)) // size)
    groups = []
    for ranks in psets:
        number = min(leaders, len(ranks))
        bounds = [len(ranks) * each // number for each in range(number + 1)]
        groups += [ranks[bounds[each] : bounds[each + 1]] for each in range(number)]
    return groups


def read_psets(path: Path, ranks: int) -> list[int]:
    """The pset of each rank, from lines "RANK PSET"; text behind # is passed over."""
    lines = (line.partition("#")[0].split() for line in path.read_text().splitlines())
    psets = {int(rank): int(pset) for rank, pset in filter(None, lines)}
    missing = [rank for rank in range(ranks) if rank not in psets]
    if missing:
        raise SystemExit(f"{path}: has no pset of rank {missing[0]}")
    return [psets[rank] for rank in range(ranks)]
