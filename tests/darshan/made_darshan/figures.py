"""Counters of what was done to one file, as Darshan counts them, by names without the module's prefix."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Iterable

from made_darshan.counters import RANGES
from made_darshan.uses import Operation, Use

_ENDS = (100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30)
BLOCK = 4096  # alignment of files


def span_of(size: int) -> str:
    return RANGES[sum(size > end for end in _ENDS)]


def _directed(uses: list[Use], writes: bool) -> dict[str, float]:
    name, done = ("WRITE", "WRITTEN") if writes else ("READ", "READ")
    all_of = [each for use in uses for each in use.of(writes)]
    if not all_of:
        return {}
    longest = max(all_of, key=lambda each: each.end - each.start)
    values: dict[str, float] = {
        f"{name}S": len(all_of),
        f"BYTES_{done}": sum(each.size for each in all_of),
        f"MAX_BYTE_{done}": max(each.offset + each.size - 1 for each in all_of),
        f"MAX_{name}_TIME_SIZE": longest.size,
        f"F_MAX_{name}_TIME": longest.end - longest.start,
        f"F_{name}_TIME": sum(each.end - each.start for each in all_of),
        f"F_{name}_START_TIMESTAMP": min(each.start for each in all_of),
        f"F_{name}_END_TIMESTAMP": max(each.end for each in all_of),
    }
    for span, count in Counter(span_of(each.size) for each in all_of).items():
        values[f"SIZE_{name}_{span}"] = values[f"SIZE_{name}_AGG_{span}"] = count
    for use in uses:
        last = 0
        for each in use.of(writes):
            values[f"SEQ_{name}S"] = values.get(f"SEQ_{name}S", 0) + (each.offset > last)
            values[f"CONSEC_{name}S"] = values.get(f"CONSEC_{name}S", 0) + (each.offset == last + 1)
            last = each.offset + each.size - 1
    return values


def _strides(operations: list[Operation]) -> Iterable[int]:
    last = {True: 0, False: 0}
    for each in operations:
        if (stride := each.offset - last[each.writes] - 1) > 0:
            yield stride
        last[each.writes] = each.offset + each.size - 1


def _four(what: str, values: Iterable[int]) -> dict[str, float]:
    found: dict[str, float] = {}
    for number, (value, count) in enumerate(Counter(values).most_common(4), 1):
        found |= {f"{what}{number}_{what}": value, f"{what}{number}_COUNT": count}
        if what == "ACCESS":  # of one dimension, in elements of 8 bytes
            found |= {f"ACCESS{number}_LENGTH_D1": value // 8, f"ACCESS{number}_STRIDE_D1": 1}
    return found


def _of_ranks(uses: list[Use]) -> dict[str, float]:
    fastest, slowest = (pick(uses, key=lambda use: use.seconds) for pick in (min, max))
    return {
        "FASTEST_RANK": fastest.rank, "FASTEST_RANK_BYTES": fastest.bytes,
        "SLOWEST_RANK": slowest.rank, "SLOWEST_RANK_BYTES": slowest.bytes,
        "F_FASTEST_RANK_TIME": fastest.seconds, "F_SLOWEST_RANK_TIME": slowest.seconds,
        "F_VARIANCE_RANK_TIME": statistics.pvariance(use.seconds for use in uses),
        "F_VARIANCE_RANK_BYTES": statistics.pvariance(float(use.bytes) for use in uses),
    }  # fmt: skip


def figures(uses: list[Use]) -> dict[str, float]:
    operations = [each for use in uses for each in use.operations]
    values: dict[str, float] = {
        "F_OPEN_START_TIMESTAMP": min(use.opened[0] for use in uses),
        "F_OPEN_END_TIMESTAMP": max(use.opened[1] for use in uses),
        "F_CLOSE_START_TIMESTAMP": min(use.closed[0] for use in uses),
        "F_CLOSE_END_TIMESTAMP": max(use.closed[1] for use in uses),
        "F_META_TIME": sum(use.meta_s for use in uses),
        "OPENS": len(uses),
        "RW_SWITCHES": sum(
            one.writes != other.writes for use in uses for one, other in itertools.pairwise(use.operations)
        ),
        "MODE": 0o644,
        "MEM_ALIGNMENT": 8,
        "FILE_ALIGNMENT": BLOCK,
        "FILE_NOT_ALIGNED": sum(each.offset % BLOCK != 0 for each in operations),
        **_directed(uses, False),
        **_directed(uses, True),
        **_four("ACCESS", (each.size for each in operations)),
        **_four("STRIDE", (stride for use in uses for stride in _strides(use.operations))),
    }
    return values | (_of_ranks(uses) if len(uses) > 1 else {})
