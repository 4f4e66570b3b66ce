"""Who was in a phase, and what each did there. Rows are ranks, or processes of a job without ranks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from headrace._errors import UsageError
from headrace.analysis.end_clusters import stood_for
from headrace.analysis.processes import process_rows
from headrace.analysis.ranks import node_places
from headrace.logs import JobLog

Facts = dict[str, Any]

FIGURES = (
    *("instances", "cut", "time_ns", "bytes_read", "bytes_written", "message_bytes"),
    *("read_ns", "write_ns", "meta_ns", "message_ns"),
)


@dataclass(frozen=True)
class Member:
    """One who was in a phase."""

    process: int
    rank: int  # a number of its own, of a job without ranks
    name: str
    host: str
    io_node: str  # empty: not known


def members(log: JobLog) -> list[Member]:
    """All captured ranks by number, program after program; of a job without ranks, its processes.

    Ranks that others stand for are not among them: what they did is in sums.
    """
    others = stood_for(log)
    rows = [row for row in process_rows(log) if row["captured"] and row["process"] not in others]
    ranks = sorted((row for row in rows if row["rank"] >= 0), key=lambda row: (row["instance"], row["rank"]))
    served = {node: place["io_node"] for node, place in node_places(log).items()}
    return [
        Member(
            process=row["process"],
            rank=row["rank"] if ranks else number,
            name=f"rank {row['rank']}" if ranks else f"process {row['pid']}",
            host=row["host"],
            io_node=served.get(row["host"]) or "",
        )
        for number, row in enumerate(ranks or rows)
    ]


def phase_rows(log: JobLog) -> list[Facts]:
    """The table `phases`. Raises UsageError where the program marked none."""
    rows: list[Facts] = log.native.frame("phases").rows()
    if not rows:
        raise UsageError(
            f"{log.path}: no phase is in this log; mark phases in the program "
            '(in Python: with headrace.phase("dump"): …; other languages: docs/phases.md)'
        )
    return rows


def by_phase(rows: Iterable[Facts]) -> dict[str, list[Facts]]:
    """Rows by phase; the phases in the order of their first begins."""
    found: dict[str, list[Facts]] = {}
    for row in rows:
        found.setdefault(row["phase"], []).append(row)
    first = {name: min(row["start_at_ns"] for row in of) for name, of in found.items()}
    return {name: found[name] for name in sorted(found, key=lambda name: (first[name], name))}


def summed(rows: Iterable[Facts]) -> dict[int, Facts]:
    """Rows by process: several, as of a program that went on after MPI_Finalize, add up."""
    found: dict[int, Facts] = {}
    for row in rows:
        known = found.get(row["process"])
        if known is None:
            found[row["process"]] = dict(row)
            continue
        if row["most_ns"] > known["most_ns"]:
            known["slowest"] = row["slowest"]
        known["least_ns"] = min(known["least_ns"], row["least_ns"])
        known["most_ns"] = max(known["most_ns"], row["most_ns"])
        known["start_at_ns"] = min(known["start_at_ns"], row["start_at_ns"])
        known["end_at_ns"] = max(known["end_at_ns"], row["end_at_ns"])
        for figure in FIGURES:
            known[figure] += row[figure]
    return found


def selected(log: JobLog, table: str, path: str, instance: int) -> list[Facts]:
    """Rows of one of the tables of phases."""
    frame = log.native.frame(table)
    return frame.rows(frame.where({"phase": path, "instance": instance})) if len(frame) else []
