"""Adding files and whole trees to a catalog."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headrace._errors import HeadraceError
from headrace.catalog import job_logs, recognize
from headrace.catalog.batch import Batch, Known, Source, add_batch
from headrace.catalog.catalog import create
from headrace.catalog.compact import compact

_LOGS_AT_ONCE = 512
_PARTS = 16  # small ones of a table and month that are put together
# A commit is made after so much: what a killed adder did since the last one is done again.
_SOURCES, _ROWS, _SECONDS = 20_000, 2_000_000, 20.0


@dataclass
class Report:
    """What became of the files."""

    added: int = 0
    known: int = 0  # the catalog had them
    skipped: int = 0  # of trees: files that are nothing a catalog takes
    rows: int = 0
    bad: list[tuple[Path, str]] = field(default_factory=list)


class Adder:
    """Adds file after file; `finish` commits the rest."""

    def __init__(self, root: Path, threads: int, csv_map: dict[str, Any] | None) -> None:
        self._catalog = create(root)
        self._known = Known(self._catalog.path)
        self._threads, self._csv_map = threads, csv_map
        self._logs: list[Path] = []
        self._batch, self._since = Batch(), time.monotonic()
        self.report = Report()

    def add(self, path: Path, named: bool) -> None:
        """`named`: by the user, so that it is bad if it is nothing that a catalog takes."""
        try:
            is_file = stat.S_ISREG(path.stat().st_mode)
            kind = recognize.kind_of(path) if is_file else None
            if kind is None:
                if named:
                    self._bad(
                        path, f"{path}: nothing that a catalog takes; docs/catalog.md says what it takes"
                    )
                self.report.skipped += not named
            elif kind == "job log":
                self._logs.append(path)
            else:
                self._take(path, recognize.read(path, kind, self._csv_map))
        except HeadraceError as error:
            self._bad(path, str(error))
        except OSError as error:
            self._bad(path, f"{path}: cannot be read: {error.strerror or error}")
        if len(self._logs) >= _LOGS_AT_ONCE:
            self._take_logs()
        full = len(self._batch.sources) >= _SOURCES or self._batch.rows() >= _ROWS
        if full or time.monotonic() - self._since > _SECONDS:
            self._commit()

    def finish(self) -> Report:
        self._take_logs()
        self._commit()
        compact(self._catalog, _PARTS)
        return self.report

    def _take_logs(self) -> None:
        if not self._logs:
            return
        paths, self._logs = self._logs, []
        sources, tables, bad = job_logs.summarize(paths, self._threads)
        self.report.known += len(paths) - len(bad) - len(sources)
        for path, reason in bad:
            self._other(path, reason)
        fresh = {source.id for source in sources} - set(self._batch.sources)
        self.report.known += len(sources) - len(fresh)
        if not fresh:
            return
        old = {source.id for source in sources} - fresh
        tables = job_logs.without(tables, old)
        self._batch.add_many(
            [source for source in sources if source.id in fresh],
            {name: table.drop_columns("_content") for name, table in tables.items()},
            lambda left_out: {
                name: table.drop_columns("_content")
                for name, table in job_logs.without(tables, left_out).items()
            },
        )

    def _other(self, path: Path, reason: str) -> None:
        try:
            self._take(path, recognize.of_chunks(path))
        except (HeadraceError, OSError):
            self._bad(path, reason)

    def _take(self, path: Path, found: tuple[str, str, recognize.Tables]) -> None:
        digest, kind, tables = found
        if digest in self._batch.sources:
            self.report.known += 1
            return
        self._batch.add(Source(digest, str(path), kind, path.stat().st_size), tables)

    def _bad(self, path: Path, reason: str) -> None:
        self.report.bad.append((path, reason))

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
    files = recognize.files_below(paths, Path(root))
    for number, path in enumerate(files, 1):
        adder.add(path, path in named)
        if told:
            told(number, len(files))
    return adder.finish()
