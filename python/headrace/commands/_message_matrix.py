"""Who sent how many bytes to whom, as a square of numbers."""

from __future__ import annotations

from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, width
from headrace.text import size

Facts = dict[str, Any]

_MOST = 16  # ranks
_COLUMNS = 110  # where no terminal says


def matrix_lines(pairs: list[Facts], terminal: Terminal) -> list[str]:
    """Nothing where ranks are too many for that, or it is wider than the terminal."""
    ranks = sorted({pair[end] for pair in pairs for end in ("from", "to")})
    if not 2 <= len(ranks) <= _MOST:
        return []
    moved = {(pair["from"], pair["to"]): size(pair["bytes"]) for pair in pairs}
    rows = [("from \\ to", *map(str, ranks))]
    rows += [(str(rank), *(moved.get((rank, to), NONE) for to in ranks)) for rank in ranks]
    first, *table = columns(rows)
    if max(map(width, [first, *table])) > (terminal.columns or _COLUMNS):
        return []
    return ["", terminal.dim(first), *table]
