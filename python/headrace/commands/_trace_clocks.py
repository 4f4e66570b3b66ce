"""What `headrace trace info` says of the clocks of nodes."""

from __future__ import annotations

from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import duration, printable
from headrace.text import count

_SHOWN = 20  # nodes
_CALENDAR = "by its calendar clock: it was not compared"


def clock_lines(clocks: dict[str, Any], terminal: Terminal) -> list[str]:
    """Nothing of a single node whose clock did as it should."""
    nodes = clocks["nodes"]
    troubles = [text for node in nodes for text in _troubles(node)]
    if len(nodes) < 2:
        return _wrapped(troubles, terminal)
    if not any(node["is_reference"] for node in nodes):
        return _wrapped([_not_compared(nodes), *troubles], terminal)
    rows = [(printable(node["host"]) or "?", *_node(node)) for node in nodes[:_SHOWN]]
    lines = ["", f"  Clocks of {count(len(nodes), 'node')}: what is added to their times"]
    lines += [f"  {line}" for line in columns(rows, left=frozenset({0, 4}))]
    if len(nodes) > _SHOWN:
        lines.append(f"    … and {count(len(nodes) - _SHOWN, 'node')} more (--json)")
    return lines + _wrapped([_messages(clocks), *troubles], terminal)


def _not_compared(nodes: list[dict[str, Any]]) -> str:
    return (
        f"Clocks: those of the {len(nodes)} nodes were not compared. Times of different nodes stand on their "
        "calendar clocks, which may differ by milliseconds."
    )


def _node(node: dict[str, Any]) -> tuple[str, str, str, str]:
    if node["is_reference"]:
        return "", "", "", "the others are put on its clock"
    measured = node["measured"]
    if not measured:
        return "", "", "", _CALENDAR
    first, last = measured[0], measured[-1]
    error = max(each["error_ns"] for each in measured)
    if len(measured) == 1:
        return _signed(first["added_ns"]), f"± {duration(error)}", "", f"measured in {first['when']} alone"
    drift = f"drift {node['drift'] * 1e6:+.2f} ppm"
    return (
        _signed(first["added_ns"]),
        f"± {duration(error)}",
        drift,
        f"{_signed(last['added_ns'])} at the end",
    )


def _signed(ns: int) -> str:
    return ("-" if ns < 0 else "+") + duration(abs(ns))


def _messages(clocks: dict[str, Any]) -> str:
    before, unaligned = clocks["before_sent"], clocks["before_sent_unaligned"]
    if before is None:
        return "How many messages arrive before they are sent, headrace trace verify says."
    says = f"{count(before, 'message')} arrive{'s' if before == 1 else ''} before it was sent"
    if before != 1:
        says = f"{count(before, 'message')} arrive before they are sent"
    return f"{says}; by calendar clocks it would be {unaligned:,}."


def _troubles(node: dict[str, Any]) -> list[str]:
    host = printable(node["host"]) or "a node"
    says = []
    if node["jumped_ns"]:
        says.append(
            f"The clock of {host} jumped by {_signed(node['jumped_ns'])} between two measurements, or stood "
            "still: its times are put right by the first alone."
        )
    if node["suspended_ns"]:
        says.append(
            f"{host} was suspended for {duration(node['suspended_ns'])} while the program ran: times leave "
            "that out."
        )
    if node["calendar_step_ns"]:
        step = _signed(node["calendar_step_ns"])
        says.append(
            f"The calendar clock of {host} was set by {step} meanwhile; no time here depends on that."
        )
    if node["stray_ns"]:
        says.append(
            f"The processor's counter of {host} was off by {_signed(node['stray_ns'])} from its clock: "
            "record with HEADRACE_CLOCK=monotonic."
        )
    return says


def _wrapped(texts: list[str], terminal: Terminal) -> list[str]:
    return [line for text in texts for line in terminal.wrap(text, "  ", "    ")]
