"""What a comparison comes to, in words: of each ratio, of a table and of all of a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["is_noisy", "of_paper", "of_table", "ran"]

_FACTOR = 2  # of a published ratio, up to which one here is alike
_SAID = {"alike": "within a factor of 2", "noisy": "too noisy to say", "missing": "not measured"}

Facts = Mapping[str, Any]


def is_noisy(estimate: Facts | None) -> bool:
    """Whether its interval is wider than its value."""
    if estimate is None or estimate["low"] is None:
        return False
    return bool(estimate["high"] - estimate["low"] > estimate["value"])


def ran(table: Facts, manner: str) -> str:
    """How often, by what is stored. `manner`: words of the command that would measure it."""
    least, most = table["tried"]
    if most == 0:
        return "not run" + (f" with {manner}" if manner else "")
    runs = f"{_counted(most, 'run')} of each case" if least == most else f"{least} to {most} runs of a case"
    return f"{table['size']}, {_counted(table['ranks'], 'rank')}, {runs}"


def of_table(table: Facts) -> str:
    """One sentence or more; what it says of one run is not more than that."""
    text = _sentences(_ratios(table), False)
    if text and table["tried"][1] == 1:
        text += " Each case ran once: how much runs differ is not known."
    return text or "No ratio was published that could be compared."


def of_paper(tables: Sequence[Facts]) -> str:
    text = _sentences([ratio for table in tables for ratio in _ratios(table)], True)
    return text or "No ratio was published that could be compared."


def _ratios(table: Facts) -> list[tuple[str, str, Facts]]:
    """Of each published ratio its class, what it is of, and the measure."""
    return [
        (_class(measure), f"{table['name']}, {case['name']}, {measure['name']}", measure)
        for case in table["cases"]
        for measure in case["measures"]
        if measure["published_times"] is not None
    ]


def _class(measure: Facts) -> str:
    here, published = measure["times"], measure["published_times"]
    if here is None:
        return "missing"
    if here["low"] is not None and is_noisy(here):
        return "noisy"
    inside = here["low"] is not None and here["low"] <= published <= here["high"]
    return "alike" if inside or 1 / _FACTOR <= here["value"] / published <= _FACTOR else "other"


def _sentences(ratios: Sequence[tuple[str, str, Facts]], named: bool) -> str:
    """`named`: of which table the farthest is."""
    if not ratios:
        return ""
    classes = [each for each, _, _ in ratios]
    parts = [f"{classes.count(each)} {said}" for each, said in _SAID.items() if each in classes]
    others = [(what, measure) for each, what, measure in ratios if each == "other"]
    if others:
        parts.insert(min(1, classes.count("alike")), f"{len(others)} further away")
    text = f"Of {_counted(len(ratios), 'published ratio')}: {', '.join(parts)}."
    if not others:
        return text
    what, farthest = max(others, key=lambda other: _distance(other[1]))
    place = what if named else what.partition(", ")[2]
    here, published = farthest["times"]["value"], farthest["published_times"]
    return f"{text} Farthest: {place}, {_digits(here)} here and {_digits(published)} published."


def _distance(measure: Facts) -> float:
    ratio = float(measure["times"]["value"] / measure["published_times"])
    return max(ratio, 1 / ratio)


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
