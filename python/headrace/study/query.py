"""Asking a catalog: SQL in, rows out, whichever engine it is.

The queries of a study are DuckDB's SQL, of what Spark has as well (headrace.catalog.spark_sql): no list or
struct, and no quantile, which few engines compute exactly. Text comes by `text` alone, so that no name in a
catalog is ever a part of the language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from headrace.catalog.engine import interruptible
from headrace.catalog.spark import Spark

if TYPE_CHECKING:
    from datetime import datetime

    import pyarrow

__all__ = ["Connection", "ask", "data", "hold", "keep", "rows", "store", "text", "time", "total"]

_APART = "'\\\0"
_PARTS = re.compile(r"(['\\\0])")
_MOST = 2**63 - 1

Connection = Any  # of DuckDB (Catalog.connect), or Spark (Catalog.spark)


def ask(connection: Connection, sql: str) -> pyarrow.Table:
    if isinstance(connection, Spark):
        return connection.ask(sql)
    return interruptible(connection, lambda: connection.sql(sql).to_arrow_table())


def rows(connection: Connection, sql: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(connection, sql).to_pylist()
    return found


def store(connection: Connection, name: str, sql: str) -> None:
    """Keeps the rows of a query under a name, for this connection."""
    if isinstance(connection, Spark):
        connection.store(name, sql)
    else:
        made = f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}"
        interruptible(connection, lambda: connection.execute(made))


def keep(connection: Connection, name: str, table: pyarrow.Table) -> None:
    """Keeps these rows under a name, for this connection."""
    if isinstance(connection, Spark):
        connection.keep(name, table)
        return
    connection.register("kept_rows", table)
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM kept_rows")
    finally:
        connection.unregister("kept_rows")


def hold(connection: Connection) -> None:
    """Before many questions: Spark would derive the jobs from all tables for each of them."""
    if isinstance(connection, Spark):
        connection.hold()


def text(value: str) -> str:
    """A literal. Engines differ in what a backslash means, so neither it, a quote nor NUL is in one."""
    parts = [f"chr({ord(part)})" if part in _APART else f"'{part}'" for part in _PARTS.split(value) if part]
    return "concat(" + ", ".join(parts) + ")" if len(parts) > 1 else parts[0] if parts else "''"


def time(value: datetime) -> str:
    return f"TIMESTAMP '{value:%Y-%m-%d %H:%M:%S.%f}+00:00'"


def total(expression: str, name: str = "") -> str:
    """A sum as an integer of 64 bits, where it ends; 0 of nothing."""
    return f"CAST(least(coalesce(sum({expression}), 0), {_MOST}) AS BIGINT) AS {name or expression}"


def data(records: list[dict[str, Any]], columns: str) -> pyarrow.Table:
    """Records as a table of `columns`: "NAME TYPE, NAME TYPE", types as in the catalog's schema."""
    import pyarrow

    types = {
        "int": pyarrow.int64(),
        "real": pyarrow.float64(),
        "text": pyarrow.string(),
        "time": pyarrow.timestamp("us", tz="UTC"),
    }
    fields = [tuple(column.split()) for column in columns.split(",")]
    schema = pyarrow.schema([(name, types[kind]) for name, kind in fields])
    return pyarrow.table(
        [
            pyarrow.array([record.get(name) for record in records], kind.type)
            for (name, _), kind in zip(fields, schema, strict=True)
        ],
        schema=schema,
    )
