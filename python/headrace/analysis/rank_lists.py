"""Lists of ranks as people write them: "0-7, 16-112:16" is 0 to 7, then every 16th from 16 to 112."""

from __future__ import annotations

from collections.abc import Iterable


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
