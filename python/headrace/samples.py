"""Samples of devices and servers, as `headrace monitor` stores them (docs/formats/sample-store.md).

`read` gives a store, or one file of it, as the tables `samples`, `sample_gaps` and `server_jobs` of
the catalog (headrace.catalog.schema); `write` makes a file of such tables. A store may be read while it
is written.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import _native
from headrace._errors import (
    HeadraceError,
    LogCorruptError,
    LogForeignError,
    LogNotFoundError,
    LogTruncatedError,
    LogUnreadableError,
    UsageError,
)
from headrace._outputs import any_file, new_file

if TYPE_CHECKING:
    import pyarrow

__all__ = ["TABLES", "each", "files", "read", "table", "write"]

# The columns of the catalog: a test holds them to its schema, which lies above this module.
_COLUMNS = {
    "samples": "host boot kind device start end reads read_bytes writes write_bytes read_ms write_ms busy_ms"
    " queue_ms metadata",
    "sample_gaps": "host device start end reason",
    "server_jobs": "host device job start end reads read_bytes writes write_bytes metadata",
}
TABLES = tuple(_COLUMNS)
_TEXTS, _TIMES = {"host", "boot", "kind", "device", "reason", "job"}, {"start", "end"}
_OPEN, _TAIL = ".open.hr", ".tail.hr"
_QUEUE_REST = "queue_rest_ms"
_NULLABLE = {"read_ms", "write_ms", "busy_ms", "queue_ms", "metadata"}  # -1 in the file: not known


def files(path: str | Path, problems: list[str] | None = None) -> list[Path]:
    """The files of a store, by host and time; of a file, that file.

    `NAME.open.hr` is one that a monitor writes, or wrote when it was killed. Directories that cannot be read
    are said in `problems`. LogNotFoundError: there is none. LogUnreadableError: it cannot be looked at.
    """

    refused: list[str] = []

    def unreadable(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):  # removed meanwhile
            refused.append(f"{error.filename}: cannot be read: {error.strerror}")

    path = Path(path)
    try:
        mode = path.stat().st_mode  # once: a monitor may make the store at this moment
    except (FileNotFoundError, NotADirectoryError):
        raise LogNotFoundError(f"{path}: there is no such file or directory") from None
    except OSError as error:
        raise LogUnreadableError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not stat.S_ISDIR(mode):
        return [path]
    found = []
    for directory, _, names in os.walk(path, onerror=unreadable):
        found += [
            Path(directory, name) for name in names if name.endswith(".hr") and not name.endswith(_TAIL)
        ]
    if refused and not found:
        raise LogUnreadableError(refused[0])
    if not found:
        raise LogNotFoundError(f"{path}: there are no samples in this directory (no file NAME.hr)")
    if problems is not None:
        problems += refused
    return sorted(found)


def read(path: str | Path, problems: list[str] | None = None) -> dict[str, pyarrow.Table]:
    """All tables of a store or of one file of it, each with the columns of the catalog.

    What cannot be read of a file is left out and said in `problems`, a sentence each. LogError: nothing of it
    can be used; of a store, LogNotFoundError: it has no files.
    """
    import pyarrow

    said = problems if problems is not None else []
    parts: dict[str, list[pyarrow.Table]] = {name: [_empty(name)] for name in TABLES}
    for tables in each(path, said):
        for name, table in tables.items():
            parts[name].append(table)
    return {name: pyarrow.concat_tables(tables).combine_chunks() for name, tables in parts.items()}


def each(path: str | Path, problems: list[str]) -> Iterator[dict[str, pyarrow.Table]]:
    """As `read`, file by file, so that memory is that of one; files that are gone meanwhile are left out.

    LogError: no file of it can be read.
    """
    lost: HeadraceError | None = None
    some = False
    for file in files(path, problems):
        try:
            tables = _read_file(file, problems)
        except HeadraceError as error:
            if file == Path(path):
                raise
            lost = error
            if not isinstance(error, LogNotFoundError):
                problems.append(str(error))
            continue
        some = True
        yield {name: tables[name] if name in tables else _empty(name) for name in TABLES}
    if lost is not None and not some:
        raise LogCorruptError(f"{path}: no file of it can be read, as {lost}") from lost


def write(path: str | Path, tables: Mapping[str, pyarrow.Table], identity: int = 0) -> None:
    """Makes one finished file of tables with the columns of the catalog; a file that exists is replaced.

    `identity`: of the file; 0 stands for a random one, so that two files of one content differ.

    OutputError: it cannot be written; a file of this name is whole in any case. UsageError: another table.
    """
    # What a file of no rows is known by.
    stored: dict[str, dict[str, list[Any]]] = {"monitor": {"version": [_native.version]}}
    for name, table in tables.items():
        if name not in TABLES:
            raise UsageError(f"{path}: samples have no table '{name}'; there are {', '.join(TABLES)}")
        if table.num_rows:
            stored[name] = _to_file(name, table)
    with new_file(path, any_file) as partial:
        _native.write_tables(os.fsencode(partial), stored, identity)


def table(name: str, rows: Sequence[Mapping[str, Any]]) -> pyarrow.Table:
    """Rows as a table with the columns of the catalog; times are microseconds since 1970."""
    import pyarrow

    return pyarrow.Table.from_pylist(rows, schema=_empty(name).schema)


def _empty(name: str) -> pyarrow.Table:
    import pyarrow

    time, text, number = pyarrow.timestamp("us", tz="UTC"), pyarrow.string(), pyarrow.int64()
    types = [
        (column, time if column in _TIMES else text if column in _TEXTS else number)
        for column in _COLUMNS[name].split()
    ]
    return pyarrow.schema(types).empty_table()


def _to_file(name: str, table: pyarrow.Table) -> dict[str, list[Any]]:
    import pyarrow
    import pyarrow.compute

    columns: dict[str, list[Any]] = {}
    for field in _empty(name).schema:
        column = table.column(field.name)
        if pyarrow.types.is_timestamp(field.type):
            column = column.cast(field.type).cast(pyarrow.int64())
            columns[field.name + "_us"] = column.to_pylist()
        elif pyarrow.types.is_string(field.type):
            columns[field.name] = column.fill_null("").to_pylist()
        else:
            columns[field.name] = column.cast(pyarrow.int64()).fill_null(-1).to_pylist()
    return columns


def _read_file(path: Path, problems: list[str]) -> dict[str, pyarrow.Table]:
    """The tail is read first: samples that move to the file meanwhile are then seen twice, and not missed."""
    tail: dict[str, pyarrow.Table] = {}
    is_open = path.name.endswith(_OPEN)
    name = str(path).removesuffix(_OPEN)
    if is_open:
        # It may be finished meanwhile, or moved a moment ago.
        with contextlib.suppress(LogNotFoundError, LogTruncatedError):
            tail = _stored(Path(name + _TAIL), problems)
    try:
        stored = _stored(path, problems)
    except LogNotFoundError:
        if not is_open:
            raise
        stored = _stored(Path(name + ".hr"), problems)
    except LogTruncatedError:
        if not is_open:
            raise
        stored = {}  # killed before its first chunk
    return {
        table: _joined(path, table, stored.get(table), tail.get(table))
        for table in TABLES
        if table in stored or table in tail
    }


def _stored(path: Path, problems: list[str]) -> dict[str, pyarrow.Table]:
    import pyarrow

    chunks = _native.Chunks(os.fsencode(path))
    names = chunks.tables()
    if not {*TABLES, "monitor"} & set(names):
        raise LogForeignError(f"{path}: a chunk file, but without samples of `headrace monitor`")
    tables = {}
    for name in TABLES:
        if name in names:
            tables[name] = pyarrow.table(pyarrow.record_batch(chunks.raw(name)))
    for offset, size, reason in chunks.damage():
        problems.append(f"{path}: damaged at byte {offset} ({size} bytes lost): {reason}")
    return tables


def _joined(path: Path, name: str, main: pyarrow.Table | None, tail: pyarrow.Table | None) -> pyarrow.Table:
    """What is in both counts once: a tail is emptied after its samples have moved."""
    import pyarrow
    import pyarrow.compute as compute

    if main is not None and tail is not None and main.num_rows:
        last = compute.max(_ticks(path, name, main))
        tail = tail.filter(compute.greater(_ticks(path, name, tail), last))
    parts = [_from_file(path, name, part) for part in (main, tail) if part is not None]
    return pyarrow.concat_tables(parts)


def _ticks(path: Path, table: str, stored: pyarrow.Table) -> pyarrow.ChunkedArray:
    return _integers(path, table, "tick", _column(path, table, "tick", stored))


def _from_file(path: Path, name: str, stored: pyarrow.Table) -> pyarrow.Table:
    import pyarrow

    schema, columns = _empty(name).schema, []
    for field in schema:
        is_time = pyarrow.types.is_timestamp(field.type)
        column = field.name + "_us" if is_time else field.name
        is_text = pyarrow.types.is_string(field.type)
        if column == "queue_ms" and _QUEUE_REST in stored.column_names:
            values = _queue(path, name, stored)
        else:
            values = _column(path, name, column, stored, is_text)
        if is_text:
            values = _text(values)
        elif not is_time:
            values = _counts(path, name, field.name, values)
        else:
            values = _integers(path, name, column, values)
        columns.append(values.cast(field.type))
    return pyarrow.table(columns, schema=schema)


def _column(
    path: Path, table: str, name: str, stored: pyarrow.Table, is_text: bool = False
) -> pyarrow.ChunkedArray:
    import pyarrow

    if name not in stored.column_names:
        raise LogCorruptError(f"{path}: the table '{table}' has no column '{name}'")
    if pyarrow.types.is_large_binary(stored[name].type) != is_text:
        raise LogCorruptError(f"{path}: the column '{name}' of the table '{table}' has another type")
    return stored[name]


def _queue(path: Path, table: str, stored: pyarrow.Table) -> pyarrow.ChunkedArray:
    """The monitor stores of the queue what is neither reads nor writes, modulo 2**64."""
    import pyarrow.compute as compute

    parts = (_QUEUE_REST, "read_ms", "write_ms")
    rest, reads, writes = (_integers(path, table, part, _column(path, table, part, stored)) for part in parts)
    return compute.add(compute.add(rest, reads), writes)


def _text(values: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    import pyarrow

    try:
        return values.cast(pyarrow.string())
    except pyarrow.ArrowInvalid:  # other bytes as U+FFFD
        texts = [item.decode("utf-8", "replace") for item in values.to_pylist()]
        return pyarrow.chunked_array([pyarrow.array(texts, pyarrow.string())])


def _integers(path: Path, table: str, name: str, values: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    import pyarrow

    try:
        return values.cast(pyarrow.int64())
    except pyarrow.ArrowInvalid as error:
        raise LogCorruptError(f"{path}: the column '{name}' of the table '{table}': {error}") from error


def _counts(path: Path, table: str, name: str, values: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    import pyarrow
    import pyarrow.compute as compute

    values = _integers(path, table, name, values)
    negative = compute.less(values, 0)
    if not compute.any(negative).as_py():
        return values
    # What is imported may not know reads and writes either; other numbers below 0 are damage.
    unknown = table == "samples" and not compute.any(compute.less(values, -1)).as_py()
    if name in _NULLABLE or unknown:
        return compute.if_else(negative, pyarrow.scalar(None, pyarrow.int64()), values)
    raise LogCorruptError(f"{path}: the column '{name}' of the table '{table}' has a count below 0")
