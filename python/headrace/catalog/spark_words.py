"""What of DuckDB's SQL Spark answers alike, some of it as spark_sql.py puts it.

Much has one name in both and is not the same, such as `kurtosis` or a `substring` from a place of 0. So what
is not on these lists is refused; a test asks both engines for what is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from headrace._errors import UsageError
from headrace._places import page

__all__ = ["check"]

# Names of SQLGlot's classes.
_CLASSES = """
    Select From Where Group Having Order Ordered Limit Offset Join With CTE Subquery Union Except Intersect
    Table TableAlias Alias Column Identifier Star Distinct Qualify Cube Rollup GroupingSets Tuple Values Paren
    Literal Null Boolean Var DataType DataTypeParam Interval Cast TryCast Case If Coalesce Nullif
    Add Sub Mul Div IntDiv Mod Neg And Or Not Is EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Between In Exists
    Like ILike Escape DPipe
    Window WindowSpec RowNumber Rank DenseRank PercentRank CumeDist Ntile Lag Lead FirstValue LastValue Filter
    Count CountIf Sum Avg Min Max LogicalAnd LogicalOr Stddev StddevSamp StddevPop Variance VariancePop Median
    PercentileCont ArgMax ArgMin
    Abs Ceil Floor Round Sign Sqrt Exp Pow Ln Log Greatest Least
    Lower Upper Length Concat Trim Replace StrPosition Substring Left Right SplitPart StartsWith EndsWith
    Contains RegexpLike RegexpExtract RegexpReplace
    Extract Year Quarter Month Day DayOfMonth DayOfWeek DayOfWeekIso DayOfYear Hour Minute DateDiff
    TimestampTrunc DateTrunc TimeToStr TimeToUnix UnixToTime CurrentDate CurrentTimestamp
"""
_ALIKE = set(_CLASSES.split())
# Functions that SQLGlot has no class for.
_OTHERS = {"epoch_us", "now", "date_part", "datepart", "weekday", "dayofweek", "isodow", "prefix", "suffix"}
_TYPES = {
    "BIGINT", "INT", "SMALLINT", "TINYINT", "DOUBLE", "FLOAT", "DECIMAL", "VARCHAR", "TEXT", "BOOLEAN",
    "DATE", "TIMESTAMP", "TIMESTAMPTZ",
}  # fmt: skip
_PARTS = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOY", "DOW", "ISODOW", "HOUR", "MINUTE", "EPOCH"}
_UNITS = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
_FORM = re.compile(r"(?:%[YmdHMS]|[^%A-Za-z'])*")


def check(tree: Any) -> None:
    """Raises UsageError for a query of which Spark would answer a part otherwise."""
    for node in tree.walk():
        name = type(node).__name__
        if name == "Anonymous":
            alike = node.name.lower() in _OTHERS
        else:
            alike = name in _ALIKE and _LIMITS.get(name, _always)(node)
        if not alike:
            said = node.sql("duckdb", normalize_functions="lower")[:80]
            raise UsageError(
                f"Spark and DuckDB mean different things by {said!r}, or one of them"
                f" does not have it: ask without --spark, or say it in other words; {page('catalog.md')}"
            )


def _always(node: Any) -> bool:
    return True


def _number(node: Any) -> int | None:
    """A whole one that is written there."""
    from sqlglot import exp

    if isinstance(node, exp.Neg):
        value = _number(node.this)
        return None if value is None else -value
    return int(node.this) if isinstance(node, exp.Literal) and str(node.this).isdecimal() else None


def _text(node: Any) -> str | None:
    return str(node.this) if node is not None and node.is_string else None


def _is_named(names: set[str], node: Any) -> bool:
    return node is not None and node.name.upper() in names


def _join(node: Any) -> bool:
    # Spark would take ASOF and POSITIONAL for names of the tables before them.
    return str(node.args.get("method") or "").upper() in ("", "NATURAL")


def _cast(node: Any) -> bool:
    kind = node.to.this.name
    return kind in _TYPES and (
        kind != "DECIMAL" or len(node.to.expressions) == 2
    )  # else they have other digits


def _substring(node: Any) -> bool:
    length = node.args.get("length")
    return (_number(node.args.get("start")) or 0) > 0 and (length is None or (_number(length) or 0) > 0)


def _regular(node: Any) -> bool:
    """What both mean alike, as far as the pattern is a text of the question."""
    more = any(node.args.get(name) is not None for name in ("flag", "parameters", "position", "occurrence"))
    return not more and _is_common(_text(node.expression) or "")


def _is_common(pattern: str) -> bool:
    """Whether a bracket of it has nothing that Java and RE2 mean otherwise."""
    return "[:" not in pattern and "&&" not in pattern


def _replaced(node: Any) -> bool:
    pattern, text = _text(node.expression), _text(node.args.get("replacement"))
    modifiers = _text(node.args.get("modifiers"))
    return pattern is not None and text is not None and modifiers in (None, "", "g") and _is_common(pattern)


_LIMITS: dict[str, Callable[[Any], bool]] = {
    "ArgMax": lambda node: node.args.get("count") is None,
    "ArgMin": lambda node: node.args.get("count") is None,
    "Cast": _cast,
    "TryCast": _cast,
    "DateDiff": lambda node: _is_named(_UNITS - {"WEEK"}, node.args.get("unit")),
    "DateTrunc": lambda node: _is_named(_UNITS, node.args.get("unit")),
    "TimestampTrunc": lambda node: _is_named(_UNITS, node.args.get("unit")),
    "Distinct": lambda node: node.args.get("on") is None,
    "Extract": lambda node: _is_named(_PARTS, node.this),
    "IntDiv": lambda node: "." not in node.sql(),
    "Join": _join,
    "Left": lambda node: (_number(node.expression) or -1) > 0,
    "Right": lambda node: (_number(node.expression) or -1) > 0,
    "Log": lambda node: node.expression is None or _number(node.this) in (2, 10),
    "RegexpExtract": _regular,
    "RegexpLike": _regular,
    "RegexpReplace": _replaced,
    "SplitPart": lambda node: bool(_number(node.args.get("part_index"))),
    "Substring": _substring,
    "TimeToStr": lambda node: bool(_FORM.fullmatch(_text(node.args.get("format")) or "%")),
    "UnixToTime": lambda node: str(node.args.get("scale")) == "3",
}
