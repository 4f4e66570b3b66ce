"""The results of runs, kept as they come: a file of one JSON object a line, so that a study goes on where
it ended."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from headrace._errors import OutputError, UsageError
from headrace._outputs import make_directory
from headrace.papers.paper import Manner

__all__ = ["Kept"]


class Kept:
    """`results`: by the keys of runs. A last line without its end, of a run that was being written when the
    machine stopped, does not count. UsageError: the file is something
    else."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._load()

    def _load(self) -> None:
        self.results: dict[str, dict[str, Any]] = {}
        whole = 0
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            content = b""
        for line in content.splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            self._take(line)
            whole += len(line)
        self._whole = whole

    def _take(self, line: bytes) -> None:
        try:
            result = json.loads(line)
            self.results[result["key"]] = result
        except (ValueError, TypeError, KeyError) as error:
            number = len(self.results) + 1
            raise UsageError(
                f"{self.path}: line {number} is no result of a run; name another directory with --results"
            ) from error

    def manners(self, without: Container[str] = ()) -> dict[Manner, int]:
        """How runs were made, but for those of these keys, and how many so; the last manner last. Results of
        versions that did not keep it are left out."""
        found: dict[Manner, int] = {}
        for key, result in self.results.items():
            if "full" in result and key not in without:
                manner = Manner(result["full"], tuple(result["options"]))
                found[manner] = found.pop(manner, 0) + 1
        return found

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """As the only one that adds results. UsageError: another process does."""
        directory = self.path.parent
        try:
            make_directory(directory)
            number = os.open(directory, os.O_RDONLY)
        except OSError as error:
            raise OutputError(f"{directory}: results cannot be kept there: {error.strerror}") from error
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._load()
            yield
        except BlockingIOError as error:
            raise UsageError(
                f"{directory}: another `headrace bench paper` keeps its results there; wait for it, "
                "or name another directory with --results"
            ) from error
        finally:
            os.close(number)

    def add(self, result: dict[str, Any]) -> None:
        """Is stored when it returns; only in `alone`."""
        line = (json.dumps(result) + "\n").encode()
        try:
            with self.path.open("r+b" if self.path.exists() else "wb") as file:
                file.truncate(self._whole)
                file.seek(self._whole)
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{self.path}: a result cannot be kept: {error.strerror}") from error
        self._whole += len(line)
        self.results[result["key"]] = result
