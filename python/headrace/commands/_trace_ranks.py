"""The table of ranks of `headrace trace stats --by rank`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, duration, number
from headrace.text import size

Facts = dict[str, Any]

_ROWS = 40
_HEAD = ("rank", "time", "MPI", "I/O", "sent", "bytes", "received", "bytes", "files")
_HEAD_OF_CALLS = ("rank", "calls", "errors", "read", "written")


def rank_table(rows: list[Facts], of_some_calls: bool, terminal: Terminal) -> list[str]:
    """By rank; of many ranks those that spent most in MPI and I/O. `of_some_calls`: chosen by options."""
    if not rows:
        return ["  No process has a rank."]
    shown = rows
    if len(rows) > _ROWS:
        most = sorted(rows, key=lambda row: (-row["mpi_ns"] - row["io_ns"], row["rank"]))[:_ROWS]
        shown = sorted(most, key=lambda row: int(row["rank"]))
    head, cells = (_HEAD_OF_CALLS, _calls) if of_some_calls else (_HEAD, _all)
    first, *table = columns([head, *map(cells, shown)])
    lines = [terminal.dim(first), *table]
    if len(rows) > _ROWS:
        more = f"{len(rows) - _ROWS:,} more ranks with less time in MPI and I/O"
        lines.append(f"  … and {more}: --json has all")
    return lines


def _all(row: Facts) -> Sequence[str]:
    traffic = row["traffic"]
    return (
        str(row["rank"]),
        *(duration(row[key]) if row[key] else NONE for key in ("time_ns", "mpi_ns", "io_ns")),
        _number(traffic["sends"]),
        _size(traffic["bytes_sent"]),
        _number(traffic["receives"]),
        _size(traffic["bytes_received"]),
        _size(row["bytes_read"] + row["bytes_written"]),
    )


def _calls(row: Facts) -> Sequence[str]:
    moved = (_size(row["bytes_read"]), _size(row["bytes_written"]))
    return (str(row["rank"]), _number(row["calls"]), _number(row["errors"]), *moved)


def _number(value: int) -> str:
    return number(value) if value else NONE


def _size(value: int) -> str:
    return size(value) if value else NONE
