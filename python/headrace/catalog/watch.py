"""Adding files as they come."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from headrace.catalog.add import Adder, Report
from headrace.catalog.trees import files_below

_Seen = tuple[int, int, int]


def watch(
    root: Path, directories: list[Path], every_s: float, end: threading.Event, told: Callable[[Report], None]
) -> None:
    """Looks for new files until `end` is set; says what became of them.

    It looks instead of being notified: parallel file systems notify nobody of what other nodes do. A file
    is added when it did not change from one look to the next. Raises CatalogError and OutputError.
    """
    before: dict[Path, _Seen] = {}
    done: dict[Path, _Seen] = {}
    while not end.is_set():
        now = _look(root, directories)
        ready = [path for path, seen in now.items() if before.get(path) == seen and done.get(path) != seen]
        if ready:
            adder = Adder(root, 0, None)
            for path in ready:
                adder.add(path, named=False)
                done[path] = now[path]
                if end.is_set():
                    break
            told(adder.finish())
        done = {path: seen for path, seen in done.items() if path in now}
        before = now
        end.wait(every_s)


def _look(root: Path, directories: list[Path]) -> dict[Path, _Seen]:
    found = {}
    for path in files_below(directories, root):
        try:
            facts = path.stat()
        except OSError:
            continue
        found[path] = (facts.st_size, facts.st_mtime_ns, facts.st_ino)
    return found
