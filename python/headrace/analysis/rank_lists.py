"""Lists of ranks as people write them: "0-7, 16-112:16" is 0 to 7, then every 16th from 16 to 112."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from headrace._errors import UsageError

_PART = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10})(?::([0-9]{1,10}))?)?", re.ASCII)


def parse_ranks(text: str, option: str = "--rank") -> list[range]:
    """The parts of a list such as "3", "0-7,12" or "0-62:2". Raises UsageError."""
    parts = [_range_of(part.strip()) for part in text.split(",")]
    if None in parts:
        raise UsageError(f"{option} {text}: is no list of ranks; write 3, 0-7, 0-7,12 or 0-62:2")
    return [part for part in parts if part is not None]


def chosen_ranks(parts: list[range], there: Collection[int], of: str) -> set[int]:
    """Those of `there` that the parts name. Raises UsageError, which begins with `of`, if one names none."""
    chosen: set[int] = set()
    for part in parts:
        found = {rank for rank in there if rank in part}
        if not found:
            told = f"rank {part[0]}" if len(part) == 1 else f"ranks {_part(part[0], part[-1], part.step)}"
            has = f"ranks {rank_list(there)}" if there else "no ranks"
            raise UsageError(f"{of}: has no {told}; it has {has}")
        chosen |= found
    return chosen


def _range_of(text: str) -> range | None:
    """None: it is no part of a list."""
    parts = _PART.fullmatch(text)
    if parts is None:
        return None
    first, last, stride = int(parts[1]), int(parts[2] or parts[1]), int(parts[3] or 1)
    return range(first, last + 1, stride) if last >= first and stride else None


def rank_list(ranks: Iterable[int], most: int = 8) -> str:
    """At most `most` parts; what is beyond is counted. Strides are told from three ranks on."""
    left = sorted(set(ranks))
    parts: list[tuple[int, int, int]] = []  # first, last, stride
    at = 0
    while at < len(left):
        end, stride = _run(left, at)
        parts.append((left[at], left[end - 1], stride))
        at = end
    texts = [_part(*part) for part in parts[:most]]
    rest = sum((last - first) // stride + 1 for first, last, stride in parts[most:])
    return ", ".join(texts) + (f", … and {rest:,} more" if rest else "")


def _run(ranks: list[int], at: int) -> tuple[int, int]:
    """Where the run of equal steps that begins at `at` ends, and its step."""
    if at + 1 == len(ranks):
        return at + 1, 1
    stride = ranks[at + 1] - ranks[at]
    end = at + 2
    while end < len(ranks) and ranks[end] - ranks[end - 1] == stride:
        end += 1
    # Two ranks that are apart are no run; a third one may begin one with the second.
    return (end, stride) if stride == 1 or end - at > 2 else (at + 1, 1)


def _part(first: int, last: int, stride: int) -> str:
    if first == last:
        return str(first)
    return f"{first}-{last}" + (f":{stride}" if stride > 1 else "")
