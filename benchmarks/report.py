"""Rows of a result, and the result as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from benchmarks.figures import Estimate, verdict


@dataclass(frozen=True)
class Cell:
    """What one variant adds to the bare run, or (``total``) costs in all, beside its goal."""

    variant: str
    value: Estimate
    limit: float | None = None
    total: bool = False

    def text(self) -> str:
        sign = "" if self.total else "+"
        return f"{self.value.median:{sign}.{digits(self.value)}f} {interval(self.value, sign)}"

    def goal(self) -> str:
        if self.limit is None:
            return ""
        return f"≤ {'' if self.total else '+'}{self.limit:g}"

    def verdict(self) -> str:
        return "" if self.limit is None else verdict(self.value, self.limit)


@dataclass(frozen=True)
class Row:
    name: str
    title: str
    unit: str
    bare: Estimate | None
    cells: Sequence[Cell]


@dataclass
class Result:
    machine: dict[str, str]
    command: str
    rounds: int
    libraries: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    # every round's figures, by measure, figure and variant
    series: dict[str, dict[str, dict[str, list[float]]]] = field(default_factory=dict)


def digits(value: Estimate) -> int:
    return 2 if abs(value.high) < 10 else 1 if abs(value.high) < 100 else 0


def interval(value: Estimate, sign: str) -> str:
    places = digits(value)
    return f"[{value.low:{sign}.{places}f} … {value.high:{sign}.{places}f}]"


def _line(row: Row, cell: Cell) -> str:
    bare = "" if row.bare is None else f"{row.bare.median:.{digits(row.bare)}f}"
    parts = (row.title, row.unit, bare, cell.variant, cell.text(), cell.goal(), cell.verdict())
    return f"| {' | '.join(parts)} |"


METHOD = """\
`cost` is what the library adds to the bare program: the median, over the rounds, of the difference between
the runs of one round, and in brackets the interval that holds this median with 95 % confidence. The variants
take turns within a round. For an operation, each run sets batches through the C library against batches of
the same system call made directly, which no library changes, and takes the calmest quarter of them (with
threads, all of them): this cancels what else the machine does. `bare` is the whole operation. Processes are
timed from outside, the median of 11 a round.
"""


def markdown(result: Result) -> str:
    lines = ["# What capture costs", "", "```", result.command, "```", ""]
    lines += [f"- {key}: {value}" for key, value in result.machine.items()]
    lines += [f"- {name}: `{library}`" for name, library in result.libraries.items()]
    lines += [
        f"- rounds: {result.rounds}",
        "",
        METHOD,
        "| operation | unit | bare | under | cost | goal | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_line(row, cell) for row in result.rows for cell in row.cells]
    if result.notes:
        lines += ["", *(f"- {note}" for note in result.notes)]
    return "\n".join(lines) + "\n"


def as_json(result: Result) -> str:
    return json.dumps(asdict(result), indent=2, ensure_ascii=False) + "\n"
