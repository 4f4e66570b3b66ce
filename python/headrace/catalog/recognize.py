"""What a file is, by its content, and its rows for a catalog."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import foreign_samples, samples, scans
from headrace._errors import CatalogError, HeadraceError
from headrace.catalog import open_samples, sample_files, schedulers
from headrace.catalog.schema import TABLES, WRITTEN, arrow_schema

if TYPE_CHECKING:
    import pyarrow

_BEGIN = 1 << 16
_CHUNKS = b"\x89HRC\r\n\x1a"
_MOST_BYTES = 2 << 30  # of a file that is read at once
_SCANS = (b"scan",)  # how names of the first table of files begin that are no job logs
_SAMPLES = (b"monitor", b"sample", b"server_jobs")
_STATES = (".part", ".part.rows")

_OURS = ("place", "source")  # columns that no file says

Tables = dict[str, "pyarrow.Table"]


class NothingOursError(CatalogError):
    """A file that is none of a catalog's, which is no mistake where it lies in a tree."""


@dataclass
class Found:
    """What a file says."""

    digest: str  # hash of its content
    kind: str
    tables: Tables
    problem: str = ""  # what of it is left out


def kind_of(path: Path) -> str | None:
    """job log, scan, samples, sacct, accounting, csv, parquet, toml, sysstat, ldms, fsstats; None: another.

    Raises OSError, and CatalogError for a file that will be another one.
    """
    with path.open("rb") as file:
        begin = file.read(_BEGIN)
    if open_samples.is_one(path) and (begin.startswith(_CHUNKS) or not begin):
        return _kind_of_open(path)
    if begin.startswith(_CHUNKS):
        return _kind_of_chunks(path, begin[16:32])
    if begin[1:2] == b"." and begin[:8].rstrip(b"\0")[2:].isdigit() and b"\0" in begin[:8]:
        return "job log"
    if begin.startswith(b"PAR1"):
        return "parquet"
    if foreign := foreign_samples.kind_of(begin):
        return foreign
    if scans.is_fsstats(begin):
        return "fsstats"
    line = begin.split(b"\n", 1)[0].decode("utf-8-sig", "replace")
    if schedulers.is_sacct(line):
        return "sacct"
    if schedulers.is_accounting(line):
        return "accounting"
    if sample_files.table_of_csv(line):
        return "csv"
    if path.suffix in (".toml", ".csv"):
        return path.suffix[1:]
    return None


def _kind_of_chunks(path: Path, first_table: bytes) -> str:
    if path.name.endswith(_STATES):
        raise NothingOursError(
            f"{path}: the state of a scan that has not ended: finish it with `headrace scan`"
        )
    if first_table.startswith(_SCANS):
        return "scan"
    return "samples" if first_table.startswith(_SAMPLES) else "job log"


def _kind_of_open(path: Path) -> str:
    if path.name.endswith(open_samples.TAIL):
        raise NothingOursError(f"{path}: is a part of the file beside it, and read with that")
    if open_samples.is_written(path):
        raise NothingOursError(
            f"{path}: a monitor writes it: it can be added when it is finished, after midnight UTC"
        )
    return "samples"


def read(path: Path, kind: str, csv_map: dict[str, Any] | None) -> Found:
    """Raises HeadraceError that names the file, and OSError."""
    if path.stat().st_size > _MOST_BYTES:
        raise CatalogError(f"{path}: is greater than 2 GiB: split it")
    content = path.read_bytes()
    digest = hashlib.blake2b(content + open_samples.tail_of(path), digest_size=16).hexdigest()
    try:
        found = _found(path, kind, content, csv_map)
    except HeadraceError as error:
        text = str(error)
        raise type(error)(text if str(path) in text else f"{path}: {text}") from error
    found.digest = digest
    if found.problem:
        found.problem = f"{path}: {found.problem}"
    return found


def of_chunks(path: Path) -> Found:
    """A file that is no job log: a scan, or samples of devices. Raises HeadraceError and OSError."""
    try:
        return read(path, "scan", None)
    except HeadraceError:
        return read(path, "samples", None)


