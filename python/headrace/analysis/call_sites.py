"""Which code opened files and did their slowest and largest operations: stacks, resolved to names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from headrace.analysis._symbols import Place, resolve
from headrace.logs import JobLog

Site = dict[str, Any]
Frame = dict[str, Any]

KINDS = (
    "open",
    "slowest_read",
    "slowest_write",
    "largest_read",
    "largest_write",
)  # values of a site's "what"

_LONG_NAME = 60  # characters
_FEW = 20_000  # rows up to which plain Python values are cheaper than loading pyarrow
# Files whose functions are not "the code that did it", although their debug information may be at hand.
_SYSTEM = (
    "/lib/",
    "/lib64/",
    "/lib32/",
    "/usr/lib/",
    "/usr/lib64/",
    "/usr/libexec/",
    "/libx32/",
    "linux-vdso",
)
_PRELOAD = "libheadrace.so"  # the calls of libraries pass it on their way
_LIBRARY_SOURCES = (
    "/usr/include/",
    "/usr/lib/",
    "/include/c++/",
    "/rustc/",
    "../sysdeps/",
    "./csu/",
    "../csu/",
)
# Python files that are not the user's own: installed packages, the standard library, and what these make.
_PYTHON_LIBRARIES = re.compile(
    r"/(site|dist)-packages/|/lib(64|32)?/python\d(\.\d+)?t?/|/python\d+\.zip/"
    r"|^<(frozen |__array_function__|decorator-gen)"
)
_LIBRARY_NAMES = ("std::", "__gnu_cxx::", "_gfortran", "core::", "alloc::", "__libc_start", "_start")


@dataclass(frozen=True)
class CallSites:
    """`sites`: one element a kind of operation and stack, those of most records first, with the keys

    what ("open", "slowest_read", "slowest_write", "largest_read", "largest_write"), stack (16 hex digits),
    calls (how many file records have it), time_ns and bytes (sums of theirs; 0 for open), frames (innermost
    first, those of Python before those of machine code: function, file, line, module, offset, inlined,
    python; null where unknown), show (the index in `frames` of the code that did it, -1: there is none).
    """

    sites: list[Site] = field(default_factory=list)
    open_of: dict[int, int] = field(default_factory=dict)  # record → index in `sites` of its open
    operations: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    """Record → (index in `sites`, time_ns, bytes) of everything that is known of it."""

    def of_record(self, record: int) -> list[int]:
        """Indexes in `sites` of everything that is known of a row of the table `files`."""
        return [index for index, _, _ in self.operations.get(record, [])]


def call_sites(
    log: JobLog, debug_directories: Sequence[str] = (), records: Iterable[int] | None = None
) -> CallSites:
    """The call sites of a log, or of these `records` (of the table `files`) alone.

    `debug_directories`: where separate debug information lies, besides /usr/lib/debug and the directories of
    HEADRACE_DEBUG_DIRECTORY. Modules that are gone or were rebuilt stay unresolved, and all do where there is
    nothing to resolve them with: a MissingPackageWarning says so. Raises LogError.
    """
    wanted = None if records is None else set(records)
    sums: dict[tuple[str, int], list[int]] = {}
    of: dict[int, list[tuple[tuple[str, int], int, int]]] = {}
    for record, what, stack, time_ns, size in _site_rows(log, wanted):
        key = (what, stack)
        total = sums.get(key)
        if total is None:
            total = sums[key] = [0, 0, 0]
        total[0] += 1
        total[1] += time_ns
        total[2] += size
        of.setdefault(record, []).append((key, time_ns, size))
    if not sums:
        return CallSites()
    keys = sorted(sums, key=lambda key: (-sums[key][0], -sums[key][1], key))
    stacks = _resolved(log, {stack for _, stack in keys}, debug_directories)
    programs = {row["executable"] for row in log.native.frame("processes").rows(None, ["executable"])}
    sites = []
    for what, stack in keys:
        calls, time_ns, size = sums[what, stack]
        frames = stacks.get(stack, [])
        site = {"what": what, "stack": f"{stack:016x}", "calls": calls, "time_ns": time_ns, "bytes": size}
        sites.append(site | {"frames": frames, "show": shown_frame(frames, programs)})
    index = {key: number for number, key in enumerate(keys)}
    operations = {
        record: [(index[key], time_ns, size) for key, time_ns, size in found] for record, found in of.items()
    }
    opens = {record: index[key] for record, found in of.items() for key, _, _ in found if key[0] == "open"}
    return CallSites(sites, opens, operations)


def shown_frame(frames: Sequence[Frame], programs: Iterable[str] = ()) -> int:
    """The innermost frame of the program, or of a library that is not the system's; -1: no frame at all.

    Where there are frames of Python it is one of them: the innermost of the user's own files, else of files.
    """
    python = [number for number, frame in enumerate(frames) if frame.get("python")]
    if python:
        files = {number: frames[number]["file"] or "" for number in python}
        mine = [number for number in python if not _is_python_library(files[number])]
        # An import goes through functions without a file: behind several the user's own may not be kept.
        return (mine or [number for number in python if not files[number].startswith("<")] or python)[0]
    for own in (True, False):
        for number, frame in enumerate(frames):
            if own and _is_library(frame, programs):
                continue
            if own or frame["function"]:
                return number
    return 0 if frames else -1


def place(site: Site) -> str:
    """The code that did it in a line: "Grid::dump at grid.cc:7" or "prog+0x1234"; "" when it is not known."""
    if site["show"] < 0:
        return ""
    frame = site["frames"][site["show"]]
    if not frame["function"]:
        if frame["module"] is None:
            return f"address {frame['offset']:#x}"
        return f"{_last(frame['module'])}+{frame['offset']:#x}"
    name = short_name(frame["function"])
    if not frame["file"]:
        return f"{name} in {_last(frame['module'] or '')}"
    return f"{name} at {_last(frame['file'])}" + (f":{frame['line']}" if frame["line"] else "")


def short_name(function: str) -> str:
    """A C++ function without its arguments' types, and without those of templates where they are long."""
    depth, end = 0, len(function)
    if function.rstrip().endswith((")", " const")):
        for at in range(function.rindex(")"), -1, -1):
            depth += {")": 1, "(": -1}.get(function[at], 0)
            if depth == 0:
                end = at
                break
    name = function[:end] if end and not function[:end].endswith("operator") else function
    if len(name) <= _LONG_NAME:
        return name
    short, depth = "", 0
    for letter in name:
        depth -= letter == ">"
        short += letter if depth == 0 else ""
        depth += letter == "<"
    return short.replace("<>", "<…>")


