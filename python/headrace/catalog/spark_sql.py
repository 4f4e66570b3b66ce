"""SQL of DuckDB, in which the views, the study and people ask, as Spark has it.

SQLGlot, which Ibis translates with, does most: names, quotes, types, the place of nulls. The rest is here:
what both have and mean otherwise. Of people's questions some depends on types, which Spark knows (`typeof`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from headrace._errors import UsageError
from headrace.catalog import spark_words

__all__ = ["one_select", "translated"]

_INTEGERS = ("BIGINT", "INT", "SMALLINT", "TINYINT")
_TEXTS = ("VARCHAR", "TEXT")
# DuckDB rounds: doubles to the even one of two, decimals and texts away from 0. Spark cuts off.
_TO_INTEGER = """CASE WHEN TYPEOF(x_) IN ('double', 'float') THEN {cast}(RINT(CAST(x_ AS DOUBLE)) AS {type})
  WHEN TYPEOF(x_) LIKE 'decimal%' OR TYPEOF(x_) = 'string'
  THEN {cast}(ROUND({cast}(x_ AS DECIMAL(38, 18)), 0) AS {type})
  ELSE {cast}(x_ AS {type}) END"""
# What a number with a point looks like, neither says.
_TO_TEXT = """CASE WHEN TYPEOF(x_) = 'timestamp' THEN CONCAT(CAST(x_ AS STRING), '+00')
  WHEN TYPEOF(x_) IN ('double', 'float')
  THEN CAST(RAISE_ERROR('doubles as text differ in Spark and DuckDB: cast to BIGINT or DECIMAL') AS STRING)
  ELSE CAST(x_ AS STRING) END"""
_QUOTIENT = """COALESCE(TRY_DIVIDE(CAST(x_ AS DOUBLE), y_),
  CASE WHEN y_ = 0 THEN x_ * CAST('Infinity' AS DOUBLE) END)"""
_LOGARITHM = """CASE WHEN x_ > 0 THEN y_ WHEN x_ = 0 THEN -CAST('Infinity' AS DOUBLE)
  WHEN x_ < 0 THEN CAST('NaN' AS DOUBLE) END"""
_OF_2 = "CASE WHEN POWER(2, RINT(y_)) = x_ THEN RINT(y_) ELSE y_ END"  # exact, for bins of powers of two
_STEPS = "TIMESTAMPDIFF({unit}, DATE_TRUNC('{unit}', x_), DATE_TRUNC('{unit}', y_))"


def translated(sql: str) -> str:
    """A query of ours, which asks for nothing that they answer otherwise. UsageError: it is no SQL."""
    return _text(_parsed(sql)[0], _RULES)


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
    spark_words.check(found[0])
    _name(found[0])
    return _text(found[0], _RULES | _BY_TYPE)


def _name(tree: Any) -> None:
    """Columns without a name are called by what the question says, not by what becomes of it."""
    from sqlglot import exp

    for place, column in enumerate(tree.selects if isinstance(tree, exp.Select) else ()):
        if not column.is_star and not isinstance(column, (exp.Alias, exp.Column)):
            said = column.sql("duckdb", normalize_functions="lower")
            tree.expressions[place].replace(exp.alias_(column.copy(), said, quoted=True))


def _parsed(sql: str) -> list[Any]:
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        found = [each for each in sqlglot.parse(sql, read="duckdb") if each is not None]
    except (SqlglotError, RecursionError) as error:
        raise UsageError(f"not a query: {str(error).splitlines()[0] or 'nested too deeply'}") from error
    return found or [None]


def _text(tree: Any, rules: Mapping[str, Callable[[Any], Any]]) -> str:
    if tree is None:
        raise UsageError("not a query: there is nothing in it")
    for node in reversed(list(tree.walk())):  # what lies within others first
        rule = rules.get(type(node).__name__)
        if rule is not None and (changed := rule(node)) is not node:
            node.replace(changed)
    return str(tree.sql("spark"))


@functools.cache
def _template(sql: str) -> Any:
    import sqlglot

    return sqlglot.parse_one(sql, read="spark")


def _filled(sql: str, **parts: Any) -> Any:
    """Spark's SQL with these expressions in place of the columns x_ and y_."""
    from sqlglot import exp

    tree = _template(sql).copy()
    for column in list(tree.find_all(exp.Column)):
        if column.name in parts:
            column.replace(exp.paren(parts[column.name].copy()))
    return tree


