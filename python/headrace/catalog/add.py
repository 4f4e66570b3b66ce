"""Adding files and whole trees to a catalog."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headrace._errors import HeadraceError
from headrace.catalog import job_logs, outdated, recognize, unread
from headrace.catalog.batch import Batch, Known, add_batch
from headrace.catalog.catalog import create
from headrace.catalog.compact import compact
from headrace.catalog.source import Source, printed, whole

# Job logs are read so many, and so many bytes of them, at a time.
_LOGS_AT_ONCE, _BYTES_AT_ONCE = 256, 1 << 20
_PARTS = 16  # small ones of a table and month that are put together
# A commit is made after so much, which bounds memory; a killed adder did in vain what it did since.
_SOURCES, _ROWS, _SECONDS = 20_000, 250_000, 20.0


@dataclass
class Report:
    """What became of the files."""

    added: int = 0
    known: int = 0  # the catalog had them
    skipped: int = 0  # of trees: files that are nothing a catalog takes
    rows: int = 0
    bad: list[tuple[Path, str]] = field(default_factory=list)  # with the reason


class Adder:
    """Adds file after file; `finish` commits the rest."""

    def __init__(self, root: Path, threads: int, csv_map: dict[str, Any] | None) -> None:
        self._catalog = create(root)
        self._known = Known(self._catalog.path)
        self._was_empty = not self._known.update(self._catalog.state)
        self._threads, self._csv_map = threads, csv_map
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
        try:
            facts = path.stat()
            kind = recognize.kind_of(path) if stat.S_ISREG(facts.st_mode) else None
            if kind is None:
                if named:
                    self.refuse(
                        path, f"{path}: nothing that a catalog takes; docs/catalog.md says what it takes"
                    )
                self.report.skipped += not named
            elif kind == "job log":
                self._logs.append(path)
                self._log_bytes += facts.st_size
            else:
                self._take(path, recognize.read(path, kind, self._csv_map))
        except recognize.NothingOursError as error:
            if named:
                self.refuse(path, str(error))
            self.report.skipped += not named
        except HeadraceError as error:
            self.bad(path, str(error))
        except (ValueError, ArithmeticError, LookupError, TypeError, RecursionError) as error:
            # A file that a reader has no sentence for must not keep the others out.
            self.bad(path, f"{path}: cannot be understood: {error}")
        except OSError as error:
            self.bad(path, f"{path}: cannot be read: {error.strerror or error}")
        if len(self._logs) >= _LOGS_AT_ONCE or self._log_bytes >= _BYTES_AT_ONCE:
            self._read_logs()
        full = len(self._batch.sources) >= _SOURCES or self._batch.rows() >= _ROWS
        if full or time.monotonic() - self._since > _SECONDS:
            self._commit()

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
        reading, self._reading = self._reading.result(), None
        found = job_logs.summarized(reading)
        self.report.known += reading.known + len(reading.paths) - len(found.bad) - len(found.sources)
        for path, reason in found.bad:
            self._other(path, reason)
        fresh = [source for source in found.sources.values() if source.id not in self._batch.sources]
        self.report.known += len(found.sources) - len(fresh)
        if fresh:
            found.tables = found.without(set(found.sources) - {source.id for source in fresh})
            self._batch.add_many(fresh, found.tables, found.without)

    def _other(self, path: Path, reason: str) -> None:
        try:
            self._take(path, recognize.of_chunks(path))
        except (HeadraceError, OSError):
            self.bad(path, reason)

    def _take(self, path: Path, found: recognize.Found) -> None:
        if found.problem:
            self.bad(path, found.problem, partly=True)
        if found.digest in self._batch.sources:
            self.report.known += 1
            return
        place = whole(path) if found.kind == outdated.KIND else path  # by which it is known again
        source = Source(found.digest, printed(place), found.kind, path.stat().st_size)
        self._batch.add(source, found.tables)

    def refuse(self, path: Path, reason: str) -> None:
        self.report.bad.append((path, reason))

    def bad(self, path: Path, reason: str, partly: bool = False) -> None:
        """A file that would be the catalog's, if all of it could be read."""
        self.refuse(path, reason)
        if os.path.lexists(path):
            self._unread.append(unread.row(path, reason, partly))

    def _commit(self) -> None:
        batch, self._batch, self._since = self._batch, Batch(), time.monotonic()
        if not batch.sources:
            return
        added = add_batch(self._catalog.path, self._catalog.state, batch, self._known)
        self._catalog.state = added.state
        self.report.added += len(added.sources)
        self.report.known += len(batch.sources) - len(added.sources)
        self.report.rows += added.rows


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
    adder = Adder(Path(root), threads or len(os.sched_getaffinity(0)), csv_map)
    named = set(paths)
    files = recognize.files_below(paths, Path(root), adder.refuse)
    for number, path in enumerate(files, 1):
        adder.add(path, path in named)
        if told:
            told(number, len(files))
    return adder.finish()
