"""What a file is, by its content, and its rows for a catalog."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import samples, scans
from headrace._errors import CatalogError, HeadraceError
from headrace.catalog import schedulers
from headrace.catalog.schema import TABLES, arrow_schema

if TYPE_CHECKING:
    import pyarrow

_BEGIN = 1 << 16
_CHUNKS = b"\x89HRC\r\n\x1a"
_MOST_BYTES = 2 << 30  # of a file that is read at once
_SETTINGS = ("calendar", "projects", "devices", "site", "ceilings")  # tables that a TOML file may have

Tables = dict[str, "pyarrow.Table"]


def kind_of(path: Path) -> str | None:
    """job log, sacct, accounting, csv, parquet, toml; None: something else. Raises OSError."""
    with path.open("rb") as file:
        begin = file.read(_BEGIN)
    if begin.startswith(_CHUNKS) or (
        begin[1:2] == b"." and begin[:8].rstrip(b"\0")[2:].isdigit() and b"\0" in begin[:8]
    ):
        return "job log"
    if begin.startswith(b"PAR1"):
        return "parquet"
    line = begin.split(b"\n", 1)[0].decode("utf-8", "replace")
    if schedulers.is_sacct(line):
        return "sacct"
    if schedulers.is_accounting(line):
        return "accounting"
    if path.suffix in (".toml", ".csv"):
        return path.suffix[1:]
    return None


def read(path: Path, kind: str, csv_map: dict[str, Any] | None) -> tuple[str, str, Tables]:
    """The content's hash, the kind and the rows. Raises HeadraceError that names the file, and OSError."""
    if path.stat().st_size > _MOST_BYTES:
        raise CatalogError(f"{path}: is greater than 2 GiB: split it")
    content = path.read_bytes()
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    try:
        found, tables = _tables(path, kind, content, csv_map)
    except HeadraceError as error:
        text = str(error)
        raise type(error)(text if str(path) in text else f"{path}: {text}") from error
    return digest, found, tables


def of_chunks(path: Path) -> tuple[str, str, Tables]:
    """A chunk file that is no job log: a scan, or samples of devices. Raises HeadraceError and OSError."""
    digest = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    try:
        return digest, "scan", dict(scans.read(path))
    except HeadraceError:
        tables = {name: table for name, table in samples.read(path).items() if table.num_rows}
        if not tables:
            raise CatalogError(
                f"{path}: neither a job log nor a scan, and there are no samples in it"
            ) from None
        return digest, "samples", tables


def _tables(path: Path, kind: str, content: bytes, csv_map: dict[str, Any] | None) -> tuple[str, Tables]:
    if kind == "parquet":
        return kind, _parquet(path, content)
    lines = content.decode("utf-8", "replace").splitlines()
    if kind == "toml":
        return kind, _toml(content)
    if kind == "sacct":
        return kind, _jobs(schedulers.sacct(lines))
    if kind == "accounting":
        scheduler, rows = schedulers.accounting(lines)
        return scheduler, _jobs(rows)
    names = [column.name for column in TABLES["scheduler_jobs"].columns]
    there = lines[0].split(",") if lines else []
    columns = (csv_map or {}).get("columns", {name: name for name in names if name in there})
    if not {"job", "start"} <= set(columns) or not set(columns) <= set(names):
        raise CatalogError(
            "a CSV file of scheduler jobs needs columns 'job' and 'start', or a map of them (--csv-map)"
        )
    return kind, _jobs(schedulers.table(lines, columns, str((csv_map or {}).get("scheduler", "csv"))))


def _jobs(rows: list[dict[str, Any]]) -> Tables:
    import pyarrow

    return {"scheduler_jobs": pyarrow.Table.from_pylist(rows, schema=arrow_schema("scheduler_jobs"))}


def _parquet(path: Path, content: bytes) -> Tables:
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.read_table(pyarrow.BufferReader(content))
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise CatalogError(f"not a Parquet file that can be read: {error}") from error
    has = set(table.column_names)
    fits = [
        name for name, known in TABLES.items() if name != "sources" and has == {c.name for c in known.columns}
    ]
    if not fits:
        fits = [
            name
            for name, known in TABLES.items()
            if name != "sources"
            and has <= {c.name for c in known.columns}
            and (len(has) > 1 or name in path.stem)
        ]
        fits = [name for name in fits if name in path.stem] or fits
    if len(fits) != 1:
        raise CatalogError(
            "its columns are those of no table, or of several: name the file as the table is named"
        )
    return {fits[0]: table}


def _toml(content: bytes) -> Tables:
    import pyarrow

    from headrace.catalog._toml import loads

    settings = loads(content)
    tables = {}
    for name, rows in settings.items():
        if name not in _SETTINGS:
            raise CatalogError(f"there is no table [{name}]: there are {', '.join(_SETTINGS)}")
        if name == "site" and isinstance(rows, dict):
            rows = [{"key": key, "value": str(value)} for key, value in rows.items()]
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise CatalogError(f"[[{name}]] must be a list of tables")
        known = [column.name for column in TABLES[name].columns if column.name != "place"]
        foreign = [key for row in rows for key in row if key not in known]
        if foreign:
            raise CatalogError(f"[[{name}]] has no {foreign[0]!r}: it has {', '.join(known)}")
        schema = pyarrow.schema([arrow_schema(name).field(column) for column in known])
        try:
            tables[name] = pyarrow.Table.from_pylist([_utc(row) for row in rows], schema=schema)
        except (pyarrow.ArrowException, TypeError, ValueError) as error:
            raise CatalogError(f"[[{name}]]: {error}") from error
    return tables


def _utc(row: dict[str, Any]) -> dict[str, Any]:
    """Times as TOML has them, with a zone or local; as text too."""
    times = {key: schedulers.moment(str(row[key]), 0, key) for key in ("start", "end") if key in row}
    return row | times


def files_below(paths: list[Path], catalog: Path) -> list[Path]:
    """Regular files, in order; the catalog's own are none of them."""
    found = []
    own = catalog.resolve()
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        for directory, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if Path(directory, name).resolve() != own)
            found += [Path(directory, name) for name in sorted(names)]
    return found
