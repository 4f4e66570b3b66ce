"""What a catalog has, whether it is whole, and what lies in its directory that no commit names."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from headrace._errors import CatalogError
from headrace.catalog import commits, locks, parts
from headrace.catalog.catalog import Catalog
from headrace.catalog.commits import Part
from headrace.catalog.schema import TABLES

_OLD_S = 24 * 3600  # no reader reads so long; without locks, no adder takes so long from a part to its commit


def tables(catalog: Catalog) -> list[dict[str, Any]]:
    rows = []
    for name in TABLES:
        found = catalog.state.of(name)
        sums = {"rows": sum(part.rows for part in found), "bytes": sum(part.bytes for part in found)}
        rows.append({"table": name, "parts": len(found), **sums})
    return rows


def first_problem(catalog: Catalog) -> str | None:
    """Of the parts, quickly found where one is missing or has another size."""
    for examine in (_size_problem, _problem):
        for part in catalog.state.parts.values():
            if problem := examine(catalog, part):
                return f"{catalog.path / part.path}: this part {problem}"
    return None


def problems(catalog: Catalog) -> list[str]:
    """A sentence for each part that is not what its commit says."""
    return [f"{catalog.path / path}: {why}" for path, why in damaged(catalog).items()]


def damaged(catalog: Catalog, told: Callable[[int], None] | None = None) -> dict[str, str]:
    """By path of each part that is not what its commit says, what is wrong with it."""
    found = {}
    for number, part in enumerate(catalog.state.parts.values(), 1):
        if problem := _problem(catalog, part):
            found[part.path] = problem
        if told:
            told(number)
    return found


def damaged_at_sight(catalog: Catalog) -> dict[str, str]:
    """The same of parts that are missing or have another size, without reading any."""
    looked = {part.path: _size_problem(catalog, part) for part in catalog.state.parts.values()}
    return {path: problem for path, problem in looked.items() if problem}


def _size_problem(catalog: Catalog, part: Part) -> str | None:
    try:
        size = (catalog.path / part.path).stat().st_size
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return None if size == part.bytes else f"has {size} bytes, and its commit says {part.bytes}"


def _problem(catalog: Catalog, part: Part) -> str | None:
    if problem := _size_problem(catalog, part):
        return problem
    path = catalog.path / part.path
    try:
        if parts.checksum(path) != part.checksum:
            return "has other content than its commit says"
        table = parts.read(catalog.path, part)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except CatalogError as error:
        return f"cannot be read, though it has the content that its commit says: {error}"
    if table.num_rows != part.rows or tuple(table.column_names) != part.columns:
        return "has other rows or columns than its commit says"
    return None


def leftovers(catalog: Catalog, repair: bool) -> tuple[int, int]:
    """How many files that no commit names were removed, and how many there are yet.

    Only files that this version could have made: parts below a table's directory, and unfinished commits.
    They are removed while nobody writes parts, and when they are a day old and were not taken out since: a
    reader may still read them. Nor are they where there is no commit at all: these may be lost, and the parts
    be all that is left. Raises OutputError and CatalogError.
    """
    if not repair or not catalog.state.number:
        return 0, len(_unnamed(catalog))
    with locks.alone(catalog.path) as is_alone:
        found = _unnamed(catalog)
        removed = _remove(catalog, found) if is_alone else 0
    return removed, len(found) - removed


def _unnamed(catalog: Catalog) -> list[Path]:
    # In this order: a part that is there when commits are read is named by them, or by none.
    candidates = [path for name in TABLES for path in (catalog.path / name).glob("**/*.parquet")]
    candidates += (catalog.path / commits.FOLDER).glob(".*.new")
    catalog.refresh()
    named = catalog.state.parts
    return [path for path in candidates if path.relative_to(catalog.path).as_posix() not in named]


def _remove(catalog: Catalog, found: list[Path]) -> int:
    removed = 0
    oldest = time.time() - _OLD_S
    lately = commits.removed_since(catalog.path, oldest)
    for path in found:
        if path.relative_to(catalog.path).as_posix() in lately:
            continue
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_mtime < oldest:
                path.unlink()
                removed += 1
    return removed
