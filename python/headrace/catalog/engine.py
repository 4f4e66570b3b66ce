"""DuckDB over the parts of a catalog."""

from __future__ import annotations

import contextlib
import tempfile
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from headrace._errors import CatalogError, MissingPackageError
from headrace._packages import install_extra
from headrace.catalog.commits import Part, State
from headrace.catalog.schema import TABLES, Table
from headrace.catalog.views import VIEWS

if TYPE_CHECKING:
    import duckdb

Answer = TypeVar("Answer")

_TYPES = {"int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN", "text": "VARCHAR", "time": "TIMESTAMPTZ"}


def connect(root: Path, state: State, settings: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """Raises MissingPackageError, and CatalogError where a part is missing or damaged."""
    try:
        import duckdb
    except ImportError as error:
        raise MissingPackageError(
            f"duckdb is not installed, and catalogs are read by it: {install_extra('catalog')}"
        ) from error
    root = root.resolve()
    # SQL may use this directory, so nobody else does; DuckDB makes it where memory is short, and removes it.
    spill = Path(tempfile.gettempdir()) / f"headrace-sql-{uuid.uuid4().hex}"
    connection = duckdb.connect(":memory:", config={"temp_directory": str(spill), **settings})
    # Nothing is fetched from elsewhere, and no file is read or written but the parts.
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
        connection.execute(f"SET {setting} = false")
    # Not all versions have these; Spark is made to divide and to take logarithms as the second says.
    for setting in ("parquet_metadata_cache", "ieee_floating_point_ops"):
        with contextlib.suppress(duckdb.Error):
            connection.execute(f"SET {setting} = true")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")  # it would be among what a command says
    connection.execute(f"SET allowed_paths = [{', '.join(quoted(str(root / path)) for path in state.parts)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    try:
        with damage_told(root):
            for table in TABLES.values():
                connection.execute(
                    f'CREATE VIEW "{table.name}" AS {table_sql(root, table, state.of(table.name))}'
                )
            for name, sql in VIEWS.items():
                connection.execute(f'CREATE VIEW "{name}" AS {sql}')
    except CatalogError:
        connection.close()
        raise
    return connection


def interruptible(connection: duckdb.DuckDBPyConnection, work: Callable[[], Answer]) -> Answer:
    """What `work` answers, which uses the connection; Ctrl-C ends it.

    A thread of its own does it: the one that gets signals is then free to ask DuckDB to stop.
    """
    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(work).result()
        except BaseException:  # Ctrl-C, or what another's handler of it raises: while it is submitted too
            after = pool.submit(lambda: None)
            while not after.done():  # DuckDB forgets one that comes before it begins
                connection.interrupt()
                wait([after], timeout=0.1)
            raise


@contextlib.contextmanager
def damage_told(root: Path) -> Iterator[None]:
    """What DuckDB cannot do with questions of ours, which are right: a part is damaged. As CatalogError."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise CatalogError(f"{root}: {error}: run `headrace catalog --at {root} verify`") from error


def table_sql(root: Path, table: Table, found: list[Part]) -> str:
    """A query for all rows of a table; parts that lack later columns have nulls there."""
    by_columns: dict[tuple[str, ...], list[Part]] = {}
    for part in found:
        by_columns.setdefault(part.columns, []).append(part)
    selects = []
    for columns, parts in by_columns.items():
        paths = ", ".join(quoted(str(root / part.path)) for part in parts)
        selects.append(
            f"SELECT {_columns(table, columns)} FROM read_parquet([{paths}], hive_partitioning = false)"
        )
    return " UNION ALL ".join(selects) or f"SELECT {_columns(table, ())} WHERE false"


def quoted(text: str) -> str:
    """Text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def _columns(table: Table, there: tuple[str, ...]) -> str:
    return ", ".join(
        f'"{column.name}"'
        if column.name in there
        else f'CAST(NULL AS {_TYPES[column.type]}) AS "{column.name}"'
        for column in table.columns
    )
