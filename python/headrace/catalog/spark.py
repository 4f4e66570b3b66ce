"""Spark over the parts of a catalog, asked through Ibis: for what is too much for one machine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace._errors import CatalogError, HeadraceError, UsageError
from headrace.catalog.commits import State
from headrace.catalog.schema import TABLES, Table
from headrace.catalog.spark_sql import one_select, translated
from headrace.catalog.spark_start import first_line, session
from headrace.catalog.views import VIEWS

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Spark"]

_TYPES = {"int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN", "text": "STRING", "time": "TIMESTAMP"}

_LARGE = {"device_minutes"}  # views with a row a sample


class Spark:
    """The tables and views of a catalog as it was, in a session of Spark of their own.

    `ibis` is a backend of Ibis with the same tables and views, for expressions. One thread at a time.
    """

    def __init__(self, root: Path, state: State, master: str) -> None:
        """Raises MissingPackageError, UsageError where Spark does not start, CatalogError without a part."""
        self._session = session(master)
        self._root = root.resolve()
        import ibis

        self.ibis: Any = ibis.pyspark.connect(self._session)
        with _told(self._root, CatalogError):
            for table in TABLES.values():
                self._read(table, [str(self._root / part.path) for part in state.of(table.name)])
            # As plans, not by CREATE VIEW, whose text Spark would analyse again at each use.
            for name, sql in VIEWS.items():
                self.ibis.raw_sql(translated(sql)).createOrReplaceTempView(name)

    def ask(self, sql: str) -> pyarrow.Table:
        """Rows of a query of ours, in DuckDB's SQL. Raises CatalogError where Spark cannot answer it."""
        with _told(self._root, CatalogError):
            return self._rows(translated(sql))

    def answer(self, sql: str) -> pyarrow.Table:
        """Rows of anybody's query, as DuckDB answers it, or none. Raises UsageError, and CatalogError."""
        question = one_select(sql, [*TABLES, *VIEWS])
        with _told(self._root, UsageError):
            return self._rows(question)

    def store(self, name: str, sql: str) -> None:
        """Keeps the rows of a query under a name, for this session."""
        with _told(self._root, CatalogError):
            self.ibis.raw_sql(translated(sql)).localCheckpoint().createOrReplaceTempView(name)

    def keep(self, name: str, table: pyarrow.Table) -> None:
        """Keeps these rows under a name, for this session."""
        with _told(self._root, CatalogError):
            self._session.createDataFrame(table).createOrReplaceTempView(name)

    def hold(self) -> None:
        """Computes the views of a row a job or fewer now, for many questions; else each question does."""
        for name, sql in VIEWS.items():
            if name not in _LARGE:
                self.store(name, sql)

    def close(self) -> None:
        """Lets what was stored go. Spark itself ends with the process."""
        for view in self._session.catalog.listTables():
            if view.isTemporary:
                self._session.catalog.dropTempView(view.name)

    def _rows(self, sql: str) -> pyarrow.Table:
        # Arrow from Spark itself: Ibis goes through pandas, where integers with gaps lose digits.
        return self.ibis.raw_sql(sql).toArrow()

    def _read(self, table: Table, paths: list[str]) -> None:
        """Exactly these files; what a part has no column for is null."""
        types = {column.name: _TYPES[column.type] for column in table.columns}
        if paths:
            schema = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
            rows = self._session.read.schema(schema).parquet(*map(_literal, paths))
        else:
            nothing = ", ".join(f"CAST(NULL AS {kind}) AS `{name}`" for name, kind in types.items())
            rows = self.ibis.raw_sql(f"SELECT {nothing} WHERE false")
        rows.createOrReplaceTempView(table.name)


@contextlib.contextmanager
def _told(root: Path, wrong: type[HeadraceError]) -> Iterator[None]:
    """Spark's exceptions as ours: `wrong`, and CatalogError where it is about a part."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        causes = _causes(error)
        broken = [each for each in causes if "FAILED_READ_FILE" in each or "PATH_NOT_FOUND" in each]
        if broken:
            raise CatalogError(f"{root}: {broken[-1]}: run `headrace catalog --at {root} verify`") from error
        raise wrong(f"Spark: {causes[-1]}") from error


def _causes(error: Exception) -> list[str]:
    """What it says, and what the causes of it say that Java has."""
    found = [first_line(error)]
    cause = getattr(error, "java_exception", None)
    while cause is not None:
        found.append(str(cause.toString()).strip().split("\n")[0])
        cause = cause.getCause()
    return found


def _literal(path: str) -> str:
    """A path of this machine, none of whose letters is a pattern."""
    return "file://" + "".join(f"\\{letter}" if letter in "{}[]*?\\" else letter for letter in path)