def _last(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _is_python_library(file: str) -> bool:
    return _PYTHON_LIBRARIES.search(file) is not None


def _is_library(frame: Frame, programs: Iterable[str]) -> bool:
    module, file, function = frame["module"], frame["file"] or "", frame["function"] or ""
    if function.startswith(_LIBRARY_NAMES) or any(part in file for part in _LIBRARY_SOURCES):
        return True
    if module is None or module in programs:
        return False
    return module.startswith(_SYSTEM) or _last(module) == _PRELOAD


def _site_rows(log: JobLog, wanted: set[int] | None) -> Iterable[tuple[int, str, int, int, int]]:
    columns = ("record", "what", "stack", "time_ns", "bytes")
    frame = log.native.frame("sites")
    if len(frame) <= _FEW:
        rows = (tuple(row[name] for name in columns) for row in frame.rows(None, list(columns)))
        return (row for row in rows if wanted is None or row[0] in wanted)
    import pyarrow
    import pyarrow.compute

    table = log.table("sites")
    if wanted is not None:
        chosen = pyarrow.array(sorted(wanted), pyarrow.uint64())
        table = table.filter(pyarrow.compute.is_in(table.column("record"), chosen))
    return zip(*(table.column(name).to_pylist() for name in columns), strict=True)


def _resolved(log: JobLog, wanted: set[int], directories: Sequence[str]) -> dict[int, list[Frame]]:
    """The frames of these stacks. Rows of stacks and modules may be repeated in a log."""
    stacks: dict[int, dict[int, dict[str, Any]]] = {}
    offsets: dict[int, set[int]] = {}
    for row in log.native.frame("stacks").rows():
        if row["stack"] in wanted:
            stacks.setdefault(row["stack"], {})[row["depth"]] = row
            if not _is_python(row):
                offsets.setdefault(row["module"], set()).add(row["offset"])
    modules = {row["module"]: row for row in log.native.frame("modules").rows()}
    end = log.job.get("end_utc_ns")
    newest_ns = end if isinstance(end, int) else None
    places: dict[int, dict[int, list[Place]]] = {}
    for number, found in offsets.items():
        module = modules.get(number)
        if module is not None and module["path"].startswith("/"):
            places[number] = resolve(module["path"], module["build_id"], found, directories, newest_ns)
    result = {}
    for stack, rows in stacks.items():
        frames = []
        for depth in sorted(rows):
            row = rows[depth]
            if _is_python(row):
                frames.append(_python_frame(row))
                continue
            number, offset = row["module"], row["offset"]
            path = modules[number]["path"] if number in modules else None
            for where in places.get(number, {}).get(offset) or [Place(None, None, None, False)]:
                frames.append({**where._asdict(), "module": path, "offset": offset, "python": False})
        result[stack] = frames
    return result


def _is_python(row: dict[str, Any]) -> bool:
    return bool(row["function"] or row["file"])


def _python_frame(row: dict[str, Any]) -> Frame:
    place = Place(row["function"] or None, row["file"] or None, row["line"] or None, False)
    return {**place._asdict(), "module": None, "offset": None, "python": True}
