"""Parts: Parquet files with rows of one table, and of one month where the table is split by months."""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from headrace._errors import CatalogError, OutputError, UsageError
from headrace.catalog.commits import Part, sync_directory
from headrace.catalog.schema import TABLES, arrow_schema

if TYPE_CHECKING:
    import pyarrow

# DuckDB and Spark give a row group to a thread, and leave out those whose least and greatest rule them out.
ROWS_PER_GROUP = 122_880
_COMPRESSION = "lz4"
_BLOCK = 1 << 20

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
        if field.name == "place" and field.name not in table.column_names:
            first = time.time_ns() // 1000
            columns.append(pyarrow.array(range(first, first + table.num_rows), field.type))
        elif field.name not in table.column_names:
            columns.append(pyarrow.nulls(table.num_rows, field.type))
        else:
            try:
                columns.append(table.column(field.name).cast(field.type))
            except pyarrow.ArrowException as error:
                raise UsageError(f"column {field.name} of table {name}: {error}") from error
    return pyarrow.table(columns, schema=schema)


def write(root: Path, name: str, table: pyarrow.Table) -> list[Part]:
    """Writes rows of the schema's columns, month by month, to the disk. Raises OutputError."""
    if not table.num_rows:
        return []
    order = [(column, "ascending") for column in _ORDER.get(name, [])]
    return [
        _write_one(root, name, folder, rows.sort_by(order) if order else rows)
        for folder, rows in _by_month(name, table)
    ]


def month_folders(name: str, table: pyarrow.Table) -> list[str]:
    return [folder for folder, _ in _by_month(name, table)]


def _by_month(name: str, table: pyarrow.Table) -> Iterator[tuple[str, pyarrow.Table]]:
    import pyarrow.compute as compute

    column = TABLES[name].month
    if not column:
        yield name, table
        return
    months = compute.fill_null(compute.strftime(table[column], "%Y-%m"), "unknown")
    found = sorted(months.unique().to_pylist())
    for month in found:
        rows = table if len(found) == 1 else table.filter(compute.equal(months, month))
        yield f"{name}/month={month}", rows


def _write_one(root: Path, name: str, folder: str, table: pyarrow.Table) -> Part:
    from pyarrow import parquet

    relative = f"{folder}/{uuid.uuid4().hex}.parquet"
    path = root / relative
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            parquet.write_table(
                table.replace_schema_metadata(),
                file,
                compression=_COMPRESSION,
                row_group_size=ROWS_PER_GROUP,
                write_page_index=False,
            )
            file.flush()
            os.fsync(file.fileno())
        sync_directory(path.parent)
        size = path.stat().st_size
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    return Part(name, relative, table.num_rows, size, checksum(path), tuple(table.column_names))


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
