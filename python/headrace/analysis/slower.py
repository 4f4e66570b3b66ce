"""Who is slower in a phase than others that do the same, beyond what these differ by chance.

One slow instance makes no slow rank: on a busy machine any rank is interrupted now and then. A rank is slow
that is so in seven of eight instances. Of few instances a rank must be farther from the others than these are
from each other.
"""

from __future__ import annotations

from statistics import median

_TIMES = 1.5  # as long as usual, at least …
_SPREADS = 4.0  # … and so many deviations of the usual ones above them …
_OF_PHASE = 0.05  # … by at least this part of an instance
_ENOUGH = 4  # instances
_DEVIATION = 1.4826  # of a normal distribution, by the middle of the distances


def slower(times: list[list[float]], instance_ns: float) -> tuple[list[int], float]:
    """Numbers of the slow ones, and by how much they are slower in an instance, on average.

    `times`: of each, one for each instance that is known, or one for all. `instance_ns`: how long one takes.
    """
    middles = [median(of) for of in times]
    usual = median(middles) if middles else 0.0
    below = [usual - middle for middle in middles if middle <= usual]
    limit = max(_TIMES * usual, usual + _SPREADS * _DEVIATION * (median(below) if below else 0.0))
    found = [
        number
        for number, of in enumerate(times)
        if _mostly(of) > limit and middles[number] - usual >= _OF_PHASE * instance_ns
    ]
    if min(map(len, times), default=0) < _ENOUGH:
        found = _apart(middles, usual, found)
    others = [number for number in range(len(times)) if number not in set(found)]
    if len(found) > len(others) or _mean(times, found) < _TIMES * _mean(times, others):
        return [], 0.0
    if not found:
        return [], 0.0
    return found, sum(middles[number] for number in found) / len(found) - usual


def _mean(times: list[list[float]], numbers: list[int]) -> float:
    """Of all instances, the slow ones too."""
    return sum(sum(times[number]) / len(times[number]) for number in numbers) / max(1, len(numbers))


def _mostly(times: list[float]) -> float:
    """What seven of eight are not below."""
    return sorted(times)[len(times) // 8]


def _apart(middles: list[float], usual: float, found: list[int]) -> list[int]:
    """As many of them as have a gap below that is wider than what the others differ by."""
    order = sorted(range(len(middles)), key=lambda number: -middles[number])
    for count in range(len(found), 0, -1):
        last, following = middles[order[count - 1]], middles[order[count]] if count < len(order) else usual
        if last - following >= following - usual:
            return sorted(order[:count])
    return []
