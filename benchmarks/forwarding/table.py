"""Figures of several rounds, with goals."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Goal:
    bound: float
    at_least: bool = True

    def reached(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {number(self.bound)}"


def number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


@dataclass
class Row:
    """One figure; ``beside`` says what a peer gave in the same rounds."""

    what: str
    unit: str
    goal: Goal | None = None
    values: list[float] = field(default_factory=list)
    beside: dict[str, list[float]] = field(default_factory=dict)

    def cells(self) -> list[str]:
        middle = statistics.median(self.values)
        spread = f"{number(min(self.values))} to {number(max(self.values))}" if len(self.values) > 1 else ""
        reached = "" if self.goal is None else "yes" if self.goal.reached(middle) else "no"
        peers = ", ".join(f"{name} {number(statistics.median(v))}" for name, v in self.beside.items())
        goal = "" if self.goal is None else str(self.goal)
        return [self.what, f"{number(middle)} {self.unit}", spread, goal, reached, peers]


class Table:
    """Rows in the order in which they came first."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def add(self, what: str, value: float, unit: str, goal: Goal | None = None, **beside: float) -> None:
        row = self.rows.setdefault(what, Row(what, unit, goal))
        row.values.append(value)
        for name, peer in beside.items():
            row.beside.setdefault(name.replace("_", " "), []).append(peer)

    def markdown(self) -> str:
        head = ["", "median", "range", "goal", "reached", "beside it, in the same rounds"]
        lines = [head, ["---"] * len(head), *(row.cells() for row in self.rows.values())]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"

    def missed(self) -> list[str]:
        def middle(row: Row) -> float:
            return statistics.median(row.values)

        return [r.what for r in self.rows.values() if r.goal is not None and not r.goal.reached(middle(r))]


Measure = Callable[[Table], None]
