"""Calls of `headrace show` by layer, by function and by directory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import (
    NONE,
    duration,
    if_recorded,
    number,
    percent,
    printable,
    shorten_left,
    shorten_right,
)
from headrace.text import count, size

Facts = dict[str, Any]

_MOST = 5
# What Darshan's mark says where it has no numbers.
_TRANSFERS = {
    "collective": "collective transfers were asked for, how many is not known",
    "mixed": "collective transfers were asked for of some datasets, how many is not known",
    "unknown": "whether transfers were collective is not known",
}
_LAYERS = {
    "posix": "posix, the system's calls",
    "stdio": "stdio, the C library's streams",
    "mpiio": "mpiio, MPI's files",
    "hdf5": "hdf5",
    "pnetcdf": "pnetcdf",
}


def layer_lines(facts: Facts, terminal: Terminal) -> list[str]:
    """Nothing where all that a program called is of the system: the totals say it."""
    layers = facts["layers"]
    if [layer["layer"] for layer in layers] in ([], ["posix"]):
        return []
    system = [layer for layer in layers if layer["adds_up"]]
    above = [layer for layer in layers if not layer["adds_up"]]
    lines = _layers("The system's layers, which add up", system, terminal) if system else []
    for layer in system:
        lines += _buffer(layer, terminal)
    if above:
        title = "Libraries above, whose calls pass the layers below: each file counts in its topmost one"
        lines += _layers(title, above, terminal)
        for layer in above:
            lines += _together(layer, terminal)
    return lines


def _layers(title: str, layers: list[Facts], terminal: Terminal) -> list[str]:
    rows: list[Sequence[str]] = [("time", "reads", "read", "writes", "written", "metadata", "layer")]
    for layer in layers:
        read, write, metadata = layer["read"], layer["write"], layer["metadata"]
        rows.append(
            (
                duration(sum(part["time_ns"] for part in (read, write, metadata))),
                number(read["calls"]),
                size(read["bytes"]),
                number(write["calls"]),
                size(write["bytes"]),
                number(metadata["calls"]),
                _LAYERS.get(layer["layer"], printable(layer["layer"])),
            )
        )
    table = columns(rows, left=frozenset({6}))
    return [*map(terminal.bold, terminal.wrap(title)), terminal.dim(table[0]), *table[1:]]


def _together(layer: Facts, terminal: Terminal) -> list[str]:
    """What of a library's calls ranks made together, and how many datasets they were on."""
    together = layer["together"]
    words = {
        "nonblocking": "nonblocking",
        "noncontiguous": "in pieces",
        "shared_pointer": "at the shared pointer",
    }
    parts = [_TRANSFERS[layer["transfer"]]] if layer.get("transfer", "independent") != "independent" else []
    for way in ("reads", "writes"):
        part = layer[way.removesuffix("s")]
        if part["calls"] and together[f"{way}_collective"] is not None:
            parts.append(f"{percent(together[f'{way}_collective'] / part['calls'])} of {way} collective")
        parts += [
            f"{number(together[f'{way}_{key}'])} {way} {text}"
            for key, text in words.items()
            if together[f"{way}_{key}"]
        ]
    if together["views"]:
        parts.append(count(together["views"], "view"))
    if layer.get("datasets"):
        parts.append(count(layer["datasets"], "dataset"))
    if not parts:
        return []
    text = f"Of {printable(layer['layer'])}: {', '.join(parts)}."
    return [terminal.dim(line) for line in terminal.wrap(text, "  ", "    ")]


def _buffer(layer: Facts, terminal: Terminal) -> list[str]:
    """What streams asked of the system: the rest was answered by their buffers."""
    buffer = layer.get("buffer", {})
    if not buffer.get("system_reads", 0) + buffer.get("system_writes", 0):
        return []
    calls = f"{number(buffer['system_reads'])} reads and {number(buffer['system_writes'])} writes"
    moved = f"{size(buffer['system_bytes_read'])} and {size(buffer['system_bytes_written'])}"
    text = f"Of {printable(layer['layer'])}, {calls} reached the system, with {moved}; buffers did the rest."
    return [terminal.dim(line) for line in terminal.wrap(text, "  ", "    ")]


def function_lines(facts: Facts, terminal: Terminal) -> list[str]:
    called = [row for row in facts["functions"] if row["layer"] != "forward"]
    functions = [row for row in called if row["time_ns"]][:_MOST]
    if not functions:
        return []
    # Where calls of libraries contain calls of the system, the time of their own is what adds up.
    nested = any(row["own_ns"] != row["time_ns"] for row in called)
    own = ("own time",) if nested else ()
    rows: list[Sequence[str]] = [("time", *own, "calls", "per call", "slowest", "errors", "function")]
    for row in functions:
        per_call = duration(row["time_ns"] / row["calls"]) if row["calls"] else NONE
        name = shorten_right(printable(row["function"]), 60)
        times = (duration(row["time_ns"]), *((duration(row["own_ns"]),) if nested else ()))
        figures = (*times, number(row["calls"]), per_call, duration(row["max_ns"]))
        rows.append((*figures, if_recorded(row["errors"], number), name))
    table = columns(rows, left=frozenset({len(rows[0]) - 1}))
    more = len(called) - len(functions)
    title = "Functions, most time first, on whatever they were: files, pipes, sockets"
    rest = [terminal.dim(f"  … and {number(more)} more: --json has all")] if more > 0 else []
    return [*map(terminal.bold, terminal.wrap(title)), terminal.dim(table[0]), *table[1:], *rest]


def directory_lines(facts: Facts, terminal: Terminal) -> list[str]:
    """Where the files are, when the table of files has not all of them."""
    directories = facts["directories"]
    if facts["by"] != "path" or len(directories) < 2 or facts["rows_in_all"] <= len(facts["rows"]):
        return []
    total = facts["totals"]["io_ns"]
    rows: list[Sequence[str]] = [("time", "share", "read", "written", "files", "directory")]
    for row in directories:
        rows.append(
            (
                duration(row["time_ns"]),
                percent(row["time_ns"] / total if total else None),
                size(row["bytes_read"]),
                size(row["bytes_written"]),
                number(row["files"]),
                printable(row["path"]),
            )
        )
    room = None if terminal.columns is None else max(20, terminal.columns - 60)
    rows = [(*row[:-1], shorten_left(row[-1], room)) for row in rows]
    table = columns(rows, left=frozenset({5}))
    title = "Directories, most time first (--by directory shows more)"
    return [terminal.bold(title), terminal.dim(table[0]), *table[1:]]
