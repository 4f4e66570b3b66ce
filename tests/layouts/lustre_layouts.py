"""Bytes of Lustre layouts as a client gives them: include/uapi/linux/lustre/lustre_user.h of Lustre."""

from __future__ import annotations

import struct
from collections.abc import Sequence


def plain(osts: Sequence[int], size: int = 1 << 20, pool: str = "", pattern: int = 1) -> bytes:
    """`lov_user_md_v3` with a pool, else `lov_user_md_v1`; the objects that it has are on `osts`."""
    magic = 0x0BD30BD0 if pool else 0x0BD10BD0
    head = struct.pack("<IIQQIHH", magic, pattern, 0x1389, 0x200000401, size, len(osts), 0)
    name = pool.encode().ljust(16, b"\0") if pool else b""
    return head + name + b"".join(struct.pack("<QQII", 77 + ost, 0, 0, ost) for ost in osts)


def composite(*parts: tuple[int, int, bytes]) -> bytes:
    """`lov_comp_md_v1`: each part has its first byte, its end, and its layout; all are in use."""
    at = 32 + 48 * len(parts)
    entries = b""
    for number, (start, end, stripes) in enumerate(parts):
        entries += struct.pack("<IIQQIIQQ", number + 1, 0x10, start, end, at, len(stripes), 0, 0)
        at += len(stripes)
    head = struct.pack("<IIIHHQQ", 0x0BD60BD0, at, 1, 0, len(parts), 0, 0)
    return head + entries + b"".join(stripes for _, _, stripes in parts)
