"""Payloads of reports, encoded as docs/formats/report-payload.md says, and put into the template."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

TEMPLATE = Path(__file__).parents[2] / "python/headrace/reports/template.html"
MARKER = '<script id="headrace-data" type="application/octet-stream"></script>'

Columns = dict[str, "np.ndarray[Any, Any] | Sequence[str] | Coded"]
_NUMBERS = {"uint8": "u8", "uint16": "u16", "uint32": "u32", "int32": "i32", "float64": "f64"}


class Coded:
    """Texts of which there are few: `codes[row]` is an index into `values`."""

    def __init__(self, values: Sequence[str], codes: Sequence[int] | np.ndarray[Any, Any]) -> None:
        self.values = list(values)
        self.codes = np.asarray(codes, dtype=np.uint32)


def write_report(path: Path, kind: str, facts: dict[str, Any], tables: dict[str, Columns]) -> Path:
    page = TEMPLATE.read_text(encoding="utf-8")
    assert page.count(MARKER) == 1
    data = base64.b64encode(gzip.compress(encode(kind, facts, tables), 6)).decode()
    path.write_text(page.replace(MARKER, MARKER.replace("><", f">{data}<")), encoding="utf-8")
    return path


def encode(kind: str, facts: dict[str, Any], tables: dict[str, Columns]) -> bytes:
    data = bytearray()
    entries: dict[str, Any] = {}
    for name, columns in tables.items():
        rows = len(next(iter(_lengths(columns))))
        entries[name] = {
            "rows": rows,
            "columns": {key: _add(data, column) for key, column in columns.items()},
        }
    head = json.dumps({"format": 1, "kind": kind, "facts": facts, "tables": entries}).encode()
    start = len(head).to_bytes(4, "little") + head
    return start + bytes(-len(start) % 8) + bytes(data)


def _lengths(columns: Columns) -> list[Any]:
    return [column.codes if isinstance(column, Coded) else column for column in columns.values()]


def _add(data: bytearray, column: Any) -> dict[str, Any]:
    data.extend(bytes(-len(data) % 8))
    at = len(data)
    if isinstance(column, Coded):
        data.extend(column.codes.tobytes())
        return {"type": "code", "at": at, "bytes": len(data) - at, "values": column.values}
    if isinstance(column, np.ndarray):
        data.extend(column.tobytes())
        return {"type": _NUMBERS[column.dtype.name], "at": at, "bytes": len(data) - at}
    texts = [text.encode() for text in column]
    starts = np.zeros(len(texts) + 1, dtype=np.uint32)
    np.cumsum([len(text) for text in texts], out=starts[1:])
    data.extend(starts.tobytes())
    data.extend(b"".join(texts))
    return {"type": "text", "at": at, "bytes": len(data) - at}
