"""Phases of programs that mark none, told from their bytes over time: rules and keys in docs/phases.md."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from itertools import pairwise

from headrace._errors import UsageError
from headrace.analysis.bursts import Bursts, alike, bursts, is_regular
from headrace.analysis.detected_ranks import explained, in_instances, member_sums, of_each_rank
from headrace.analysis.end_clusters import end_clusters, stood_for
from headrace.analysis.mpi_bursts import mpi_bursts, told, without
from headrace.analysis.phase_ranks import Facts
from headrace.analysis.processes import process_rows
from headrace.analysis.series_grid import Grid, grid_of
from headrace.analysis.series_owners import Owners, owners
from headrace.logs import JobLog

_PART_OF_A_WAY = 0.05  # of all bytes: with less, reads or writes are not looked at by themselves


@dataclass(frozen=True)
class Found:
    """Where the bursts are, and in what of the series."""

    of: str
    bursts: Bursts
    edges: list[tuple[int, int]]  # of each burst, with the bins beside it into which it reaches


@dataclass(frozen=True)
class _Detection:
    grid: Grid  # without the bursts of the MPI library's own files
    found: Found
    phases: list[Facts]
    mpi_files: Facts | None  # what was left out


def detected_facts(log: JobLog, path: str | None = None, instance: int | None = None) -> Facts:
    """What `headrace phases` says where none are marked; `path` and `instance` choose what is explained.

    Raises UsageError where there is no such phase or instance.
    """
    whose = owners(log)
    everyone = whose.members
    told_of = _detect(log, whose)
    grid, phases = told_of.grid, told_of.phases
    chosen = _chosen(log, phases, path, instance)
    instances = [one for phase in phases for one in phase["each"]]
    spans = [one["bins"] for one in instances]
    sums = member_sums(log, whose.owned, grid, spans) if instances else []
    others = member_sums(log, [whose.others], grid, spans) if instances and whose.others else []
    in_instances(everyone, sums, others, phases)
    detected = _about(told_of)
    detected["each_rank"] = None if phases else of_each_rank(log, whose.owned, grid)
    detected["explained"] = None
    if chosen and instance:  # bin by bin
        begin, end = chosen["each"][instance - 1]["bins"]
        bins = [(at, at + 1) for at in range(begin, end)]
        sums = member_sums(log, whose.owned, grid, bins)
    elif chosen:
        mine = [at for at, one in enumerate(instances) if one in chosen["each"]]
        sums = [[[line[at] for at in mine] for line in each] for each in sums]
    if chosen:
        detected["explained"] = explained(everyone, sums, chosen, instance or 0)
    for each in (one for phase in phases for one in phase["each"]):
        del each["bins"]
    return {
        "log": str(log.path),
        "members": len(everyone),
        "ranks": any(member.name.startswith("rank") for member in everyone),
        "in_phases": 0,
        "stood_for": len(stood_for(log)),
        "phases": [],
        "clusters": end_clusters(log),
        "explained": None,
        "detected": detected,
    }


def detected_summary(log: JobLog) -> list[Facts]:
    """The detected phases, without what each rank did in them and without instances one by one."""
    if not len(log.native.frame("series")):
        return []
    phases = _detect(log, owners(log)).phases
    return [{key: phase[key] for key in phase if key != "each"} for phase in phases]


def _detect(log: JobLog, whose: Owners) -> _Detection:
    grid = grid_of(log, whose.processes, _run_ns(log))
    found = _found(grid)
    own = mpi_bursts(log, grid, found.edges)
    rest = without(grid, own)
    if own:
        found = _found(rest)
    return _Detection(rest, found, _phases(rest, found), told(grid, own))


def _run_ns(log: JobLog) -> int:
    start, end = log.job.get("start_utc_ns"), log.job.get("end_utc_ns")
    if isinstance(start, int) and isinstance(end, int) and end >= start:
        return end - start
    return max((max(row["start_at_ns"], row["end_at_ns"]) for row in process_rows(log)), default=0)


def _found(grid: Grid) -> Found:
    """In all bytes; else in those of one way, if it has a part of them; in operations if there are none."""
    everything = sum(grid.values("bytes"))
    first = _in(grid, "bytes" if everything else "operations")
    for of in ("bytes_written", "bytes_read"):
        if first.bursts.runs or sum(grid.values(of)) < _PART_OF_A_WAY * everything or not everything:
            continue
        found = _in(grid, of)
        if found.bursts.runs:
            return found
    return first


def _in(grid: Grid, of: str) -> Found:
    values = grid.values(of)
    found = bursts(values)
    return Found(of, found, found.edges(values))


def _about(told_of: _Detection) -> Facts:
    grid, found, phases = told_of.grid, told_of.found, told_of.phases
    inside = sum(phase["bytes_read"] + phase["bytes_written"] for phase in phases)
    everything = grid.everything - (told_of.mpi_files["bytes"] if told_of.mpi_files else 0)
    return {
        "of": found.of,
        "width_ns": grid.width_ns,
        "begin_at_ns": grid.begin_ns,
        "bins": {"read": grid.read, "written": grid.written, "operations": grid.operations},
        "why_not": found.bursts.why_not,
        "part_of_bytes": min(1.0, inside / everything) if everything > 0 and inside else None,
        "mpi_files": told_of.mpi_files,
        "phases": phases,
    }


def _phases(grid: Grid, found: Found) -> list[Facts]:
    each = [
        {**_instance(grid, run, edges), "bins": edges}
        for run, edges in zip(found.bursts.runs, found.edges, strict=True)
    ]
    groups: list[list[Facts]] = []
    for kind in dict.fromkeys(one["kind"] for one in each):
        mine = [one for one in each if one["kind"] == kind]
        sizes = [one["bytes_read"] + one["bytes_written"] or one["operations"] for one in mine]
        groups += [[mine[at] for at in sorted(places)] for places in alike(sizes)]
    groups.sort(key=lambda group: group[0]["begin_at_ns"])
    return [_phase(number, group) for number, group in enumerate(groups, 1)]


def _instance(grid: Grid, run: tuple[int, int], edges: tuple[int, int]) -> Facts:
    read, written = (round(sum(values[slice(*edges)])) for values in (grid.read, grid.written))
    begin, end = (grid.begin_ns + at * grid.width_ns for at in run)
    return {
        "begin_at_ns": begin,
        "end_at_ns": end,
        "bytes_read": read,
        "bytes_written": written,
        "operations": round(sum(grid.operations[slice(*edges)])),
        "bytes_per_second": (read + written) / (end - begin) * 1e9,
        "kind": _kind(read, written),
    }


def _kind(read: int, written: int) -> str:
    """What it mostly does: a tenth of the bytes may go the other way."""
    if read + written == 0:
        return "operations"
    if min(read, written) > 0.1 * (read + written):
        return "read and write"
    return "read" if read > written else "write"


def _phase(number: int, each: list[Facts]) -> Facts:
    apart = [other["begin_at_ns"] - one["begin_at_ns"] for one, other in pairwise(each)]
    for place, one in enumerate(each, 1):
        one["instance"] = place
    took = sum(one["end_at_ns"] - one["begin_at_ns"] for one in each)
    read, written = (sum(one[key] for one in each) for key in ("bytes_read", "bytes_written"))
    return {
        "phase": f"burst {number}",
        "kind": each[0]["kind"],
        "instances": len(each),
        "period_ns": round(statistics.median(apart)) if is_regular(apart) else None,
        "time_ns": took / len(each),
        "bytes_read": read,
        "bytes_written": written,
        "operations": sum(one["operations"] for one in each),
        "bytes_per_second": (read + written) / took * 1e9,
        "each": [{key: one[key] for key in one if key != "kind"} for one in each],
    }


def _chosen(log: JobLog, phases: list[Facts], path: str | None, instance: int | None) -> Facts | None:
    """The phase that is explained: by default that of most bytes. None: none was detected."""
    if path is None:
        chosen = max(phases, key=lambda phase: phase["bytes_read"] + phase["bytes_written"], default=None)
    else:
        chosen = next((phase for phase in phases if phase["phase"] == path), None)
        if chosen is None:
            names = ", ".join(phase["phase"] for phase in phases[:20]) or "none"
            raise UsageError(f"{log.path}: no phase {path} is marked or detected; detected: {names}")
    if instance is not None and (chosen is None or instance > chosen["instances"]):
        times = f"{chosen['phase']} was {_times(chosen['instances'])}" if chosen else "no phase is detected"
        raise UsageError(f"{log.path}: there is no instance {instance}: {times}")
    return chosen


def _times(count: int) -> str:
    return "there once" if count == 1 else f"there {count} times"
