"""One question to a catalog, in SQL."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace._errors import OutputError, UsageError
from headrace.catalog.catalog import Catalog

if TYPE_CHECKING:
    import pyarrow

_READING = {"SELECT", "EXPLAIN"}


def run(catalog: Catalog, statement: str) -> pyarrow.Table:
    """Raises UsageError for what is not one statement that reads, and where SQL is wrong."""
    connection = catalog.connect()
    import duckdb

    try:
        statements = connection.extract_statements(statement)
        kinds = [one.type.name.split("_")[0] for one in statements]
        if len(kinds) != 1 or kinds[0] not in _READING:
            raise UsageError("one SELECT at a time: a catalog is only read by SQL")
        return connection.sql(statement).to_arrow_table()
    except duckdb.Error as error:
        raise UsageError(str(error)) from error
    finally:
        connection.close()


def rows(table: pyarrow.Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def write_parquet(table: pyarrow.Table, path: Path) -> None:
    """Raises OutputError; a file that is there is replaced when all is written."""
    from pyarrow import parquet

    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        parquet.write_table(table, part)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
