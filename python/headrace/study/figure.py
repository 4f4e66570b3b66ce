"""A figure of a study: its data, how it is drawn, and what was counted.

A figure is made by a function that takes a catalog (figures/), and drawn by the page (web/src/study), by
Vega-Lite (vega.py), or by whoever reads its Parquet file. All three see the same columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

__all__ = ["KINDS", "TOLD", "Figure", "Finding", "Headline", "Section", "Study"]

# How a figure is drawn, and what its encoding names (columns of `data`, unless said otherwise):
KINDS = {
    "table": "rows as they are",
    "bars": "x (categories, in order), y, colour (stacked parts), panel (small multiples)",
    "lines": "x, y, colour (one line each), panel; options: log_x, log_y, step (cumulative distributions)",
    "points": "x, y, colour, panel; options: log_x, log_y; guides: {label, slope or y}, y = slope * x or y",
    "box": "x (category), low, q1, median, q3, high, count; options: log_y; guides; outliers: {x, y}",
    "throughput": "x (time), y, colour; options: bands, list of {start, end, kind, text} (UTC ISO)",
    "histograms": "x (bucket's label, in order), y (share), colour (read or write), panel (project)",
}

# What is told of a figure as it is, by whatever output.
TOLD = ("id", "title", "kind", "paper", "definition", "filter", "encoding", "options", "words", "missing")


@dataclass
class Figure:
    id: str  # short, of a-z, 0-9 and "_"; the name of its Parquet and Vega-Lite files
    title: str
    kind: str  # one of KINDS
    data: pyarrow.Table
    definition: str  # what each number is, in words with its formula
    filter: str  # which rows were counted, and how many were left out for which reason
    encoding: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(
        default_factory=dict
    )  # of columns: "bytes", "bytes/s", "ns", "share", "count", …
    titles: dict[str, str] = field(default_factory=dict)  # of columns, for axes and headings
    options: dict[str, Any] = field(default_factory=dict)
    paper: str = ""  # its counterpart in the study of Intrepid, such as "Figure 7"
    words: list[str] = field(default_factory=list)  # sentences with the main numbers
    missing: str = ""  # why there is nothing to show, and what to add to the catalog
    numbers: dict[str, float] = field(default_factory=dict)  # main numbers by name
    findings: list[Finding] = field(default_factory=list)  # what of it belongs on the first page
    not_recorded: tuple[str, ...] = ()  # columns whose empty cells say that sources do not record it


@dataclass
class Finding:
    text: str  # one sentence with its numbers
    figure: str  # id of the figure that shows it
    weight: float = 0.0  # 0..1: how much it matters; findings are told in this order
    side: str = ""  # of a comparison, whose it is; empty: of both


@dataclass
class Section:
    id: str
    title: str
    text: str  # what the section is about
    figures: list[Figure] = field(default_factory=list)


@dataclass
class Headline:
    """One large number at the top of the page."""

    label: str  # what it is: "Jobs"
    text: str  # the number with its unit: "12,345"
    below: str = ""  # a few words more: "38 % of them with a log"
    figure: str = ""  # id of the figure that shows it
    value: float = 0.0  # the number itself
    unit: str = "count"  # of the number: "count", "bytes" or "share"
    difference: str = ""  # of a comparison's second side: from the first, with its sign and in per cent


@dataclass
class Study:
    """All that a study says, as build.py makes it and the page, Vega-Lite and JSON show it."""

    site: str
    start: str  # first and last moment that anything of it is known of, UTC as "2026-01-02T03:04:05Z"
    end: str
    sections: list[Section] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    headlines: list[Headline] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # about the whole: settings, pseudonyms, what is missing
    # Another site or period: a figure stands beside the one of the same id there; findings are of both.
    compared: Study | None = None
    side: str = ""  # of a comparison: what this study is called there, the site's name or the period

    def figures(self) -> list[Figure]:
        return [figure for section in self.sections for figure in section.figures]
