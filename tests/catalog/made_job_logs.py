"""Job logs of programs that never ran."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from headrace import _native
from headrace.facility.groups import NUMBERS

SECOND = 10**9
Span = tuple[int, int, int]  # begin, end and I/O time of a program, seconds


def write(
    path: Path, spans: Sequence[Span], identity: int = 1, files: int = 1, calls: int = 4, **facts: str
) -> Path:
    """A log of programs of two ranks, of which each writes so many files by so many calls of 1 KiB."""
    told = {
        "command": json.dumps(["/bin/a", "b"]),
        "start_utc_ns": str(1_767_265_200 * SECOND),
        "end_utc_ns": str(1_767_268_800 * SECOND),
        "complete": "yes",
    } | facts
    programs = [("/bin/a", [2, 1, 0, begin * SECOND, end * SECOND]) for begin, end, _ in spans]
    groups = []
    for number, (begin, end, spent) in enumerate(spans):
        about = dict.fromkeys(NUMBERS, 0) | {
            "program": number, "width": 1, "sets": 2, "per_set": files, "opens": 1, "writes": calls, "write_size": 1024,
            "write_ns": spent * SECOND, "write_end": 4096, "flags": 33, "first_open_at_ns": begin * SECOND + 1,
            "last_io_at_ns": end * SECOND,
        }  # fmt: skip
        groups.append((f"/scratch/{number}.", ["posix"], [about[name] for name in NUMBERS]))
    _native.write_made_log(
        os.fsencode(path), identity, list(told.items()), programs, groups, "/scratch", "lustre"
    )
    return path


def write_counters(path: Path, processes: int, **counters: int) -> Path:
    """A log of a rank for each of so many processes, each with a file of these counters."""
    every = range(1, processes + 1)
    files = {"process": list(every), "record": list(every), "path": list(every), "final_path": list(every)}
    files |= {"kind": ["file"] * processes, "layer": ["posix"] * processes}
    tables = {
        "job": {"key": ["complete"], "value": ["yes"]},
        "names": {"name": list(every), "text": [f"/scratch/{number}" for number in every]},
        "processes": {
            "process": list(every),
            "rank": list(range(processes)),
            "ranks": [processes] * processes,
            "instance": [1] * processes,
        },
        "files": files | {name: [value] * processes for name, value in counters.items()},
    }
    _native.write_tables(os.fsencode(path), tables)
    return path
