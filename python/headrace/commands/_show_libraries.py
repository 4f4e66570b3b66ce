"""Files of `headrace show` that libraries used: how requests changed on their way down to the system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, duration, exact_size, number, percent, printable, shorten_left
from headrace.text import count, size

Facts = dict[str, Any]

_MOST = 3


def library_lines(facts: Facts, terminal: Terminal) -> list[str]:
    """The files with most time in libraries, a line a layer, the highest first."""
    found = facts["libraries"]
    if not found:
        return []
    lines = [terminal.bold("From libraries down to the system, file by file")]
    room = None if terminal.columns is None else max(20, terminal.columns - 2)
    for file in found["files"][:_MOST]:
        lines.append("  " + shorten_left(printable(file["path"]), room))
        lines += _layers(file["layers"], terminal)
    more = found["files_in_all"] - min(_MOST, len(found["files"]))
    if more > 0:
        rest = count(more, "more file", "more files")
        lines.append(terminal.dim(f"  … and {rest}: --json and the report show more"))
    only = found["only"]
    if only["files"]:
        text = (
            f"{count(only['files'], 'file')} with {size(only['bytes_read'])} read and"
            f" {size(only['bytes_written'])} written are known from libraries alone:"
            " the log has no calls of the system on them."
        )
        lines += [terminal.warn(line) for line in terminal.wrap(text, "  ", "    ")]
    return lines


def _layers(layers: list[Facts], terminal: Terminal) -> list[str]:
    rows: list[Sequence[str]] = [
        ("layer", "time", "reads", "read", "each", "writes", "written", "each", "collective", "opens")
    ]
    for layer in layers:
        read, write = layer["read"], layer["write"]
        rows.append(
            (
                printable(layer["layer"]),
                duration(sum(layer[part]["time_ns"] for part in ("read", "write", "metadata"))),
                *_direction(read),
                *_direction(write),
                _collective(layer),
                number(layer["opens"]),
            )
        )
    table = columns(rows, left=frozenset({0}))
    return ["  " + line for line in (terminal.dim(table[0]), *table[1:])]


def _direction(part: Facts) -> tuple[str, str, str]:
    if not part["calls"]:
        return (NONE, NONE, NONE)
    usual = part["usual_size"]
    return (number(part["calls"]), size(part["bytes"]), exact_size(usual) if usual else NONE)


def _collective(layer: Facts) -> str:
    """Of reads and writes; the system knows of no ranks."""
    calls = layer["read"]["calls"] + layer["write"]["calls"]
    if layer["adds_up"] or not calls:
        return NONE
    together = layer["together"]
    counted = [together["reads_collective"], together["writes_collective"]]
    if None in counted:
        return {"collective": "asked for", "mixed": "in part"}.get(layer["transfer"], NONE)
    return percent(sum(counted) / calls)
