"""Rows of files, as Parquet."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from headrace import _native
from headrace._errors import LogForeignError, OutputError

if TYPE_CHECKING:
    import pyarrow

__all__ = ["write_parquet"]

_TYPES = ("file", "directory", "symlink", "other")


def write_parquet(rows: str, target: str) -> int:
    """Turns the chunk file of rows into Parquet, part by part, and replaces `target` at once. How many rows.

    LogError: the rows cannot be used. OutputError: the Parquet file cannot be written.
    """
    import pyarrow
    import pyarrow.parquet

    chunks = _native.Chunks(os.fsencode(rows))
    part = f"{target}.part-{os.getpid()}"
    count, writer = 0, None
    try:
        for table in _tables(rows, chunks):
            writer = writer or pyarrow.parquet.ParquetWriter(part, table.schema, compression="zstd")
            writer.write_table(table)
            count += table.num_rows
        if writer is None:
            writer = pyarrow.parquet.ParquetWriter(part, _schema(), compression="zstd")
        writer.close()
        Path(part).replace(target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        Path(part).unlink(missing_ok=True)
    return count


def _schema() -> pyarrow.Schema:
    """Times in seconds since 1970; columns in docs/scan.md."""
    import pyarrow

    number, text = pyarrow.int64(), pyarrow.string()
    kinds = {"path": text, "path_bytes": pyarrow.binary(), "type": text, "user": text, "group": text}
    names = [
        "path",
        "path_bytes",
        "type",
        "size",
        "capacity",
        "modified",
        "accessed",
        "changed",
        "user",
        "group",
        "links",
        "device",
        "inode",
    ]
    return pyarrow.schema([(name, kinds.get(name, number)) for name in names])


def _tables(rows: str, chunks: _native.Chunks) -> Iterator[pyarrow.Table]:
    import pyarrow
    import pyarrow.compute

    schema = _schema()
    users, groups = _Names("user"), _Names("group")
    names = chunks.tables()
    if not all(re.fullmatch(r"files\.[0-9]{1,18}", name) for name in names):
        raise LogForeignError(f"{rows}: has no rows of files")
    for name in sorted(names, key=lambda one: int(one.partition(".")[2])):
        raw = pyarrow.table(pyarrow.record_batch(chunks.raw(name)))
        lacks = next((one for one in schema.names[2:] if one not in raw.column_names), None)
        if lacks or raw.column_names[0] != "path":
            raise LogForeignError(f"{rows}: table {name} has no column {lacks or 'path'}")
        paths = raw["path"].to_pylist()
        columns = {
            one: raw[one].cast(pyarrow.int64(), safe=False)
            for one in schema.names
            if one in raw.column_names[1:]
        }
        columns["path_bytes"] = pyarrow.array(
            [None if _is_text(path) else path for path in paths], pyarrow.binary()
        )
        columns["path"] = pyarrow.array([path.decode(errors="replace") for path in paths], pyarrow.string())
        columns["type"] = pyarrow.array([_TYPES[min(int(one), 3)] for one in raw["type"].to_pylist()])
        columns["user"] = users.of(raw["user"])
        columns["group"] = groups.of(raw["group"])
        yield pyarrow.table([columns[one] for one in schema.names], schema=schema)


def _is_text(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Names:
    """Names of users or groups by number, each looked up once."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._known: dict[int, str] = {}

    def of(self, numbers: pyarrow.ChunkedArray) -> pyarrow.Array:
        import pyarrow

        return pyarrow.array([self._name(number) for number in numbers.to_pylist()], pyarrow.string())

    def _name(self, number: int) -> str:
        if number not in self._known:
            self._known[number] = self._look(number)
        return self._known[number]

    def _look(self, number: int) -> str:
        import grp
        import pwd

        try:
            return pwd.getpwuid(number).pw_name if self._kind == "user" else grp.getgrgid(number).gr_name
        except (KeyError, OverflowError):
            return str(number)
