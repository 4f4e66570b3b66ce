"""Fails on a function of an MPI library that is neither intercepted nor left out.

Usage: check_mpi_functions.py LIBMPI…

What the libraries export is compared with mpi.def, mpi_counts.def, mpi_files.def and mpi_left_out.def in
src/intercept. Functions that no library has are not looked for: the lists know newer standards. MPI's
interface for tools (MPI_T_) is no matter of theirs.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dynamic_symbols import exported_functions
from library_lists import mpi_functions, rows_of

INTERCEPT = Path(__file__).resolve().parent.parent / "src" / "intercept"


def main(arguments: list[str]) -> int:
    intercepted = set(mpi_functions(INTERCEPT))
    left_out = {row.arguments[0] for row in rows_of(INTERCEPT / "mpi_left_out.def", ("LEFT_OUT",))}
    problems = [f"mpi_left_out.def: {name} is intercepted" for name in sorted(intercepted & left_out)]
    for library in map(Path, arguments):
        unknown = functions_of(library) - intercepted - left_out
        problems += [f"{library}: MPI_{name} is in no list of src/intercept" for name in sorted(unknown)]
    print("".join(f"{problem}\n" for problem in problems), end="", file=sys.stderr)
    return 1 if problems else 0


def functions_of(library: Path) -> set[str]:
    """Functions of the standard, without MPI_: their names go on with one capital."""
    names = {symbol.name for symbol in exported_functions(library)}
    ours = {name.removeprefix("MPI_") for name in names if name.startswith("MPI_")}
    return {name for name in ours if name[:2] != "T_" and name[:1].isupper() and name[1:2].islower()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
