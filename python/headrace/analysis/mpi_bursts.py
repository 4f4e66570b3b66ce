"""Bursts that are those of the MPI library's own files (docs/mpi-files.md): no phases of the program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from headrace.analysis.kinds import FILE_KINDS, SYSTEM_LAYERS
from headrace.analysis.series_grid import Grid
from headrace.logs import JobLog

_MOSTLY = 0.5  # of a burst's bytes

Span = tuple[int, int]


def mpi_bursts(log: JobLog, grid: Grid, edges: list[Span]) -> list[Span]:
    """Those of the bursts with at least half of their bytes in own files that were used in them alone."""
    if log.mpi_files or not edges:
        return []
    rows = log.native.merge("path", [], FILE_KINDS, list(SYSTEM_LAYERS), "mpi").rows()
    used = [(*_times(row), row["bytes_read"] + row["bytes_written"]) for row in rows]
    found = []
    for begin, end in edges:
        first, last = (grid.begin_ns + at * grid.width_ns for at in (begin, end))
        own = sum(size for earliest, latest, size in used if first <= earliest and latest <= last)
        if own > 0 and own >= _MOSTLY * sum(grid.values("bytes")[begin:end]):
            found.append((begin, end))
    return found


def _times(row: dict[str, Any]) -> Span:
    firsts = [row[f"first_{way}_at_ns"] for way in ("read", "write") if row[f"first_{way}_at_ns"] > 0]
    return min(firsts, default=0), max(row["last_read_at_ns"], row["last_write_at_ns"])


def without(grid: Grid, spans: list[Span]) -> Grid:
    """The bins with nothing in these spans."""
    lines = []
    for line in (grid.read, grid.written, grid.operations):
        left = list(line)
        for begin, end in spans:
            left[begin:end] = [0.0] * (end - begin)
        lines.append(left)
    return replace(grid, read=lines[0], written=lines[1], operations=lines[2])


def told(grid: Grid, spans: list[Span]) -> dict[str, Any] | None:
    """What was left out of it."""
    if not spans:
        return None
    return {
        "bursts": len(spans),
        "bytes": round(sum(sum(grid.values("bytes")[begin:end]) for begin, end in spans)),
        "begin_at_ns": grid.begin_ns + spans[0][0] * grid.width_ns,
        "end_at_ns": grid.begin_ns + spans[-1][1] * grid.width_ns,
    }
