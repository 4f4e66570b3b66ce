"""What `headrace phases` says: phases over the ranks, their instances, and why ranks were slow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from headrace._errors import UsageError
from headrace.analysis.end_clusters import end_clusters, stood_for
from headrace.analysis.phase_features import SPANS, span_ns
from headrace.analysis.phase_groups import Groups, all_groups, crossings
from headrace.analysis.phase_ranks import FIGURES, Facts, Member, by_phase, members, phase_rows, summed
from headrace.analysis.ranks import spread
from headrace.analysis.why_slow import Slow, group_facts, slow_ranks
from headrace.logs import JobLog

_MOST_LINES = 64  # ranks whose time is told for every instance, in pictures


def phase_facts(log: JobLog, path: str | None = None, instance: int | None = None) -> Facts:
    """See docs/phases.md for the keys. The phase that is explained is by default the one with most I/O time.

    Raises UsageError where there is no such phase or instance.
    """
    rows = by_phase(phase_rows(log))
    everyone = members(log)
    present = {row["process"] for of in rows.values() for row in of}
    phases = [_phase(of, name, everyone) for name, of in rows.items()]
    chosen = path or _most_io(phases)
    if chosen not in rows:
        raise UsageError(f"{log.path}: no phase {chosen}; there are {', '.join(list(rows)[:20])}")
    explained = _explained(log, rows[chosen], everyone, chosen, instance)
    for phase in phases:
        # Slow ranks are to be seen.
        slow = explained["slow"] if phase["phase"] == chosen else None
        phase["each"] = _each(rows[phase["phase"]], everyone, slow["members"] if slow else ())
    return {
        "log": str(log.path),
        "members": len(everyone),
        "ranks": any(member.name.startswith("rank") for member in everyone),
        "in_phases": sum(member.process in present for member in everyone),
        "stood_for": len(stood_for(log)),
        "phases": phases,
        "clusters": end_clusters(log),
        "explained": explained,
    }


def phase_summary(log: JobLog) -> list[Facts]:
    """Phases without their instances one by one, by first begin; none where none is marked."""
    if not log.native.columns("phases"):
        return []
    frame = log.native.frame("phases")
    rows = by_phase(frame.rows(frame.where({"instance": 0})))
    everyone = members(log)
    return [_phase(of, name, everyone) for name, of in rows.items()]


def _most_io(phases: list[Facts]) -> str:
    """The innermost of those with most time in I/O: a phase around others is explained by them."""
    most = max(phase["io_ns"] for phase in phases)
    near = [phase for phase in phases if phase["io_ns"] >= 0.9 * most]
    return str(max(near, key=lambda phase: (phase["phase"].count("/"), phase["io_ns"]))["phase"])


def _phase(rows: list[Facts], name: str, everyone: list[Member]) -> Facts:
    """`rows`: of this phase. Without its instances one by one."""
    of_all = summed(row for row in rows if row["instance"] == 0)
    names = {member.process: member.name for member in everyone}
    # Ranks that others stand for are in the sums alone.
    whole = {process: row for process, row in of_all.items() if process in names} or of_all
    slowest = max(of_all.values(), key=lambda row: row["most_ns"])
    counts = [row["instances"] for row in whole.values()]
    sums = {figure: sum(row[figure] for row in of_all.values()) for figure in FIGURES}
    return {
        "phase": name,
        "members": len(whole),
        "missing": max(0, len(everyone) - len(whole)),
        "instances": max(counts),
        "least_instances": min(counts),
        "cut": sums["cut"],
        "spent_ns": sums["time_ns"],
        "time_ns": spread([row["time_ns"] / max(1, row["instances"]) for row in whole.values()]),
        "longest": {
            "time_ns": slowest["most_ns"],
            "instance": slowest["slowest"],
            "member": names.get(slowest["process"], "a rank that others stand for"),
        },
        "io_ns": sums["read_ns"] + sums["write_ns"] + sums["meta_ns"],
        **{figure: sums[figure] for figure in FIGURES if figure not in ("instances", "cut", "time_ns")},
    }


def _each(rows: list[Facts], everyone: list[Member], slow: Iterable[str]) -> list[Facts]:
    """Instances that are kept whole: over those who kept them. `slow`: members of whom many are told of."""
    present = {row["process"] for row in rows if row["instance"] == 0}
    who = [member for member in everyone if member.process in present]
    names = {member.process: member.name for member in who}
    told = _told(who, set(slow))
    by_number: dict[int, list[Facts]] = defaultdict(list)
    for row in rows:
        if row["instance"] != 0:
            by_number[row["instance"]].append(row)
    found = []
    for number, them in sorted(by_number.items()):
        slowest = max(them, key=lambda row: row["time_ns"])
        found.append(
            {
                "instance": number,
                "members": len(them),
                "start_at_ns": min(row["start_at_ns"] for row in them),
                "end_at_ns": max(row["end_at_ns"] for row in them),
                "time_ns": spread([row["time_ns"] for row in them]),
                "slowest": names.get(slowest["process"], ""),
                "bytes": sum(row["bytes_read"] + row["bytes_written"] for row in them),
                "ended": sorted({row["ended"] for row in them}),
                "times_ns": {
                    names.get(row["process"], ""): row["time_ns"] for row in them if row["process"] in told
                },
            }
        )
    return found


def _told(who: list[Member], slow: set[str]) -> set[int]:
    """Processes from all parts of the job, up to half of them slow ones."""
    chosen = _evenly([member for member in who if member.name in slow], _MOST_LINES // 2)
    others = [member for member in who if member.name not in slow]
    return {member.process for member in chosen + _evenly(others, _MOST_LINES - len(chosen))}


def _evenly(members: list[Member], most: int) -> list[Member]:
    count = min(most, len(members))
    return [members[number * len(members) // count] for number in range(count)]


def _explained(
    log: JobLog, rows: list[Facts], everyone: list[Member], path: str, instance: int | None
) -> Facts:
    numbers = {row["instance"] for row in rows}
    wanted = instance or 0
    if wanted not in numbers:
        kept = sorted(numbers - {0})
        raise UsageError(
            f"{log.path}: instance {wanted} of {path} is not kept whole; those are "
            f"{', '.join(map(str, kept[:20]))}{', …' if len(kept) > 20 else ''}"
        )
    of_all = summed(row for row in rows if row["instance"] == wanted)
    who = [member for member in everyone if member.process in of_all]
    figures = {member.process: of_all[member.process] for member in who}
    if not who:
        raise UsageError(f"{log.path}: of phase {path} there are sums alone, of ranks that others stand for")
    # Series are of instances: of all together, the one that was slowest for any rank stands for them.
    slowest = max(figures.values(), key=lambda row: row["most_ns"])["slowest"]
    moving = wanted or slowest
    groups = all_groups(log, who, path, wanted, moving)
    slow = slow_ranks(who, figures, _single(rows) if wanted == 0 else {}, groups)
    return {
        "phase": path,
        "instance": wanted,
        "bandwidth_of": moving,
        "span_ns": span_ns(log, who, path, moving),
        "members": len(who),
        "time_ns": spread([row["time_ns"] / max(1, row["instances"]) for row in figures.values()]),
        "clusterings": [each.facts() for each in groups],
        "crossings": crossings(groups),
        "groups": _groups(who, figures, groups, slow),
        "slow": _slow(who, figures, groups, slow),
        "representatives": _representatives(who, groups),
        "outliers": _outliers(groups, {who[number].name for number in slow.members}),
        "names": [member.name for member in who],
    }


def _single(rows: list[Facts]) -> dict[int, list[Facts]]:
    """Instances that are kept whole, by process."""
    found: dict[int, list[Facts]] = defaultdict(list)
    for row in rows:
        if row["instance"] != 0:
            found[row["process"]].append(row)
    return found


def _groups(who: list[Member], rows: dict[int, Facts], groups: list[Groups], slow: Slow) -> list[Facts]:
    """The slow ranks and the others; where none are slow, those by calls, the slowest first."""
    by_calls = next((each for each in groups if each.kind == "calls" and each.found.k > 1), None)
    if by_calls is None or slow.members:
        others = [number for number in range(len(who)) if number not in set(slow.members)]
        return [group_facts(who, rows, groups, some) for some in (slow.members, others) if some]
    found = [
        {"medoid": by_calls.found.table.names[medoid] if by_calls.found.table.names else ""}
        | group_facts(who, rows, groups, by_calls.members_of(number))
        for number, medoid in enumerate(by_calls.found.medoids)
    ]
    return sorted(found, key=lambda group: -(group["read_ns"] + group["write_ns"] + group["meta_ns"]))


def _slow(who: list[Member], rows: dict[int, Facts], groups: list[Groups], slow: Slow) -> Facts | None:
    if not slow.members:
        return None
    return {
        **group_facts(who, rows, groups, slow.members),
        "members": [who[number].name for number in slow.members],
        "by": slow.by,
        "longer_ns": slow.longer_ns,
        "io_ns": slow.io_ns,
        "others_io_ns": slow.others_io_ns,
        "also_groups_by": slow.same_groups,
        "alone_on": slow.hosts,
        "io_nodes_without": slow.io_nodes_without,
        "also": [who[number].name for number in slow.also],
    }


def _representatives(who: list[Member], groups: list[Groups]) -> list[Facts]:
    """Bytes over the phase of the one who stands for each group by calls: one number a span."""
    by_kind = {each.kind: each.found for each in groups}
    if "calls" not in by_kind or "bandwidth" not in by_kind:
        return []
    table = by_kind["bandwidth"].table
    width = len(table.columns)
    return [
        {
            "member": who[medoid].name,
            "read": list(table.memory[medoid * width : medoid * width + SPANS]),
            "written": list(table.memory[medoid * width + SPANS : medoid * width + 2 * SPANS]),
        }
        for medoid in by_kind["calls"].medoids
    ]


def _outliers(groups: list[Groups], slow: set[str]) -> list[Facts]:
    """`slow`: they are told of as a group."""
    found: list[dict[str, Any]] = []
    for each in groups:
        names = each.found.table.names or []
        values, width = each.found.table.memory, len(each.found.table.columns)
        for outlier in each.found.worst:
            column = each.found.table.columns.index(outlier.column)
            found.append(
                {
                    "by": each.kind,
                    "member": names[outlier.row],
                    "slow": names[outlier.row] in slow,
                    "column": outlier.column,
                    "value": values[outlier.row * width + column],
                    "usual": each.found.clusters[outlier.cluster].mean[column],
                }
            )
    return found
