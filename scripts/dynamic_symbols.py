"""The dynamic symbols of a 64-bit little-endian ELF library, without binutils."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

SHT_DYNSYM, SHT_VERSYM, SHT_VERDEF = 11, 0x6FFFFFFF, 0x6FFFFFFD
STT_FUNC, STT_IFUNC = 2, 10


@dataclass(frozen=True)
class Symbol:
    """A function that the library defines. `version` is "" in a library without symbol versions."""

    name: str
    version: str


@dataclass(frozen=True)
class Section:
    kind: int
    offset: int
    size: int
    link: int


def exported_functions(path: Path) -> list[Symbol]:
    """Every function that `path` exports, once a version.

    Raises ValueError, with the reason, if the file is no such library.
    """
    image = path.read_bytes()
    if image[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path}: not a 64-bit little-endian ELF file")
    try:
        return read_symbols(image)
    except (struct.error, IndexError, StopIteration) as error:
        raise ValueError(f"{path}: damaged or without a dynamic symbol table") from error


def read_symbols(image: bytes) -> list[Symbol]:
    sections = read_sections(image)
    table = next(section for section in sections if section.kind == SHT_DYNSYM)
    names = sections[table.link]
    versions = read_versions(image, sections)
    numbers = next((section for section in sections if section.kind == SHT_VERSYM), None)
    symbols = []
    for index in range(table.size // 24):
        name, info, _, section, value = struct.unpack_from("<IBBHQ", image, table.offset + index * 24)
        if section == 0 or value == 0 or info & 15 not in (STT_FUNC, STT_IFUNC) or info >> 4 == 0:
            continue
        number = struct.unpack_from("<H", image, numbers.offset + index * 2)[0] & 0x7FFF if numbers else 0
        symbols.append(Symbol(string(image, names, name), versions.get(number, "")))
    return symbols


def read_sections(image: bytes) -> list[Section]:
    (start,) = struct.unpack_from("<Q", image, 0x28)
    size, count = struct.unpack_from("<HH", image, 0x3A)
    sections = []
    for index in range(count):
        _, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", image, start + index * size)
        sections.append(Section(kind, offset, length, link))
    return sections


def read_versions(image: bytes, sections: list[Section]) -> dict[int, str]:
    definitions = next((section for section in sections if section.kind == SHT_VERDEF), None)
    versions: dict[int, str] = {}
    offset = definitions.offset if definitions else 0
    while definitions:
        _, _, number, _, _, first, following = struct.unpack_from("<HHHHIII", image, offset)
        (name,) = struct.unpack_from("<I", image, offset + first)
        versions[number] = string(image, sections[definitions.link], name)
        if not following:
            break
        offset += following
    return versions


def string(image: bytes, section: Section, offset: int) -> str:
    start = section.offset + offset
    return image[start : image.index(b"\0", start)].decode("ascii", "replace")
