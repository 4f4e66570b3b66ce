"""Reads a report back: a decoder of docs/formats/report-payload.md that shares nothing with the writer."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
from pathlib import Path
from typing import Any

STAND_IN = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Headrace</title></head>
<body><script id="headrace-data" type="application/octet-stream"></script></body></html>
"""

_FORMATS = {
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "i32": "i",
    "f64": "d",
    "code8": "B",
    "code16": "H",
    "code": "I",
}


def stand_in(directory: Path) -> Path:
    """The least page that a payload can be put into."""
    path = directory / "template.html"
    path.write_text(STAND_IN, encoding="utf-8")
    return path


def read_report(page: Path | bytes) -> dict[str, Any]:
    """{"format", "kind", "facts", "tables": {name: {column: list}}} of a whole page."""
    data = page if isinstance(page, bytes) else page.read_bytes()
    found = re.findall(
        rb'<script id="headrace-data" type="application/octet-stream">([A-Za-z0-9+/=]+)<', data
    )
    assert len(found) == 1, "one payload a page"
    return read_payload(gzip.decompress(base64.b64decode(found[0], validate=True)))


def read_payload(data: bytes) -> dict[str, Any]:
    (length,) = struct.unpack_from("<I", data)
    head = json.loads(data[4 : 4 + length])
    assert not any(data[4 + length : _aligned(4 + length)])
    columns = data[_aligned(4 + length) :]
    assert len(columns) % 8 == 0
    tables = {}
    for name, table in head["tables"].items():
        tables[name] = {
            title: _column(column, table["rows"], columns) for title, column in table["columns"].items()
        }
    return {**head, "tables": tables}


def rows_of(table: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def _aligned(size: int) -> int:
    return (size + 7) // 8 * 8


def _column(column: dict[str, Any], rows: int, data: bytes) -> list[Any]:
    at, size, kind = column["at"], column["bytes"], column["type"]
    assert at % 8 == 0
    assert at + size <= len(data)
    if kind == "text":
        offsets = struct.unpack_from(f"<{rows + 1}I", data, at)
        start = at + 4 * (rows + 1)
        assert start + offsets[-1] == at + size
        return [data[start + offsets[row] : start + offsets[row + 1]].decode() for row in range(rows)]
    values = list(struct.unpack_from(f"<{rows}{_FORMATS[kind]}", data, at))
    assert struct.calcsize(f"<{rows}{_FORMATS[kind]}") == size
    return [column["values"][value] for value in values] if kind.startswith("code") else values