def _call(name: str, *arguments: Any) -> Any:
    """Of a function by the name that Spark has for it."""
    from sqlglot import exp

    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])


def _divided(node: Any) -> Any:
    """In floating point; by zero it is infinite, or no number."""
    from sqlglot import exp

    divisor = node.expression.unnest()
    is_zero_null = isinstance(divisor, exp.Nullif) and divisor.expression.sql() == "0"
    if is_zero_null or (isinstance(divisor, exp.Literal) and float(divisor.this) != 0):
        node.set("this", exp.cast(node.this.copy(), "double"))
        return node
    return _filled(_QUOTIENT, x_=node.this, y_=node.expression)


def _cast(node: Any) -> Any:
    from sqlglot import exp

    kind, inner = node.to.this.name, node.this
    if kind in _TEXTS:
        return _as_text(inner)
    if kind not in _INTEGERS or isinstance(inner, _whole()):
        return node
    cast = "CAST"
    if isinstance(node, exp.TryCast):
        cast, inner = "TRY_CAST", _tried_sum(node).this
    return _filled(_TO_INTEGER.format(cast=cast, type=kind), x_=inner)


def _tried_sum(node: Any) -> Any:
    """A sum without room is an error before it is cast."""
    from sqlglot import exp

    if isinstance(node.this, exp.Sum):
        node.set("this", _call("TRY_SUM", node.this.this))
    return node


@functools.cache
def _whole() -> tuple[type, ...]:
    """Expressions that have no fraction to round."""
    from sqlglot import exp

    return exp.Count, exp.CountIf, exp.Ceil, exp.Floor, exp.Length


def _as_text(node: Any) -> Any:
    from sqlglot import exp

    texts = exp.DPipe, exp.Concat, exp.Replace, exp.Lower, exp.Upper, exp.Substring, exp.SplitPart
    if node.is_string or isinstance(node.unnest(), texts):
        return node.copy()
    return _filled(_TO_TEXT, x_=node)


def _joined(node: Any) -> Any:
    if type(node).__name__ == "DPipe":
        for name in ("this", "expression"):
            node.set(name, _as_text(node.args[name]))
    else:
        node.set("expressions", [_as_text(each) for each in node.expressions])
    return node


def _like(node: Any) -> Any:
    """A backslash in a pattern is one, and in Spark's takes the meaning from what follows."""
    from sqlglot import exp

    pattern = node.expression
    if isinstance(node.parent, exp.Escape):
        return node
    if pattern.is_string:
        node.set("expression", exp.Literal.string(str(pattern.this).replace("\\", "\\\\")))
    else:
        node.set(
            "expression", _call("REPLACE", pattern, exp.Literal.string("\\"), exp.Literal.string("\\\\"))
        )
    return node


def _replaced(node: Any) -> Any:
    """The first place alone, unless all are asked for. DuckDB calls groups \\1, Spark $1."""
    from sqlglot import exp

    pattern, text = str(node.expression.this), str(node.args["replacement"].this)
    before = 0 if node.args.get("modifiers") and node.args["modifiers"].this else 1
    parts = re.split(r"\\([0-9\\])", text)
    for place, part in enumerate(parts):
        is_group = place % 2 and part != "\\"
        parts[place] = (
            f"${int(part) + before}" if is_group else part.replace("\\", "\\\\").replace("$", "\\$")
        )
    if before:
        pattern, parts = f"^(?s:(.*?))(?:{pattern})", ["$1", *parts]
    return _call("REGEXP_REPLACE", node.this, exp.Literal.string(pattern), exp.Literal.string("".join(parts)))


