"""All bytes that a log says anything with: the file and every payload unpacked, without the reader."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pyarrow

_MAGIC = b"\x89HRC\r\n\x1a\x01"
_HEADER = 100


def all_bytes(log: Path) -> bytes:
    data = log.read_bytes()
    return b"\n".join([data, *_payloads(data)])


def _payloads(data: bytes) -> Iterator[bytes]:
    """docs/formats/chunk-file.md; chunks follow each other without gaps."""
    at = 0
    while at < len(data):
        assert data[at : at + 8] == _MAGIC
        (codec,) = struct.unpack_from("<H", data, at + 14)
        raw, stored = struct.unpack_from("<II", data, at + 84)
        payload = data[at + _HEADER : at + _HEADER + stored]
        yield pyarrow.Codec("zstd").decompress(payload, raw).to_pybytes() if codec else payload
        at += _HEADER + stored
