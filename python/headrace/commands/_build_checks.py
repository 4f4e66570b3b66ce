"""What `headrace doctor` says of this build: the parts that it may lack."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from headrace._places import library, native_program
from headrace.commands._checks import FAILS, LIMITED, OK, Check
from headrace.commands._installation import added_by, again
from headrace.reports.html import TEMPLATE

_DYNAMIC = 3  # PT_INTERP of elf.h: the program names a loader


def otf2() -> Check:
    try:
        importlib.import_module("headrace._otf2")
    except ImportError as error:
        found = f"built without it: no OTF2 archive is written or read ({error})"
        return _lacks("OTF2", found, "libotf2-trace-dev")
    return Check("OTF2", OK, "archives are written and read")


def static_capture() -> Check:
    """What `headrace config --ldflags-static` names."""
    path = library("headrace-static.o")
    if not path.is_file():
        found = f"{path} is not there: no program that is linked with -static is captured"
        return _lacks("static programs", found, "libc6-dev")
    return Check("static programs", OK, "those linked with `headrace config --ldflags-static` are captured")


def static_command() -> Check:
    path = native_program()
    try:
        loaded = _DYNAMIC in _segments(path.read_bytes())
    except (OSError, ValueError) as error:
        return Check("command", FAILS, f"{path}: {error}", added_by("libc6-dev libzstd-dev"), needed=False)
    if loaded:
        found = f"{path} is not linked statically: it starts later, and libraries preloaded in jobs reach it"
        return Check("command", LIMITED, found, added_by("libc6-dev libzstd-dev"), needed=False)
    return Check("command", OK, f"{path}, linked statically")


def report_page() -> Check:
    if not TEMPLATE.is_file():
        return Check(
            "report page", FAILS, f"{TEMPLATE} is not there: no page is written", again(), needed=False
        )
    return Check("report page", OK, f"{TEMPLATE.stat().st_size >> 10} KiB")


def _segments(elf: bytes) -> set[int]:
    """Types of the segments of a 64-bit program. ValueError: it is none."""
    if elf[:6] != b"\x7fELF\x02\x01" or len(elf) < 64:
        raise ValueError("no program for this machine")
    number = [int.from_bytes(elf[at : at + size], "little") for at, size in ((32, 8), (54, 2), (56, 2))]
    table, size, count = number
    return {int.from_bytes(elf[table + i * size : table + i * size + 4], "little") for i in range(count)}


def _lacks(name: str, found: str, packages: str) -> Check:
    return Check(name, FAILS, found, added_by(packages), needed=False)


ALL: list[Callable[[], Check]] = [static_command, static_capture, otf2, report_page]
