"""The tables of `headrace bench paper`, for a terminal and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, clip
from headrace.text import count

Facts = dict[str, Any]

_HEADING = ("", "", "here", "± 95 %", "times", "95 %", "published", "times")
_SAID = {"too large": "x", "too long": "too long", "not run": "not run"}


def render(facts: Facts, terminal: Terminal) -> list[str]:
    lines = [terminal.bold(facts["title"]), *map(terminal.dim, terminal.wrap(facts["source"]))]
    lines += [*terminal.wrap(facts["verdict"]), ""]
    for table in facts["tables"]:
        shown = columns([_HEADING, *_rows(table)], left=frozenset({0, 1}))
        lines += [terminal.bold(table["title"]), terminal.dim(f"here: {table['here']}")]
        lines += [line for said in _said(table) for line in terminal.wrap(said)]
        lines += [terminal.dim(shown[0]), *shown[1:], ""]
        for each in table["figures"]:
            shown = columns(_figure_rows(each))
            lines += [f"{each['name']}: {each['title']}", terminal.dim(shown[0]), *shown[1:], ""]
    lines += [line for note in [*_measured(facts), *facts["notes"]] for line in terminal.wrap(note)]
    remarks = [*_remarks(facts), *facts["others"]]
    lines += [line for remark in remarks for line in terminal.wrap("note: " + remark)]
    return [clip(line, terminal.columns) for line in lines]


def markdown(facts: Facts) -> list[str]:
    lines = [f"# {facts['title']}", "", facts["source"], "", f"**{facts['verdict']}**", ""]
    for table in facts["tables"]:
        lines += [f"## {table['title']}", "", f"here: {table['here']}", "", *_said(table), ""]
        heading = ("case", "figure", *_HEADING[2:])
        lines += ["| " + " | ".join(heading) + " |", "|---" * len(heading) + "|"]
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in _rows(table)]
        lines.append("")
        for each in table["figures"]:
            first, *rest = _figure_rows(each)
            lines += [f"### {each['name']}: {each['title']}", ""]
            lines += ["| " + " | ".join(first) + " |", "|---" * len(first) + "|"]
            lines += [*("| " + " | ".join(row) + " |" for row in rest), ""]
    remarks = [*_remarks(facts), *facts["others"]]
    lines += [*_measured(facts), *facts["notes"], *(f"Note: {remark}" for remark in remarks)]
    return lines


def _said(table: Facts) -> list[str]:
    """The verdict, and what it is worth."""
    return [table["verdict"], *([table["fitted"]] if table["fitted"] else [])]


def _measured(facts: Facts) -> list[str]:
    """Where and by what."""
    started = f", ranks started by {', '.join(facts['mpis'])}" if facts["mpis"] else ""
    return [f"Measured in {machine['directory']}{started}." for machine in facts["machines"]]


def _rows(table: Facts) -> list[Sequence[str]]:
    """Of each case its figures below each other; its name stands before the first."""
    rows: list[Sequence[str]] = []
    for case in table["cases"]:
        for place, measure in enumerate(case["measures"]):
            name = f"{measure['name']}, {measure['unit']}"
            rows.append((_name(case) if place == 0 else "", name, *_cells(case, measure)))
    return rows


def _figure_rows(drawn: Facts) -> list[Sequence[str]]:
    """The ranks of each bin, or the spread over ranks in each dump; the page has a line a rank."""
    if drawn["kind"] == "lines":
        spreads = [[figure(each[key]) for key in ("least", "median", "most")] for each in drawn["dumps"]]
        heading = (f"dump ({drawn['case'] or 'not run'})", "least, s", "median, s", "most, s")
        return [heading, *((str(place + 1), *spread) for place, spread in enumerate(spreads))]
    bins = list(zip(drawn["edges"], drawn["edges"][1:], strict=False))
    counts = [each["counts"] for each in drawn["series"]]
    heading = ("seconds", *(each["name"] for each in drawn["series"]))
    rows = [(f"{figure(low)} to {figure(high)}", *(f"{of[place]:,}" for of in counts))
            for place, (low, high) in enumerate(bins)]  # fmt: skip
    return [heading if counts else ("not run",), *rows]


def _name(case: Facts) -> str:
    """With what is missing in the mean: runs that took too long would have made it worse."""
    if case["outcome"] == "done" or case["runs"] == 0:
        return str(case["name"])
    return f"{case['name']} ({count(case['runs'], 'run')}, others {case['outcome']})"


def _cells(case: Facts, measure: Facts) -> Sequence[str]:
    here, times = measure["here"], measure["times"]
    published, ratio = measure["published"], measure["published_times"]
    return (
        _SAID.get(case["outcome"], NONE) if here is None else figure(here["value"]),
        _interval(here, lambda: figure(here["high"] - here["value"])),
        NONE if times is None else figure(times["value"]),
        _interval(times, lambda: f"{figure(times['low'])} to {figure(times['high'])}"),
        NONE if published is None else published if isinstance(published, str) else figure(published),
        NONE if ratio is None else figure(ratio),
    )


def _interval(estimate: Facts | None, shown: Callable[[], str]) -> str:
    """With a word where it is wider than the value, so that nobody takes that for a figure."""
    if estimate is None or estimate["low"] is None:
        return NONE
    return shown() + (", too noisy to say" if estimate["noisy"] else "")


def _remarks(facts: Facts) -> list[str]:
    return list(
        dict.fromkeys(
            remark for table in facts["tables"] for case in table["cases"] for remark in case["remarks"]
        )
    )


def figure(value: float) -> str:
    """Three digits, and all of those before the point; of less than a millionth fewer."""
    if value == 0:
        return "0"
    digits = min(8, max(0, 2 - math.floor(math.log10(abs(value)))))
    return f"{value:,.{digits}f}"
