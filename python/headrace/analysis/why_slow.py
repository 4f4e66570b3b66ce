"""Why the slow ranks of a phase were slow: what they have in common that the others do not."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from headrace.analysis.phase_groups import Groups
from headrace.analysis.phase_ranks import Facts, Member
from headrace.analysis.rank_lists import rank_list

_SLOWER = 1.5  # a group is slow whose I/O takes so many times that of the others …
_OF_PHASE = 0.05  # … and at least this part of the phase
_SAME = 0.8  # ranks are a group of another clustering when so many of both are in both


@dataclass(frozen=True)
class Slow:
    """The slow ranks, as numbers of members, and what goes with it. Empty: none stand out."""

    members: list[int]
    io_ns: float  # a slow rank's time in I/O, on average
    others_io_ns: float
    same_groups: list[str]  # kinds of features by which they are a group as well
    hosts: list[str]  # nodes that have nobody else, and that they are alone on
    io_nodes_without: list[str]


def io_ns(row: Facts) -> int:
    """Time in calls on files."""
    return int(row["read_ns"] + row["write_ns"] + row["meta_ns"])


def slow_ranks(who: list[Member], rows: dict[int, Facts], groups: list[Groups]) -> Slow:
    """The group by calls whose I/O takes longest, if it takes much longer than that of the others."""
    times = [io_ns(rows[member.process]) if member.process in rows else 0 for member in who]
    members = _slowest_group(times, groups)
    others = [number for number in range(len(who)) if number not in set(members)]
    mine, theirs = _mean(times, members), _mean(times, others)
    phase = max((row["time_ns"] / max(1, row["instances"]) for row in rows.values()), default=0)
    per_instance = max((row["instances"] for row in rows.values()), default=1)
    if not members or not others or mine < _SLOWER * theirs or mine / per_instance < _OF_PHASE * phase:
        return Slow([], mine, theirs, [], [], [])
    hosts, io_nodes = _places(who, members)
    return Slow(members, mine, theirs, _same_groups(members, groups), hosts, io_nodes)


def _slowest_group(times: list[int], groups: list[Groups]) -> list[int]:
    """Members of it. Without a clustering that tells groups: those above twice the median."""
    by_calls = next((each for each in groups if each.kind == "calls" and each.found.k > 1), None)
    if by_calls is None:
        median = sorted(times)[len(times) // 2]
        return [number for number, time in enumerate(times) if time > 2 * median]
    candidates = [by_calls.members_of(number) for number in range(by_calls.found.k)]
    return max(candidates, key=lambda members: _mean(times, members))


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
