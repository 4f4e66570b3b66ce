"""Tables of numbers to cluster: arrays in memory, .npy, Parquet and CSV files, and ranks of job logs.

A .npy file is mapped into memory and not copied when its rows lie one behind the other and are floats.
"""

from __future__ import annotations

import ast
import mmap
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import _native
from headrace._errors import (
    LogForeignError,
    LogNotFoundError,
    LogTruncatedError,
    LogUnreadableError,
    LogUnsupportedError,
    UsageError,
)

if TYPE_CHECKING:
    import pyarrow

_NPY = b"\x93NUMPY"
_PARQUET = b"PAR1"
_FLOATS = {"f": False, "d": True}  # formats of the struct module: whether they are doubles


@dataclass(frozen=True)
class PointTable:
    memory: Any = field(repr=False)  # shows the rows, one behind the other
    doubles: bool
    rows: int
    columns: list[str]
    names: list[str] | None = None  # of the rows, where they have some
    left_out: list[str] = field(default_factory=list)  # columns that are no numbers
    phase: str | None = None  # of ranks: what they did in this phase alone
    instance: int | None = None  # which time; 0: all of them together
    missing: list[int] = field(default_factory=list)  # rows without any figures there: zeros
    unit: str | None = None  # of all columns: s, B or operations; None: not known


def of_array(array: Any) -> PointTable:
    """A two-dimensional array that shows its memory. Raises UsageError for anything else."""
    try:
        view = memoryview(array)
    except TypeError as error:
        name = type(array).__name__
        raise UsageError(f"a {name} does not show its memory: give a numpy array, or a path") from error
    if view.ndim == 1:
        raise UsageError(
            "an array of 1 dimension has no rows and columns: give array.reshape(-1, 1), with a value a row"
        )
    if view.ndim != 2 or view.format not in _FLOATS or not view.c_contiguous:
        raise UsageError(
            f"an array of {view.ndim} dimensions and format {view.format!r} cannot be clustered as it lies "
            "in memory: make it one of two dimensions with numpy.ascontiguousarray(array, dtype=float)"
        )
    rows, columns = view.shape or (0, 0)
    return PointTable(view, _FLOATS[view.format], rows, [str(number) for number in range(columns)])


def is_table(path: str) -> bool:
    """Whether a file is one that `read` reads, by its first bytes or, where it cannot be read, its name."""
    try:
        with Path(path).open("rb") as file:
            begin = file.read(len(_NPY))
    except OSError:
        return path.endswith((".npy", ".parquet", ".csv"))
    return begin == _NPY or begin.startswith(_PARQUET) or path.endswith((".npy", ".parquet", ".csv"))


def read(path: str | os.PathLike[str], columns: Sequence[str] = ()) -> PointTable:
    """The table in a .npy, Parquet or CSV file; of the latter two, these columns, or all that are numbers."""
    name = os.fspath(path)
    try:
        with Path(name).open("rb") as file:
            begin = file.read(len(_NPY))
            if begin == _NPY:
                if columns:
                    raise UsageError(f"{name}: columns of a .npy file have no names to choose them by")
                return _read_npy(name, file)
    except FileNotFoundError as error:
        raise LogNotFoundError(f"{name}: there is no such file") from error
    except OSError as error:
        raise LogUnreadableError(f"{name}: cannot be read: {error.strerror}") from error
    if begin.startswith(_PARQUET):
        return _read_parquet(name, columns)
    if name.endswith(".csv"):
        return _read_csv(name, columns)
    raise LogForeignError(
        f"{name}: is neither a .npy, a Parquet nor a .csv file: "
        "save a table with numpy.save, as Parquet or as CSV"
    )


