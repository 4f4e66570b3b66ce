"""Rows of cells as lines of text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from headrace.commands._text import width


def columns(
    rows: Iterable[Sequence[str]], left: frozenset[int] = frozenset(), room: int | None = None
) -> list[str]:
    """Rows as lines of aligned cells: to the right, but to the left in the columns of `left`.

    With `room`, the last column is wrapped to lines of so many columns.
    """
    rows = list(rows)
    if not rows:
        return []
    last = len(rows[0]) - 1
    widths = [max(width(row[place]) for row in rows) for place in range(last + 1)]
    lines = []
    for row in rows:
        cells = []
        for place, cell in enumerate(row):
            gap = " " * (widths[place] - width(cell))
            cells.append(cell + ("" if place == last else gap) if place in left else gap + cell)
        line = "  " + "  ".join(cells).rstrip()
        indent = 2 + sum(widths[:last]) + 2 * last
        if room is None or width(line) <= room or room - indent < 20:
            lines.append(line)
            continue
        words = textwrap.wrap(row[last], room - indent, break_on_hyphens=False)
        lines += ["  " + "  ".join([*cells[:last], words[0]])]
        lines += [" " * indent + text for text in words[1:]]
    return lines
