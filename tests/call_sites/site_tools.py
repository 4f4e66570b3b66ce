"""What the tests of call sites share."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def line_of(source: str, mark: str) -> int:
    """The number of the line that ends in a comment `LINE: mark`."""
    lines = (HERE / "c" / source).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"LINE: {mark}"))
