"""The MPI library's own files in `headrace show`: apart from the program's, so that they do not hide them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, duration, files_and_directories, number, printable
from headrace.text import size

Facts = dict[str, Any]

_MOST = 3


def mpi_file_lines(facts: Facts, terminal: Terminal) -> list[str]:
    own = facts["mpi_files"]
    if not own:
        return []
    if own["counted"]:
        figures = f"{files_and_directories(own)}, {duration(own['io_ns'])}"
        text = f"The MPI library's own files ({figures}) are counted among the program's: --mpi-files."
        return terminal.wrap(text)
    rows: list[Sequence[str]] = [("time", "read", "written", "calls", "opens", "path")]
    for row in own["rows"][:_MOST]:
        name = printable(row["path"]) + ("/" if row["kind"] == "directory" else "")
        cells = (
            duration(row["time_ns"]),
            size(row["bytes_read"]) if row["bytes_read"] else NONE,
            size(row["bytes_written"]) if row["bytes_written"] else NONE,
            number(row["calls"]),
            number(row["opens"]),
        )
        rows.append((*cells, name))
    table = columns(rows, left=frozenset({5}), room=terminal.columns)
    title = "The MPI library's own files, most time first"
    if own["rows_in_all"] >= len(rows):
        title += f" ({number(len(rows) - 1)} of {number(own['rows_in_all'])})"
    text = "They are in no other figure of files: --mpi-files counts them among the program's."
    return [
        *map(terminal.bold, terminal.wrap(title)),
        terminal.dim(table[0]),
        *table[1:],
        *(terminal.dim(line) for line in terminal.wrap(text, "  ")),
    ]
