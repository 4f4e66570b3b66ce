"""Who sent how much to whom, and who waited for it: `headrace trace messages`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from headrace.analysis.opened_traces import OpenedTrace
from headrace.analysis.trace_sums import cut

Facts = dict[str, Any]

_SUMS = ("messages", "bytes", "not_received", "not_sent", "late", "waited_ns")


def messages(
    trace: OpenedTrace, begin_at_ns: int, end_at_ns: int, ranks: Collection[int] | None = None
) -> Facts:
    """The keys of docs/trace.md. `ranks`: only pairs of which one is among them, and only their waits.

    Decodes all events of the trace, whatever the range. Raises UsageError.
    """
    found = trace.native.message_sums(begin_at_ns, end_at_ns)
    pairs = [
        pair
        for pair in found["pairs"].rows()
        if ranks is None or pair["from"] in ranks or pair["to"] in ranks
    ]
    rows = trace.locations
    return {
        "trace": trace.path,
        "ranks": len({row["rank"] for row in rows if row["rank"] >= 0}),
        "sums": {key: sum(pair[key] for pair in pairs) for key in _SUMS},
        "pairs": pairs,
        "waits": _waits(pairs, ranks),
        "collectives": _collectives(trace, begin_at_ns, end_at_ns, ranks),
        "before_sent": found["before_sent"],
        "without_call": found["without_call"],
        **_clocks(trace),
        **cut(trace),
        "lost_events": sum(row["missing"] for row in rows),
        "lost_chunks": sum(row["lost_chunks"] for row in rows) + trace.native.damaged_chunks,
    }


def _waits(pairs: list[Facts], ranks: Collection[int] | None) -> list[Facts]:
    """By rank: how long it waited for late senders, and others for it."""
    by_rank: dict[int, Facts] = {}
    for pair in pairs:
        for key, rank in (("waited_ns", pair["to"]), ("waited_for_ns", pair["from"])):
            row = by_rank.setdefault(rank, {"rank": rank, "waited_ns": 0, "waited_for_ns": 0})
            row[key] += pair["waited_ns"]
    return [
        row
        for rank, row in sorted(by_rank.items())
        if (ranks is None or rank in ranks) and (row["waited_ns"] or row["waited_for_ns"])
    ]


def _collectives(
    trace: OpenedTrace, begin_at_ns: int, end_at_ns: int, ranks: Collection[int] | None
) -> Facts:
    found = trace.native.collective_waits(begin_at_ns, end_at_ns)
    rows = [row for row in found["ranks"].rows() if ranks is None or row["rank"] in ranks]
    return {
        "functions": found["functions"].rows(),
        "ranks": rows,
        "incomplete": found["incomplete"],
        "out_of_step": found["out_of_step"],
    }


def _clocks(trace: OpenedTrace) -> Facts:
    """`nodes`; `clock_error_ns`: how far times of two may be off. Null: one node, or not compared."""
    nodes = trace.native.clocks()
    errors = [
        max((each["error_ns"] for each in node["measured"]), default=None)
        for node in nodes
        if not node["is_reference"]
    ]
    known = [error for error in errors if error is not None]
    compared = len(nodes) > 1 and len(known) == len(nodes) - 1
    return {"nodes": len(nodes), "clock_error_ns": sum(sorted(known)[-2:]) if compared else None}
