"""An Arrow table as columns of a payload, without an object a row.

Numbers become f64 (integers beyond 2^53 lose digits in any browser), null is NaN; points in time are seconds
since 1970, UTC; flags and texts are codes, or texts where they hardly repeat; null is the empty text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from headrace.reports.payload import Column, texts

if TYPE_CHECKING:
    import pyarrow

__all__ = ["column_kind", "columns", "plain"]


def column_kind(type_: pyarrow.DataType) -> str:
    """How the page reads a column: "integer", "number", "time", "flag" or "text"."""
    from pyarrow import types

    if types.is_integer(type_):
        return "integer"
    if types.is_floating(type_) or types.is_decimal(type_):
        return "number"
    if types.is_timestamp(type_) or types.is_date(type_):
        return "time"
    return "flag" if types.is_boolean(type_) else "text"


def columns(table: pyarrow.Table) -> dict[str, Column]:
    return {name: _column(table.column(name)) for name in table.column_names}


def _column(column: pyarrow.ChunkedArray) -> Column:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column_kind(column.type)
    if kind in ("integer", "number"):
        return _numbers(column.cast(pa.float64(), safe=False))
    if kind == "time":
        micros = column.cast(pa.timestamp("us")).cast(pa.int64()).cast(pa.float64(), safe=False)
        return _numbers(pc.divide(micros, 1e6))
    if kind == "flag":
        return _texts(pc.if_else(column, "yes", "no"))
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return _texts(column)
    return _texts(pa.chunked_array([pa.array([_word(each) for each in column.to_pylist()], pa.string())]))


def _word(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)


def _numbers(column: pyarrow.ChunkedArray) -> Column:
    """f64, little-endian as all machines are that Arrow runs on."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = pc.fill_null(column, math.nan).combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # of some versions, when there is nothing
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], pa.float64())
    data = array.buffers()[1]
    begin = 8 * array.offset
    return Column("f64", (memoryview(data)[begin : begin + 8 * len(array)] if data else b"",))


def _texts(column: pyarrow.ChunkedArray) -> Column:
    import pyarrow as pa
    import pyarrow.compute as pc

    filled = pc.fill_null(column.cast(pa.string()), "").combine_chunks()
    encoded = filled.dictionary_encode()
    values = encoded.dictionary.to_pylist()
    if len(values) > 256 and 2 * len(values) > len(filled):
        return texts(filled.to_pylist())
    kinds = (("code8", pa.uint8()), ("code16", pa.uint16()), ("code", pa.uint32()))
    kind, width = next(each for each in kinds if len(values) <= 1 << each[1].bit_width)
    data = encoded.indices.cast(width)
    size, begin = width.bit_width // 8, data.offset
    view = memoryview(data.buffers()[1])[begin * size : (begin + len(data)) * size] if len(data) else b""
    return Column(kind, (view,), values)


def plain(value: Any) -> Any:
    """What JSON has, of the values that a figure's options may hold: no NaN, moments as UTC text."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    if isinstance(value, Decimal):
        return plain(float(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
        return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
