"""Figures of several sides side by side: means, spreads, changes, and what they prove.

A side is one run, or several repetitions of the same. Sides are compared with the first one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

Facts = dict[str, Any]

# Changes that cancel out to less than this share of their sizes have a sum that explains nothing.
_CANCELLED = 0.1


def signed(value: int) -> int:
    """A counter as it was meant: a clock that went backwards leaves durations below 0 in unsigned columns."""
    return value - (1 << 64) if value >= 1 << 63 else value


def mean(values: Sequence[float]) -> float:
    """Of one value that value, so that counts of single runs stay whole numbers."""
    return values[0] if len(values) == 1 else sum(values) / len(values)


def side_name(number: int) -> str:
    """A, B, … Z, then AA, AB, …"""
    letter = chr(ord("A") + number % 26)
    return letter if number < 26 else side_name(number // 26 - 1) + letter


def figure(key: str, unit: str, sides: Sequence[Sequence[float]]) -> Facts:
    """One figure of every run of every side: means, ranges, and the changes from the first side.

    `beyond_spread`: no run of one side lies within the range of the other; null where a side is a single run.
    """
    values = [mean(runs) for runs in sides]
    repeated = [len(runs) > 1 for runs in sides]
    return {
        "key": key,
        "unit": unit,
        "values": values,
        "least": [min(runs) if many else None for runs, many in zip(sides, repeated, strict=True)],
        "greatest": [max(runs) if many else None for runs, many in zip(sides, repeated, strict=True)],
        "changes": [None]
        + [
            {
                "amount": value - values[0],
                "relative": relative(values[0], value),
                "beyond_spread": apart(sides[0], runs) if repeated[0] and many else None,
            }
            for value, runs, many in zip(values[1:], sides[1:], repeated[1:], strict=True)
        ],
    }


def relative(before: float, after: float) -> float | None:
    """The change as a fraction of `before`; None where that has no meaning."""
    return (after - before) / before if before > 0 else None


def apart(one: Sequence[float], other: Sequence[float]) -> bool:
    return max(one) < min(other) or max(other) < min(one)


def chance_apart(one: int, other: int) -> float:
    """How likely so many runs of the same thing fall apart into two separate ranges by chance alone.

    Of all ways to choose which runs are whose, two separate them: the lowest ones, or the highest ones.
    """
    return 2 / math.comb(one + other, one)


def keyed(
    sides: Sequence[Sequence[Iterable[Facts]]], key: Callable[[Facts], Hashable], figures: Sequence[str]
) -> list[Facts]:
    """Rows of every run joined by `key`: {key, sides: [means or None], changes: [None, {figure: amount}]}.

    A row that a run lacks counts as zeros there; one that a whole side lacks is None. `share` is the part
    of the change of the first of `figures` that a row explains.
    """
    found: dict[Hashable, Facts] = {}
    for place, runs in enumerate(sides):
        for rows in runs:
            for row in rows:
                entry = found.setdefault(key(row), {"key": key(row), "sides": [None] * len(sides)})
                sums = entry["sides"][place] or dict.fromkeys(figures, 0)
                entry["sides"][place] = {name: sums[name] + signed(row[name]) for name in figures}
    for entry in found.values():
        for place, runs in enumerate(sides):
            if entry["sides"][place] is not None and len(runs) > 1:
                entry["sides"][place] = {name: v / len(runs) for name, v in entry["sides"][place].items()}
        entry["changes"] = [
            None,
            *(_change(entry["sides"], place, figures) for place in range(1, len(sides))),
        ]
    rows = list(found.values())
    add_shares(rows, figures[0], len(sides))
    return sorted(rows, key=lambda row: -max(abs(change[figures[0]]) for change in row["changes"][1:]))


def _change(sides: list[Facts | None], place: int, figures: Sequence[str]) -> Facts:
    zeros = dict.fromkeys(figures, 0)
    before, after = sides[0] or zeros, sides[place] or zeros
    return {name: after[name] - before[name] for name in figures}


def add_shares(rows: list[Facts], name: str, sides: int) -> None:
    """Says of each row which part of the whole change of `name` is its own."""
    for place in range(1, sides):
        amounts = [row["changes"][place][name] for row in rows]
        total, moved = sum(amounts), sum(map(abs, amounts))
        for row, amount in zip(rows, amounts, strict=True):
            row["changes"][place]["share"] = share(amount, total, moved)


def share(amount: float, total: float, moved: float) -> float | None:
    """Null where changes in both directions cancel out: a part of nearly nothing would mislead."""
    return amount / total if abs(total) > _CANCELLED * moved else None
