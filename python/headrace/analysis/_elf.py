"""What the resolver must know of an ELF file before it trusts it: build id, load address, debug link.

Only little-endian 64-bit files, which are all that capture runs in. Nothing in the file is trusted.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import BinaryIO

_MOST = 1 << 20  # bytes of a note or of a table of headers; more is nonsense


@dataclass(frozen=True)
class ElfFacts:
    build_id: str  # hexadecimal; empty: none
    load_address: int  # virtual address of the first segment that is loaded
    debug_link: bytes  # name of a file with the debug information; empty: none
    debug_crc: int  # of that file, as zlib.crc32 computes it


def read_elf(file: BinaryIO) -> ElfFacts | None:
    """The facts, or None when it is no such file or is cut short."""
    try:
        return _read(file)
    except (struct.error, OverflowError, ValueError):
        return None


def _at(file: BinaryIO, offset: int, size: int) -> bytes:
    if size > _MOST:
        raise ValueError("too large to be true")
    file.seek(offset)
    return file.read(size)


def _read(file: BinaryIO) -> ElfFacts | None:
    header = _at(file, 0, 64)
    if header[:6] != b"\x7fELF\x02\x01":
        return None
    phoff, shoff = struct.unpack_from("<QQ", header, 32)
    phentsize, phnum, shentsize, shnum, shstrndx = struct.unpack_from("<5H", header, 54)
    build_id, load_address = "", -1
    segments = _at(file, phoff, phentsize * phnum)
    for number in range(phnum):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", segments, number * phentsize)
        if kind == 1 and load_address < 0:
            load_address = address
        if kind == 4 and not build_id:
            build_id = _build_id(_at(file, offset, min(size, _MOST)))
    sections = _at(file, shoff, shentsize * shnum) if shnum else b""
    link, crc = b"", 0
    if shstrndx < shnum:
        _, _, _, _, names_at, names_size = struct.unpack_from("<IIQQQQ", sections, shstrndx * shentsize)
        names = _at(file, names_at, min(names_size, _MOST))
        for number in range(shnum):
            fields = struct.unpack_from("<IIQQQQ", sections, number * shentsize)
            name = names[fields[0] :].split(b"\0", 1)[0]
            if name == b".gnu_debuglink":
                link, crc = _debug_link(_at(file, fields[4], fields[5]))
            if (
                name == b".note.gnu.build-id" and not build_id
            ):  # debug files may have no segments worth reading
                build_id = _build_id(_at(file, fields[4], fields[5]))
    return ElfFacts(build_id, max(load_address, 0), link, crc)


def _build_id(notes: bytes) -> str:
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, at)
        name_end = at + 12 + (name_size + 3 & ~3)
        if kind == 3 and notes[at + 12 : at + 16] == b"GNU\0":
            return notes[name_end : name_end + size].hex()
        at = name_end + (size + 3 & ~3)
    return ""


def _debug_link(section: bytes) -> tuple[bytes, int]:
    name = section.split(b"\0", 1)[0]
    at = len(name) + 1 + 3 & ~3
    return (name, struct.unpack_from("<I", section, at)[0]) if name and b"/" not in name else (b"", 0)
