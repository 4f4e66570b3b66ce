"""How the parts of a run change as a job grows: computing, communication and I/O. Keys: docs/scaling.md."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from headrace.analysis.changes import signed
from headrace.analysis.processes import process_rows
from headrace.analysis.ranks import rank_rows
from headrace.analysis.summary import job_run_ns, overview, tell_damage
from headrace.logs import LIBRARY_LAYERS, JobLog
from headrace.text import size

Facts = dict[str, Any]

_ALIKE = 0.1  # of the bytes

PARTS = ("compute", "mpi", "libraries", "io")


def scaling(logs: Sequence[JobLog], weak: bool = False) -> Facts:
    """One row a log, smallest job first; the first one is what others are compared with. Raises LogError.

    `weak`: the work grows with the job, so that an ideal run takes as long as the first one.
    """
    runs = sorted((_run(log) for log in logs), key=lambda run: (run["ranks"], run["run_ns"]))
    first = runs[0]
    for run in runs:
        growth = run["ranks"] / first["ranks"]
        ratio = first["run_ns"] / run["run_ns"] if run["run_ns"] > 0 and first["run_ns"] > 0 else None
        run["speed_up"] = None if ratio is None else ratio * (growth if weak else 1)
        run["efficiency"] = None if ratio is None else ratio if weak else ratio / growth
    work = _work(runs)
    notes = [*_against_work(weak, work, runs), *_notes(runs)]
    return {"format": 1, "weak": weak, "work": work, "runs": runs, "notes": notes}


def _work(runs: list[Facts]) -> str | None:
    """By the bytes moved: "same" in each run, "grew" with the job, "differs", or None where nothing tells."""
    first = runs[0]
    if len(runs) < 2 or not first["bytes"]:
        return None
    moved = [run["bytes"] / first["bytes"] for run in runs]
    if all(abs(each - 1) <= _ALIKE for each in moved):
        return "same"
    grown = (run["ranks"] / first["ranks"] for run in runs)
    return "grew" if all(abs(a / b - 1) <= _ALIKE for a, b in zip(moved, grown, strict=True)) else "differs"


def _against_work(weak: bool, work: str | None, runs: list[Facts]) -> list[str]:
    """Where the bytes say something else than what was asked for."""
    moved = f"{size(runs[0]['bytes'])} to {size(runs[-1]['bytes'])}"
    if work == "differs":
        return [f"The runs moved different amounts, {moved}: their times do not compare the same work"]
    if weak and work == "same":
        return ["Each run moved as many bytes: the work did not grow. Compare them without --weak"]
    if not weak and work == "grew":
        return [f"The bytes grew with the job, {moved}: compare the runs with --weak"]
    return []


def _run(log: JobLog) -> Facts:
    processes = process_rows(log)
    facts = overview(log, processes, [], 0)
    tell_damage(log, facts)
    run_ns = job_run_ns(log.job, processes)
    ranks = rank_rows(log, processes, run_ns)
    rows = ranks or _without_ranks(log, processes, run_ns)
    lived = _mean(row["run_ns"] for row in rows)
    reduced = facts["parallel"]["reduced"] if facts["parallel"] else None
    parts = _parts(rows, reduced or {"io_ns": 0, "system_ns": 0})
    members = [row for row in processes if row["rank"] >= 0 or not ranks]
    if (own_ns := _own_ns(log, members)) is not None:
        parts["libraries"] = own_ns / len(rows)
    # Several threads may be in calls at once; then nothing is known of what is left.
    rest = lived - sum(parts.values())
    times: dict[str, float | None] = {"compute": rest if rest >= 0 else None, **parts}
    told = any(row["layer"] == "mpi" for row in log.native.process_layers().rows())
    if ranks and not told:  # a job of ranks communicates, though Darshan does not tell of it
        times |= {"mpi": None} if not parts["mpi"] else {}
    return {
        "log": log.path,
        "command": facts["job"]["command"],
        "complete": facts["job"]["complete"],
        "has_ranks": bool(ranks),
        "ranks": len(rows),
        "nodes": len({row["host"] for row in rows} - {""}) or None,
        "run_ns": run_ns,
        "rank_ns": lived,
        "time_ns": times,
        "shares": {
            part: time / lived if time is not None and lived > 0 else None for part, time in times.items()
        },
        "slowest_io_ns": None if reduced else max((row["io_ns"] for row in rows), default=0),
        "bytes": sum(row["bytes_read"] + row["bytes_written"] for row in rows)
        + (reduced["bytes"] if reduced else 0),
        "communication_known": told,
        "programs": len({row["instance"] for row in ranks}),
    }


def _own_ns(log: JobLog, processes: list[Facts]) -> int | None:
    """Inside I/O libraries, outside of MPI's and the system's calls below them; None: nobody recorded it."""
    if "converted_from" in log.job or "own_ns" not in log.native.columns("profiles"):
        return None
    those = {row["process"] for row in processes}
    rows: list[Facts] = log.native.process_layers().rows()
    libraries = (row for row in rows if row["layer"] in LIBRARY_LAYERS and row["process"] in those)
    return sum(int(row["own_ns"]) for row in libraries)


def _parts(rows: list[Facts], reduced: Facts) -> dict[str, float]:
    """Means over ranks: communication; I/O libraries without the system's calls that they make; these.

    `reduced`: what records say that stand for all ranks.
    """
    io, system = (
        _mean(row[key] for row in rows) + reduced[key] / len(rows) for key in ("io_ns", "system_ns")
    )
    return {
        "mpi": _mean(row["mpi_ns"] for row in rows),
        "libraries": max(0.0, io - system),
        "io": min(io, system),
    }


def _without_ranks(log: JobLog, processes: list[Facts], run_ns: int) -> list[Facts]:
    """A job without ranks counts as one rank that did what all its processes did while it ran."""
    as_ranks = [{**row, "rank": 0, "instance": 0} for row in processes if row["captured"]]
    rows = rank_rows(log, as_ranks, run_ns)
    host = processes[0]["host"] if processes else ""
    empty = {"mpi_ns": 0, "io_ns": 0, "system_ns": 0, "bytes_read": 0, "bytes_written": 0}
    return [{**empty, "host": host, **(rows[0] if rows else {}), "run_ns": run_ns}]


def _mean(values: Iterable[int]) -> float:
    each = [signed(value) for value in values]
    return math.fsum(each) / len(each) if each else 0


def _notes(runs: list[Facts]) -> list[str]:
    """What makes the rows less comparable than they look; logs by their place in the table, from 1."""
    notes = []

    def those(wanted: list[bool]) -> str:
        return ", ".join(str(place + 1) for place, is_so in enumerate(wanted) if is_so)

    def add(wanted: list[bool], text: str) -> None:
        if any(wanted):
            notes.append(f"{those(wanted)}: {text}")

    add([run["complete"] != "yes" for run in runs], "the log is not complete")
    add([not run["has_ranks"] for run in runs], "no ranks: all its processes count as one")
    add(
        [run["has_ranks"] and run["ranks"] > 1 and not run["communication_known"] for run in runs],
        "no communication was captured: it counts as computing",
    )
    add([run["programs"] > 1 for run in runs], "several programs: their ranks are one sum")
    add(
        [run["time_ns"]["compute"] is None for run in runs],
        "calls of several threads at once took longer than the ranks lived: what is left is not known",
    )
    if len({run["ranks"] for run in runs}) < len(runs):
        notes.append("several logs have the same number of ranks: each is compared by itself")
    return notes
