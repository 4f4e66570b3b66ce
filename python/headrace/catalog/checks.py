"""What a catalog has, whether it is whole, and what lies in its directory that no commit names."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from headrace.catalog import commits, parts
from headrace.catalog.catalog import Catalog
from headrace.catalog.commits import Part
from headrace.catalog.schema import TABLES

_OLD_S = 24 * 3600  # no adder takes so long from writing a part to its commit, and no reader reads so long


def tables(catalog: Catalog) -> list[dict[str, Any]]:
    rows = []
    for name in TABLES:
        found = catalog.state.of(name)
        sums = {"rows": sum(part.rows for part in found), "bytes": sum(part.bytes for part in found)}
        rows.append({"table": name, "parts": len(found), **sums})
    return rows


def problems(catalog: Catalog, told: Callable[[int], None] | None = None) -> list[str]:
    """A sentence for each part that is not what its commit says."""
    found = []
    for number, part in enumerate(catalog.state.parts.values(), 1):
        problem = _problem(catalog, part)
        if problem:
            found.append(f"{catalog.path / part.path}: {problem}")
        if told:
            told(number)
    return found


def _problem(catalog: Catalog, part: Part) -> str | None:
    path = catalog.path / part.path
    try:
        if path.stat().st_size != part.bytes:
            return f"has {path.stat().st_size} bytes, and its commit says {part.bytes}"
        if parts.checksum(path) != part.checksum:
            return "has other content than its commit says"
        table = parts.read(catalog.path, part)
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if table.num_rows != part.rows or tuple(table.column_names) != part.columns:
        return "has other rows or columns than its commit says"
    return None


def leftovers(catalog: Catalog, repair: bool) -> tuple[int, int]:
    """How many files that no commit names were removed, and how many there are yet.

    Only files that this version could have made: parts below a table's directory, and unfinished commits.
    """
    catalog.refresh()
    removed = left = 0
    oldest = time.time() - _OLD_S
    candidates = [path for name in TABLES for path in (catalog.path / name).glob("**/*.parquet")]
    candidates += (catalog.path / commits.FOLDER).glob(".*.new")
    for path in candidates:
        if path.relative_to(catalog.path).as_posix() in catalog.state.parts:
            continue
        try:
            if repair and path.stat().st_mtime < oldest:
                path.unlink()
                removed += 1
            else:
                left += 1
        except FileNotFoundError:
            continue
    return removed, left
