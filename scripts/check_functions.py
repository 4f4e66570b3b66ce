"""Fails on a C library function that touches files or descriptors and is neither intercepted nor left out.

Usage: check_functions.py [--libc PATH] [--intercepted LIST] [--left-out LIST] [--library LIBHEADRACE]

What the machine's libc.so.6 exports is compared with src/intercept/functions.def and left_out.def; which
symbols touch files or descriptors is decided by the rules in file_functions.py. Symbols of the version
GLIBC_PRIVATE are for glibc's own libraries and are not considered. A row that the C library does not export
is an error as well (a typing mistake), unless it stands in a condition for a newer C library than this one.

With --library, the exports of the built preload library must be the intercepted symbols and those of
include/headrace, no more and no less.
"""

from __future__ import annotations

import argparse
import platform
import re
import subprocess
import sys
from pathlib import Path

from dynamic_symbols import exported_functions
from file_functions import file_functions
from function_lists import (
    ALIAS_MACROS,
    FUNCTION_MACROS,
    ListError,
    Row,
    Version,
    read_rows,
)
from library_lists import io_library_symbols, mpi_functions

INTERCEPT = Path(__file__).resolve().parent.parent / "src" / "intercept"


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    try:
        intercepted = read_rows(options.intercepted, FUNCTION_MACROS + ALIAS_MACROS)
        left_out = read_rows(options.left_out, ("LEFT_OUT",))
        exported = libc_exports(options.libc)
        version = glibc_version(options.libc)
        folder = options.intercepted.parent
        libraries = library_symbols(folder) | io_library_symbols(folder)
        problems = check(intercepted, left_out, exported, file_functions(exported), version)
        if options.library:
            problems += check_library(options.library, intercepted, libraries, version)
    except (ListError, ValueError, OSError) as error:
        problems = [str(error)]
    except subprocess.CalledProcessError as error:
        problems = [f"the C compiler cannot read the system's headers: {error.stderr.strip()}"]
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f"{len(problems)} problems; scripts/file_functions.py states the rules", file=sys.stderr)
    return 1 if problems else 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--libc", type=Path, help="the C library (default: the one of this process)")
    parser.add_argument("--intercepted", type=Path, default=INTERCEPT / "functions.def")
    parser.add_argument("--left-out", type=Path, default=INTERCEPT / "left_out.def")
    parser.add_argument("--library", type=Path, help="also compare the exports of this libheadrace.so")
    options = parser.parse_args(arguments)
    options.libc = options.libc or own_libc()
    return options


def own_libc() -> Path:
    """The C library that this Python runs on."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        path = line.split(maxsplit=5)[-1]
        if re.search(r"/libc(\.so\.6|-2\.\d+\.so)$", path):
            return Path(path)
    sys.exit("check_functions.py: this Python does not run on glibc: name the library with --libc PATH")


def glibc_version(libc: Path) -> Version:
    """The version of the library; of another than this process's, the newest version that a symbol has."""
    if libc == own_libc():
        major, minor = platform.libc_ver()[1].split(".")[:2]
        return int(major), int(minor)
    versions = (re.match(r"GLIBC_(\d+)\.(\d+)", symbol.version) for symbol in exported_functions(libc))
    return max(((int(match[1]), int(match[2])) for match in versions if match), default=(0, 0))


def libc_exports(libc: Path) -> set[str]:
    return {symbol.name for symbol in exported_functions(libc) if symbol.version != "GLIBC_PRIVATE"}


def check(
    intercepted: list[Row],
    left_out: list[Row],
    exported: set[str],
    touching: dict[str, str],
    version: Version,
) -> list[str]:
    """What is wrong with the lists on this C library, one message each."""
    functions = {row.arguments[0] for row in intercepted if row.macro in FUNCTION_MACROS}
    places: dict[str, str] = {}
    problems = []
    for row in intercepted + left_out:
        name = row.arguments[0]
        if name in places:
            problems.append(f"{row.place}: {name} is already listed at {places[name]}")
        places.setdefault(name, row.place)
        if name not in exported and row.since <= version:
            problems.append(f"{row.place}: {unknown(name, version)}")
        if row.macro in ALIAS_MACROS and row.arguments[1] not in functions:
            problems.append(f"{row.place}: {name} is an alias of {row.arguments[1]}, which no row defines")
        if row.macro == "LEFT_OUT" and not (len(row.arguments) == 2 and row.arguments[1]):
            problems.append(f"{row.place}: {name} is left out without a reason")
    for name in sorted(touching.keys() - places.keys()):
        problems.append(
            f"{name} is neither intercepted nor left out, and touches files or descriptors "
            f"({touching[name]}): add a row to functions.def, or to left_out.def with the reason"
        )
    return problems


def unknown(name: str, version: Version) -> str:
    return (
        f"{name} is no function of this C library ({version[0]}.{version[1]}): correct the name, or put the "
        f"row between #if __GLIBC_PREREQ(major, minor) and #endif if a newer one has it"
    )


# What programs may call: the headers of include/headrace look for these.
PUBLIC = {
    "headrace_phase_begin",
    "headrace_phase_end",
    "headrace_cluster_phase",
    "headrace_trace_recorder",
    "__cyg_profile_func_enter",
    "__cyg_profile_func_exit",
    "headrace_python_recorder",
    "headrace_wait_recorder",
}


def library_symbols(folder: Path) -> set[str]:
    """The symbols of functions of libraries: MPI's have two, of which tools replace one."""
    return {prefix + name for name in mpi_functions(folder) for prefix in ("MPI_", "PMPI_")}


def check_library(library: Path, intercepted: list[Row], libraries: set[str], version: Version) -> list[str]:
    """The difference between the library's exports and the lists."""
    exported = {symbol.name for symbol in exported_functions(library)}
    wanted = {row.arguments[0] for row in intercepted if row.since <= version} | libraries | PUBLIC
    missing, added = sorted(wanted - exported), sorted(exported - wanted)
    problems = [f"{library}: does not export {name}, which the lists have" for name in missing]
    return problems + [f"{library}: exports {name}, which no list has" for name in added]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
