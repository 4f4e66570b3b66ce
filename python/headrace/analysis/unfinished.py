"""Calls that threads never came back from: who hung where when a process was killed, or ended otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from headrace.logs import JobLog

Facts = dict[str, Any]

_ORDER = {"killed": 0, "running": 1, "unknown": 2, "exit": 3, "exec": 4}
_FACT = "unfinished."


def of_log(log: JobLog, processes: list[Facts], chosen: list[int]) -> list[Facts]:
    """The threads of a job log, by how their process ended, rank, pid and thread.

    {process, pid, rank, host, thread, ended, for_ns, calls}; `calls`, outermost first, are {function,
    layer, path, start_at_ns}. `for_ns`: how long the outermost lasted, at least; None: nobody saw the end.
    """
    known = {row["process"]: row for row in processes}
    threads: dict[tuple[int, int], list[Facts]] = {}
    for row in log.native.frame("unfinished").rows():
        if row["process"] in known and (not chosen or row["process"] in chosen):
            threads.setdefault((row["process"], row["thread"]), []).append(row)
    return _ordered(
        _thread(known[process], thread, calls, calls[0]["seen_at_ns"], known[process]["ended"])
        for (process, thread), calls in threads.items()
    )


def of_trace(facts: dict[str, str], locations: list[Facts]) -> list[Facts]:
    """The same of a trace, from its facts."""
    known = {row["process"]: row for row in locations}
    threads: dict[tuple[int, int], list[Facts]] = {}
    for key, text in facts.items():
        if not key.startswith(_FACT):
            continue
        try:
            process, thread, depth = map(int, key.removeprefix(_FACT).split("."))
            call = json.loads(text)
            row: Facts = {"depth": depth, **{name: str(call[name]) for name in ("function", "layer", "path")}}
            row |= {name: int(call[name]) for name in ("start_at_ns", "seen_at_ns")}
            row["ended"] = str(call["ended"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue  # of another version
        threads.setdefault((process, thread), []).append(row)
    return _ordered(
        _thread(
            known.get(process, {"process": process}), thread, calls, calls[0]["seen_at_ns"], calls[0]["ended"]
        )
        for (process, thread), calls in threads.items()
    )


def _thread(process: Facts, thread: int, calls: list[Facts], seen_at_ns: int, ended: str) -> Facts:
    calls = sorted(calls, key=lambda call: call["depth"])
    since = calls[0]["start_at_ns"]
    rank = process.get("rank", -1)
    return {
        "process": f"{process['process']:016x}",
        "pid": process.get("pid"),
        "rank": rank if rank >= 0 else None,
        "host": process.get("host") or None,
        "thread": thread,
        "ended": ended,
        "for_ns": seen_at_ns - since if seen_at_ns > since else None,
        "calls": [
            {
                "function": call["function"],
                "layer": call["layer"] or None,
                "path": call["path"] or None,
                "start_at_ns": call["start_at_ns"],
            }
            for call in calls
        ],
    }


def _ordered(threads: Iterable[Facts]) -> list[Facts]:
    last = 1 << 62
    return sorted(
        threads,
        key=lambda row: (
            _ORDER.get(row["ended"], 2),
            last if row["rank"] is None else row["rank"],
            row["pid"] or 0,
            row["thread"],
        ),
    )
