"""One question to a catalog, in SQL."""

from __future__ import annotations

import contextlib
import decimal
import json
import math
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace._errors import CatalogError, OutputError, UsageError
from headrace.catalog import checks
from headrace.catalog.catalog import Catalog
from headrace.catalog.engine import interruptible

if TYPE_CHECKING:
    import duckdb
    import pyarrow

# What a query may consist of. DuckDB lets a WITH do more than read (COPY, INSERT), and calls that a SELECT.
_READS = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
# Of the functions that take the place of a table, those that make one of their arguments. Others read files,
# change settings, or do what a text says.
_MAKE_ROWS = {"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}


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
        _check(connection, statement)
        return interruptible(connection, lambda: connection.sql(statement).to_arrow_table())
    except duckdb.Error as error:
        # These are about the question, and all others may come of a page that was damaged.
        asked = (
            duckdb.ParserException,
            duckdb.BinderException,
            duckdb.CatalogException,
            duckdb.ConversionException,
        )
        damage = None if isinstance(error, asked) else checks.first_problem(catalog)
        if damage is not None:
            raise CatalogError(f"{damage}: run `headrace catalog --at {catalog.path} verify`") from error
        raise UsageError(" ".join(str(error).split())) from error
    finally:
        connection.close()


def _check(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
    """Parts may be read and so, for all that DuckDB's settings say, be written over: questions do not.

    Raises UsageError, and duckdb.Error for what is no SQL.
    """
    statements = connection.extract_statements(statement)
    # EXPLAIN is no SELECT: with ANALYZE it does what it explains.
    if [one.type.name.split("_")[0] for one in statements] != ["SELECT"]:
        raise UsageError("one SELECT at a time: a catalog is only read by SQL")
    ((text,),) = connection.execute("SELECT json_serialize_sql(?)", [statement]).fetchall()
    tree = json.loads(text)
    if tree["error"]:
        raise UsageError(f"a catalog is only read by SQL: {tree['error_message']}")
    for node in _nodes(tree["statements"]):
        kind = str(node.get("type"))
        if kind.endswith("_NODE") and kind not in _READS:
            raise UsageError("one SELECT at a time: a catalog is only read by SQL")
        if kind == "TABLE_FUNCTION":
            name = str(node["function"]["function_name"])
            if name.lower() not in _MAKE_ROWS:
                raise UsageError(f"{name} is not for questions to a catalog, which read its tables and views")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All objects of a tree of JSON."""
    left = [tree]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield one
            left += one.values()
        elif isinstance(one, list):
            left += one


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
    """Rows by the columns' names, for JSON. Raises UsageError where two have one name, and as `rows`."""
    names = table.column_names
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two columns are named {twice!r}: give one of them another name with AS")
    return [dict(zip(names, map(_finite, row), strict=True)) for row in rows(table)]


def _finite(value: Any) -> Any:
    """JSON has neither infinite numbers nor NaN: null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [_finite(one) for one in value]
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return value


def _plain(value: Any) -> Any:
    """DuckDB's sums of integers are of 128 bits, which Arrow has as decimals."""
    return int(value) if isinstance(value, decimal.Decimal) and value == value.to_integral_value() else value


def parquet_target(catalog: Catalog, path: Path) -> Path:
    """The file that is written for a name, which may be a link. OutputError: it is not to be replaced."""
    target = Path(os.path.realpath(path))
    if Path(os.path.realpath(catalog.path)) in target.parents:
        raise OutputError(
            f"{path}: is in the catalog, which only `headrace catalog` writes: name another file"
        )
    try:
        if os.path.lexists(target) and not _is_parquet(target):
            raise OutputError(f"{path}: is there and is no Parquet file: give another name, or remove it")
    except OSError as error:
        raise OutputError(f"{path}: cannot be replaced: {error.strerror or error}") from error
    return target


def _is_parquet(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) in (b"PAR1", b"")


def write_parquet(table: pyarrow.Table, target: Path) -> None:
    """A file that is there is replaced when all is written. Raises OutputError and UsageError."""
    from pyarrow import ArrowException, parquet

    part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with part.open("xb") as file:
            parquet.write_table(table, file)
        part.replace(target)
    except ArrowException as error:
        raise UsageError(f"{target}: Parquet cannot hold that ({error}): write CAST(… AS VARCHAR)") from error
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
