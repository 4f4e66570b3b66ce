"""What people write by hand, as TOML: calendar, projects, devices, site and ceilings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headrace._errors import CatalogError
from headrace.catalog import schedulers
from headrace.catalog.recognize import NothingOursError
from headrace.catalog.schema import TABLES, WRITTEN, arrow_schema

if TYPE_CHECKING:
    import pyarrow

__all__ = ["tables"]

_OURS = ("place", "source")  # columns that no file says


def tables(content: bytes) -> dict[str, pyarrow.Table]:
    """Raises CatalogError."""
    from headrace.catalog._toml import loads

    settings = loads(content)
    if not set(settings) & set(WRITTEN):
        raise NothingOursError(
            f"there is no table [{next(iter(settings), '')}]: there are {', '.join(WRITTEN)}"
        )
    foreign = [name for name in settings if name not in WRITTEN]
    if foreign:
        raise CatalogError(f"there is no table [{foreign[0]}]: there are {', '.join(WRITTEN)}")
    return {name: _table(name, rows) for name, rows in settings.items()}


def _table(name: str, rows: Any) -> pyarrow.Table:
    import pyarrow

    if name == "site" and isinstance(rows, dict):
        rows = [{"key": key, "value": _fact(key, value)} for key, value in rows.items()]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise CatalogError(f"[[{name}]] must be a list of tables")
    known = [column.name for column in TABLES[name].columns if column.name not in _OURS]
    foreign = [key for row in rows for key in row if key not in known]
    if foreign:
        raise CatalogError(f"[[{name}]] has no {foreign[0]!r}: it has {', '.join(known)}")
    schema = pyarrow.schema([arrow_schema(name).field(column) for column in known])
    told = [_utc(row, f"[[{name}]] number {number}") for number, row in enumerate(rows, 1)]
    try:
        return pyarrow.Table.from_pylist(told, schema=schema)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise CatalogError(f"[[{name}]]: {error}") from error


def _fact(key: str, value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        raise CatalogError(f"[site] {key} is {value}, which is no number")
    return str(value)


def _utc(row: dict[str, Any], place: str) -> dict[str, Any]:
    """Times as TOML has them, with a zone or local; as text too."""
    return row | {key: schedulers.moment(str(row[key]), place, key) for key in ("start", "end") if key in row}
