"""Files of named arrays, on disk or in memory, written from the first byte to the last.

Arrays one after the other as little-endian numbers, then an index in JSON, its length in eight bytes, and
"PF3DSTOR". An array of bytes may be such a file itself: a logical file within a physical one.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import BinaryIO

import numpy as np

MAGIC = b"PF3DSTOR"


class Writer:
    """`block`: how much is gathered before it goes to the system in one write."""

    def __init__(self, path: Path | None, block: int = 0) -> None:
        self._file: BinaryIO = io.BytesIO() if path is None else path.open("wb", buffering=block)
        self._index: list[tuple[str, str, tuple[int, ...], int]] = []

    def save(self, name: str, array: np.ndarray) -> None:
        array = np.ascontiguousarray(array)
        self._index.append((name, array.dtype.str, array.shape, self._file.tell()))
        self._file.write(array.reshape(-1).view(np.uint8).data)

    def close(self) -> int:
        """Bytes that it wrote."""
        size = self._finish()
        self._file.close()
        return size

    def bytes(self) -> np.ndarray:
        """Of a file in memory: all of it."""
        assert isinstance(self._file, io.BytesIO)
        self._finish()
        return np.frombuffer(self._file.getvalue(), np.uint8)

    def _finish(self) -> int:
        index = json.dumps(self._index).encode()
        self._file.write(index + len(index).to_bytes(8, "little") + MAGIC)
        return self._file.tell()


class Reader:
    def __init__(self, data: bytes | memoryview) -> None:
        self._data = memoryview(data)
        if bytes(self._data[-8:]) != MAGIC:
            raise ValueError("is no file of store.py")
        length = int.from_bytes(self._data[-16:-8], "little")
        entries = json.loads(bytes(self._data[-16 - length : -16]))
        self._entries = {name: (dtype, shape, at) for name, dtype, shape, at in entries}

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def load(self, name: str) -> np.ndarray:
        dtype, shape, at = self._entries[name]
        count = int(np.prod(shape))
        return np.frombuffer(self._data, dtype, count, at).reshape(shape)
