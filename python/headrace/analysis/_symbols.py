"""Offsets in programs and libraries → function, file and line, by the package `symbolic`.

Why that package: docs/decisions/0002-call-sites.md. It is loaded when the first module is looked at.
"""

from __future__ import annotations

import os
import re
import stat
import warnings
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from headrace import _native
from headrace._errors import MissingPackageWarning
from headrace._packages import pip_install
from headrace.analysis._elf import ElfFacts, read_elf

DEBUG_DIRECTORY = "/usr/lib/debug"
DEBUG_VARIABLE = "HEADRACE_DEBUG_DIRECTORY"


class Place(NamedTuple):
    """A function that an address lies in, or was inlined into the one after it."""

    function: str | None
    file: str | None
    line: int | None
    inlined: bool


def resolve(
    path: str, build_id: str, offsets: Iterable[int], directories: Sequence[str], newest_ns: int | None
) -> dict[int, list[Place]]:
    """For each offset the functions it lies in, innermost first; those that are not known are left out.

    `offsets`: return addresses as virtual addresses of the file. The file is used only if it is the one that
    ran: by its build id, or when it has none by its time, which must not be after `newest_ns` (since 1970).
    Without the package none is known, which a MissingPackageWarning says.
    """
    found = _open_module(path, build_id, newest_ns)
    if found is None:
        return {}
    facts, archive = found
    cache = _symbols(path, facts, archive, directories)
    if cache is None:
        return {}
    result = {}
    for offset in offsets:
        places = _look_up(cache, offset - 1 - facts.load_address)  # inside the call, not behind it
        if places:
            result[offset] = places
    return result


def _open_module(path: str, build_id: str, newest_ns: int | None) -> tuple[ElfFacts, Any] | None:
    try:
        facts = _facts(path)
        if facts is None or facts.build_id != build_id:
            return None
        if not build_id and newest_ns is not None and Path(path).stat().st_mtime_ns > newest_ns:
            return None
        return facts, _open(path)
    except (OSError, ValueError):
        return None


def _facts(path: str) -> ElfFacts | None:
    if not stat.S_ISREG(Path(path).stat().st_mode):
        return None
    with Path(path).open("rb") as file:
        return read_elf(file)


def _open(path: str) -> Any:
    """The file's object, or None when it is damaged, or there is no package to read it."""
    try:
        from symbolic.debuginfo import Archive
        from symbolic.exceptions import SymbolicError
    except ImportError:
        how = pip_install("symbolic")
        text = f"code is shown as file+address, since symbolic is not installed; {how} gives it names"
        warnings.warn(text, MissingPackageWarning, stacklevel=1)  # once, wherever it was asked for
        return None
    try:
        return next(iter(Archive.open(path).iter_objects()), None)
    except (SymbolicError, UnicodeError):
        return None


def _symbols(path: str, facts: ElfFacts, module: Any, directories: Sequence[str]) -> Any:
    """The best there is: debug information of the file, of a separate file, or the symbol table."""
    candidates = [module] if module is not None and "debug" in module.features else []
    if not candidates:
        candidates = [debug for debug in _separate(path, facts, directories) if debug is not None]
        candidates += [module] if module is not None else []
    for candidate in candidates:
        try:
            cache = candidate.make_symcache()
        except Exception:  # a damaged file: whatever the package makes of it
            continue
        return cache
    return None


def _separate(path: str, facts: ElfFacts, directories: Sequence[str]) -> Iterable[Any]:
    """Objects with the debug information of a file that was stripped, as GDB looks for them."""
    more = [name for name in os.environ.get(DEBUG_VARIABLE, "").split(":") if name]
    roots = [*directories, *more, DEBUG_DIRECTORY]
    names = []
    if len(facts.build_id) > 2:
        names += [
            Path(root, ".build-id", facts.build_id[:2], facts.build_id[2:] + ".debug") for root in roots
        ]
    if facts.debug_link:
        link, directory = os.fsdecode(facts.debug_link), Path(path).parent
        names += [directory / link, directory / ".debug" / link]
        names += [Path(root, str(directory).lstrip("/"), link) for root in roots]
        names += [Path(root, link) for root in roots]
    for name in names:
        try:
            other = _facts(str(name))
            if other is not None and _belongs(name, other, facts):
                yield _open(str(name))
        except (OSError, ValueError):
            continue


def _belongs(name: Path, other: ElfFacts, facts: ElfFacts) -> bool:
    if facts.build_id or other.build_id:
        return facts.build_id == other.build_id
    crc = 0
    with name.open("rb") as file:
        while part := file.read(1 << 20):
            crc = zlib.crc32(part, crc)
    return crc == facts.debug_crc


def _look_up(cache: Any, address: int) -> list[Place]:
    if not 0 <= address < 1 << 63:
        return []
    try:
        found = cache.lookup(address)
    except Exception:  # the same
        return []
    last = len(found) - 1
    return [
        Place(readable(entry.symbol), entry.full_path or None, entry.line or None, number < last)
        for number, entry in enumerate(found)
    ]


_FORTRAN = re.compile(r"__([a-z]\w*)_MOD_(\w+)")
_CLONE = re.compile(r"(\.(isra|constprop|part|cold|lto_priv|llvm|omp_fn|_omp_fn)(\.\d+)*)+$")
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")
_RUST_CODES = {"$LT$": "<", "$GT$": ">", "$RF$": "&", "$C$": ",", "$u20$": " ", "$u7b$": "{", "$u7d$": "}"}


def readable(symbol: str | None) -> str | None:
    """The name in the program's own language; as it is when it is not mangled."""
    if not symbol or symbol == "?":
        return None
    if fortran := _FORTRAN.fullmatch(_CLONE.sub("", symbol)):
        return f"{fortran[1]}::{fortran[2]}"
    if not symbol.startswith(("_Z", "__Z")):
        return _CLONE.sub("", symbol)
    name = _native.demangle(_CLONE.sub("", symbol))
    if _RUST_HASH.search(name):  # a name of Rust in the guise of C++
        name = _RUST_HASH.sub("", name)
        for code, text in _RUST_CODES.items():
            name = name.replace(code, text)
        name = name.replace("..", "::").replace("_<", "<")
    return name
