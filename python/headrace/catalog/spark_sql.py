"""SQL of DuckDB, in which the views, the study and people ask, as Spark has it.

SQLGlot, which Ibis translates with, does most: names, quotes, types, the place of nulls. The rest is here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from headrace._errors import UsageError

__all__ = ["one_select", "translated"]

_NAMES = {"epoch_us": "unix_micros", "epoch_ms": "unix_millis"}
# They call any method of Java. What is not DuckDB's language otherwise does not get through the parser.
_REFUSED = {"java_method", "reflect", "try_reflect"}


def translated(sql: str) -> str:
    """A query of DuckDB's for Spark. Raises UsageError where it is not SQL."""
    return str(_adapted(_parsed(sql)[0]).sql("spark"))


def one_select(sql: str, tables: Collection[str]) -> str:
    """The same of a person's question, which may read these tables and nothing else. Raises UsageError."""
    from sqlglot import exp

    found = _parsed(sql)
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise UsageError("one SELECT at a time: a catalog is only read by SQL")
    known = {name.lower() for name in tables} | {each.alias.lower() for each in found[0].find_all(exp.CTE)}
    for table in found[0].find_all(exp.Table):
        plain = isinstance(table.this, exp.Identifier) and not table.db
        if not plain or table.name.lower() not in known:
            raise UsageError(f"the catalog has no table {table.sql('duckdb')}: it has {', '.join(tables)}")
    for call in found[0].find_all(exp.Anonymous):
        if call.name.lower() in _REFUSED:
            raise UsageError(f"{call.name} is not for questions to a catalog")
    return str(_adapted(found[0]).sql("spark"))


def _parsed(sql: str) -> list[Any]:
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        return [each for each in sqlglot.parse(sql, read="duckdb") if each is not None] or [None]
    except (SqlglotError, RecursionError) as error:
        raise UsageError(f"not a query: {str(error).splitlines()[0] or 'nested too deeply'}") from error


def _adapted(tree: Any) -> Any:
    from sqlglot import exp

    for call in list(tree.find_all(exp.Anonymous)):
        call.set("this", _NAMES.get(call.name.lower(), call.name))
    # DuckDB divides in floating point, Spark in decimals of few digits where a number has a point. By zero it
    # is null there and an error here. Divisions inside of others come first, since copies take their place.
    for quotient in reversed(list(tree.find_all(exp.Div, exp.IntDiv, exp.Mod))):
        if isinstance(quotient, exp.Div):
            quotient.set("this", exp.cast(quotient.this.copy(), "double"))
        quotient.set("expression", exp.func("nullif", quotient.expression.copy(), exp.Literal.number(0)))
    return tree
