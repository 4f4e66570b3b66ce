"""Samples in other files than those of a store: of other programs, and what `monitor export` wrote."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from headrace import foreign_samples, samples
from headrace._errors import CatalogError
from headrace.catalog.schema import TABLES, arrow_schema

if TYPE_CHECKING:
    import pyarrow

Tables = dict[str, "pyarrow.Table"]


def of_others(path: Path, content: bytes) -> tuple[str, Tables, str]:
    """Kind and rows of iostat's, sadf's or LDMS's output, and what of it is left out. LogError, CatalogError.

    Nothing of a file that is still being written, which would be added again when it is longer.
    """
    imported = foreign_samples.parse(path, content)
    if imported.unfinished:
        raise CatalogError(
            f"{imported.problems[0]}. Add the file when it is finished; of a damaged one,"
            " `headrace monitor import` makes a store of what can be read"
        )
    more = f" (and {len(imported.problems) - 1} more)" if len(imported.problems) > 1 else ""
    told = f"{imported.problems[0]}{more}; the rest is added" if imported.problems else ""
    return imported.kind, imported.tables, told


def table_of_csv(first_line: str) -> str | None:
    """The table of samples whose columns a CSV file has; None: it has others."""
    try:
        names = sorted(next(csv.reader([first_line.strip("\ufeff\r\n")]), []))
    except csv.Error:
        return None
    known = {name: sorted(column.name for column in TABLES[name].columns) for name in samples.TABLES}
    return next((name for name, columns in known.items() if columns == names), None)


def of_csv(text: str) -> Tables:
    """Rows as `headrace monitor export --csv` writes them. CatalogError: a row is none."""
    import pyarrow
    from pyarrow import csv as arrow_csv

    text = text.removeprefix("\ufeff").lstrip("\r\n")
    table = table_of_csv(text.partition("\n")[0])
    if table is None:
        raise CatalogError("line 1: has not the columns of a table of samples")
    if not text.endswith("\n"):
        raise CatalogError(
            "its last line does not end, so that it may be cut: add a line break if all of it is there"
        )
    schema = arrow_schema(table)
    try:
        rows = arrow_csv.read_csv(
            io.BytesIO(text.encode("utf-8", "replace")),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types={field.name: field.type for field in schema}, null_values=[""]
            ),
        )
    except pyarrow.ArrowException as error:
        raise CatalogError(f"a row is none of the table '{table}': {error}") from error
    return {table: rows.select(schema.names)}
