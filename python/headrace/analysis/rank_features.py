"""What ranks are clustered by: one of FEATURES, as in section V of the paper on pF3D.

    profile    seconds in each function that any rank called, without those in other captured calls below it:
               a column a layer and function
    calls      the same, of functions on files alone
    messages   the same, of functions of MPI alone
    sizes      how many reads and writes had a size in each of at most 16 adaptive bins
    bandwidth  bytes read and written in each of 16 equal spans of the job, or of an instance of a phase
    series     the same in 64 spans of the job

All but series may be of one phase alone, or of one instance of it; profiles are then what
`headrace_cluster_phase` has on line (include/headrace/clusters.h). Ranks that were not in it are rows of
zeros, and told.

Values have one unit, so distances are taken of them as they are.
"""

from __future__ import annotations

import struct
from array import array
from dataclasses import dataclass, replace
from typing import Any

from headrace._errors import UsageError
from headrace.analysis.end_clusters import stood_for
from headrace.analysis.phase_features import SPANS as FEW_SPANS
from headrace.analysis.phase_features import adaptive_bins, bandwidth, bin_of
from headrace.analysis.phase_ranks import selected
from headrace.analysis.point_tables import PointTable
from headrace.analysis.processes import process_rows
from headrace.logs import JobLog

SPANS = 64
FEATURES = ("profile", "calls", "messages", "sizes", "bandwidth", "series")

_UNITS = {
    "profile": "s",
    "calls": "s",
    "messages": "s",
    "sizes": "operations",
    "bandwidth": "B",
    "series": "B",
}

Columns = dict[str, list[float]]


@dataclass(frozen=True)
class PhaseSpan:
    """What ranks did in a phase."""

    phase: str  # names of the phase and those around it, such as step/dump
    instance: int = 0  # 0: all of them together

    def __str__(self) -> str:
        return f"{self.phase} {self.instance}" if self.instance else self.phase


def rank_features(log: JobLog, by: str, span: PhaseSpan | None = None) -> PointTable:
    """A row a rank, by instance and rank; of a job without ranks, a row a captured process."""
    if others := stood_for(log):
        raise UsageError(
            f"{log.path}: representatives stand for {len(others)} of its ranks, of which it has sums: "
            "there is nothing to cluster (`headrace show` says which clusters the ranks found)"
        )
    rows, place = _rows(log)
    missing = _missing(log, place, len(rows), span) if span else []
    columns = _columns(log, by, place, len(rows), span)
    if not columns:
        what = by if span is None else f"{by} in phase {span}"
        raise UsageError(
            f"{log.path}: no rank has any {what}: nothing to cluster by (`headrace show` says what is there)"
        )
    values = array("d", bytes(8 * len(rows) * len(columns)))
    for number, column in enumerate(columns.values()):
        for row, value in enumerate(column):
            values[row * len(columns) + number] = value
    table = PointTable(values, True, len(rows), list(columns), rows, unit=_UNITS[by])
    if span is None:
        return table
    return replace(table, phase=span.phase, instance=span.instance, missing=missing)


def _columns(log: JobLog, by: str, place: dict[int, int], rows: int, span: PhaseSpan | None) -> Columns:
    if by in ("profile", "calls", "messages"):
        return _profile(log, place, rows, span, by)
    if by == "sizes":
        return _sizes(log, place, rows, span or PhaseSpan(""))
    if span is None:
        return _series(log, place, rows, SPANS if by == "series" else FEW_SPANS)
    if span.instance == 0:
        raise UsageError(f"{log.path}: bytes over time are of one instance of a phase: say --instance NUMBER")
    found = bandwidth(selected(log, "phase_series", span.phase, span.instance), place)
    return {name: column[:rows] for name, column in found.items()}


