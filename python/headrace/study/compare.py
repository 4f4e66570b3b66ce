"""Two studies side by side: two sites, or two periods of one."""

from __future__ import annotations

from headrace.study.figure import Figure, Finding, Section, Study
from headrace.study.query import data
from headrace.study.words import number, percent, rate, size

__all__ = ["compare"]

_TOLD = 0.1  # of the first side's number: smaller changes are no finding


def compare(one: Study, other: Study) -> Study:
    """The first study with the other beside it, a table of the main numbers of both, and what changed"
    " most."""
    theirs = {figure.id: figure for figure in other.figures()}
    records = []
    for figure in one.figures():
        for name, value in figure.numbers.items():
            against = theirs[figure.id].numbers.get(name)
            if against is not None:
                change = (against - value) / abs(value) if value else None
                records.append(
                    {"figure": figure.id, "number": name, "first": value, "second": against, "change": change}
                )
    lost = sum(len(figure.numbers) for figure in one.figures()) - len(records)
    table = Figure(
        "comparison",
        "Both sides in numbers",
        "table",
        data(records, "figure text, number text, first real, second real, change real"),
        f"First: {_side(one)}. Second: {_side(other)}. The change is that from the first to the second, as"
        " a share of the"
        " first. Bytes, bytes a second, counts and shares, as the figure of that name has them.",
        f"Main numbers of the figures that both sides have; {lost} of the first side have no counterpart.",
        units={"change": "share"},
        titles={"first": _side(one), "second": _side(other)},
        missing="" if records else "There is no number that both sides have.",
    )
    one.sections.insert(0, Section("comparison", "Both sides", "What differs between the two.", [table]))
    other.sections.insert(0, Section("comparison", "Both sides", "What differs between the two.", [table]))
    changed = [
        row for row in records if row["change"] is not None and abs(float(str(row["change"]))) >= _TOLD
    ]
    changed.sort(key=lambda row: -abs(float(str(row["change"]))))
    for row in changed[:5]:
        name, first, second = str(row["number"]), float(str(row["first"])), float(str(row["second"]))
        both = f"{_value(name, first)} on the first side, {_value(name, second)} on the second"
        text = f"{name[0].upper()}{name[1:]}: {both}."
        table.words.append(text)
        one.findings.append(Finding(text, "comparison", 1.0))
    one.findings.sort(key=lambda each: -each.weight)
    one.compared = other
    return one


def _side(study: Study) -> str:
    return f"{study.site}, {study.start[:10]} to {study.end[:10]}" if study.start else study.site


def _value(name: str, value: float) -> str:
    if name.startswith("share"):
        return percent(value)
    if name.startswith(("peak", "mean")):
        return rate(value)
    return size(value) if name.startswith("bytes") and "for each" not in name else number(value)
