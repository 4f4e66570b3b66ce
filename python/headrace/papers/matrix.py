"""The runs of a paper: each case of each table, as often as asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from headrace.papers.paper import Case, Manner, Paper, Table

__all__ = ["Run", "runs_of"]


@dataclass(frozen=True)
class Run:
    """`key` is the same for the same words, ranks and repetition, whenever it is made."""

    table: Table
    case: Case
    repetition: int
    manner: Manner = field(default_factory=Manner)

    @property
    def words(self) -> list[str]:
        """What `headrace bench` is given; files go where the caller says."""
        return [*self.table.words, *self.case.words, "--seed", str(self.repetition + 1), "--json", "--quiet"]

    @property
    def key(self) -> str:
        said = json.dumps([self.table.ranks, *self.words])
        return hashlib.sha256(said.encode()).hexdigest()[:16]


def runs_of(paper: Paper, repeats: int) -> Iterator[Run]:
    """All cases once, then all once more: what changes on the machine meanwhile changes all cases alike."""
    for repetition in range(repeats):
        for table in paper.tables:
            for case in table.cases:
                yield Run(table, case, repetition, paper.manner)
