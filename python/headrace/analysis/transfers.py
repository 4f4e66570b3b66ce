"""How the ranks of a Darshan log moved HDF5 datasets: its H5D module has a mark there, and no numbers.

The mark says that at least one transfer of the dataset was asked to be collective, or that none was; records
of early versions have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace.logs import JobLog

_LAYER, _KEY = "hdf5", "hdf5.transfer"
_UNKNOWN, _MIXED = "unknown", "mixed"


def transfers(log: JobLog, chosen: list[int]) -> dict[str, str] | None:
    """By path of a dataset "collective", "independent", "mixed" or "unknown"; None where counters tell it."""
    if "darshan_job_id" not in log.job:
        return None
    merged = log.native.merge("path", chosen, ["dataset"], [_LAYER])
    rows = merged.rows(None, ["path", "reads", "writes"])
    found: dict[int, set[str]] = {}
    for fact in log.native.properties(merged).rows():
        if fact["key"] == _KEY:
            found.setdefault(fact["row"], set()).add(fact["value"])
    return {
        row["path"]: _of(found.get(number, {_UNKNOWN}))
        for number, row in enumerate(rows)
        if row["reads"] + row["writes"]
    }


def apply(layer: dict[str, Any], known: Iterable[str] | None) -> None:
    """Puts into a layer's facts what is known of its datasets: `transfer`, and null for unknown numbers."""
    values = set(known or ())
    if layer["layer"] != _LAYER or not values:
        return
    layer["transfer"] = _of(values)
    if layer["transfer"] != "independent":
        layer["together"] |= dict.fromkeys(("reads_collective", "writes_collective"))


def _of(values: set[str]) -> str:
    return next(iter(values)) if len(values) == 1 else _UNKNOWN if _UNKNOWN in values else _MIXED
