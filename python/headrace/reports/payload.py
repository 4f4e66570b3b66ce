"""The data that a report carries: facts as JSON, and tables as columns that a browser maps without parsing.

The format is docs/formats/report-payload.md. Nothing here knows what the facts mean.
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Buffer", "Column", "Table", "codes", "numbers", "pieces", "texts"]

FORMAT = 1
ALIGNMENT = 8

Buffer = bytes | bytearray | memoryview

_ARRAY_CODES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f64": "d"}
_WIDTHS = {"u8": 1, "u16": 2, "u32": 4, "i32": 4, "f64": 8, "code8": 1, "code16": 2, "code": 4}


@dataclass(frozen=True)
class Column:
    """`type` as in the format; `data`: its bytes, in one or several parts; `values`: the texts of a code."""

    type: str
    data: tuple[Buffer, ...]
    values: Sequence[str] | None = None

    @property
    def size(self) -> int:
        return sum(len(part) for part in self.data)


@dataclass(frozen=True)
class Table:
    """`rows` values in each of the columns. ValueError: a column has more or fewer."""

    rows: int
    columns: Mapping[str, Column]

    def __post_init__(self) -> None:
        for name, column in self.columns.items():
            expected = _WIDTHS[column.type] * self.rows if column.type in _WIDTHS else None
            if expected is not None and column.size != expected:
                raise ValueError(f"column {name}: {column.size} bytes, but {self.rows} rows of {column.type}")
            if column.type == "text" and len(column.data[0]) != 4 * (self.rows + 1):
                raise ValueError(f"column {name}: offsets of other than {self.rows} rows")


def numbers(kind: str, values: Iterable[float]) -> Column:
    """A column of "u8", "u16", "u32", "i32" or "f64". OverflowError: a value does not fit."""
    return Column(kind, (_bytes(array(_ARRAY_CODES[kind], values)),))


def texts(values: Iterable[str]) -> Column:
    """A column of texts of its own. OverflowError: more than 4 GiB of text."""
    parts = [value.encode("utf-8", "backslashreplace") for value in values]
    offsets = array("I", [0])
    end = 0
    for part in parts:
        end += len(part)
        offsets.append(end)
    return Column("text", (_bytes(offsets), b"".join(parts)))


def codes(values: Iterable[str]) -> Column:
    """A column of few different texts."""
    known: dict[str, int] = {}
    indices = [known.setdefault(value, len(known)) for value in values]
    kind, code = next(
        (kind, code)
        for kind, code, most in (("code8", "B", 1 << 8), ("code16", "H", 1 << 16), ("code", "I", 1 << 32))
        if len(known) <= most
    )
    return Column(kind, (_bytes(array(code, indices)),), list(known))


def pieces(kind: str, facts: Mapping[str, Any], tables: Mapping[str, Table]) -> Iterator[Buffer]:
    """The payload, in parts: to be joined, or written one after the other."""
    described: dict[str, Any] = {}
    at = 0
    for name, table in tables.items():
        columns: dict[str, Any] = {}
        for title, column in table.columns.items():
            columns[title] = {"type": column.type, "at": at, "bytes": column.size}
            if column.values is not None:
                columns[title]["values"] = list(column.values)
            at = _aligned(at + column.size)
        described[name] = {"rows": table.rows, "columns": columns}
    head = _json({"format": FORMAT, "kind": kind, "facts": facts, "tables": described})
    yield struct.pack("<I", len(head))
    yield head
    yield _padding(4 + len(head))
    for table in tables.values():
        for column in table.columns.values():
            yield from column.data
            yield _padding(column.size)


def _json(value: Any) -> bytes:
    # A surrogate, which a hostile log may have in its command, becomes the escape that JSON has for it.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _padding(size: int) -> bytes:
    return bytes(_aligned(size) - size)


def _bytes(values: array[Any]) -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()
