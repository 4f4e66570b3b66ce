"""Times opening a log of many file records to tables, in fresh Python processes."""

from __future__ import annotations

from pathlib import Path

from benchmarks.variants import Place, RunError, run

FILES = 100_000
MEMORY = "1G"  # enough for a record a file: the default would fold most of them into roll-ups
REPEATS = 5

BYTES = 100 * FILES  # what many_files writes

# Imports are not part of the figure: an analysis session pays them once. The log is in the page cache.
READ = """
import sys, time
import headrace, pyarrow
start = time.perf_counter()
log = headrace.open(sys.argv[1])
tables = {name: log.table(name) for name in log.tables}
took = time.perf_counter() - start
files = tables["files"]
written = sum(files["bytes_written"].to_pylist())
print(round(took * 1e9), files.num_rows, written)
"""


class SkippedError(Exception):
    """The measure cannot be taken here; the message says why."""


def make_log(headrace: Path, place: Place) -> Path:
    scratch = place.scratch()
    program = [str(place.programs / "many_files"), str(place.files()), str(FILES)]
    run([str(headrace), "run", "--memory", MEMORY, "--", *program], {}, scratch)
    logs = sorted(scratch.rglob("*.hr"))
    if len(logs) != 1:
        raise SkippedError(f"`headrace run` left {len(logs)} logs in its working directory instead of one")
    return logs[0]


def opening_ms(headrace: Path, python: Path, place: Place) -> list[float]:
    """Milliseconds from ``headrace.open`` to every table read, once a fresh process."""
    for needed in (headrace, python):
        if not needed.exists():
            raise SkippedError(f"{needed} does not exist: build and install first")
    try:
        log = make_log(headrace, place)
        printed = [run([str(python), "-c", READ, str(log)], {}, place.base) for _ in range(REPEATS)]
    except RunError as error:
        raise SkippedError(str(error)) from None
    values = []
    for text in printed:
        ns, rows, written = (int(word) for word in text.split())
        if rows < FILES or written < BYTES:
            raise SkippedError(
                f"the log has {rows} file records and {written} bytes written instead of {FILES} and {BYTES}"
            )
        values.append(ns / 1e6)
    return values
