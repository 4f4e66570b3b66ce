"""Parts: Parquet files with rows of one table, and of one month where the table is split by months."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from headrace._errors import CatalogError, OutputError, UsageError
from headrace.catalog import patterns
from headrace.catalog.commits import Part, make_directory, sync_directory
from headrace.catalog.schema import TABLES, arrow_schema

if TYPE_CHECKING:
    import pyarrow

# DuckDB and Spark give a row group to a thread, and leave out those whose least and greatest rule them out.
ROWS_PER_GROUP = 122_880
_COMPRESSION = "lz4"
_BLOCK = 1 << 20
_next_place = 0

# Rows that are looked for together lie together: their groups' least and greatest are then of use.
_ORDER = {
    "logs": ["start"],
    "instances": ["start"],
    "files": ["log"],
    "access_sizes": ["log"],
    "scheduler_jobs": ["start"],
    "samples": ["host", "device", "start"],
    "server_jobs": ["job", "start"],
}

# Without these, rows belong to nothing and to no time.
_KNOWN = {
    "logs": ("log",),
    "instances": ("log",),
    "files": ("log",),
    "access_sizes": ("log",),
    "scheduler_jobs": ("job", "start"),
    "samples": ("host", "device", "start", "end"),
    "sample_gaps": ("host", "start", "end"),
    "server_jobs": ("job", "start", "end"),
    "scans": ("scan", "start", "files", "bytes"),
    "scan_histograms": ("scan", "histogram"),
    "projects": ("project",),
    "devices": ("host", "device"),
    "calendar": ("start", "end"),
}


_MAY_GO_BACK = {"sample_gaps"}  # where a clock was put back


def conform(name: str, table: pyarrow.Table) -> pyarrow.Table:
    """The table with the schema's columns, in their order; those that are not there are null.

    Raises UsageError for a table or column that the schema does not have, and values that do not fit.
    """
    import pyarrow

    if name not in TABLES:
        raise UsageError(f"a catalog has no table {name!r}: it has {', '.join(TABLES)}")
    schema = arrow_schema(name)
    foreign = [column for column in table.column_names if column not in schema.names]
    if foreign:
        raise UsageError(f"table {name} of a catalog has no column {foreign[0]!r}")
    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(pyarrow.nulls(table.num_rows, field.type))
        else:
            try:
                columns.append(table.column(field.name).cast(field.type))
            except pyarrow.ArrowException as error:
                raise UsageError(f"column {field.name} of table {name}: {error}") from error
    return pyarrow.table(columns, schema=schema)


def numbered(table: pyarrow.Table) -> pyarrow.Table:
    """New rows of the schema's columns with their place, where there is one."""
    import pyarrow
    import pyarrow.compute as compute

    if "place" not in table.column_names:
        return table
    places = pyarrow.array(_places(table.num_rows), pyarrow.int64())
    number = table.column_names.index("place")
    return table.set_column(number, table.field(number), compute.coalesce(table["place"], places))


def check(name: str, table: pyarrow.Table) -> None:
    """Raises UsageError for rows of the schema's columns that no query could use, or that cannot be."""
    import pyarrow.compute as compute

    for column in _KNOWN.get(name, ()):
        if table[column].null_count:
            _refuse(name, table[column].is_null(), f"has no {column}, which each row must have")
    _check_amounts(name, table)
    if {"start", "end"} <= set(table.column_names) and name not in _MAY_GO_BACK:
        wrong = compute.less(table["end"], table["start"])
        _refuse(name, wrong, "ends before it starts")
    if name == "devices":
        for pattern in {text for column in ("host", "device") for text in table[column].to_pylist()}:
            patterns.check(pattern)


def _check_amounts(name: str, table: pyarrow.Table) -> None:
    import pyarrow.compute as compute

    for column in TABLES[name].columns:
        if column.type == "int64" and column.unit:
            _refuse(name, compute.less(table[column.name], 0), f"has a {column.name} below 0")


def _refuse(name: str, wrong: pyarrow.ChunkedArray, why: str) -> None:
    row = wrong.index(True).as_py() + 1
    if row:
        raise UsageError(f"table {name}: row {row} {why}")


def _places(rows: int) -> range:
    """Greater than all before, also than those that took longer to number than a clock's tick is."""
    global _next_place
    first = max(time.time_ns() // 1000, _next_place)
    _next_place = first + rows
    return range(first, _next_place)


def write(root: Path, name: str, table: pyarrow.Table) -> list[Part]:
    """Writes rows of the schema's columns, month by month, to the disk. Raises OutputError."""
    if not table.num_rows:
        return []
    return [_write_one(root, name, folder, rows) for folder, rows in _placed(name, table)]


def _placed(name: str, table: pyarrow.Table) -> Iterator[tuple[str, pyarrow.Table]]:
    """The folders of the parts, and their rows in order."""
    import pyarrow
    import pyarrow.compute as compute

    order, column = _ORDER.get(name, []), TABLES[name].month
    if not column:
        yield name, table.sort_by([(key, "ascending") for key in order]) if order else table
        return
    # Rows are moved once, for month and order: moving them is most of the work.
    months = _months(table[column])
    keys = pyarrow.table({"_month": months, **{key: table[key] for key in order}})
    places = compute.sort_indices(keys, [(key, "ascending") for key in keys.column_names])
    rows = table.take(places)
    found = compute.value_counts(months)
    counts = dict(zip(found.field(0).to_pylist(), found.field(1).to_pylist(), strict=True))
    first = 0
    for month in sorted(counts, key=lambda month: (month is None, month)):
        text = "unknown" if month is None else f"{month // 12:04d}-{month % 12 + 1:02d}"
        yield f"{name}/month={text}", rows.slice(first, counts[month])
        first += counts[month]


def _months(times: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """Months since the year 0, of UTC."""
    import pyarrow.compute as compute

    return compute.add(compute.multiply(compute.year(times), 12), compute.subtract(compute.month(times), 1))


def _write_one(root: Path, name: str, folder: str, table: pyarrow.Table) -> Part:
    from pyarrow import parquet

    relative = f"{folder}/{uuid.uuid4().hex}.parquet"
    path = root / relative
    try:
        make_directory(path.parent)
        with path.open("xb") as file:
            parquet.write_table(
                table.replace_schema_metadata(),
                file,
                compression=_COMPRESSION,
                row_group_size=ROWS_PER_GROUP,
                write_page_index=False,
            )
            file.flush()
            with contextlib.suppress(OSError):  # of file systems without modes
                os.fchmod(file.fileno(), os.fstat(file.fileno()).st_mode & 0o444)  # it never changes
            os.fsync(file.fileno())
        sync_directory(path.parent)
        size, content = path.stat().st_size, checksum(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    return Part(name, relative, table.num_rows, size, content, tuple(table.column_names))


def checksum(path: Path) -> str:
    """Of a file's bytes. Raises OSError."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def read(root: Path, part: Part, columns: list[str] | None = None) -> pyarrow.Table:
    """Rows of a part. Raises CatalogError."""
    import pyarrow
    from pyarrow import parquet

    path = root / part.path
    try:
        return parquet.ParquetFile(path).read(columns)
    except (OSError, pyarrow.ArrowException) as error:
        raise CatalogError(
            f"{path}: this part cannot be read ({error}): `headrace catalog verify` says what is in it"
        ) from error