def _found(path: Path, kind: str, content: bytes, csv_map: dict[str, Any] | None) -> Found:
    if kind == "parquet":
        return Found("", kind, _parquet(path, content))
    if kind == "scan":
        return Found("", kind, dict(scans.read(path)))
    if kind == "samples":
        lost: list[str] = []
        tables = {name: table for name, table in samples.read(path, lost).items() if table.num_rows}
        if not tables:
            raise CatalogError("neither a job log nor a scan, and there are no samples in it")
        damage = f"{lost[0].removeprefix(f'{path}: ')}; the rest is added" if lost else ""
        return Found("", kind, tables, damage)
    if kind in ("sysstat", "ldms"):
        return Found("", *sample_files.of_others(path, content))
    if kind == "toml":
        return Found("", kind, _toml(content))
    text = content.decode("utf-8-sig", "replace")
    if kind == "fsstats":
        return Found("", kind, dict(scans.read_fsstats(text, str(path))))
    if kind == "csv" and (table := sample_files.table_of_csv(text.partition("\n")[0])):
        return Found("", kind, sample_files.of_csv(table, text))
    if kind == "sacct":
        return _jobs(kind, schedulers.sacct(text.split("\n")))
    if kind == "accounting":
        return _jobs(*schedulers.accounting(text.split("\n")))
    return _jobs(kind, _csv(text, csv_map))


def _csv(text: str, csv_map: dict[str, Any] | None) -> schedulers.Found:
    names = [column.name for column in TABLES["scheduler_jobs"].columns]
    try:
        there = next(csv.reader([text.partition("\n")[0]]), [])
    except csv.Error as error:
        raise NothingOursError(f"line 1: {error}: no CSV that can be read") from error
    columns = (csv_map or {}).get("columns", {name: name for name in names if name in there})
    if not {"job", "start"} <= set(columns) or not set(columns) <= set(names):
        raise NothingOursError(
            "a CSV file of scheduler jobs needs columns 'job' and 'start', or a map of them (--csv-map)"
        )
    lines = io.StringIO(text, newline="")
    return schedulers.table(lines, columns, str((csv_map or {}).get("scheduler", "csv")))


def _jobs(kind: str, found: schedulers.Found) -> Found:
    """All lines that can be read; of the others how many there are."""
    import pyarrow

    rows, bad = found
    problem = bad[0] if bad else ""
    if bad and not rows:
        raise CatalogError(problem)
    if bad:
        problem += f" ({len(bad):,} such lines are left out, {len(rows):,} jobs are added)"
    table = pyarrow.Table.from_pylist(rows, schema=arrow_schema("scheduler_jobs"))
    return Found("", kind, {"scheduler_jobs": table}, problem)


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
    if not fits:
        raise NothingOursError("its columns are those of no table of a catalog")
    if len(fits) > 1:
        raise CatalogError("its columns are those of several tables: name the file as the table is named")
    return {fits[0]: table}


def _toml(content: bytes) -> Tables:
    import pyarrow

    from headrace.catalog._toml import loads

    settings = loads(content)
    if not set(settings) & set(WRITTEN):
        raise NothingOursError(
            f"there is no table [{next(iter(settings), '')}]: there are {', '.join(WRITTEN)}"
        )
    tables = {}
    for name, rows in settings.items():
        if name not in WRITTEN:
            raise CatalogError(f"there is no table [{name}]: there are {', '.join(WRITTEN)}")
        if name == "site" and isinstance(rows, dict):
            rows = [{"key": key, "value": str(value)} for key, value in rows.items()]
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise CatalogError(f"[[{name}]] must be a list of tables")
        known = [column.name for column in TABLES[name].columns if column.name not in _OURS]
        foreign = [key for row in rows for key in row if key not in known]
        if foreign:
            raise CatalogError(f"[[{name}]] has no {foreign[0]!r}: it has {', '.join(known)}")
        schema = pyarrow.schema([arrow_schema(name).field(column) for column in known])
        try:
            tables[name] = pyarrow.Table.from_pylist([_utc(row) for row in rows], schema=schema)
        except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise CatalogError(f"[[{name}]]: {error}") from error
    return tables


def _utc(row: dict[str, Any]) -> dict[str, Any]:
    """Times as TOML has them, with a zone or local; as text too."""
    times = {key: schedulers.moment(str(row[key]), 0, key) for key in ("start", "end") if key in row}
    return row | times


def files_below(
    paths: list[Path], catalog: Path, refused: Callable[[Path, str], None] = lambda *_: None
) -> list[Path]:
    """Files, in order; the catalog's own are none of them. `refused` is told what cannot be looked into."""
    found = []
    own = catalog.resolve()

    def unreadable(error: OSError) -> None:
        path = Path(os.fsdecode(error.filename))
        refused(path, f"{path}: cannot be read: {error.strerror}")

    for path in paths:
        if own in (path.resolve(), *path.resolve().parents):
            refused(path, f"{path}: is in the catalog itself, which has it")
        elif not path.is_dir():
            found.append(path)
        else:
            for directory, folders, names in os.walk(path, onerror=unreadable):
                folders[:] = sorted(name for name in folders if Path(directory, name).resolve() != own)
                found += [Path(directory, name) for name in sorted(names)]
    return found
