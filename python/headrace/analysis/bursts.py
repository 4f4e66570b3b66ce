"""Bursts in a series: where much happens, between times in which little does. The rule is in docs/phases.md.

A series is what happened in each of equal bins. Nothing finer than a bin is claimed, and rather nothing is
found than something that chance or the width of bins may have made.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

ACTIVE = 1 / 16  # of the level: a bin with less is quiet
LEAST_BINS = 8  # of a series of which something can be told
MOST_INNER_GAP = 2  # bins: quiet times up to this may be inside of a burst
LEAST_BY_CHANCE = 4  # bursts of a bin each: so many that come as they like are none
PASSES = 3  # what is left beside the bursts is looked at again
LEAST_LEFT = 0.01  # of everything: less is not looked at

Run = tuple[int, int]  # first bin, and the one after the last


@dataclass(frozen=True)
class Bursts:
    """`runs` by begin; where there are none, `why_not` is one of the reasons in docs/phases.md."""

    runs: list[Run]
    why_not: str | None

    def edges(self, values: Sequence[float]) -> list[Run]:
        """The bursts with the bins beside them into which they reach: a bin on either side at most.

        Bins of processes do not begin together, so the ends of a burst lie in parts of bins.
        """
        edges: list[Run] = []
        for at, (begin, end) in enumerate(self.runs):
            before = self.runs[at - 1][1] if at else 0
            after = self.runs[at + 1][0] if at + 1 < len(self.runs) else len(values)
            if begin > before and values[begin - 1] > 0 and not (edges and edges[-1][1] >= begin):
                begin -= 1
            if end < after and values[end] > 0:
                end += 1
            edges.append((begin, end))
        return edges


def bursts(values: Sequence[float]) -> Bursts:
    """Bursts in what happened in each of equal bins."""
    if not any(value > 0 for value in values):
        return Bursts([], "nothing")
    if len(values) < LEAST_BINS:
        return Bursts([], "short")
    found, why_not = _pass(values)
    left, everything = list(values), sum(values)
    for _ in range(PASSES - 1):
        if not found:
            break
        for begin, end in found:
            left[max(0, begin - 1) : end + 1] = [0.0] * (min(len(left), end + 1) - max(0, begin - 1))
        if sum(left) < LEAST_LEFT * everything:
            break
        more = [run for run in _pass(left)[0] if not _touches(run, found)]
        if not more or _why_not(sorted([*found, *more]), values):
            break
        found = sorted([*found, *more])
    return Bursts(found, why_not)


def level(values: Sequence[float]) -> float:
    """What happened in the bin in which the middle one of all bytes was moved, by height of bins.

    Half of all was moved as fast or faster, so neither quiet bins nor a few writes to a log change it.
    """
    left = sum(values) / 2
    for value in sorted(values, reverse=True):
        left -= value
        if left <= 0:
            return value
    return 0.0


def _pass(values: Sequence[float]) -> tuple[list[Run], str | None]:
    runs = _joined(_active(values, level(values) * ACTIVE))
    why_not = _why_not(runs, values)
    return ([], why_not) if why_not else (runs, None)


def _active(values: Sequence[float], least: float) -> list[Run]:
    runs: list[Run] = []
    for at, value in enumerate(values):
        if value <= 0 or value < least:
            continue
        if runs and runs[-1][1] == at:
            runs[-1] = (runs[-1][0], at + 1)
        else:
            runs.append((at, at + 1))
    return runs


def _joined(runs: list[Run]) -> list[Run]:
    """Bursts pause: a quiet time is inside of one if it is short, also beside what is around it."""
    joined = runs[:1]
    for one, other in pairwise(runs):
        gap = other[0] - one[1]
        longer = max(one[1] - one[0], other[1] - other[0])
        if gap <= MOST_INNER_GAP and 4 * gap <= longer:
            joined[-1] = (joined[-1][0], other[1])
        else:
            joined.append(other)
    return joined


def _why_not(runs: list[Run], values: Sequence[float]) -> str | None:
    """Why these are no bursts, or None."""
    bins = len(values)
    lengths = [end - begin for begin, end in runs]
    if max(lengths) > bins / 2 or sum(lengths) > 0.8 * bins:
        return "continuous"
    gaps = [other[0] - one[1] for one, other in pairwise(runs)]
    if gaps and statistics.median(gaps) < 2:
        return "coarse"
    # Chance alone makes very many short ones, or a few of steady work that stalls; not at equal distances.
    is_suspect = len(runs) > bins / 10 or sum(lengths) > 0.4 * bins
    if len(runs) > 1 and is_suspect and not is_regular([other[0] - one[0] for one, other in pairwise(runs)]):
        return "irregular"
    # So it does with a few that were one write each.
    is_short = statistics.median_low(lengths) < 2
    if len(runs) >= LEAST_BY_CHANCE and is_short and not _any_regular(runs, values):
        return "irregular"
    return None


def _any_regular(runs: list[Run], values: Sequence[float]) -> bool:
    """Whether most of them come at equal distances: all together, or those that moved about the same."""
    groups = [list(range(len(runs))), *alike([sum(values[begin:end]) for begin, end in runs])]
    regular = set()
    for group in groups:
        begins = sorted(runs[at][0] for at in group)
        if len(group) >= LEAST_BY_CHANCE and is_regular([other - one for one, other in pairwise(begins)]):
            regular.update(group)
    return len(regular) >= 0.5 * len(runs)


def is_regular(distances: Sequence[float]) -> bool:
    """Whether begins come at about equal distances: two or more, three quarters within 30 % of the median."""
    if len(distances) < 2:
        return False
    median = statistics.median(distances)
    return sum(abs(each - median) <= 0.3 * median for each in distances) >= 0.75 * len(distances)


def _touches(run: Run, others: list[Run]) -> bool:
    return any(run[0] <= end and begin <= run[1] for begin, end in others)


def alike(sizes: Sequence[float]) -> list[list[int]]:
    """Places in `sizes`, grouped: in a group, each is at most a quarter more than the next smaller one."""
    groups: list[list[int]] = []
    for at in sorted(range(len(sizes)), key=lambda place: (sizes[place], place)):
        if groups and sizes[at] <= 1.25 * sizes[groups[-1][-1]]:
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups
