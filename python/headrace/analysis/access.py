"""How a file was read and written, in words and shares, from the counters of one merged record."""

from __future__ import annotations

from typing import Any

from headrace import _native
from headrace.analysis.recorded import recorded


def access(row: dict[str, Any], direction: str, common: list[tuple[str, int, int, bool]]) -> dict[str, Any]:
    """Facts about one direction ("read" or "write") of a record; `common` has (what, value, count, exact).

    `pattern` compares where successive operations of a thread began: "consecutive" (where the previous one
    ended), "forward" (never before it), "backward", "random", or None when no two could be compared.
    """
    operations = row[f"{direction}s"]
    steps = {name: row[f"{direction}s_{name}"] for name in ("consecutive", "forward", "backward")}
    sizes = [(value, count, exact) for what, value, count, exact in common if what == "size"]
    strides = [(value, count, exact) for what, value, count, exact in common if what == "stride"]
    return {
        "operations": operations,
        "pattern": _native.access_pattern(**steps),
        **steps,
        "unaligned": recorded(row, f"{direction}s_unaligned_file"),
        "slowest_ns": recorded(row, f"{direction}_max_ns"),
        "slowest_bytes": recorded(row, f"{direction}_max_size"),
        "common_sizes": [_common(*size) for size in sizes[:4]],
        "common_strides": [_common(*stride) for stride in strides[:4]],
    }


def _common(value: int, count: int, exact: bool) -> dict[str, Any]:
    return {"bytes": value, "operations": count, "exact": exact}
