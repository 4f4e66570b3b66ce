"""Small parts put together: thousands of them are slow to read."""

from __future__ import annotations

from headrace.catalog import commits, parts
from headrace.catalog.catalog import Catalog
from headrace.catalog.commits import Part

_SMALL_BYTES = 64 << 20
_MOST_BYTES = 256 << 20  # of the parts that become one


def compact(catalog: Catalog, least: int) -> int:
    """Puts parts of one table and month together where `least` are small; how many parts that were.

    Whoever adds meanwhile is not disturbed; what somebody else put together first is left to them.
    """
    import pyarrow

    done = 0
    for group in _groups(catalog, least):
        table = group[0].table
        rows = pyarrow.concat_tables(parts.conform(table, parts.read(catalog.path, part)) for part in group)
        written = parts.write(catalog.path, table, rows)
        while True:
            catalog.refresh()
            if any(part.path not in catalog.state.parts for part in group):
                for part in written:
                    (catalog.path / part.path).unlink(missing_ok=True)
                break
            after = commits.publish(catalog.path, catalog.state, written, [part.path for part in group])
            if after is not None:
                catalog.state = after
                done += len(group)
                break
    return done


def _groups(catalog: Catalog, least: int) -> list[list[Part]]:
    folders: dict[str, list[Part]] = {}
    for part in catalog.state.parts.values():
        if part.bytes < _SMALL_BYTES:
            folders.setdefault(part.path.rpartition("/")[0], []).append(part)
    groups = []
    for found in folders.values():
        group: list[Part] = []
        for part in found:
            if sum(one.bytes for one in group) + part.bytes > _MOST_BYTES:
                groups.append(group)
                group = []
            group.append(part)
        groups.append(group)
    return [group for group in groups if len(group) >= least]
