"""Groups of ranks by what they did in a phase, from several sides, and how well these groups agree."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from headrace.analysis.clusters import Clustering, cluster
from headrace.analysis.phase_features import KINDS, features
from headrace.analysis.phase_ranks import Member
from headrace.logs import JobLog


@dataclass(frozen=True)
class Groups:
    """A clustering of the members by one kind of feature."""

    kind: str
    found: Clustering

    def members_of(self, number: int) -> list[int]:
        """Numbers of the members whose nearest cluster it is, outliers among them."""
        return [row for row, assigned in enumerate(self.found.assigned) if assigned == number]

    def facts(self) -> dict[str, Any]:
        found = self.found
        return {
            "by": self.kind,
            "k": found.k,
            "sizes": found.sizes,
            "medoids": [found.table.names[row] for row in found.medoids] if found.table.names else [],
            "outliers": [found.table.names[row] for row in found.outliers] if found.table.names else [],
            "assigned": list(found.assigned),
        }


def all_groups(log: JobLog, who: list[Member], path: str, instance: int, moving: int) -> list[Groups]:
    """One clustering a kind of feature, of those that there are.

    `moving`: the instance whose bytes over time count, as there are none of all instances together.
    """
    groups = []
    for kind in KINDS:
        table = features(log, kind, who, path, moving if kind == "bandwidth" else instance)
        if table is not None:
            groups.append(Groups(kind, cluster(table, normalisation="none")))
    return groups


def crossings(groups: list[Groups]) -> list[dict[str, Any]]:
    """Each two clusterings: who is where in both, and their mutual information by the greater entropy.

    1: each tells the other; 0: they have nothing to do with each other; None: both have one group alone.
    """
    return [
        {
            "by": [one.kind, other.kind],
            "table": _table(one, other),
            "agreement": _agreement(list(one.found.assigned), list(other.found.assigned)),
        }
        for one, other in combinations(groups, 2)
    ]


def _table(one: Groups, other: Groups) -> list[list[int]]:
    counts = Counter(zip(one.found.assigned, other.found.assigned, strict=True))
    return [[counts[row, column] for column in range(other.found.k)] for row in range(one.found.k)]


def _agreement(one: list[int], other: list[int]) -> float | None:
    """Vinh, Epps and Bailey, JMLR 11 (2010): normalised by the maximum, chance is not taken out."""
    first, second = _entropy(Counter(one)), _entropy(Counter(other))
    if max(first, second) == 0:
        return None
    shared = first + second - _entropy(Counter(zip(one, other, strict=True)))
    return min(1.0, max(0.0, shared / max(first, second)))


def _entropy(counts: Counter[Any]) -> float:
    total = counts.total()
    return -math.fsum(n / total * math.log(n / total) for n in counts.values())
