"""The table of files of `headrace trace stats --by file`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.analysis.trace_sums import files
from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, duration, number, printable, shorten_left
from headrace.text import size

Facts = dict[str, Any]


def file_table(rows: list[Facts], most: int, output: Terminal) -> list[str]:
    """`rows`: of several groups of threads, whose files are put together."""
    found = files(rows)
    if not found:
        return []
    table: list[Sequence[str]] = [("file", "layer", "calls", "errors", "read", "written", "time", "longest")]
    table += [_cells(row) for row in found[:most]]
    lines = columns(table, left=frozenset({0, 1}))
    rest = [f"  … and {len(found) - most:,} more: --json has all"] if len(found) > most else []
    return [output.dim(lines[0]), *lines[1:], *rest]


def _cells(row: Facts) -> Sequence[str]:
    path = "unknown" if row["path"] is None else shorten_left(printable(row["path"]), 60)
    calls = number(row["calls"]) + (f" + {row['unfinished']:,} open" if row["unfinished"] else "")
    errors = number(row["errors"]) if row["errors"] else NONE
    moved = [size(row[key]) if row[key] else NONE for key in ("bytes_read", "bytes_written")]
    return (
        path,
        printable(row["layer"]),
        calls,
        errors,
        *moved,
        duration(row["time_ns"]),
        duration(row["longest_ns"]),
    )
