"""The table of `headrace scaling`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, clip, duration, number, percent, printable, shorten_left

Facts = dict[str, Any]

_FILL = {"compute": ("█", "#"), "mpi": ("▓", "="), "libraries": ("▒", "-"), "io": ("░", ".")}
_BAR = 24


def render(facts: Facts, terminal: Terminal) -> list[str]:
    kind = "weak scaling: an ideal run takes as long as the first" if facts["weak"] else "strong scaling"
    heading = ("", "ranks", "nodes", "wall", "speed-up", "efficiency", "compute", "MPI", "libraries", "I/O")
    rows: list[Sequence[str]] = [(*heading, "most I/O", "")]
    for place, run in enumerate(facts["runs"]):
        shares = run["shares"]
        rows.append(
            (
                str(place + 1),
                number(run["ranks"]),
                NONE if run["nodes"] is None else number(run["nodes"]),
                duration(run["run_ns"]),
                NONE if run["speed_up"] is None else f"{run['speed_up']:.2f}",
                percent(run["efficiency"]),
                *(percent(shares[part]) for part in ("compute", "mpi", "libraries", "io")),
                NONE if run["slowest_io_ns"] is None else duration(run["slowest_io_ns"]),
                _bar(shares, terminal.unicode),
            )
        )
    table = columns(rows, left=frozenset({11}))
    fills = [(name, _FILL[part][0 if terminal.unicode else 1]) for part, name in _NAMES.items()]
    lines = [
        terminal.bold(f"Where the time of a rank goes, {kind}"),
        terminal.dim(table[0]),
        *table[1:],
        terminal.dim("  " + "  ".join(f"{mark} {name}" for name, mark in fills)),
        "",
    ]
    for place, run in enumerate(facts["runs"]):
        room = None if terminal.columns is None else max(20, terminal.columns - 6)
        lines.append(f"  {place + 1}: {shorten_left(printable(run['log']), room)}")
    lines += [
        line for note in facts["notes"] for line in map(terminal.warn, terminal.wrap(note, "  ", "    "))
    ]
    return [clip(line, terminal.columns) for line in lines]


_NAMES = {
    "compute": "compute",
    "mpi": "communication",
    "libraries": "I/O libraries themselves",
    "io": "I/O (posix, stdio)",
}


def _bar(shares: Facts, unicode: bool) -> str:
    """Ends are rounded, not widths, so that the whole is never too long. What is not known is computing's."""
    text, end = "", 0.0
    if shares["compute"] is None:
        return ""
    for part, fills in _FILL.items():
        end += shares[part] or 0
        text += fills[0 if unicode else 1] * (round(min(1.0, end) * _BAR) - len(text))
    return text
