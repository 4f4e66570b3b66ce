"""When the samples of a source began and ended that says it in whole seconds.

A second is much of a short interval, so what is added up over many of them has to fit the clock: what follows
the record before it begins at that one's stamp. So a record has the same span whatever comes after it, and a
catalog knows what it has already of a file that is exported again.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["SECOND", "Span", "in_time", "lay_out", "moment_of"]

SECOND = 1_000_000


class Span(NamedTuple):
    """Microseconds since 1970."""

    start: int
    end: int


def moment_of(stamp: datetime.datetime, before: int | None) -> int:
    """Microseconds since 1970; `before`: of the record in front of it.

    Local time has an hour twice when summer ends: the second time is where it would go back otherwise.
    OverflowError, ValueError, OSError: a time that no calendar has.
    """
    moment = int(stamp.timestamp()) * SECOND
    if before is None or moment > before:
        return moment
    again = int(stamp.replace(fold=1).timestamp()) * SECOND
    return again if again > before else moment


def lay_out(ends: Sequence[int], lengths: Sequence[int]) -> tuple[list[Span | None], list[Span]]:
    """The span of each record, and the gaps between them.

    `ends`: their stamps; `lengths`: how long each lasted, in microseconds, 0 where that is not known: such a
    record has no span, and the next may begin at its stamp. After a clock was put back a gap ends before it
    starts.
    """
    spans: list[Span | None] = []
    gaps: list[Span] = []
    last: int | None = None
    for end, length in zip(ends, lengths, strict=True):
        start = end - length
        if last is not None and length and end > last and abs(start - last) <= SECOND:
            start = last
        elif last is not None and start != last:
            gaps.append(Span(last, start))
        spans.append(Span(start, end) if length else None)
        last = end
    return spans, gaps


def in_time(ends: Sequence[int], lengths: Sequence[int]) -> list[int] | None:
    """Places of records by their stamps, where each then begins as the one before it ends.

    None: they are in order, or a clock was put back, which leaves holes and times that come twice.
    """
    order = sorted(range(len(ends)), key=lambda at: ends[at])
    if order == list(range(len(ends))) or order[0] != 0:
        return None
    for before, after in itertools.pairwise(order):
        step = ends[after] - ends[before]
        if step <= 0 or abs(step - lengths[after]) > SECOND:
            return None
    return order