def _greatest_by(node: Any) -> Any:
    """Rows without the value do not count."""
    node.set("expression", _filled("CASE WHEN NOT x_ IS NULL THEN y_ END", x_=node.this, y_=node.expression))
    return node


def _mean(node: Any) -> Any:
    """Of doubles: that of decimals has few digits."""
    from sqlglot import exp

    distinct = node.this if isinstance(node.this, exp.Distinct) else None
    value = distinct.expressions[0] if distinct else node.this
    value.replace(_filled("x_ * 1e0", x_=value))
    return node


def _logarithm(node: Any) -> Any:
    base = 0 if type(node).__name__ == "Ln" else 10 if node.expression is None else int(node.this.this)
    value = node.expression or node.this
    found = _call({0: "LN", 2: "LOG2", 10: "LOG10"}[base], value)
    if base == 2:
        found = _filled(_OF_2, x_=value, y_=found)
    return _filled(_LOGARITHM, x_=value, y_=found)


def _part(unit: str, value: Any, node: Any) -> Any:
    """Of a moment; `node` where both have it alike."""
    if unit in ("DOW", "WEEKDAY", "DAYOFWEEK"):  # Sunday is 0
        return _filled("y_ - 1", y_=_call("DAYOFWEEK", value))
    if unit == "ISODOW":  # Monday is 1, Sunday 7
        return _filled("y_ + 1", y_=_call("WEEKDAY", value))
    if unit == "EPOCH":
        return _filled("y_ / 1e6", y_=_call("UNIX_MICROS", value))
    return node


def _function(node: Any) -> Any:
    from sqlglot import exp

    name, arguments = node.name.lower(), node.expressions
    if name in ("date_part", "datepart"):
        unit = arguments[0].name.upper()
        return _part(unit, arguments[1], exp.Extract(this=exp.Var(this=unit), expression=arguments[1].copy()))
    if name in ("weekday", "dayofweek", "isodow"):
        return _part(name.upper(), arguments[0], node)
    names = {"epoch_us": "UNIX_MICROS", "prefix": "STARTSWITH", "suffix": "ENDSWITH"}
    return _call(names.get(name, name), *arguments)


def _steps(node: Any) -> Any:
    """How often the next hour, or whatever it is, began between two moments."""
    unit = node.args["unit"].name.upper()
    return _filled(_STEPS.format(unit=unit), x_=node.expression, y_=node.this)


def _truncated(node: Any) -> Any:
    from sqlglot import exp

    return exp.TimestampTrunc(this=node.this.copy(), unit=exp.Var(this=node.args["unit"].name.upper()))


# By the names of SQLGlot's classes.
_RULES: dict[str, Callable[[Any], Any]] = {
    "Anonymous": _function,
    "ArgMax": _greatest_by,
    "ArgMin": _greatest_by,
    "Avg": _mean,
    "DateDiff": _steps,
    "DateTrunc": _truncated,
    "DayOfWeek": lambda node: _part("DOW", node.this, node),
    "DayOfWeekIso": lambda node: _part("ISODOW", node.this, node),
    "Div": _divided,
    "Extract": lambda node: _part(node.this.name.upper(), node.expression, node),
    "ILike": _like,
    "Like": _like,
    "Ln": _logarithm,
    "Log": _logarithm,
    "PercentileCont": lambda node: _call("PERCENTILE", node.this, node.expression),
    "RegexpReplace": _replaced,
    "TimeToUnix": lambda node: _part("EPOCH", node.this, node),
    "TryCast": _tried_sum,
    "UnixToTime": lambda node: _call("UNIX_MILLIS", node.this),
}
_BY_TYPE = {"Cast": _cast, "TryCast": _cast, "Concat": _joined, "DPipe": _joined}
