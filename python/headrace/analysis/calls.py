"""Calls by layer, by function and over time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from headrace import _native
from headrace.analysis.kinds import SYSTEM_LAYERS, TOTAL_KINDS, whose
from headrace.analysis.recorded import added, most, recorded
from headrace.analysis.transfers import apply, transfers
from headrace.logs import JobLog

# What only calls of parallel libraries are.
_TOGETHER = (
    "opens_collective",
    *(
        f"{way}_{how}"
        for how in ("collective", "nonblocking", "split", "shared_pointer", "noncontiguous")
        for way in ("reads", "writes")
    ),
    "views",
)
_PARTS = {"read": ("reads", "read", "bytes_read"), "write": ("writes", "write", "bytes_written")}


def layers(log: JobLog, chosen: list[int]) -> list[dict[str, Any]]:
    """Calls on files by layer; keys as in docs/show.md.

    First the layers that add up, most time first, then libraries, whose bytes pass the layers below as well.
    """
    files = log.native.merge("layer", chosen, TOTAL_KINDS, (), whose(log))
    found = {row["layer"]: layer_facts(row) for row in files.rows()}
    for row in log.native.merge("layer", chosen, ["dataset"]).rows():
        found[row["layer"]] = with_datasets(found.get(row["layer"]), layer_facts(row)) | {
            "datasets": row["files"]
        }
    known = transfers(log, chosen)
    for layer in found.values():
        apply(layer, known.values() if known else None)
    rows = [{"datasets": 0, **row} if not row["adds_up"] else row for row in found.values()]
    return sorted(rows, key=lambda row: (not row["adds_up"], -layer_time(row), row["layer"]))


def layer_time(row: dict[str, Any]) -> int:
    return sum(int(row[part]["time_ns"]) for part in ("read", "write", "metadata"))


def layer_facts(row: dict[str, Any]) -> dict[str, Any]:
    """What one layer did, from counters merged over it."""
    facts: dict[str, Any] = {"layer": row["layer"], "adds_up": row["layer"] in SYSTEM_LAYERS}
    for part, (calls, times, moved) in _PARTS.items():
        facts[part] = {
            "calls": row[calls],
            "errors": recorded(row, f"{times}_errors"),
            "bytes": row[moved],
            "time_ns": row[f"{times}_ns"],
            "slowest_ns": recorded(row, f"{times}_max_ns"),
        }
    facts["metadata"] = {
        "calls": row["metadata_calls"],
        "errors": recorded(row, "meta_errors"),
        "time_ns": row["meta_ns"],
        "slowest_ns": recorded(row, "meta_max_ns"),
    }
    if not facts["adds_up"]:
        facts["together"] = {name: row[name] for name in _TOGETHER}
    if row["layer"] == "stdio":
        names = ("flushes", "system_reads", "system_writes", "system_bytes_read", "system_bytes_written")
        facts["buffer"] = {name: row.get(name, 0) for name in names}
    return facts


def with_datasets(file: dict[str, Any] | None, inside: dict[str, Any]) -> dict[str, Any]:
    """What a layer did to files, of its rows of files and of those of datasets inside them.

    Captured reads and writes of a dataset count at its file as well; Darshan's H5D module alone counts them,
    and its rows of files have none. Every other call counts at one of the two.
    """
    if file is None or "together" not in file or "together" not in inside:
        return inside if file is None else file
    result = {**inside, **file, "together": dict(file["together"])}
    for part, way in (("read", "reads"), ("write", "writes")):
        if inside[part]["calls"] > file[part]["calls"]:
            result[part] = inside[part]
            shares = {key: count for key, count in inside["together"].items() if key.startswith(way)}
            result["together"] |= shares
    a, b = file["metadata"], inside["metadata"]
    result["metadata"] = {key: added((a[key], b[key])) for key in ("calls", "errors", "time_ns")}
    result["metadata"]["slowest_ns"] = most((a["slowest_ns"], b["slowest_ns"]))
    return result


def functions(log: JobLog, chosen: list[int]) -> list[dict[str, Any]]:
    """Calls by function, on whatever they were: files, pipes, sockets, excluded paths; most time first.

    Logs of versions that captured no libraries do not name the layer, and no call was inside another one.
    """
    modules = _native.function_modules()
    rows = log.native.functions(chosen).rows()
    nested = "own_ns" in log.native.columns("profiles")
    for row in rows:
        row["layer"] = row["layer"] or ("stdio" if modules.get(row["function"]) == "stdio" else "posix")
        row["own_ns"] = row["own_ns"] if nested else row["time_ns"]
        if "converted_from" in log.job and row["layer"] == "mpi":
            row["errors"] = None  # AutoPerf counts no calls that failed
    return sorted(rows, key=lambda row: (-row["time_ns"], row["function"]))


def rate(log: JobLog, chosen: list[int], run_ns: int, spans: int) -> dict[str, Any]:
    """Bytes and calls in equal spans of the job.

    Lists are empty where the log does not have them, as those of calls in a Darshan log.
    """
    values = list(log.native.rate(spans, 0, min(run_ns, (1 << 64) - 1), chosen))
    names = ("bytes_read", "bytes_written", "reads", "writes", "metadata")
    if "darshan_job_id" in log.job:
        # Its time lines have bytes alone, its traces no metadata; one without either has nothing.
        kinds = ((0, 1), (2, 3), (4,))
        for together in kinds:
            if not any(any(values[place]) for place in together):
                for place in together:
                    values[place] = []
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
