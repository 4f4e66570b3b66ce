"""A catalog on disk: opening, reading and adding to it."""

from __future__ import annotations

import copy
import json
import os
import uuid
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace._errors import CatalogError, OutputError
from headrace.catalog import commits, parts
from headrace.catalog.batch import Batch, add_batch
from headrace.catalog.schema import FORMAT
from headrace.catalog.source import Source

if TYPE_CHECKING:
    import duckdb
    import pyarrow

    from headrace.catalog.spark import Spark

_MARK = "catalog.json"


class Catalog:
    """A catalog as it was when it was opened, or refreshed. Others may add to it meanwhile."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        _check(self.path)
        self.state = commits.read(self.path)

    def refresh(self) -> None:
        """To what was added since."""
        self.state = commits.refresh(self.path, self.state)

    def without(self, paths: Collection[str]) -> Catalog:
        """The same without these parts."""
        other = copy.copy(self)
        kept = {path: part for path, part in self.state.parts.items() if path not in paths}
        other.state = replace(self.state, parts=kept)
        return other

    def connect(self, **settings: Any) -> duckdb.DuckDBPyConnection:
        """A DuckDB in memory with a view for each table of the schema and those of views.py.

        It reads exactly the parts that are committed, and no other file. `settings` are DuckDB's.
        Raises MissingPackageError without duckdb.
        """
        from headrace.catalog.engine import connect

        return connect(self.path, self.state, settings)

    def spark(self, master: str = "local[*]") -> Spark:
        """The same tables and views in Spark, which runs in this process already or starts at `master`.

        Raises MissingPackageError without pyspark, Ibis or Java, UsageError where Spark does not start, and
        CatalogError where a part is missing.
        """
        from headrace.catalog.spark import Spark

        return Spark(self.path, self.state, master)

    def table(self, name: str) -> pyarrow.Table:
        """All rows of a table. Raises CatalogError."""
        import pyarrow

        from headrace.catalog.schema import arrow_schema

        found = [parts.conform(name, parts.read(self.path, part)) for part in self.state.of(name)]
        return pyarrow.concat_tables(found) if found else arrow_schema(name).empty_table()


def open(path: str | os.PathLike[str]) -> Catalog:
    """Raises CatalogError when there is none, or it cannot be used."""
    return Catalog(path)


def is_catalog(path: str | os.PathLike[str]) -> bool:
    """Whether a directory has what makes one, whole or not."""
    return os.path.isfile(Path(path, _MARK)) and os.path.isdir(Path(path, commits.FOLDER))  # noqa: PTH112, PTH113


def create(path: str | os.PathLike[str]) -> Catalog:
    """Opens a catalog; makes one in a directory that does not exist or is empty. Raises OutputError."""
    root = Path(path)
    try:
        os.fsencode(root.absolute()).decode()
    except UnicodeDecodeError as error:
        raise OutputError(
            f"{root}: the name of a catalog's directory must be UTF-8: choose another one"
        ) from error
    if not os.path.lexists(root / _MARK):
        _make(root)
    return Catalog(root)


def write_tables(
    directory: str | os.PathLike[str],
    tables: Mapping[str, pyarrow.Table],
    source: str,
    content: str | None = None,
) -> int:
    """Commits rows to a catalog, which is made if there is none; returns how many rows were added.

    `source`: where they come from, for people. `content`: a name of their content; of several calls with the
    same one, also at a time, the first to be done counts and the others add nothing. Without it, all count.
    Raises UsageError where tables or columns are not the schema's, CatalogError and OutputError.
    """
    catalog = create(directory)
    size = sum(table.nbytes for table in tables.values())
    batch = Batch()
    batch.add(Source(content or uuid.uuid4().hex, source, "tables", size), tables)
    return add_batch(catalog.path, catalog.state, batch).rows


def _make(root: Path) -> None:
    try:
        if not root.parent.is_dir():
            raise OutputError(
                f"{root}: a catalog cannot be made here: {root.parent} is not there: make it first"
            )
        commits.make_directory(root)
        foreign = [
            name
            for name in (path.name for path in root.iterdir())
            if name not in (_MARK, commits.FOLDER) and name[0] != "."
        ]
        if foreign and not (root / _MARK).exists():
            raise OutputError(
                f"{root}: is no catalog, and not empty (it has {foreign[0]!r}): name a new directory"
            )
        commits.make_directory(root / commits.FOLDER)
    except OSError as error:
        raise OutputError(f"{root}: a catalog cannot be made here: {error.strerror}") from error
    commits.make_once(root / _MARK, json.dumps({"format": FORMAT, "what": "a catalog of Headrace"}) + "\n")


def _check(root: Path) -> None:
    path = root / _MARK
    try:
        made_by = json.loads(path.read_text(encoding="utf-8"))["format"]
        if not isinstance(made_by, int):
            raise ValueError
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CatalogError(
            f"{root}: there is no catalog: `headrace catalog --at {root} add PATH` makes one"
        ) from error
    except OSError as error:
        raise CatalogError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CatalogError(f'{path}: this file is damaged; it must say {{"format": {FORMAT}}}') from error
    if made_by > FORMAT:
        raise CatalogError(
            f"{root}: a catalog of format {made_by}; this version reads up to {FORMAT}: use a newer one"
        )
    if not os.path.isdir(root / commits.FOLDER):  # noqa: PTH112 (where nobody may look, reading says so)
        raise CatalogError(f"{root / commits.FOLDER}: is missing: bring it back from a backup")
