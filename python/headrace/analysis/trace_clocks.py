"""The clocks of a trace's nodes: how they differ, and what putting them right does to messages."""

from __future__ import annotations

from typing import Any

from headrace.analysis.opened_traces import OpenedTrace

MOST_EVENTS = 16_000_000  # that are decoded to count messages; a second's work


def clocks(trace: OpenedTrace) -> dict[str, Any]:
    """`nodes`: one each, the reference first. `before_sent`: messages that arrive before they are sent.

    Null where no clocks were compared, or events are too many to look at them all.
    """
    hosts = {row["process"]: row["host"] for row in trace.locations}
    nodes = [{"host": hosts.get(node.pop("process"), ""), **node} for node in trace.native.clocks()]
    nodes.sort(key=lambda node: not node["is_reference"])
    facts: dict[str, Any] = {"nodes": nodes, "before_sent": None, "before_sent_unaligned": None}
    events = sum(row["events"] for row in trace.locations)
    if any(node["measured"] for node in nodes) and events <= MOST_EVENTS:
        facts["before_sent"] = trace.native.messages_before_sent(True)
        facts["before_sent_unaligned"] = trace.native.messages_before_sent(False)
    return facts
