"""What `headrace doctor` says of event traces."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from headrace._errors import HeadraceError
from headrace._places import native_program
from headrace.analysis.traces import Trace
from headrace.commands._checks import FAILS, LIMITED, NOT_TRIED, OK, Check

_NAME = "event trace"
_MEMORY = 64 << 20  # of a process, unless --trace-memory says otherwise


def event_trace() -> Check:
    """Runs a shell that writes three bytes under `headrace run --trace` and looks for that in the trace."""
    if os.environ.get("HEADRACE") == "off":
        return Check(_NAME, FAILS, NOT_TRIED, "unset HEADRACE", needed=False)
    with tempfile.TemporaryDirectory(prefix="headrace-doctor-") as directory:
        log = Path(directory, "doctor.hr")
        command = [str(native_program()), "run", "-q", "--trace", "-o", str(log)]
        hidden = ("HEADRACE_TRACE", "HEADRACE_EXCLUDE")
        try:
            run = subprocess.run(
                [*command, "--", "/bin/sh", "-c", "printf abc > three-bytes"],
                cwd=directory, capture_output=True, text=True, errors="replace", timeout=30, check=False,
                env={key: value for key, value in os.environ.items() if not key.startswith(hidden)},
            )  # fmt: skip
            if run.returncode != 0:
                return _fails(
                    f"`headrace run --trace`: {run.stderr.strip() or f'exit status {run.returncode}'}"
                )
            moved = [
                row["moved"] for row in Trace(log.with_suffix(".trace.hr")).events() if row["kind"] == "io"
            ]
        except (OSError, subprocess.TimeoutExpired, HeadraceError) as error:
            return _fails(str(error))
    if 3 not in moved:
        return _fails("the trace of a shell that wrote 3 bytes does not have them")
    return _room()


def _fails(found: str) -> Check:
    return Check(_NAME, FAILS, found, "see the other checks", needed=False)


def _room() -> Check:
    """Events wait where records are kept, until they are stored."""
    place = next(
        (
            each
            for each in (os.environ.get("HEADRACE_SPOOL", ""), "/dev/shm")
            if each and os.access(each, os.W_OK)
        ),
        tempfile.gettempdir(),
    )
    free = shutil.disk_usage(place).free
    found = f"works; {place} has room for the events of {free // _MEMORY:,} processes of 64 MiB"
    if free < (os.cpu_count() or 1) * _MEMORY:
        advice = "where processes do more, give each less, so that they store earlier: --trace-memory 8M"
        return Check(_NAME, LIMITED, found, advice, needed=False)
    return Check(_NAME, OK, found)
