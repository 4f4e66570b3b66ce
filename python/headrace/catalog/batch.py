"""What is committed at once: rows of several sources, of which each is in a catalog at most once."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.catalog import commits, locks, outdated, parts
from headrace.catalog.commits import Part, State
from headrace.catalog.schema import arrow_schema
from headrace.catalog.source import Source

if TYPE_CHECKING:
    import pyarrow


@dataclass
class Batch:
    """Sources with their rows, the latter in groups: those of one source, or of many at once.

    A group of many sources comes with a function that leaves some of them out.
    """

    sources: dict[str, Source] = field(default_factory=dict)
    groups: list[_Group] = field(default_factory=list)

    def add(self, source: Source, tables: Mapping[str, pyarrow.Table]) -> None:
        rows = {name: parts.conform(name, table) for name, table in tables.items()}
        if source.kind == outdated.KIND:
            rows = {name: _of_source(table, source) for name, table in rows.items()}
        for name, table in rows.items():
            parts.check(name, table)
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


def _of_source(table: pyarrow.Table, source: Source) -> pyarrow.Table:
    import pyarrow

    place = table.column_names.index("source")
    ids = pyarrow.array([source.id] * table.num_rows, pyarrow.string())
    return table.set_column(place, table.field(place), ids)


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
        self._of: dict[str, list[str]] = {}  # by part
        self.ids: set[str] = set()

    def update(self, state: State) -> set[str]:
        """Raises CatalogError."""
        there = state.of("sources")
        if gone := self._of.keys() - {part.path for part in there}:
            # Put together with others, or rewritten without those that are outdated.
            self._of = {path: ids for path, ids in self._of.items() if path not in gone}
            self.ids = {source for ids in self._of.values() for source in ids}
        for part in there:
            if part.path not in self._of:
                self._of[part.path] = parts.read(self._root, part, ["source"])["source"].to_pylist()
                self.ids.update(self._of[part.path])
        return self.ids


def add_batch(root: Path, state: State, batch: Batch, known: Known | None = None) -> Added:
    """Commits what the catalog does not have of a batch. Raises CatalogError and OutputError."""
    with locks.writing(root):
        return _add_batch(root, state, batch, known or Known(root))


def _add_batch(root: Path, state: State, batch: Batch, known: Known) -> Added:
    written: list[Part] = []
    left: set[str] | None = None
    while True:
        state = commits.refresh(root, state)
        fresh = set(batch.sources) - known.update(state)
        if not fresh:
            _forget(root, state, written)
            return Added(state, set(), 0)
        if fresh != left:  # the first time, or somebody else added some of them meanwhile
            _forget(root, state, written)
            written, left = _write(root, batch, fresh), fresh
        old = outdated.find(root, state, (batch.sources[source] for source in fresh))
        instead, removed = outdated.rewrite(root, state, old)
        after = commits.publish(root, state, written + instead, removed)
        if after is not None:
            return Added(after, fresh, sum(part.rows for part in written if part.table != "sources"))
        _forget(root, state, instead)


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


def _forget(root: Path, state: State, written: list[Part]) -> None:
    for part in written:
        if part.path not in state.parts:
            (root / part.path).unlink(missing_ok=True)