def _missing(log: JobLog, place: dict[int, int], rows: int, span: PhaseSpan) -> list[int]:
    """Rows that have no figures of this span. Raises UsageError when that is so of all."""
    phases = log.native.frame("phases").rows()
    there = {place.get(row["process"]) for row in phases if _is_of(row, span)}
    missing = [row for row in range(rows) if row not in there]
    if len(missing) < rows:
        return missing
    known = list(dict.fromkeys(str(row["phase"]) for row in phases))
    if span.phase in known:
        raise UsageError(
            f"{log.path}: no rank has figures of its own for instance {span.instance} of phase {span.phase}: "
            "it never was, or is one of the many that are only in the sums of all"
        )
    names = f"it has {', '.join(known[:20])}" if known else "it has none (docs/phases.md)"
    raise UsageError(f"{log.path}: there is no phase {span.phase}; {names}")


def _is_of(row: dict[str, Any], span: PhaseSpan) -> bool:
    return bool(row["phase"] == span.phase and row["instance"] == span.instance)


def _rows(log: JobLog) -> tuple[list[str], dict[int, int]]:
    """Names of the rows, and the row of each process image."""
    processes = [row for row in process_rows(log) if row["captured"]]
    ranks = [row for row in processes if row["rank"] >= 0]
    if not ranks:
        if not processes:
            raise UsageError(f"{log.path}: no process was captured: nothing to cluster")
        return [f"process {row['pid']}" for row in processes], {
            row["process"]: at for at, row in enumerate(processes)
        }
    keys = sorted({(row["instance"], row["rank"]) for row in ranks})
    several = len({instance for instance, _ in keys}) > 1
    runs = {instance: number for number, instance in enumerate(dict.fromkeys(key[0] for key in keys), 1)}
    names = [f"run {runs[instance]} rank {rank}" if several else f"rank {rank}" for instance, rank in keys]
    at = {key: number for number, key in enumerate(keys)}
    return names, {row["process"]: at[row["instance"], row["rank"]] for row in ranks}


def _profile(log: JobLog, place: dict[int, int], rows: int, span: PhaseSpan | None, by: str) -> Columns:
    columns: Columns = {}
    for row in log.native.frame("phase_profiles" if span else "profiles").rows():
        number = place.get(row["process"])
        if number is None or (span and not _is_of(row, span)):
            continue
        if by != "profile" and (row["layer"] == "mpi") is not (by == "messages"):
            continue
        column = columns.setdefault(f"{row['layer']}:{row['function']}", [0.0] * rows)
        # Logs of earlier versions do not tell a function's own time.
        column[number] += float(row.get("own_ns") or 0 if "own_ns" in row else row["time_ns"]) * 1e-9
    return dict(sorted(columns.items()))


def _sizes(log: JobLog, place: dict[int, int], rows: int, span: PhaseSpan) -> Columns:
    columns: Columns = {}
    found = [
        row for row in selected(log, "phase_sizes", span.phase, span.instance) if row["process"] in place
    ]
    for way in ("read", "write"):
        mine = [row for row in found if row["direction"] == way and row["least"] <= row["most"]]
        bins = adaptive_bins(mine)
        names = [f"{way}:{low}-{high}" for low, high in bins]
        columns |= {name: [0.0] * rows for name in names}
        for row in mine:
            at = bin_of(row, bins)
            columns[names[at]][place[row["process"]]] += row["count"]
    return columns


def _series(log: JobLog, place: dict[int, int], rows: int, spans: int) -> Columns:
    end_ns = max((end for _, _, end, *_ in log.native.series_widths()), default=0)
    if end_ns == 0:
        return {}
    processes = list(place)
    lines = log.native.rate_lines(processes, [place[each] for each in processes], rows, spans, end_ns)
    columns: Columns = {}
    for direction, (data, step) in zip(("read", "written"), lines, strict=False):
        values: tuple[Any, ...] = struct.unpack(f"<{len(data) // 2}H", data)
        for span in range(spans):
            columns[f"{direction}:{span}"] = [step * value for value in values[span::spans]]
    return columns