def _read_npy(name: str, file: Any) -> PointTable:
    """The format is numpy's: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html."""
    major, _ = file.read(2) or b"\0\0"
    length = file.read(2 if major == 1 else 4)
    if major not in (1, 2, 3) or len(length) != (2 if major == 1 else 4):
        raise LogUnsupportedError(f"{name}: version {major} of the .npy format is not known; save it again")
    header = file.read(struct.unpack("<H" if major == 1 else "<I", length)[0])
    try:
        facts = ast.literal_eval(header.decode("utf-8" if major == 3 else "latin-1").strip())
        kind, by_column, shape = facts["descr"], facts["fortran_order"], tuple(facts["shape"])
        counts = [int(each) for each in shape]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError) as error:
        raise LogForeignError(f"{name}: the header at byte 0 is damaged: save the array again") from error
    if len(counts) not in (1, 2) or min(counts, default=0) < 0 or (len(counts) == 2 and counts[1] == 0):
        raise LogUnsupportedError(
            f"{name}: holds an array of shape {shape}: one of rows and columns is needed"
        )
    rows, columns = (*counts, 1)[:2]
    if kind not in ("<f4", "<f8"):
        raise LogUnsupportedError(
            f"{name}: holds values of type {kind!r}: save it with numpy.save(path, array.astype('<f8'))"
        )
    size, begin = rows * columns * int(kind[2]), file.tell()
    there = os.fstat(file.fileno()).st_size - begin
    if there < size:
        raise LogTruncatedError(f"{name}: ends after {there} of {size} bytes of values: save the array again")
    whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    values: Any = whole[begin : begin + size]
    if by_column and columns > 1:
        if kind == "<f4":
            raise LogUnsupportedError(
                f"{name}: holds floats column by column: save it by row, "
                "with numpy.save(path, numpy.ascontiguousarray(array))"
            )
        step = rows * 8
        values = _native.rows_of_columns([values[at : at + step] for at in range(0, size, step)])
    return PointTable(values, kind == "<f8", rows, [str(number) for number in range(columns)])


def _read_parquet(name: str, wanted: Sequence[str]) -> PointTable:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(name)
        chosen, numbers = _numbers(name, file.schema_arrow, wanted)
        table = file.read(columns=numbers)
    except (pyarrow.ArrowException, OSError) as error:
        raise LogUnreadableError(f"{name}: cannot be read as Parquet: {error}") from error
    return _of_columns(table, chosen, numbers)


def _read_csv(name: str, wanted: Sequence[str]) -> PointTable:
    """The first line has the names of the columns; an empty field is a missing value."""
    import pyarrow
    import pyarrow.csv

    try:
        table = pyarrow.csv.read_csv(name)
    except (pyarrow.ArrowException, OSError) as error:
        raise LogUnreadableError(f"{name}: cannot be read as CSV: {error}") from error
    if len(set(table.column_names)) < table.num_columns:
        raise UsageError(f"{name}: line 1 names a column twice: give each column a name of its own")
    chosen, numbers = _numbers(name, table.schema, wanted)
    if all(map(_is_value, table.column_names)):
        raise UsageError(f"{name}: line 1 has numbers where names of columns are needed: add a line of names")
    return _of_columns(table, chosen, numbers)


def _is_value(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(name: str, schema: pyarrow.Schema, wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns that are asked for, and those of them that are numbers."""
    for each in wanted:
        if each not in schema.names:
            raise UsageError(f"{name}: there is no column '{each}'; there are {', '.join(schema.names)}")
    chosen = list(dict.fromkeys(wanted)) or schema.names
    numbers = [each for each in chosen if _is_number(schema.field(each).type)]
    if not numbers:
        raise UsageError(f"{name}: has no column of numbers among {', '.join(chosen) or 'none'}")
    return chosen, numbers


def _of_columns(table: pyarrow.Table, chosen: list[str], numbers: list[str]) -> PointTable:
    values = [_doubles(table.column(each)) for each in numbers]
    left_out = [each for each in chosen if each not in numbers]
    return PointTable(_native.rows_of_columns(values), True, table.num_rows, numbers, None, left_out)


def _is_number(kind: pyarrow.DataType) -> bool:
    import pyarrow

    return bool(
        pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind) or pyarrow.types.is_boolean(kind)
    )


def _doubles(column: pyarrow.ChunkedArray) -> Any:
    """The values of a column in memory; NaN for what is missing."""
    import pyarrow

    if pyarrow.types.is_boolean(column.type):
        column = column.cast(pyarrow.uint8())
    filled = column.cast(pyarrow.float64(), safe=False).fill_null(float("nan")).combine_chunks()
    if isinstance(filled, pyarrow.ChunkedArray):  # of no rows
        filled = (
            pyarrow.concat_arrays(filled.chunks)
            if filled.num_chunks
            else pyarrow.array([], pyarrow.float64())
        )
    begin = 8 * filled.offset
    return memoryview(filled.buffers()[1] or b"")[begin : begin + 8 * len(filled)]
