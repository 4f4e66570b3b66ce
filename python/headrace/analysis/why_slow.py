"""Why the slow ranks of a phase were slow: what they have in common that the others do not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from headrace.analysis.phase_groups import Groups
from headrace.analysis.phase_ranks import Facts, Member
from headrace.analysis.rank_lists import rank_list
from headrace.analysis.slower import slower

_SAME = 0.8  # ranks are a group of another clustering when so many of both are in both


@dataclass(frozen=True)
class Slow:
    """The slow ranks, as numbers of members, and what goes with it. Empty: none stand out."""

    members: list[int]
    by: str  # what takes them longer: io or compute
    longer_ns: float  # by how much, in an instance
    io_ns: float  # a slow rank's time in I/O, on average
    others_io_ns: float
    same_groups: list[str]  # kinds of features by which they are a group as well
    hosts: list[str]  # nodes that have nobody else, and that they are alone on
    io_nodes_without: list[str]
    also: list[int]  # slow, too, but by other calls than these


def io_ns(row: Facts) -> int:
    """Time in calls on files."""
    return int(row["read_ns"] + row["write_ns"] + row["meta_ns"])


def compute_ns(row: Facts) -> int:
    """Time neither in calls on files nor in MPI."""
    return max(0, int(row["time_ns"] - row["message_ns"]) - io_ns(row))


def slow_ranks(
    who: list[Member], rows: dict[int, Facts], kept: dict[int, list[Facts]], groups: list[Groups]
) -> Slow:
    """Those whose I/O or own work takes longer, whichever is more. `kept`: single instances, by process."""
    instance_ns = max((row["time_ns"] / max(1, row["instances"]) for row in rows.values()), default=0.0)
    best: tuple[list[int], float] = [], 0.0
    by = "io"
    for name, measure in (("io", io_ns), ("compute", compute_ns)):
        found = slower([_times(member, rows, kept, measure) for member in who], instance_ns)
        if len(found[0]) * found[1] > len(best[0]) * best[1]:
            best, by = found, name
    members, longer = best
    also: list[int] = []
    if by == "io":
        members, also = _alike(members, groups)
    times = [io_ns(rows[member.process]) for member in who]
    others = [number for number in range(len(who)) if number not in {*members, *also}]
    hosts, io_nodes = _places(who, members) if members else ([], [])
    same = _same_groups(members, groups) if members else []
    return Slow(members, by, longer, _mean(times, members), _mean(times, others), same, hosts, io_nodes, also)


def _alike(members: list[int], groups: list[Groups]) -> tuple[list[int], list[int]]:
    """Most of the slow ones, slow in the same way, and the rest: in another group and by another function."""
    by_calls = next((each for each in groups if each.kind == "calls"), None)
    if by_calls is None or len(members) < 2:
        return members, []
    found, width = by_calls.found, len(by_calls.found.table.columns)
    ways: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number in members:
        own = found.table.memory[number * width : (number + 1) * width]
        ways[found.assigned[number], max(range(width), key=lambda column: own[column])].append(number)
    cluster, function = max(ways, key=lambda way: len(ways[way]))
    like = (them for way, them in ways.items() if way[0] == cluster or way[1] == function)
    same = sorted(chain.from_iterable(like))
    return same, sorted(set(members) - set(same))


def _times(
    member: Member, rows: dict[int, Facts], kept: dict[int, list[Facts]], measure: Callable[[Facts], int]
) -> list[float]:
    row = rows[member.process]
    whole = measure(row) / max(1, row["instances"])
    return [float(measure(each)) for each in kept.get(member.process, [])] or [whole]


def _mean(times: list[int], members: list[int]) -> float:
    return sum(times[number] for number in members) / len(members) if members else 0.0


def _same_groups(members: list[int], groups: list[Groups]) -> list[str]:
    slow, found = set(members), []
    for each in groups:
        if each.kind == "calls" or each.found.k < 2:
            continue
        # One group, or several, of which slow ranks are the most.
        clusters = [set(each.members_of(number)) for number in range(each.found.k)]
        theirs = {row for cluster in clusters if len(cluster & slow) * 2 > len(cluster) for row in cluster}
        if len(slow & theirs) >= _SAME * len(slow | theirs):
            found.append(each.kind)
    return found


def _places(who: list[Member], members: list[int]) -> tuple[list[str], list[str]]:
    slow = set(members)
    by_host: dict[str, list[bool]] = defaultdict(list)
    by_io_node: dict[str, list[bool]] = defaultdict(list)
    for number, member in enumerate(who):
        by_host[member.host].append(number in slow)
        if member.io_node:
            by_io_node[member.io_node].append(number in slow)
    whole = sorted(host for host, them in by_host.items() if all(them) and len(by_host) > 1)
    covered = sum(len(by_host[host]) for host in whole)
    without = sorted(node for node, them in by_io_node.items() if not any(them))
    return (whole if covered == len(slow) else []), without


def most_used(groups: list[Groups], members: list[int], kind: str) -> tuple[str, float] | None:
    """The column of a clustering's table that has most of these members' sum, and its part of it."""
    each = next((group for group in groups if group.kind == kind), None)
    if each is None or not members:
        return None
    table = each.found.table
    values, width = table.memory, len(table.columns)
    sums = [sum(values[row * width + column] for row in members) for column in range(width)]
    total = sum(sums)
    if total <= 0:
        return None
    best = max(range(width), key=lambda column: sums[column])
    return table.columns[best], sums[best] / total


def usual_size(groups: list[Groups], members: list[int]) -> tuple[int, int, float] | None:
    """The bin with most reads and writes of these members: its limits, and its part."""
    found = most_used(groups, members, "sizes")
    if found is None:
        return None
    low, high = found[0].split(":")[1].split("-")
    return int(low), int(high), found[1]


def group_facts(
    who: list[Member], rows: dict[int, Facts], groups: list[Groups], members: list[int]
) -> dict[str, Any]:
    """What members did on average."""
    chosen = [rows[who[number].process] for number in members if who[number].process in rows]
    hosts = Counter(who[number].host for number in members)
    mean = {
        figure: sum(row[figure] for row in chosen) / max(1, len(chosen))
        for figure in ("time_ns", "read_ns", "write_ns", "meta_ns", "message_ns")
    }
    return {
        "ranks": len(members),
        "who": rank_list(who[number].rank for number in members),
        "hosts": len(hosts),
        "bytes_read": sum(row["bytes_read"] for row in chosen),
        "bytes_written": sum(row["bytes_written"] for row in chosen),
        "message_bytes": sum(row["message_bytes"] for row in chosen),
        **mean,
        "most_time_in": most_used(groups, members, "calls"),
        "most_messages_in": most_used(groups, members, "messages"),
        "usual_size": usual_size(groups, members),
    }
