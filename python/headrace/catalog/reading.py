"""The rows of a file for a catalog, some at a time."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import samples, scans
from headrace._errors import CatalogError, HeadraceError
from headrace.catalog import (
    accounting,
    job_csv,
    open_samples,
    parquet_rows,
    sacct,
    sacct_json,
    sample_files,
    schedulers,
    written,
)
from headrace.catalog.recognize import NothingOursError
from headrace.catalog.schema import arrow_schema

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Found", "of_chunks", "read"]

Tables = dict[str, "pyarrow.Table"]

_ROWS = 20_000  # of records that are made at a time
_LONGEST_LINE = 1 << 24  # characters
_BLOCK = 1 << 20
_MOST_BYTES = 2 << 30  # of a file that is read at once
_AT_ONCE = ("toml", "fsstats", "sample csv", "sysstat", "ldms", "sacct json")


@dataclass
class Found:
    """What a file says: `tables` are the first of its rows, and `more` the others.

    All of `more` has to be gone through: it raises what is wrong with the rest of the file, as `read` does,
    and then `problem` says what of it is left out.
    """

    digest: str  # hash of its content
    kind: str
    tables: Tables
    more: Iterator[Tables]
    problem: Callable[[], str]


@dataclass
class _Parsed:
    kind: str
    slices: Iterator[Tables]
    problem: Callable[[], str] = lambda: ""


def read(path: Path, kind: str, csv_map: dict[str, Any] | None = None, named: bool = True) -> Found:
    """`named`: by the user, who knows what it is. Raises HeadraceError that names the file, and OSError."""
    state = _state(path)
    if kind in _AT_ONCE and path.stat().st_size > _MOST_BYTES:
        raise CatalogError(f"{path}: is greater than 2 GiB: split it")
    digest = _digest(path)
    with _naming(path):
        parsed = _parse(path, kind, csv_map, named)
        first = next(parsed.slices, {})
    if kind == "accounting" and first:
        parsed.kind = first["scheduler_jobs"]["scheduler"][0].as_py()

    def problem() -> str:
        text = parsed.problem()
        return text and f"{path}: {text}"

    return Found(digest, parsed.kind, first, _rest(path, state, parsed.slices), problem)


def of_chunks(path: Path) -> Found:
    """A file that is no job log: a scan, or samples of devices. Raises HeadraceError and OSError."""
    try:
        return read(path, "scan")
    except HeadraceError:
        return read(path, "samples")


def _rest(path: Path, state: tuple[int, ...], slices: Iterator[Tables]) -> Iterator[Tables]:
    with _naming(path):
        yield from slices
        if _state(path) != state:  # its rows and its hash may be of two files
            raise CatalogError("was changed while it was read: add it again")


def _state(path: Path) -> tuple[int, ...]:
    facts = path.stat()
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _digest(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    digest.update(open_samples.tail_of(path))
    return digest.hexdigest()


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except HeadraceError as error:
        text = str(error)
        raise type(error)(text if str(path) in text else f"{path}: {text}") from error


def _parse(path: Path, kind: str, csv_map: dict[str, Any] | None, named: bool) -> _Parsed:
    if kind == "parquet":
        return _Parsed(kind, parquet_rows.slices(path, named))
    if kind == "scan":
        return _Parsed(kind, iter([dict(scans.read(path))]))
    if kind == "samples":
        return _samples(path)
    if kind == "sacct":
        return _records("sacct", lambda left_out: sacct.jobs(_lines(path), left_out))
    if kind == "accounting":
        return _records("pbs", lambda left_out: accounting.jobs(_lines(path), left_out))
    if kind == "csv":
        columns, scheduler = _columns(path, csv_map, named)
        return _records("csv", lambda left_out: job_csv.jobs(_lines(path), columns, scheduler, left_out))
    with path.open("rb") as file:
        content = file.read(_MOST_BYTES)
    if kind in ("sysstat", "ldms"):
        found, tables, told = sample_files.of_others(path, content)
        told = told.removeprefix(f"{path}: ")
        return _Parsed(found, iter([tables]), lambda: told)
    if kind == "sacct json":
        return _records("sacct", lambda left_out: sacct_json.jobs(content, left_out))
    if kind == "toml":
        return _Parsed(kind, iter([written.tables(content)]))
    text = content.decode("utf-8-sig", "replace")
    if kind == "fsstats":
        return _Parsed(kind, iter([dict(scans.read_fsstats(text, str(path)))]))
    return _Parsed("csv", iter([sample_files.of_csv(text)]))


def _samples(path: Path) -> _Parsed:
    lost: list[str] = []
    tables = {name: table for name, table in samples.read(path, lost).items() if table.num_rows}
    if not tables:
        raise CatalogError("neither a job log nor a scan, and there are no samples in it")
    damage = f"{lost[0].removeprefix(f'{path}: ')}; the rest is added" if lost else ""
    return _Parsed("samples", iter([tables]), lambda: damage)


def _records(kind: str, parse: Callable[[schedulers.LeftOut], Iterator[schedulers.Row]]) -> _Parsed:
    """All lines that can be read; of the others how many there are."""
    left_out = schedulers.LeftOut()
    taken = 0

    def slices() -> Iterator[Tables]:
        nonlocal taken
        import pyarrow

        rows = parse(left_out)
        while part := list(itertools.islice(rows, _ROWS)):
            taken += len(part)
            yield {"scheduler_jobs": pyarrow.Table.from_pylist(part, schema=arrow_schema("scheduler_jobs"))}
        if left_out.count and not taken:
            raise CatalogError(left_out.first)

    def problem() -> str:
        if not left_out.count:
            return ""
        gone = "it is" if left_out.count == 1 else f"{left_out.count:,} such lines are"
        added = "1 job is" if taken == 1 else f"{taken:,} jobs are"
        return f"{left_out.first} ({gone} left out, {added} added)"

    return _Parsed(kind, slices(), problem)


def _lines(path: Path) -> Iterator[str]:
    """With their ends. Raises CatalogError for one that is none."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            if len(line) == _LONGEST_LINE and not line.endswith("\n"):
                raise CatalogError(f"line {number}: is longer than any record of a job")
            yield line


def _columns(path: Path, csv_map: dict[str, Any] | None, named: bool) -> tuple[job_csv.Columns, str]:
    """The file's columns by ours, and whose records it has. Raises CatalogError."""
    if csv_map is not None:
        return csv_map["columns"], str(csv_map.get("scheduler", "csv"))
    try:
        first = itertools.islice((line for line in _lines(path) if line.strip()), 1)
        header = next(csv.reader(first, strict=True), [])
    except csv.Error as error:
        raise NothingOursError(f"line 1: {error}: no CSV that can be read") from error
    columns = job_csv.columns_of(header, all_ours=not named)
    if columns is None:
        begin = "".join(itertools.islice((line for line in _lines(path) if line.strip()), 2))
        raise NothingOursError(
            sacct.hint(begin)
            or job_csv.hint(begin)
            or "a CSV file of scheduler jobs needs columns 'job' and 'start', or a map of them (--csv-map)"
        )
    return columns, "csv"
