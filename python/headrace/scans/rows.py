"""Rows of files, as Parquet."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from headrace import _native
from headrace._errors import LogForeignError
from headrace._outputs import new_file

if TYPE_CHECKING:
    import pyarrow

__all__ = ["write_parquet"]

_TYPES = {0: "file", 1: "directory", 2: "symlink"}
_NUMBERS = (
    "size", "capacity", "modified", "accessed", "changed", "user", "group", "links", "device", "inode",
)  # fmt: skip


def write_parquet(rows: str, target: str) -> int:
    """Turns the chunk file of rows into Parquet, part by part, and replaces `target` at once. How many rows.

    LogError: the rows cannot be used. OutputError: the Parquet file cannot be written, or is another file.
    """
    from pyarrow import parquet

    chunks = _native.Chunks(os.fsencode(rows))
    count = 0
    with (
        new_file(target, _refusal) as partial,
        parquet.ParquetWriter(partial, _schema(), compression="zstd") as writer,
    ):
        for table in _tables(rows, chunks):
            writer.write_table(table)
            count += table.num_rows
    return count


def _refusal(path: Path) -> str | None:
    """As src/programs/scan/options.cc has it, before the walk begins."""
    with path.open("rb") as file:
        begin = file.read(4)
    if begin in (b"", b"PAR1"):
        return None
    return "is there and is no Parquet file: give another name, or remove it"


def _schema() -> pyarrow.Schema:
    """Times in seconds since 1970; columns in docs/scan.md."""
    import pyarrow

    number, text = pyarrow.int64(), pyarrow.string()
    kinds = {"path": text, "path_bytes": pyarrow.binary(), "type": text, "user": text, "group": text}
    names = ("path", "path_bytes", "type", *_NUMBERS)
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
        _check(raw, f"{rows}: table {name}")
        paths = raw["path"].to_pylist()
        columns = {one: raw[one].cast(pyarrow.int64(), safe=False) for one in _NUMBERS}
        columns["path_bytes"] = pyarrow.array(
            [None if _is_text(path) else path for path in paths], pyarrow.binary()
        )
        columns["path"] = pyarrow.array([path.decode(errors="replace") for path in paths], pyarrow.string())
        columns["type"] = pyarrow.array([_TYPES.get(one, "other") for one in raw["type"].to_pylist()])
        columns["user"] = users.of(raw["user"])
        columns["group"] = groups.of(raw["group"])
        yield pyarrow.table([columns[one] for one in schema.names], schema=schema)


def _check(raw: pyarrow.Table, where: str) -> None:
    """LogForeignError: a column is missing, or holds something else."""
    from pyarrow import types

    lacks = next((name for name in ("path", "type", *_NUMBERS) if name not in raw.column_names), None)
    if lacks is not None:
        raise LogForeignError(f"{where} has no column {lacks}")
    wrong = next((name for name in ("type", *_NUMBERS) if not types.is_integer(raw[name].type)), None)
    if not types.is_large_binary(raw["path"].type):
        wrong = "path"
    if wrong is not None:
        raise LogForeignError(f"{where}: its column {wrong} is of a wrong type")


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
