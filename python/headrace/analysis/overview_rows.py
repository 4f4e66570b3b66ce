"""Which locations share a row of an overview where there are more of them than rows.

A row never has main threads beside others, or what has a rank beside what has none, unless there is one row
for all of them; and its name says what it stands for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.analysis.opened_traces import OpenedTrace
from headrace.analysis.rank_lists import rank_list
from headrace.analysis.trace_groups import FIRST_THREAD

Facts = dict[str, Any]
Rows = list[list[int]]

_FOR_OTHERS = 4  # one row in so many is for threads that are not the first of their process
_FOR_NO_RANK = 8  # the same, of processes without a rank


def rows_of(locations: list[Facts], chosen: list[int], most: int) -> Rows:
    """At most `most` rows of the chosen numbers; each by itself if there are so many."""
    if len(chosen) <= most:
        return [[each] for each in chosen]
    if most == 1:
        return [chosen]
    ranked = [each for each in chosen if locations[each]["rank"] >= 0]
    others = [each for each in chosen if locations[each]["rank"] < 0]
    if not ranked or not others:
        return _section(locations, chosen, most)
    for_others = min(len(others), max(1, most // _FOR_NO_RANK))
    found = _section(locations, ranked, most - for_others)
    return found + _section(locations, others, most - len(found))


def _section(locations: list[Facts], chosen: list[int], most: int) -> Rows:
    if len(chosen) <= most:
        return [[each] for each in chosen]
    if most == 1:
        return [chosen]
    processes: dict[int, tuple[list[int], list[int]]] = {}
    for each in chosen:
        row = locations[each]
        processes.setdefault(row["process"], ([], []))[row["thread"] != FIRST_THREAD].append(each)
    folded = [part for both in processes.values() for part in both if part]
    if len(folded) <= most:
        return folded
    mains = [main for main, _ in processes.values() if main]
    others = [threads for _, threads in processes.values() if threads]
    if not mains or not others:
        return _shared(mains or others, most)
    main_rows = min(len(mains), most - max(1, most // _FOR_OTHERS))
    return _shared(mains, main_rows) + _shared(others, most - main_rows)


def _shared(parts: Sequence[list[int]], most: int) -> Rows:
    """As many parts in each row as in any other, one more or less."""
    count = min(most, len(parts))
    edges = [row * len(parts) // count for row in range(count + 1)]
    return [[each for part in parts[edges[row] : edges[row + 1]] for each in part] for row in range(count)]


def row_name(trace: OpenedTrace, names: list[str], row: list[int]) -> str:
    """What a row stands for."""
    rows = [trace.locations[each] for each in row]
    first, last = names[row[0]], names[row[-1]]
    if len(rows) == 1 or first == last:
        return first
    if len({each["process"] for each in rows}) == 1:
        return f"{first.rpartition(':')[0]}:{_threads(rows)}"
    ranks = {each["rank"] for each in rows if each["rank"] >= 0}
    others = sum(each["rank"] < 0 for each in rows)
    if not ranks:
        rankless = sum(each["rank"] < 0 for each in trace.locations)
        whole = others == rankless < len(trace.locations)
        return f"{others:,} threads without a rank" if whole else f"{first} - {last}"
    said = f"rank {rank_list(ranks)}"
    if others:
        return f"{said} and {others:,} threads without"
    mains = sum(each["thread"] == FIRST_THREAD for each in rows)
    if mains == len(rows):
        return said + (":1" if first.endswith(":1") else "")
    return f"{said}, other threads" if mains == 0 else f"{said}, all threads"


def _threads(rows: list[Facts]) -> str:
    return rank_list(row["thread"] for row in rows)
