"""Shows that a library recorded what was timed: one that records nothing is fast, and worth nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import headrace

from benchmarks.output import operations
from benchmarks.variants import RunError, clean_environment

COMMAND = Path(sys.executable).parent / "headrace"


def collected(scratch: Path) -> Any:
    """The log of what processes without a launcher left below `scratch`."""
    log = scratch / "proof.hr"
    spools = [str(path) for path in scratch.glob("headrace-*")]
    if not spools:
        raise RunError(f"{scratch}: the library left no records of what was timed: is it a capture library?")
    done = subprocess.run(
        [COMMAND, "collect", "-o", log, *spools], env=clean_environment(), capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RunError(f"{scratch}: the records of what was timed cannot be read: {done.stderr.rstrip()}")
    return headrace.open(log)


def expect_operations(scratch: Path, function: str, text: str) -> None:
    """That each operation of a micro program, whose output is `text`, is in its log.

    `function`: what the log calls it; "" for writes to excluded paths, which have no function.
    """
    with collected(scratch) as log:
        if function:
            rows = log.table("profiles").to_pylist()
            found = sum(row["calls"] for row in rows if row["function"] == function)
        else:
            rows = log.table("files").to_pylist()
            found = sum(row["writes"] for row in rows if row["kind"] == "excluded_rollup")
    if found != operations(text):
        what = f"calls of {function}" if function else "writes to excluded paths"
        raise RunError(f"{scratch}: {found} {what} recorded instead of {operations(text)}")


def expect_processes(scratch: Path, program: str, count: int, *, launched: bool) -> None:
    """That so many processes of a program were recorded to their end.

    `launched`: each has a log of its own.
    """
    found = 0
    for log in map(headrace.open, sorted(scratch.glob("*.hr"))) if launched else [collected(scratch)]:
        with log:
            found += sum(
                bool(row["captured"])
                and row["ended"] == "exit"
                and Path(row["executable"]).name == Path(program).name
                for row in log.table("processes").to_pylist()
            )
    if found != count:
        raise RunError(f"{scratch}: {found} processes of {program} recorded instead of {count}")
