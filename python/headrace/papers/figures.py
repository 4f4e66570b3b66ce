"""Figures of papers that are no tables: how times of ranks are distributed, and each rank's over dumps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from headrace.papers.paper import Figure

__all__ = ["drawn"]

_BINS = 12
_DECADES = 30  # from this ratio of the greatest to the least on, bins are of equal ratios

Runs = Mapping[str, Mapping[int, Mapping[str, Any]]]


def drawn(figure: Figure, runs: Runs) -> dict[str, Any]:
    """`runs`: the results of each case by repetition. Nothing was measured: no bins, and no lines."""
    facts = {"name": figure.name, "title": figure.title, "kind": figure.kind}
    if figure.kind == "lines":
        return {**facts, **_lines(figure, runs)}
    return {**facts, **_histogram(figure, runs)}


def _dumps(figure: Figure, run: Mapping[str, Any]) -> list[list[float | None]]:
    """Seconds of each rank in each dump; None of one that took no part."""
    return [dump["seconds"] for dump in run.get(figure.key, []) if "seconds" in dump]


def _histogram(figure: Figure, runs: Runs) -> dict[str, Any]:
    """All dumps and repetitions of a case together."""
    values = {
        case: [
            value
            for run in made.values()
            for dump in _dumps(figure, run)
            for value in dump
            if value is not None
        ]
        for case, made in runs.items()
    }
    found = [value for each in values.values() for value in each if value > 0]
    edges = _edges(min(found), max(found)) if found else []
    series = [{"name": case, "counts": _counts(each, edges)} for case, each in values.items() if each]
    return {"edges": edges, "series": series}


def _edges(least: float, most: float) -> list[float]:
    if most / least < _DECADES:
        return [most * place / _BINS for place in range(_BINS + 1)]
    step = math.log(most / least) / _BINS
    return [least * math.exp(step * place) for place in range(_BINS)] + [most]


def _counts(values: Sequence[float], edges: Sequence[float]) -> list[int]:
    counts = [0] * (len(edges) - 1)
    for value in values:
        place = sum(value > edge for edge in edges[1:-1])
        counts[place] += 1
    return counts


def _lines(figure: Figure, runs: Runs) -> dict[str, Any]:
    """Of the first run of the first case that has any: repetitions are other runs, not more dumps."""
    for case, made in runs.items():
        for repetition in sorted(made):
            dumps = _dumps(figure, made[repetition])
            if dumps:
                return {"case": case, "lines": _by_rank(dumps), "dumps": [_spread(dump) for dump in dumps]}
    return {"case": None, "lines": [], "dumps": []}


def _by_rank(dumps: Sequence[Sequence[float | None]]) -> list[dict[str, Any]]:
    """Of the ranks that took part at all."""
    ranks = enumerate(map(list, zip(*dumps, strict=True)))
    return [
        {"rank": rank, "seconds": each} for rank, each in ranks if any(value is not None for value in each)
    ]


def _spread(dump: Sequence[float | None]) -> dict[str, float]:
    values = [value for value in dump if value is not None]
    return {"least": min(values), "median": median(values), "most": max(values)}
