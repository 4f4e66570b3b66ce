"""Parquet with the columns of a table of the catalog, some rows at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from headrace._errors import CatalogError
from headrace.catalog.recognize import NothingOursError
from headrace.catalog.schema import TABLES

if TYPE_CHECKING:
    import pyarrow

__all__ = ["slices"]

_ROWS = 20_000  # at a time: of a small file very many may come


def slices(path: Path, named: bool) -> Iterator[dict[str, pyarrow.Table]]:
    """`named`: by the user. Raises CatalogError."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            name = _table_of(file.schema_arrow.names, path, named)
            for batch in file.iter_batches(_ROWS):
                yield {name: pyarrow.Table.from_batches([batch])}
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise CatalogError(f"not a Parquet file that can be read: {error}") from error


def _table_of(columns: list[str], path: Path, named: bool) -> str:
    """Any file may have a few columns of these names: in a tree it must have all, or the table's name."""
    has = set(columns)
    known = {
        name: {column.name for column in table.columns}
        for name, table in TABLES.items()
        if name not in ("sources", "unread")
    }
    whole = [name for name in known if known[name] == has]
    called = [name for name in known if has <= known[name] and _is_called(path, name)]
    some = [name for name in known if has <= known[name] and len(has) > 1] if named else []
    fits = whole or called or some
    if not fits:
        raise NothingOursError("its columns are those of no table of a catalog")
    if len(fits) > 1:
        raise CatalogError("its columns are those of several tables: name the file as the table is named")
    return fits[0]


def _is_called(path: Path, table: str) -> bool:
    return re.search(rf"(?<![a-z]){table}(?![a-z])", path.stem.lower()) is not None
