"""What is committed at once: rows of several sources, of which each is in a catalog at most once."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from headrace._errors import HeadraceError
from headrace.catalog import commits, locks, outdated, parts, repeated
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
        """Raises UsageError for tables and rows that are none of the schema's."""
        self.add_many([source], checked(source, tables), lambda _: {})

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


def checked(source: Source, tables: Mapping[str, pyarrow.Table]) -> dict[str, pyarrow.Table]:
    """Rows as they are kept. Raises UsageError."""
    rows = {name: parts.numbered(parts.conform(name, table)) for name, table in tables.items()}
    if source.kind == outdated.KIND:
        rows = {name: _of_source(table, source) for name, table in rows.items()}
    for name, table in rows.items():
        parts.check(name, table)
    return rows


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
        self.has_parquet = False  # rows of logs may have come by it, or have been some time ago

    def update(self, state: State) -> set[str]:
        """Raises CatalogError."""
        import pyarrow.compute as compute

        there = state.of("sources")
        if gone := self._of.keys() - {part.path for part in there}:
            # Put together with others, or rewritten without those that are outdated.
            self._of = {path: ids for path, ids in self._of.items() if path not in gone}
            self.ids = {source for ids in self._of.values() for source in ids}
        for part in there:
            if part.path not in self._of:
                rows = parts.read(self._root, part, ["source", "kind"])
                self._of[part.path] = rows["source"].to_pylist()
                self.ids.update(self._of[part.path])
                self.has_parquet |= bool(compute.any(compute.equal(rows["kind"], repeated.KIND)).as_py())
        return self.ids


def add_batch(root: Path, state: State, batch: Batch, known: Known | None = None) -> Added:
    """Commits what the catalog does not have of a batch. Raises CatalogError and OutputError."""
    with locks.writing(root):
        return _Adding(root, state, batch, known or Known(root)).done()


def add_slices(
    root: Path, state: State, source: Source, slices: Iterable[Mapping[str, pyarrow.Table]], known: Known
) -> Added:
    """The same of one source whose rows need not be in memory at once; `slices` may raise what it wants."""
    with locks.writing(root):
        adding = _Adding(root, state, Batch({source.id: source}), known)
        with adding.undone_at_errors():
            for tables in slices:
                adding.write(checked(source, tables))
        return adding.done()


class _Adding:
    """Parts that are written, and then committed."""

    def __init__(self, root: Path, state: State, batch: Batch, known: Known) -> None:
        self._root, self._batch, self._known = root, batch, known
        self._state = commits.refresh(root, state)
        known.update(self._state)
        self._written: list[Part] = []
        self._has_parquet = any(source.kind == repeated.KIND for source in batch.sources.values())

    def write(self, tables: Mapping[str, pyarrow.Table]) -> None:
        """Rows of the only source."""
        for name, table in tables.items():
            mine = [part for part in self._written if part.table == name]
            self._written += parts.write(self._root, name, self._new(name, table, mine, []))

    def done(self) -> Added:
        with self.undone_at_errors():
            left: set[str] | None = None
            while True:
                fresh = set(self._batch.sources) - self._known.update(self._state)
                if not fresh:
                    self._forget()
                    return Added(self._state, set(), 0)
                if fresh != left:  # the first time, or somebody else added some of them meanwhile
                    if left is not None:
                        self._forget()
                    self._write_batch(fresh)
                    left = fresh
                after = self._published(fresh)
                if after is not None:
                    rows = sum(part.rows for part in self._written if part.table != "sources")
                    return Added(after, fresh, rows)
                before, self._state = self._state, commits.refresh(self._root, self._state)
                self._leave_out(before)

    @contextlib.contextmanager
    def undone_at_errors(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            # Also of a commit that was made, of which only the answer was lost.
            with contextlib.suppress(HeadraceError, OSError):
                self._state = commits.read(self._root)
                self._forget()
            raise

    def _published(self, fresh: set[str]) -> State | None:
        old = outdated.find(self._root, self._state, (self._batch.sources[source] for source in fresh))
        instead, removed = outdated.rewrite(self._root, self._state, old)
        after = commits.publish(self._root, self._state, self._written + instead, removed)
        if after is None:
            _unlink(self._root, instead)
        return after

    def _write_batch(self, fresh: set[str]) -> None:
        import pyarrow

        found: dict[str, list[pyarrow.Table]] = {}
        for group in self._batch.groups:
            old = group.sources - fresh
            for name, table in (group.without(old) if old else group.tables).items():
                coming = found.setdefault(name, [])
                coming.append(self._new(name, table, [], coming))
        found["sources"] = [_table_of_sources(self._batch.sources[source] for source in sorted(fresh))]
        for name, tables in found.items():
            self._written += parts.write(self._root, name, pyarrow.concat_tables(tables))

    def _new(
        self, name: str, table: pyarrow.Table, written: list[Part], coming: list[pyarrow.Table]
    ) -> pyarrow.Table:
        """Without rows that came already, where some may come twice."""
        if not self._may_repeat():
            return table
        return repeated.left(name, table, self._root, self._state.of(name) + written, coming)

    def _may_repeat(self) -> bool:
        return self._has_parquet or self._known.has_parquet

    def _leave_out(self, before: State) -> None:
        """Rows that others brought since."""
        for part in list(self._written) if self._may_repeat() else ():
            newer = [other for other in self._state.of(part.table) if other.path not in before.parts]
            rows = parts.read(self._root, part)
            new = repeated.left(part.table, rows, self._root, newer)
            if new.num_rows < rows.num_rows:
                self._written.remove(part)
                self._written += parts.write(self._root, part.table, new)
                _unlink(self._root, [part])

    def _forget(self) -> None:
        _unlink(self._root, [part for part in self._written if part.path not in self._state.parts])
        self._written = []


def _table_of_sources(sources: Iterable[Source]) -> pyarrow.Table:
    import pyarrow

    now = datetime.datetime.now(datetime.timezone.utc)
    rows = [
        {"source": row.id, "path": row.path, "kind": row.kind, "bytes": row.bytes, "added": now}
        for row in sources
    ]
    return pyarrow.Table.from_pylist(rows, schema=arrow_schema("sources"))


def _unlink(root: Path, written: list[Part]) -> None:
    for part in written:
        (root / part.path).unlink(missing_ok=True)
