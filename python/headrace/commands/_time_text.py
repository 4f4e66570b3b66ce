"""Times since the job's start as people write them."""

from __future__ import annotations

import re

from headrace._errors import UsageError

_AXIS = (("s", 10**9), ("ms", 10**6), ("µs", 10**3), ("ns", 1))
_UNITS = {"": 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "µs": 10**3, "ns": 1}


def ends_of_axis(begin_ns: int, end_ns: int, columns: int) -> tuple[str, str]:
    """Both ends of a picture, in one unit and as exact as its columns are wide, as --from takes them."""
    unit, factor = next(pair for pair in _AXIS if end_ns >= pair[1] or pair[1] == 1)
    decimals = 0
    while decimals < len(str(factor)) - 1 and factor > (end_ns - begin_ns) / columns * 10**decimals:
        decimals += 1
    return f"{begin_ns / factor:.{decimals}f} {unit}", f"{end_ns / factor:.{decimals}f} {unit}"


def nanoseconds(text: str, option: str) -> int:
    """Nanoseconds of a time such as 1.5, 1.5s or 20ms."""
    parts = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+) ?([a-zµ]*)", text)
    if parts is None or parts[2] not in _UNITS:
        raise UsageError(f"{option} {text}: is no time; write seconds, or 20ms, 7us or 12ns")
    whole, _, rest = parts[1].partition(".")
    unit = _UNITS[parts[2]]
    nanoseconds = int(whole or 0) * unit + int(rest or 0) * unit // int("1" + "0" * len(rest))
    return min(nanoseconds, (1 << 64) - 1)
