"""When the samples of a source began and ended that says it in whole seconds.

A second is much of a short interval, so what is added up over many of them has to fit the clock: intervals
that follow each other are stretched so that together they last from the first stamp to the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["SECOND", "Span", "lay_out"]

SECOND = 1_000_000


class Span(NamedTuple):
    """Microseconds since 1970."""

    start: int
    end: int


def lay_out(ends: Sequence[int], lengths: Sequence[int]) -> tuple[list[Span | None], list[Span]]:
    """The span of each record, and the gaps between them.

    `ends`: their stamps; `lengths`: how long each lasted, in microseconds, 0 where that is not known: such a
    record has no span, and the next may begin at its stamp. After a clock was put back a gap ends before it
    starts.
    """
    spans: list[Span | None] = []
    gaps: list[Span] = []
    run: list[int] = []  # lengths of the records since `origin`
    origin = last = None

    def close() -> None:
        if run and origin is not None and last is not None:
            at, total, passed = origin, sum(run), 0
            for length in run:
                passed += length
                end = origin + (last - origin) * passed // total
                spans.append(Span(at, end))
                at = end
        run.clear()

    for end, length in zip(ends, lengths, strict=True):
        follows = last is not None and end > last and abs(end - length - last) <= SECOND
        if length <= 0 or not follows:
            close()
            origin = end - max(length, 0)
            if last is not None and origin != last:
                gaps.append(Span(last, origin))
        elif not run:
            origin = last
        if length > 0:
            run.append(length)
        else:
            spans.append(None)
        last = end
    close()
    return spans, gaps
