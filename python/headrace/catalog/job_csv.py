"""CSV of a site's own with a row a job, by the schema's names of its columns or by a map of them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headrace._errors import CatalogError, UsageError
from headrace.catalog.schedulers import LeftOut, Row, kept, whole_lines
from headrace.catalog.schema import TABLES

__all__ = ["Columns", "check_map", "columns_of", "hint", "jobs"]

Columns = Mapping[str, str]  # names of the file's columns by those of the schema
_NAMES = [column.name for column in TABLES["scheduler_jobs"].columns]
_LONGEST = 1 << 20  # characters of a field
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:|1[0-9]{9}(\.\d+)?$")


def check_map(csv_map: Mapping[str, Any]) -> None:
    """Raises UsageError for what is no map of columns."""
    columns = csv_map.get("columns")
    if not isinstance(columns, dict) or not all(isinstance(name, str) for name in columns.values()):
        raise UsageError("needs a table [columns] of names, such as: job = 'JobNumber'")
    foreign = [name for name in columns if name not in _NAMES]
    if foreign:
        raise UsageError(f"[columns] has {foreign[0]!r}, and scheduler_jobs has {', '.join(_NAMES)}")
    lacks = [name for name in ("job", "start") if name not in columns]
    if lacks:
        raise UsageError(f"[columns] needs {lacks[0]!r}, without which a record is of no job")


def columns_of(header: list[str], all_ours: bool) -> Columns | None:
    """Those of a file without a map; None: it has no jobs. `all_ours`: it may have no other columns."""
    if not {"job", "start"} <= set(header) or (all_ours and not set(header) <= set(_NAMES)):
        return None
    return {name: name for name in _NAMES if name in header}


def hint(begin: str) -> str | None:
    """What is wrong with a header that would be one of jobs; None: nothing that can be told."""
    first = (begin.lstrip("\r\n").splitlines() or [""])[0].strip()
    for mark, name in ((";", "';'"), ("\t", "tabs"), ("|", "'|'")):
        if columns_of([each.strip(' "') for each in first.split(mark)], all_ours=False):
            return f"a table of jobs whose columns are separated by {name}: a CSV file needs ','"
    values = first.split(",")
    if (
        len(values) > 2
        and values[0].strip('"').isdigit()
        and any(_MOMENT.match(each.strip('"')) for each in values)
    ):
        return "rows of jobs without a first line that names the columns: add one, with 'job' and 'start'"
    return None


def jobs(lines: Iterable[str], columns: Columns, scheduler: str, left_out: LeftOut) -> Iterator[Row]:
    """Raises CatalogError where the header is none, or lacks one of `columns`."""
    csv.field_size_limit(_LONGEST)
    reader = csv.reader(whole_lines(lines, left_out), strict=True)
    header: list[str] = []
    while True:
        place = f"line {reader.line_num + 1}"
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if not header:
                raise CatalogError(f"{place}: {error}") from error
            more = f" to {reader.line_num}" if f"line {reader.line_num}" != place else ""
            left_out.add(f"{place}{more}: {error}: a quote that is not closed takes what follows with it")
            continue
        if not header:
            if not values:
                continue
            header = values
            _check_header(header, columns)
        elif len(values) not in (0, len(header)):
            left_out.add(f"{place}: has {len(values)} columns, and the first line has {len(header)}")
        elif values:
            try:
                row = _job(dict(zip(header, values, strict=True)), columns, scheduler, place)
            except CatalogError as error:
                left_out.add(str(error))
                continue
            if row is not None:
                yield row


def _check_header(header: list[str], columns: Columns) -> None:
    missing = [name for name in columns.values() if name not in header]
    if missing:
        raise CatalogError(f"line 1: there is no column {missing[0]!r}, which the column map names")


def _job(facts: Mapping[str, str], columns: Columns, scheduler: str, place: str) -> Row | None:
    row: Row = {name: facts[column] or None for name, column in columns.items()}
    row["scheduler"] = row.get("scheduler") or scheduler
    if row.get("state"):
        row["state"] = row["state"].lower()
    return kept(row, place)
