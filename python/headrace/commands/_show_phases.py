"""Phases in `headrace show`: that there are some, and which; `headrace phases` says the rest."""

from __future__ import annotations

from typing import Any

from headrace.commands._columns import columns
from headrace.commands._detected_words import about
from headrace.commands._terminal import Terminal
from headrace.commands._text import duration, number, printable
from headrace.text import size

_MOST = 8


def phase_lines(facts: dict[str, Any], terminal: Terminal) -> list[str]:
    phases = facts["phases"]
    if not phases:
        return _detected(facts["detected_phases"], terminal)
    rows = [["phase", "instances", "ranks", "mean", "longest", "read", "written", "messages"]]
    rows += [
        [
            printable(phase["phase"]),
            number(phase["instances"]),
            number(phase["members"]),
            duration(phase["time_ns"]["mean"]),
            duration(phase["longest"]["time_ns"]),
            *(size(phase[key]) for key in ("bytes_read", "bytes_written", "message_bytes")),
        ]
        for phase in phases[:_MOST]
    ]
    title = "Phases (`headrace phases` says why ranks were slow there)"
    more = [f"  and {len(phases) - _MOST} more"] if len(phases) > _MOST else []
    return [terminal.bold(title), *columns(rows, left=frozenset({0})), *more]


def _detected(phases: list[dict[str, Any]], terminal: Terminal) -> list[str]:
    if not phases:
        return []
    most = max(phases, key=lambda phase: phase["bytes_read"] + phase["bytes_written"])
    others = f" and {len(phases) - 1} more" if len(phases) > 1 else ""
    return [
        f"{terminal.bold('Phases detected')} in bytes over time: {most['phase']}, {about(most)}{others} "
        "(`headrace phases` says more)"
    ]
