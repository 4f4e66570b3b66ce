"""Rows of logs and scans that a catalog has already and that come once more, by Parquet.

Somebody exported them from this catalog, or from another one that the same logs were added to: by the hash of
such a file nobody knows that. What belongs to a log or scan has its id. One row of `logs` or `scans` says all
of it; of the tables below them, which have many rows of an id, those are left out that are there as they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.catalog import parts
from headrace.catalog.commits import Part

if TYPE_CHECKING:
    import pyarrow

__all__ = ["KIND", "TABLES", "left"]

KIND = "parquet"  # of such a source
_ONE = {"logs": "log", "scans": "scan"}  # a row an id
TABLES = _ONE | dict.fromkeys(("instances", "files", "access_sizes"), "log")
TABLES |= dict.fromkeys(("scan_histograms", "scan_problems"), "scan")  # names of the ids


def left(
    name: str, rows: pyarrow.Table, root: Path, there: Iterable[Part], coming: Iterable[pyarrow.Table] = ()
) -> pyarrow.Table:
    """Rows of a table that are neither in parts that are there nor in tables that come with them."""
    import pyarrow.compute as compute

    if name not in TABLES:
        return rows
    for other in itertools.chain(_overlapping(name, rows, root, there), coming):
        if not rows.num_rows:
            break
        known = compute.is_in(_keys(name, rows), value_set=_keys(name, other))
        rows = rows.filter(compute.invert(known)) if compute.any(known).as_py() else rows
    return rows


def _overlapping(
    name: str, rows: pyarrow.Table, root: Path, there: Iterable[Part]
) -> Iterator[pyarrow.Table]:
    """Rows of parts that have one of these ids; of most parts that is known by one column."""
    import pyarrow.compute as compute

    key = TABLES[name]
    ids = compute.unique(rows[key])
    for part in there:
        found = compute.is_in(parts.read(root, part, [key])[key], value_set=ids)
        if compute.any(found).as_py():
            yield parts.conform(name, parts.read(root, part)).filter(found)


def _keys(name: str, rows: pyarrow.Table) -> pyarrow.Array:
    """What says that two rows are one."""
    import pyarrow
    import pyarrow.compute as compute

    if name in _ONE:
        return rows[_ONE[name]].combine_chunks()
    texts = []
    for column in rows.columns:
        text = column.combine_chunks().cast(pyarrow.string())
        # With its length, so that nothing in a text passes for the next column.
        texts += [compute.binary_length(text).cast(pyarrow.string()).fill_null("-"), text.fill_null("")]
    return compute.binary_join_element_wise(*texts, " ")
