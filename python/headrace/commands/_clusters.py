"""Kinds of ranks, as these found them when their program ended, in a few lines."""

from __future__ import annotations

from typing import Any

from headrace.analysis.rank_lists import rank_list
from headrace.commands._terminal import Terminal
from headrace.commands._text import duration, number, printable
from headrace.text import count

Facts = dict[str, Any]

_MOST_PHASES, _MOST_CLUSTERS = 8, 4


def cluster_lines(found: list[Facts], out: Terminal) -> list[str]:
    """An empty list where ranks were not clustered."""
    if not found:
        return []
    lines = [out.bold("Kinds of ranks (found when the program ended, by the time in each function)")]
    for phase in found[:_MOST_PHASES]:
        name = printable(phase["phase"]) if phase["phase"] else "the whole run"
        lines += out.wrap(f"{name}: {'; '.join(_parts(phase))}.", "  ", "    ")
    if len(found) > _MOST_PHASES:
        lines.append(f"  and {count(len(found) - _MOST_PHASES, 'more phase')} (--json has them)")
    return lines


def _parts(phase: Facts) -> list[str]:
    parts = []
    for cluster in phase["clusters"][:_MOST_CLUSTERS]:
        part = f"{number(cluster['size'])} like rank {cluster['representative']}"
        if cluster["functions"]:
            longest = cluster["functions"][0]
            part += f" ({duration(longest['mean_s'] * 1e9)} in {longest['function']}"
            part += f"; ranks {rank_list(cluster['members'], 4)})" if cluster["members"] else ")"
        parts.append(part)
    if len(phase["clusters"]) > _MOST_CLUSTERS:
        parts.append(f"{number(len(phase['clusters']) - _MOST_CLUSTERS)} more kinds")
    if phase["outliers"]:
        word = "ranks" if len(phase["outliers"]) > 1 else "rank"
        parts.append(f"like no other: {word} {rank_list(phase['outliers'], 4)}")
    if phase["missing"]:
        parts.append(f"{count(len(phase['missing']), 'rank')} never in it")
    return parts
