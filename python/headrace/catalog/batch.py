"""What is committed at once: rows of several sources, of which each is in a catalog at most once."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.catalog import commits, parts
from headrace.catalog.commits import Part, State
from headrace.catalog.schema import arrow_schema

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class Source:
    """`id` is a hash of the content, by which it is known again wherever it lies."""

    id: str
    path: str
    kind: str
    bytes: int


@dataclass
class Batch:
    """Sources with their rows, the latter in groups: those of one source, or of many at once.

    A group of many sources comes with a function that leaves some of them out.
    """

    sources: dict[str, Source] = field(default_factory=dict)
    groups: list[_Group] = field(default_factory=list)

    def add(self, source: Source, tables: Mapping[str, pyarrow.Table]) -> None:
        rows = {name: parts.conform(name, table) for name, table in tables.items()}
        self.add_many([source], rows, lambda _: {})

    def add_many(
        self,
        sources: list[Source],
        tables: Mapping[str, pyarrow.Table],
        without: Callable[[set[str]], Mapping[str, pyarrow.Table]],
    ) -> None:
        """Tables of the schema's columns; `without` gives those that are left when sources are left out."""
        self.sources |= {source.id: source for source in sources}
        self.groups.append(_Group({source.id for source in sources}, tables, without))

    def rows(self) -> int:
        return sum(table.num_rows for group in self.groups for table in group.tables.values())


@dataclass
class _Group:
    sources: set[str]
    tables: Mapping[str, pyarrow.Table]
    without: Callable[[set[str]], Mapping[str, pyarrow.Table]]


@dataclass(frozen=True)
class Added:
    """What a commit added."""

    state: State
    sources: set[str]
    rows: int


class Known:
    """Ids of the sources that a catalog has; reads each part of them once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: set[str] = set()
        self.ids: set[str] = set()

    def update(self, state: State) -> set[str]:
        """Raises CatalogError."""
        for part in state.of("sources"):
            if part.path not in self._read:
                self._read.add(part.path)
                self.ids.update(parts.read(self._root, part, ["source"])["source"].to_pylist())
        return self.ids


def add_batch(root: Path, state: State, batch: Batch, known: Known | None = None) -> Added:
    """Commits what the catalog does not have of a batch. Raises CatalogError and OutputError."""
    known = known or Known(root)
    written: list[Part] = []
    left: set[str] | None = None
    while True:
        state = commits.refresh(root, state)
        fresh = set(batch.sources) - known.update(state)
        if not fresh:
            _forget(root, written)
            return Added(state, set(), 0)
        if fresh != left:  # the first time, or somebody else added some of them meanwhile
            _forget(root, written)
            written, left = _write(root, batch, fresh), fresh
        after = commits.publish(root, state, written)
        if after is not None:
            return Added(after, fresh, sum(part.rows for part in written if part.table != "sources"))


def _write(root: Path, batch: Batch, fresh: set[str]) -> list[Part]:
    import pyarrow

    found: dict[str, list[pyarrow.Table]] = {}
    for group in batch.groups:
        old = group.sources - fresh
        for name, table in (group.without(old) if old else group.tables).items():
            found.setdefault(name, []).append(table)
    now = datetime.datetime.now(datetime.timezone.utc)
    rows = [batch.sources[source] for source in sorted(fresh)]
    sources = {
        "source": [row.id for row in rows],
        "path": [row.path for row in rows],
        "kind": [row.kind for row in rows],
        "bytes": [row.bytes for row in rows],
        "added": [now] * len(rows),
    }
    found["sources"] = [pyarrow.table(sources, schema=arrow_schema("sources"))]
    return [
        part
        for name, tables in found.items()
        for part in parts.write(root, name, pyarrow.concat_tables(tables))
    ]


def _forget(root: Path, written: list[Part]) -> None:
    for part in written:
        (root / part.path).unlink(missing_ok=True)
