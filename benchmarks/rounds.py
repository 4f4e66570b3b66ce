"""Alternated rounds: every measure of every variant once a round, so that all of them meet the same noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.figures import Estimate, estimate, paired
from benchmarks.variants import BARE

Sample = dict[str, float]  # a figure's key → its value in one run


@dataclass(frozen=True)
class Measure:
    """One thing to run: ``sample(variant)`` runs it once and returns its figures."""

    name: str
    variants: tuple[str, ...]
    sample: Callable[[str], Sample]


@dataclass
class Series:
    """The values of one figure, by variant, a value a round."""

    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, variant: str, value: float) -> None:
        self.values.setdefault(variant, []).append(value)

    def total(self, variant: str) -> Estimate:
        return estimate(self.values[variant])

    def added(self, variant: str) -> Estimate:
        return estimate(paired(self.values[variant], self.values[BARE]))

    def minus(self, other: Series) -> Series:
        """The differences of two figures, variant by variant, in the same rounds."""
        common = [v for v in self.values if v in other.values]
        return Series({v: paired(self.values[v], other.values[v]) for v in common})


def rotated(items: Sequence[str], by: int) -> list[str]:
    """A B C, then B C A, …: no variant always follows the same other one."""
    start = by % len(items)
    return [*items[start:], *items[:start]]


def alternate(
    measures: Sequence[Measure], rounds: int, tell: Callable[[str], None]
) -> dict[str, dict[str, Series]]:
    """Runs all rounds; returns the series by measure name and figure key."""
    results: dict[str, dict[str, Series]] = {m.name: {} for m in measures}
    for number in range(rounds):
        tell(f"round {number + 1} of {rounds}")
        for measure in measures:
            for variant in rotated(measure.variants, number):
                for key, value in measure.sample(variant).items():
                    results[measure.name].setdefault(key, Series()).add(variant, value)
    return results
