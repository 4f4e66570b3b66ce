"""Small parts put together: thousands of them are slow to read."""

from __future__ import annotations

from headrace.catalog import commits, locks, parts
from headrace.catalog.catalog import Catalog
from headrace.catalog.commits import Part
from headrace.catalog.schema import TABLES

# What is less is small; parts that become one have at most so much, which is in memory at once.
_SMALL_BYTES, _SMALL_ROWS = 64 << 20, 125_000
_MOST_BYTES, _MOST_ROWS = 256 << 20, 500_000


def compact(catalog: Catalog, least: int) -> int:
    """Puts parts of one table and month together where `least` are small; how many parts that were.

    Whoever adds meanwhile is not disturbed; what somebody else put together first is left to them.
    """
    with locks.writing(catalog.path):
        return sum(_put_together(catalog, group) for group in _groups(catalog, least))


def _put_together(catalog: Catalog, group: list[Part]) -> int:
    import pyarrow

    table = group[0].table
    rows = pyarrow.concat_tables(parts.conform(table, parts.read(catalog.path, part)) for part in group)
    written = parts.write(catalog.path, table, rows)
    while True:
        catalog.refresh()
        if any(part.path not in catalog.state.parts for part in group):
            for part in written:
                (catalog.path / part.path).unlink(missing_ok=True)
            return 0
        after = commits.publish(catalog.path, catalog.state, written, [part.path for part in group])
        if after is not None:
            catalog.state = after
            return len(group)


def _groups(catalog: Catalog, least: int) -> list[list[Part]]:
    folders: dict[str, list[Part]] = {}
    for part in catalog.state.parts.values():
        if part.bytes < _SMALL_BYTES and part.rows < _SMALL_ROWS and _known(part):
            folders.setdefault(part.path.rpartition("/")[0], []).append(part)
    groups = []
    for found in folders.values():
        group: list[Part] = []
        rows = size = 0
        for part in found:
            if size + part.bytes > _MOST_BYTES or rows + part.rows > _MOST_ROWS:
                groups.append(group)
                group, rows, size = [], 0, 0
            group.append(part)
            rows, size = rows + part.rows, size + part.bytes
        groups.append(group)
    return [group for group in groups if len(group) >= least]


def _known(part: Part) -> bool:
    """Whether this version has all its columns: those of newer ones stay as they are."""
    table = TABLES.get(part.table)
    return table is not None and set(part.columns) <= {column.name for column in table.columns}
