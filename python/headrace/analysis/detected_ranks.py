"""What ranks did in phases that were detected, and those of them that were alike there."""

from __future__ import annotations

import statistics
from array import array
from itertools import pairwise

from headrace.analysis.bursts import bursts, is_regular
from headrace.analysis.clusters import Clustering, cluster
from headrace.analysis.phase_ranks import Facts, Member
from headrace.analysis.point_tables import PointTable
from headrace.analysis.rank_lists import rank_list
from headrace.analysis.series_grid import MEASURES, Grid, member_series
from headrace.logs import JobLog

_MOST_COLUMNS = 64  # of a way; more instances are added up in so many parts
_MOST_LOOKED_AT = 64  # members, where all together have no bursts
_TAKES_PART = 0.01  # of what the one did who did most

Sums = list[list[list[float]]]  # by member and measure, a number a span


def member_sums(log: JobLog, owned: list[list[int]], grid: Grid, spans: list[tuple[int, int]]) -> Sums:
    """What the processes of each list did in spans of bins."""
    return [
        [[sum(line[begin:end]) for begin, end in spans] for line in lines]
        for lines in member_series(log, owned, grid)
    ]


def in_instances(who: list[Member], sums: Sums, others: Sums, phases: list[Facts]) -> None:
    """Adds to each instance who took part. `sums` are over the instances of all phases, in their order."""
    instances = [one for phase in phases for one in phase["each"]]
    for at, one in enumerate(instances):
        moves = one["bytes_read"] + one["bytes_written"] > 0
        did = [each[0][at] + each[1][at] if moves else each[2][at] for each in sums]
        least = _TAKES_PART * max(did, default=0.0)
        there = [number for number, value in enumerate(did) if value > 0 and value >= least]
        one["members"] = len(there)
        one["who"] = rank_list(_number(who[number]) for number in there)
        one["others"] = round(sum(each[0][at] + each[1][at] if moves else each[2][at] for each in others))


def _number(member: Member) -> int:
    """Of a rank its own; of a process its pid, by which people know it."""
    return int(member.name.rpartition(" ")[2])


def explained(who: list[Member], sums: Sums, phase: Facts, instance: int) -> Facts:
    """Groups of members by what they moved: in each of `sums`' spans, instances or bins of one of them."""
    measures = (2,) if phase["kind"] == "operations" else (0, 1)
    found = _clustered(who, sums, measures)
    totals = [[sum(line) for line in each] for each in sums]
    groups = []
    alone = set(found.outliers) if found else set()
    for number in range(found.k if found else 1):
        mine = [
            at
            for at in range(len(who))
            if at not in alone and (found is None or found.assigned[at] == number)
        ]
        if not mine:
            continue
        means = [sum(totals[at][measure] for at in mine) / len(mine) for measure in range(3)]
        groups.append(
            {
                "ranks": len(mine),
                "who": rank_list(_number(who[at]) for at in mine),
                "medoid": who[found.medoids[number]].name if found else "",
                **dict(zip(("bytes_read", "bytes_written", "operations"), means, strict=True)),
            }
        )
    return {
        "phase": phase["phase"],
        "instance": instance,
        "groups": sorted(groups, key=lambda group: -(group["bytes_read"] + group["bytes_written"])),
        "outliers": [who[row].name for row in found.outliers] if found else [],
        "assigned": list(found.assigned) if found else [0] * len(who),
        "names": [member.name for member in who],
    }


def _clustered(who: list[Member], sums: Sums, measures: tuple[int, ...]) -> Clustering | None:
    """None where nobody did anything."""
    values = array("d")
    for each in sums:
        for measure in measures:
            values.extend(_folded(each[measure]))
    if not any(values):
        return None
    width = len(values) // len(who)
    of_each = width // len(measures)
    columns = [f"{MEASURES[measure]}:{number}" for measure in measures for number in range(of_each)]
    table = PointTable(values, True, len(who), columns, [member.name for member in who])
    return cluster(table, normalisation="none")


def _folded(line: list[float]) -> list[float]:
    if len(line) <= _MOST_COLUMNS:
        return line
    edges = [at * len(line) // _MOST_COLUMNS for at in range(_MOST_COLUMNS + 1)]
    return [sum(line[begin:end]) for begin, end in pairwise(edges)]


def of_each_rank(log: JobLog, owned: list[list[int]], grid: Grid) -> Facts | None:
    """Bursts of single members, which together make none as they come at other times. None: few have any."""
    if grid.width_ns == 0 or len(owned) < 2:
        return None
    some = min(_MOST_LOOKED_AT, len(owned))
    looked_at = [owned[at * len(owned) // some] for at in range(some)]
    counts, sizes, periods = [], [], []
    active = 0
    for read, written, _ in member_series(log, looked_at, grid):
        values = [one + other for one, other in zip(read, written, strict=True)]
        active += any(values)
        found = bursts(values)
        runs = found.runs
        if not runs:
            continue
        counts.append(len(runs))
        sizes += [sum(values[begin:end]) for begin, end in found.edges(values)]
        apart = [other[0] - one[0] for one, other in pairwise(runs)]
        if is_regular(apart):
            periods.append(statistics.median(apart) * grid.width_ns)
    if not counts or 2 * len(counts) < active:
        return None
    return {
        "looked_at": some,
        "with_bursts": len(counts),
        "bursts": statistics.median_low(counts),
        "bytes": statistics.median(sizes),
        "period_ns": round(statistics.median(periods)) if 2 * len(periods) > len(counts) else None,
    }
