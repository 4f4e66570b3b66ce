"""`headrace show --live`: a running job, seen again and again through snapshots."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click

from headrace._errors import UsageError
from headrace._places import native_program
from headrace.commands._text import printable

_CLEAR = "\x1b[H\x1b[2J"


def watch(directory: str | None, every: float, show: Callable[[str], list[str]]) -> None:
    """Shows the job of a directory of records, or the only one there is, until it ends.

    `show` makes lines of a log. On a terminal each view takes the place of the last; elsewhere they follow.
    Raises UsageError where there is no such job.
    """
    with tempfile.TemporaryDirectory(prefix="headrace-live-") as place:
        taken = Path(place) / "job.hr"
        seen = False
        while True:
            trouble = _snapshot(directory, taken)
            if trouble and not seen:
                raise UsageError(trouble)
            if trouble:
                click.echo(f"the job has ended ({trouble})")
                return
            lines = show(str(taken))
            seen = True
            click.echo((_CLEAR if sys.stdout.isatty() else "") + "\n".join(lines) + "\n")
            time.sleep(every)


def _snapshot(directory: str | None, taken: Path) -> str:
    """Makes the log `taken`; why it could not be, else nothing."""
    program = native_program()
    if not program.exists():
        raise UsageError(f"--live needs the native program, which is not at {printable(str(program))}")
    words = [str(program), "snapshot", "-q", "-o", str(taken), *([directory] if directory else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip().removeprefix("headrace: ")
