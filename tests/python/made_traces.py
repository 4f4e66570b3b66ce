"""Traces of known content, written through the C++ writer."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from headrace import _native

ENTER, LEAVE, BEGIN, END, SEND, RECEIVE, COLLECTIVE, COUNTER = range(8)
UNKNOWN = (1 << 64) - 1
REFERENCES = [
    ("region", "phase", "step", "program"),
    ("function", "posix", "write", "write"),
    ("function", "posix", "open", "metadata"),
    ("region", "mpi", "MPI_Send", "messages"),
    ("communicator", "mpi", "MPI_COMM_WORLD", "messages"),
    ("counter", "", "temperature", "program"),
]
STEP, WRITE, OPEN, MPI_SEND, WORLD, TEMPERATURE = range(6)


def event(time: int, kind: int, reference: int, other: int = 0, size: int = 0, place: int = 0) -> bytes:
    return struct.pack("<QQQII", time, size, place, kind << 24 | reference, other)


def real(value: float) -> int:
    """As the size of a counter."""
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def write(
    path: Path,
    locations: Iterable[tuple[int, int, int, str, int, int, bytes]],
    handles: Iterable[tuple[int, int, str]] = (),
    **facts: str,
) -> Path:
    _native.write_trace(bytes(path), list(locations), REFERENCES, list(handles), facts, job=7)
    return path


def dump(start: int = 1_000_000_000) -> bytes:
    """A step with an open, two writes of which one fails, a message and a counter: 12 events."""
    parts = [
        event(start, ENTER, STEP),
        event(start + 100, BEGIN, OPEN, 1, 0, UNKNOWN),
        event(start + 1_100, END, OPEN, 1),
        event(start + 2_000, BEGIN, WRITE, 1, 4096, 8192),
        event(start + 22_000, END, WRITE, 1, 4096),
        event(start + 30_000, BEGIN, WRITE, 1, 100, 12288),
        event(start + 31_000, END, WRITE, 1, 0, 28),
        event(start + 40_000, COUNTER, TEMPERATURE, 0, real(36.6)),
        event(start + 50_000, ENTER, MPI_SEND),
        event(start + 50_100, SEND, WORLD, 1, 8, 3),
        event(start + 50_200, LEAVE, MPI_SEND, 0, 8),
        event(start + 60_000, LEAVE, STEP),
    ]
    return b"".join(parts)


def two_ranks(path: Path) -> Path:
    """Rank 0 sends rank 1 a message; 13 events."""
    received = event(1_000_060_000, RECEIVE, WORLD, 0, 8, 3)
    locations = [(11, 1, 0, "n1", 501, 0, dump()), (12, 1, 1, "n1", 502, 0, received)]
    return write(path, locations, [(11, 1, "/data/out")], start_utc_ns="5")


def damage(path: Path, kind: str = "events") -> None:
    """Changes a byte of the first chunk of this name."""
    data = bytearray(path.read_bytes())
    at = data.index(kind.encode().ljust(16, b"\0"))
    data[at - 16 + 150] ^= 0x55
    path.write_bytes(data)


Facts = dict[str, Any]
