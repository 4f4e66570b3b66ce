"""Adding files and whole trees to a catalog."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace._errors import HeadraceError, OutputError
from headrace._places import page
from headrace.catalog import job_logs, outdated, reading, recognize, unread
from headrace.catalog.batch import Added, Batch, Known, add_batch, add_slices
from headrace.catalog.catalog import create
from headrace.catalog.compact import compact
from headrace.catalog.source import Source, printed, whole
from headrace.catalog.trees import files_below

if TYPE_CHECKING:
    import pyarrow

# Job logs are read so many, and so many bytes of them, at a time.
_LOGS_AT_ONCE, _BYTES_AT_ONCE = 256, 1 << 20
_PARTS = 16  # small ones of a table and month that are put together
# A commit is made after so much, which bounds memory; a killed adder did in vain what it did since.
_SOURCES, _ROWS, _SECONDS = 20_000, 250_000, 20.0
# What readers raise who have no sentence for a file: it must not keep the others out.
_NOT_UNDERSTOOD = (
    ValueError, ArithmeticError, LookupError, TypeError, RecursionError, NotImplementedError, MemoryError,
)  # fmt: skip

Tables = dict[str, "pyarrow.Table"]


@dataclass
class Report:
    """What became of the files."""

    added: int = 0
    known: int = 0  # the catalog had them
    skipped: int = 0  # of trees: files that are nothing a catalog takes
    rows: int = 0
    bad: list[tuple[Path, str]] = field(default_factory=list)  # with the reason
    left_out: list[str] = field(default_factory=list)  # of trees: catalogs in them


@dataclass
class _Large:
    """A file that is committed as it is read."""

    source: Source
    slices: Iterable[Tables]
    problem: Callable[[], str]


class Adder:
    """Adds file after file; `finish` commits the rest."""

    def __init__(self, root: Path, threads: int, csv_map: dict[str, Any] | None) -> None:
        self._catalog = create(root)
        self._known = Known(self._catalog.path)
        self._was_empty = not self._known.update(self._catalog.state)
        self._threads, self._csv_map = threads or len(os.sched_getaffinity(0)), csv_map
        self._logs: list[Path] = []
        self._log_bytes = 0
        # The next logs are read while rows of the last ones are made.
        self._reader = ThreadPoolExecutor(1)
        self._reading: Future[job_logs.Reading] | None = None
        self._batch, self._since = Batch(), time.monotonic()
        self._tried: list[Path] = []
        self._unread: list[unread.Row] = []
        self.report = Report()

    def add(self, path: Path, named: bool) -> None:
        """`named`: by the user, so that it is bad if it is nothing that a catalog takes."""
        self._tried.append(path)
        large: _Large | None = None
        with self._telling(path, named):
            large = self._look(path, named)
        self._take_large(path, large)
        if len(self._logs) >= _LOGS_AT_ONCE or self._log_bytes >= _BYTES_AT_ONCE:
            self._read_logs()
        full = len(self._batch.sources) >= _SOURCES or self._batch.rows() >= _ROWS
        if full or time.monotonic() - self._since > _SECONDS:
            self._commit()

    @contextlib.contextmanager
    def _telling(self, path: Path, named: bool) -> Iterator[None]:
        """What is wrong with a file is told of it; what is wrong with the catalog ends the adding."""
        try:
            yield
        except recognize.NothingOursError as error:
            if named:
                self.refuse(path, str(error))
            self.report.skipped += not named
        except OutputError:
            raise
        except HeadraceError as error:
            self.bad(path, str(error))
        except _NOT_UNDERSTOOD as error:
            self.bad(path, f"{path}: cannot be understood: {error or type(error).__name__}")
        except OSError as error:
            self.bad(path, f"{path}: cannot be read: {error.strerror or error}")

    def _look(self, path: Path, named: bool) -> _Large | None:
        facts = path.stat()
        kind = recognize.kind_of(path) if stat.S_ISREG(facts.st_mode) else None
        if kind == "sacct" and self._csv_map is not None and path.suffix == ".csv":
            kind = "csv"  # the map says what its columns are
        if kind is None:
            told = recognize.hint(path) if stat.S_ISREG(facts.st_mode) else None
            nothing = f"nothing that a catalog takes, by {page('catalog.md')}"
            raise recognize.NothingOursError(f"{path}: {told or nothing}")
        if kind != "job log":
            return self._take(path, reading.read(path, kind, self._csv_map, named))
        self._logs.append(path)
        self._log_bytes += facts.st_size
        return None

    def finish(self) -> Report:
        self._read_logs()
        self._take_logs()
        self._reader.shutdown()
        self._commit()
        unread.note(self._catalog, self._unread, self._tried)
        compact(self._catalog, _PARTS)
        return self.report

    def _read_logs(self) -> None:
        """Begins to read the logs that were found, and takes those of the last time."""
        paths, self._logs, self._log_bytes = self._logs, [], 0
        if paths:
            known = set() if self._was_empty else self._known.update(self._catalog.state)
            begun = self._reader.submit(job_logs.read, paths, self._threads, known)
            self._take_logs()
            self._reading = begun

    def _take_logs(self) -> None:
        if self._reading is None:
            return
        begun, self._reading = self._reading, None
        read = begun.result()
        self.report.known += read.known
        self._take_read(read)

    def _take_read(self, read: job_logs.Reading) -> None:
        try:
            found = job_logs.summarized(read)
        except _NOT_UNDERSTOOD as error:
            if len(read.paths) == 1:
                self.bad(read.paths[0], f"{read.paths[0]}: cannot be understood: {error}")
                return
            for path in read.paths:  # one of them
                self._take_read(job_logs.read([path], self._threads))
            return
        self.report.known += len(read.paths) - len(found.bad) - len(found.sources)
        for path, reason in found.bad:
            self._other(path, reason)
        fresh = [source for source in found.sources.values() if source.id not in self._batch.sources]
        self.report.known += len(found.sources) - len(fresh)
        if fresh:
            found.tables = found.without(set(found.sources) - {source.id for source in fresh})
            self._batch.add_many(fresh, found.tables, found.without)

    def _other(self, path: Path, reason: str) -> None:
        large: _Large | None = None
        try:
            large = self._take(path, reading.of_chunks(path))
        except (HeadraceError, OSError):
            self.bad(path, reason)
        self._take_large(path, large)

    def _take(self, path: Path, found: reading.Found) -> _Large | None:
        """What has more rows than may be in memory is given back."""
        place = printed(whole(path) if found.kind == outdated.KIND else path)
        identity = outdated.identity(found.digest, place) if found.kind == outdated.KIND else found.digest
        source = Source(identity, place, found.kind, path.stat().st_size)
        slices = _gathered(itertools.chain([found.tables], found.more))
        first = next(slices)
        second = next(slices, None)  # if there is none, the whole file has been read
        if second is not None:
            return _Large(source, itertools.chain([first, second], slices), found.problem)
        if identity in self._batch.sources:
            self.report.known += 1
        else:
            self._batch.add(source, first)
        self._tell_rest(path, found.problem)
        return None

    def _take_large(self, path: Path, large: _Large | None) -> None:
        """Commits it by itself, after those before it."""
        if large is None:
            return
        self._commit()
        with self._telling(path, named=True):
            if large.source.id in self._known.update(self._catalog.state):
                self.report.known += 1
                for _ in large.slices:  # what is wrong in it is still told
                    pass
            else:
                state = self._catalog.state
                added = add_slices(self._catalog.path, state, large.source, large.slices, self._known)
                self._count(added, 1)
            self._tell_rest(path, large.problem)

    def _tell_rest(self, path: Path, problem: Callable[[], str]) -> None:
        if text := problem():
            self.bad(path, text, partly=True)

    def refuse(self, path: Path, reason: str) -> None:
        self.report.bad.append((path, reason))

    def bad(self, path: Path, reason: str, partly: bool = False) -> None:
        """A file that would be the catalog's, if all of it could be read."""
        reason = reason if str(path) in reason else f"{path}: {reason}"
        self.refuse(path, reason)
        if os.path.lexists(path):
            self._unread.append(unread.row(path, reason, partly))

    def _commit(self) -> None:
        batch, self._batch, self._since = self._batch, Batch(), time.monotonic()
        if batch.sources:
            added = add_batch(self._catalog.path, self._catalog.state, batch, self._known)
            self._count(added, len(batch.sources))

    def _count(self, added: Added, sources: int) -> None:
        self._catalog.state = added.state
        self.report.added += len(added.sources)
        self.report.known += sources - len(added.sources)
        self.report.rows += added.rows


def _gathered(slices: Iterable[Tables]) -> Iterator[Tables]:
    """Fewer and larger ones: each becomes a part of its table and month."""
    import pyarrow

    found: dict[str, list[pyarrow.Table]] = {}
    rows = 0
    for tables in slices:
        for name, table in tables.items():
            found.setdefault(name, []).append(table)
            rows += table.num_rows
        if rows >= _ROWS:
            yield {name: pyarrow.concat_tables(tables) for name, tables in found.items()}
            found, rows = {}, 0
    yield {name: pyarrow.concat_tables(tables) for name, tables in found.items()}


def add(
    root: str | os.PathLike[str],
    paths: list[Path],
    threads: int = 0,
    csv_map: dict[str, Any] | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Report:
    """Adds files, and those of whole trees, to a catalog; makes one if there is none.

    `told`: after each file, of how many. What cannot be read is in the report. Raises CatalogError and
    OutputError.
    """
    adder = Adder(Path(root), threads, csv_map)
    named = set(paths)
    files = files_below(paths, Path(root), adder.refuse, lambda _, why: adder.report.left_out.append(why))
    for number, path in enumerate(files, 1):
        adder.add(path, path in named)
        if told:
            told(number, len(files))
    return adder.finish()
