"""One question to a catalog, in SQL."""

from __future__ import annotations

import decimal
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace._errors import CatalogError, OutputError, UsageError
from headrace.catalog.catalog import Catalog
from headrace.catalog.engine import interruptible

if TYPE_CHECKING:
    import pyarrow


def run(catalog: Catalog, statement: str, spark: str | None = None) -> pyarrow.Table:
    """Raises UsageError for what is not one statement that reads, and where SQL is wrong.

    `spark`: a master whose Spark answers in place of DuckDB.
    """
    if spark is not None:
        engine = catalog.spark(spark)
        try:
            return engine.answer(statement)
        finally:
            engine.close()
    connection = catalog.connect()
    import duckdb

    try:
        statements = connection.extract_statements(statement)
        # EXPLAIN is no SELECT: with ANALYZE it does what it explains, and COPY could write over parts.
        if [one.type.name.split("_")[0] for one in statements] != ["SELECT"]:
            raise UsageError("one SELECT at a time: a catalog is only read by SQL")
        return interruptible(connection, lambda: connection.sql(statement).to_arrow_table())
    except duckdb.Error as error:
        lost = next((path for path in catalog.state.parts if not (catalog.path / path).exists()), None)
        if lost is not None:
            remedy = f"run `headrace catalog --at {catalog.path} verify`"
            raise CatalogError(f"{catalog.path / lost}: this part is missing: {remedy}") from error
        raise UsageError(" ".join(str(error).split())) from error
    finally:
        connection.close()


def rows(table: pyarrow.Table) -> Iterator[tuple[Any, ...]]:
    """Values in the order of the columns, of which several may have one name; sums are integers.

    Raises UsageError for values that Python does not have, such as a time in the year 300,000.
    """
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            columns.append([_plain(value) for value in column.to_pylist()])
        except (ValueError, OverflowError) as error:
            raise UsageError(
                f"column {name!r} has a value that cannot be shown ({error}): write CAST({name} AS VARCHAR)"
            ) from error
    return zip(*columns, strict=True)


def objects(table: pyarrow.Table) -> list[dict[str, Any]]:
    """Rows by the columns' names. Raises UsageError where two columns have one name, and as `rows`."""
    names = table.column_names
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two columns are named {twice!r}: give one of them another name with AS")
    return [dict(zip(names, row, strict=True)) for row in rows(table)]


def _plain(value: Any) -> Any:
    """DuckDB's sums of integers are of 128 bits, which Arrow has as decimals."""
    return int(value) if isinstance(value, decimal.Decimal) and value == value.to_integral_value() else value


def write_parquet(table: pyarrow.Table, path: Path) -> None:
    """A file that is there is replaced when all is written. Raises OutputError and UsageError."""
    from pyarrow import ArrowException, parquet

    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        parquet.write_table(table, part)
        part.replace(path)
    except ArrowException as error:
        raise UsageError(f"{path}: Parquet cannot hold that ({error}): write CAST(… AS VARCHAR)") from error
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
