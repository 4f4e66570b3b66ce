"""What calls waited for at forwarding servers, in `headrace show`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, duration, number, percent
from headrace.text import size

Facts = dict[str, Any]

_KINDS = ("read", "write", "commit", "metadata")
_NOTHING = {"calls": 0, "errors": 0, "bytes": 0, "time_ns": 0, "own_ns": 0}


def forwarding_lines(facts: Facts, terminal: Terminal) -> list[str]:
    """Nothing where no server was asked."""
    functions = {row["function"]: row for row in facts["functions"] if row["layer"] == "forward"}
    if not functions:
        return []
    rows: list[Sequence[str]] = [
        ("time", "in queue", "at work", "between", "calls", "bytes", "errors", "what")
    ]
    for kind in _KINDS:
        whole, queue, work = (
            functions.get(f"server_{kind}{part}", _NOTHING) for part in ("", "_queue", "_work")
        )
        if whole["calls"]:
            times = (duration(each) for each in (queue["time_ns"], work["time_ns"], whole["own_ns"]))
            bytes_ = size(whole["bytes"]) if kind in ("read", "write") else NONE
            counts = (number(whole["calls"]), bytes_, number(whole["errors"]))
            rows.append((duration(whole["time_ns"]), *times, *counts, kind))
    table = columns(rows, left=frozenset({7}))
    title = "Forwarding servers: what the calls above waited for; between: on the way"
    return [
        *map(terminal.bold, terminal.wrap(title)),
        terminal.dim(table[0]),
        *table[1:],
        *_share(functions, terminal),
    ]


def _share(functions: dict[str, Facts], terminal: Terminal) -> list[str]:
    """One sentence: where most of it went."""
    parts = {"in the servers' queues": "_queue", "at work in the servers": "_work", "between": ""}
    times = {
        words: sum(functions.get(f"server_{kind}{part}", _NOTHING)["own_ns"] for kind in _KINDS)
        for words, part in parts.items()
    }
    total = sum(times.values())
    if not total:
        return []
    shares = ", ".join(f"{percent(time / total)} {words}" for words, time in times.items())
    return terminal.wrap(f"Of {duration(total)} in all, {shares}.", indent="  ")
