"""Two studies side by side: two sites, or two periods of one."""

from __future__ import annotations

from typing import Any

from headrace.study.figure import Figure, Finding, Section, Study
from headrace.study.query import data
from headrace.study.words import change, told

__all__ = ["compare"]

_TOLD = 0.1  # of the first side's number: smaller changes are no finding
_FOUND = 5  # changes that are findings
_NONE = "not recorded"
_OF_BOTH = "comparison"  # the section and figure that are of no side


def compare(one: Study, other: Study) -> Study:
    """The first study with the other beside it: a table of the main numbers of both, by how much they differ,
    and the findings of both, each with its side's name."""
    one.side, other.side = _sides(one, other)
    records = _records(one, other)
    table = _table(one, other, records)
    one.sections.insert(0, Section(_OF_BOTH, "Both sides", "What differs between the two.", [table]))
    changed = [row for row in records if row["change"] is not None and abs(row["change"]) >= _TOLD]
    changed.sort(key=lambda row: -abs(row["change"]))
    table.words = [_sentence(row, one, other) for row in changed[:_FOUND]]
    one.findings = [*(Finding(text, _OF_BOTH, 1.0) for text in table.words), *_of_both(one, other)]
    firsts = {each.label: each for each in one.headlines}
    for each in other.headlines:
        if (first := firsts.get(each.label)) is not None:
            each.difference = change(first.value, each.value, each.unit)
    one.compared = other
    return one


def _sides(one: Study, other: Study) -> tuple[str, str]:
    """What tells the two apart: the sites, else the days, else their order."""
    sites = one.site or "the site", other.site or "the site"
    if sites[0] != sites[1]:
        return sites
    first, second = (
        f"{each.start[:10]} to {each.end[:10]}" if each.start else _NONE for each in (one, other)
    )
    if first != second:
        return first, second
    return f"{sites[0]}, first", f"{sites[1]}, second"


def _records(one: Study, other: Study) -> list[dict[str, Any]]:
    """A row for each main number that either side has."""
    ours, theirs = ({figure.id: figure.numbers for figure in study.figures()} for study in (one, other))
    records = []
    for figure in dict.fromkeys([*ours, *theirs]):
        first, second = ours.get(figure, {}), theirs.get(figure, {})
        for name in dict.fromkeys([*first, *second]):
            records.append(_record(figure, name, first.get(name), second.get(name)))
    return records


def _record(figure: str, name: str, first: float | None, second: float | None) -> dict[str, Any]:
    unit = _unit(name)
    both = first is not None and second is not None
    return {
        "number": name,
        "first_told": _NONE if first is None else told(first, unit),
        "second_told": _NONE if second is None else told(second, unit),
        "difference": change(first, second, unit) if first is not None and second is not None else _NONE,
        "figure": figure,
        "first": first,
        "second": second,
        "change": (second - first) / abs(first) if both and first and second is not None else None,
    }


def _table(one: Study, other: Study, records: list[dict[str, Any]]) -> Figure:
    alone = sum(row["first"] is None or row["second"] is None for row in records)
    return Figure(
        _OF_BOTH,
        "Both sides in numbers",
        "table",
        data(
            records,
            "number text, first_told text, second_told text, difference text, change real, figure text,"
            " first real, second real",
        ),
        f"The difference is from {_whole(one)} to {_whole(other)}; the change is the difference as a share"
        " of the former. A difference of shares is in points. Each figure says what its number is.",
        f"The main numbers of all figures; {alone} of {len(records)} are of one side only.",
        units={"change": "share"},
        titles={
            "first_told": one.side,
            "second_told": other.side,
            "first": f"{one.side}, exact",
            "second": f"{other.side}, exact",
        },
        missing="" if records else "Neither side has any number: add job logs, samples and scans.",
    )


def _whole(study: Study) -> str:
    period = f"{study.start[:10]} to {study.end[:10]}"
    return f"{study.side} ({period})" if study.start and period != study.side else study.side


def _sentence(row: dict[str, Any], one: Study, other: Study) -> str:
    name = row["number"]
    sides = f"{row['first_told']} ({one.side}), {row['second_told']} ({other.side})"
    return f"{name[0].upper()}{name[1:]}: {sides}, which is {row['difference']}."


def _of_both(one: Study, other: Study) -> list[Finding]:
    """By weight, those of the same figure after each other."""
    named = [
        Finding(each.text, each.figure, each.weight, study.side)
        for study in (one, other)
        for each in study.findings
    ]
    weights: dict[str, float] = {}
    for each in named:
        weights[each.figure] = max(each.weight, weights.get(each.figure, 0.0))
    return sorted(named, key=lambda each: (-weights[each.figure], each.figure))


def _unit(name: str) -> str:
    """Of a main number, by its name."""
    if name.startswith("share"):
        return "share"
    if name.startswith(("peak", "mean")):
        return "bytes/s"
    return "bytes" if name.startswith("bytes") and "for each" not in name else "count"
