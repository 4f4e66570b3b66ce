"""The functions of MPI and of libraries for I/O that the preload library intercepts, from their lists."""

from __future__ import annotations

from pathlib import Path

from function_lists import Row, read_rows

MPI_LISTS = ("mpi.def", "mpi_counts.def", "mpi_files.def")
MPI_MACROS = ("MPI", "OTHER", "COUNTED", "COLLECTIVE", "AT", "NEXT", "AT_BEGIN", "NEXT_BEGIN", "END")
HDF5_MACROS = ("HDF", "CLOSING")
ASYNCHRONOUS_MACROS = ("KERNEL_AIO", "RING", "SPECIAL_RING", "OPERATION")
PNETCDF_MACROS = ("PNETCDF", "CLOSING", "BLOCKING", "LATER", "BY_TYPE")

# Types of memory that PnetCDF has functions for; the list has a row for all of them.
MEMORY_TYPES = (
    *("text", "schar", "uchar", "short", "ushort", "int", "uint"),
    *("long", "float", "double", "longlong", "ulonglong"),
)


def mpi_functions(folder: Path) -> dict[str, Row]:
    """Names without MPI_, in the order of the lists, and the row of each."""
    rows = [row for name in MPI_LISTS for row in rows_of(folder / name, MPI_MACROS)]
    return {name: row for row in rows for name in names_of(row)}


def names_of(row: Row) -> list[str]:
    """The functions of MPI that a row is of."""
    name = row.arguments[0]
    if row.macro == "COUNTED":
        return [name, name + "_c"]
    if row.macro == "COLLECTIVE":
        return [each + large for each in (name, row.arguments[1], name + "_init") for large in ("", "_c")]
    return [name]


def io_library_symbols(folder: Path) -> set[str]:
    """Those of HDF5, PnetCDF, libaio and liburing, by the lists in `folder`."""
    return hdf5_symbols(folder) | pnetcdf_symbols(folder) | asynchronous_symbols(folder)


def asynchronous_symbols(folder: Path) -> set[str]:
    rows = rows_of(folder / "asynchronous.def", ASYNCHRONOUS_MACROS)
    return {row.arguments[0] for row in rows if row.macro != "OPERATION"}


def hdf5_symbols(folder: Path) -> set[str]:
    return {"H5" + row.arguments[0] for row in rows_of(folder / "hdf5.def", HDF5_MACROS)}


def pnetcdf_symbols(folder: Path) -> set[str]:
    rows = rows_of(folder / "pnetcdf.def", PNETCDF_MACROS)
    return {"ncmpi_" + row.arguments[0] + ending for row in rows for ending in endings(row.macro)}


def endings(macro: str) -> list[str]:
    """What follows the name of a row in the symbols that it makes."""
    types = ["", *("_" + name for name in MEMORY_TYPES)]
    if macro == "BLOCKING":
        return [name + whom for name in types for whom in ("", "_all")]
    if macro == "LATER":
        return types
    return ["", "_all"] if macro == "BY_TYPE" else [""]


def rows_of(path: Path, macros: tuple[str, ...]) -> list[Row]:
    return read_rows(path, macros) if path.exists() else []
