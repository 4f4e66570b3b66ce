"""What each rank of a trace did: `headrace trace stats --by rank`."""

from __future__ import annotations

from typing import Any

from headrace.analysis.opened_traces import OpenedTrace
from headrace.analysis.trace_calls import ALL, Calls
from headrace.analysis.trace_groups import PROGRAM, groups

Facts = dict[str, Any]

_MPI = ("messages", "collective")
_FILES = ("read", "write", "metadata")
_SYSTEM = ("posix", "stdio")  # layers; bytes of libraries above them are the same ones again


def ranks(
    trace: OpenedTrace, locations: list[int], begin_at_ns: int, end_at_ns: int, calls: Calls = ALL
) -> list[Facts]:
    """One a rank: time of the program's own threads in MPI and in I/O, messages, and bytes of files.

    `calls` chooses the calls in `calls`, `errors`, `bytes_read` and `bytes_written`; all else is of all.
    """
    own = [each for name, chosen in groups(trace, locations).items() if name in PROGRAM for each in chosen]
    by_rank: dict[int, list[int]] = {}
    for each in own:
        by_rank.setdefault(trace.locations[each]["rank"], []).append(each)
    return [
        _row(rank, len(chosen), trace.native.stats(chosen, begin_at_ns, end_at_ns, calls))
        for rank, chosen in sorted(by_rank.items())
        if rank >= 0
    ]


def _row(rank: int, threads: int, found: Facts) -> Facts:
    spans, by_class = found["spans"].rows(), found["class_ns"]
    return {
        "rank": rank,
        "threads": threads,
        "time_ns": sum(by_class.values()),
        "mpi_ns": sum(by_class[name] for name in _MPI),
        "io_ns": sum(by_class[name] for name in _FILES),
        "class_ns": by_class,
        "traffic": found["traffic"],
        "calls": sum(span["calls"] for span in spans),
        "errors": sum(span["errors"] for span in spans),
        "bytes_read": _bytes(spans, "read"),
        "bytes_written": _bytes(spans, "write"),
    }


def _bytes(spans: list[Facts], what: str) -> int:
    return sum(
        span["bytes"]
        for span in spans
        if span["class"] == what and span["kind"] == "function" and span["layer"] in _SYSTEM
    )
