"""Asking a catalog: SQL in, rows out, whichever engine it is.

The queries of a study are SQL that DuckDB and Spark have in common: identifiers that need quotes have double
ones, and text comes by `text` alone, so that no name in a catalog is ever a part of the language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    import pyarrow

__all__ = ["Connection", "ask", "data", "rows", "store", "text", "time", "total"]

Connection = Any  # of DuckDB (Catalog.connect), or a backend of Ibis with the same views


def ask(connection: Connection, sql: str) -> pyarrow.Table:
    if hasattr(connection, "raw_sql"):
        return connection.sql(sql.replace('"', "`")).to_pyarrow()
    return connection.sql(sql).to_arrow_table()


def rows(connection: Connection, sql: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(connection, sql).to_pylist()
    return found


def store(connection: Connection, name: str, sql: str) -> None:
    """Keeps the rows of a query under a name, for this connection."""
    if hasattr(connection, "raw_sql"):
        connection.raw_sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {sql}".replace('"', "`"))
        connection.raw_sql(f"CACHE LAZY TABLE {name}")
    else:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")


def text(value: str) -> str:
    """A literal. Engines differ in what a backslash means, so neither it nor a quote is in one."""
    quotes = [
        "'" + part + "'" for part in value.replace("\\", "\x00\\\x00").replace("'", "\x00'\x00").split("\x00")
    ]
    parts = ["chr(39)" if part == "'''" else "chr(92)" if part == "'\\'" else part for part in quotes]
    kept = [part for part in parts if part != "''"]
    return "concat(" + ", ".join(kept) + ")" if len(kept) > 1 else kept[0] if kept else "''"


def time(value: datetime) -> str:
    return f"TIMESTAMP '{value:%Y-%m-%d %H:%M:%S.%f}+00:00'"


def total(expression: str, name: str = "") -> str:
    """A sum as an integer of 64 bits, 0 of nothing."""
    return f"CAST(coalesce(sum({expression}), 0) AS BIGINT) AS {name or expression}"


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
