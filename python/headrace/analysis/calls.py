"""Calls by layer, by function and over time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from headrace import _native
from headrace.analysis.kinds import FILE_KINDS
from headrace.logs import JobLog

_PARTS = {"read": ("reads", "read", "bytes_read"), "write": ("writes", "write", "bytes_written")}


def layers(log: JobLog, chosen: list[int]) -> list[dict[str, Any]]:
    """Calls on files by the layer that the program called, most time first; keys as in docs/show.md."""
    rows = [_layer(row) for row in log.native.merge("layer", chosen, FILE_KINDS).rows()]
    return sorted(rows, key=lambda row: (-_time(row), row["layer"]))


def _time(row: dict[str, Any]) -> int:
    return sum(int(row[part]["time_ns"]) for part in ("read", "write", "metadata"))


def _layer(row: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {"layer": row["layer"]}
    for part, (calls, times, moved) in _PARTS.items():
        facts[part] = {
            "calls": row[calls],
            "errors": row[f"{times}_errors"],
            "bytes": row[moved],
            "time_ns": row[f"{times}_ns"],
            "slowest_ns": row[f"{times}_max_ns"],
        }
    facts["metadata"] = {
        "calls": row["metadata_calls"],
        "errors": row["meta_errors"],
        "time_ns": row["meta_ns"],
        "slowest_ns": row["meta_max_ns"],
    }
    if row["layer"] != "posix":
        names = ("flushes", "system_reads", "system_writes", "system_bytes_read", "system_bytes_written")
        facts["buffer"] = {name: row.get(name, 0) for name in names}
    return facts


def functions(log: JobLog, chosen: list[int]) -> list[dict[str, Any]]:
    """Calls by function, on whatever they were: files, pipes, sockets, excluded paths; most time first."""
    modules = _native.function_modules()
    rows = log.native.functions(chosen).rows()
    for row in rows:
        row["layer"] = "stdio" if modules.get(row["function"]) == "stdio" else "posix"
    return sorted(rows, key=lambda row: (-row["time_ns"], row["function"]))


def rate(log: JobLog, chosen: list[int], run_ns: int, spans: int) -> dict[str, Any]:
    """Bytes and calls in equal spans of the job; lists of calls are empty when the log does not have them."""
    values = log.native.rate(spans, 0, min(run_ns, (1 << 64) - 1), chosen)
    names = ("bytes_read", "bytes_written", "reads", "writes", "metadata")
    return {
        "begin_at_ns": 0,
        "span_ns": run_ns / spans if spans else 0,
        **{name: _whole(each) for name, each in zip(names, values, strict=True)},
    }


def _whole(values: list[float]) -> list[int]:
    """Whole numbers with the same sum, at each of them: nine calls spread over 60 spans stay nine."""
    ends = [round(end) for end in itertools.accumulate(values)]
    return [end - before for before, end in itertools.pairwise([0, *ends])]


def finest_spans(logs: Iterable[JobLog], run_ns: int, most: int) -> int:
    """How many equal spans of `run_ns` tell all that each of the logs knows about time, at most `most`."""
    width = max((log.native.narrowest_span_ns for log in logs), default=0)
    return max(1, min(most, -(-run_ns // width))) if width else min(most, 1)
