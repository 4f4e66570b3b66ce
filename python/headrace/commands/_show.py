"""The facts of a summary as lines of text."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterable, Sequence
from typing import Any

from headrace.commands._show_rows import row_lines
from headrace.commands._show_tree import process_lines
from headrace.commands._terminal import Terminal
from headrace.commands._text import (
    NONE,
    bar,
    calls,
    duration,
    number,
    percent,
    printable,
    shorten_right,
    size,
    sparkline,
    width,
)

Facts = dict[str, Any]

_OTHER = {
    "stream": "standard input and output",
    "pipe": "pipes",
    "socket": "sockets",
    "device": "devices",
    "anonymous": "files without a name",
    "excluded_rollup": "excluded paths",
    "vfork_child": "children before their exec",
}


def render(facts: Facts, terminal: Terminal) -> list[str]:
    """All sections; one without content is left out."""
    sections = [
        _header(facts, terminal),
        _totals(facts, terminal),
        row_lines(facts, terminal),
        _sizes(facts, terminal),
        _bandwidth(facts, terminal),
        process_lines(facts, terminal),
        _mounts(facts, terminal),
        _not_captured(facts, terminal),
        _damage(facts, terminal),
    ]
    lines: list[str] = []
    for section in sections:
        if section:
            lines += [*section, ""]
    return lines[:-1]


def columns(rows: Iterable[Sequence[str]], left: frozenset[int] = frozenset()) -> list[str]:
    """Rows as lines of aligned cells: to the right, but to the left in the columns of `left`."""
    rows = list(rows)
    if not rows:
        return []
    last = len(rows[0]) - 1
    widths = [max(width(row[place]) for row in rows) for place in range(last + 1)]
    lines = []
    for row in rows:
        cells = []
        for place, cell in enumerate(row):
            gap = " " * (widths[place] - width(cell))
            cells.append(cell + ("" if place == last else gap) if place in left else gap + cell)
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def _header(facts: Facts, terminal: Terminal) -> list[str]:
    job = facts["job"]
    command = job["command"]
    words = (
        " ".join(printable(word) for word in command)
        if isinstance(command, list)
        else printable(str(command or ""))
    )
    if not words:
        words = "command not known"
    room = None if terminal.columns is None else terminal.columns
    lines = [terminal.bold(shorten_right(words, room))]
    place = [f"on {printable(job['host'])}"] if job["host"] else []
    if isinstance(job["start_utc_ns"], int):
        place.append(_moment(job["start_utc_ns"]))
    place.append(f"ran {duration(job['run_ns'])}")
    lines.append("  " + ", ".join(place))
    count = f"{number(job['processes'])} process" + ("" if job["processes"] == 1 else "es")
    if job["processes_captured"] != job["processes"]:
        count += f" ({number(job['processes'] - job['processes_captured'])} not captured)"
    status = job["exit_status"]
    state = [count, "exit status not known" if status is None else f"exit status {printable(str(status))}"]
    complete = job["complete"]
    if complete == "yes":
        state.append("log complete")
    elif complete:
        state.append(terminal.warn(f"log not complete: {printable(str(complete).removeprefix('no: '))}"))
    else:
        state.append(terminal.warn("log perhaps not complete: nobody says that it is"))
    if not facts["log"]["closed"]:
        state.append(terminal.warn("its writer did not finish it"))
    lines.append("  " + ", ".join(state))
    if facts["selected_processes"]:
        images = len(facts["selected_processes"])
        lines.append(
            f"  Figures below are of {images} selected process image{'s' if images > 1 else ''} alone."
        )
    return lines


def _moment(utc_ns: int) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(utc_ns / 1e9))
    except (ValueError, OverflowError, OSError):
        return "at an impossible time"


def _totals(facts: Facts, terminal: Terminal) -> list[str]:
    totals = facts["totals"]
    rows: list[Sequence[str]] = [("", "calls", "bytes", "time", "rate inside calls", "slowest", "errors")]
    for name in ("read", "write", "metadata"):
        part = totals[name]
        rate = part.get("bytes_per_second")
        per_call = f"{duration(part['time_ns'] / part['calls'])}/call" if part["calls"] else NONE
        rows.append(
            (
                name,
                number(part["calls"]),
                size(part["bytes"]) if "bytes" in part else NONE,
                duration(part["time_ns"]) if part["calls"] else NONE,
                per_call if name == "metadata" else f"{size(rate)}/s" if rate else NONE,
                duration(part["slowest_ns"]) if part["calls"] else NONE,
                number(part["errors"]),
            )
        )
    table = columns(rows, left=frozenset({0}))
    count = totals["files"]
    lines = [
        terminal.bold(f"I/O of {number(count)} file{'' if count == 1 else 's'}"),
        terminal.dim(table[0]),
        *table[1:],
    ]
    sentence = (
        f"{duration(totals['io_ns'])} in these calls, summed over processes and threads:"
        f" {percent(totals['io_share_of_process_time'])} of the {duration(totals['process_ns'])}"
        " that the captured processes lived."
    )
    lines += textwrap.wrap(sentence, terminal.columns or 110, initial_indent="  ", subsequent_indent="  ")
    for other in facts["other"]:
        count = calls(other["reads"] + other["writes"] + other["metadata_calls"])
        name = _OTHER.get(other["kind"], printable(other["kind"]))
        moved = f"{size(other['bytes_read'])} read, {size(other['bytes_written'])} written"
        lines.append(terminal.dim(f"  Besides, {name}: {count}, {moved}, {duration(other['time_ns'])}."))
    return lines


def _sizes(facts: Facts, terminal: Terminal) -> list[str]:
    lines = []
    for direction, title in (("read", "Sizes of reads"), ("write", "Sizes of writes")):
        buckets = facts["sizes"][direction]
        if not buckets:
            continue
        total = sum(bucket["operations"] for bucket in buckets)
        greatest = max(bucket["operations"] for bucket in buckets)
        rows = [
            (
                "≤ 1 B" if bucket["to"] == 1 else f"{size(bucket['over'])} < … ≤ {size(bucket['to'])}",
                number(bucket["operations"]),
                percent(bucket["operations"] / total),
                bar(bucket["operations"], greatest, min(30, terminal.graph_columns), terminal.unicode),
            )
            for bucket in buckets
        ]
        lines += [terminal.bold(title), *columns(rows, left=frozenset({3}))]
    return lines


def _bandwidth(facts: Facts, terminal: Terminal) -> list[str]:
    bandwidth = facts["bandwidth"]
    lines = []
    for key, name in (("bytes_read", "read"), ("bytes_written", "write")):
        values = bandwidth[key]
        if any(values):
            peak = max(values) / bandwidth["span_ns"] * 1e9
            lines.append(f"  {name:<5} |{sparkline(values, terminal.unicode)}| peak {size(peak)}/s")
    if not lines:
        return []
    end = duration(facts["job"]["run_ns"])
    bins = len(bandwidth["bytes_read"])
    lines.append(terminal.dim(f"         0{end.rjust(bins - 1)}  ({duration(bandwidth['span_ns'])} each)"))
    return [terminal.bold("Bytes over time"), *lines]


def _mounts(facts: Facts, terminal: Terminal) -> list[str]:
    if not facts["mounts"]:
        return []
    rows: list[Sequence[str]] = [("time", "read", "written", "files", "type", "mount")]
    for mount in facts["mounts"][:10]:
        point, source = printable(mount["point"]), printable(mount["source"])
        rows.append(
            (
                duration(mount["time_ns"]),
                size(mount["bytes_read"]),
                size(mount["bytes_written"]),
                number(mount["files"]),
                printable(mount["type"]) or NONE,
                (point + (f" from {source}" if source else "")) or "not known",
            )
        )
    table = columns(rows, left=frozenset({4, 5}))
    more = len(facts["mounts"]) - 10
    rest = [terminal.dim(f"  … and {more} more")] if more > 0 else []
    return [terminal.bold("Mounts"), terminal.dim(table[0]), *table[1:], *rest]


def _not_captured(facts: Facts, terminal: Terminal) -> list[str]:
    rows: list[Sequence[str]] = [("amount", "what", "why")]
    for gap in facts["not_captured"][:10]:
        amount = size(gap["amount"]) if gap["unit"] == "bytes" else number(gap["amount"])
        unit = "" if gap["unit"] in ("bytes", "count", "") else f" {printable(gap['unit'])}"
        rows.append((amount + unit, printable(gap["what"]), printable(gap["reason"])))
    if len(rows) == 1:
        return []
    table = columns(rows, left=frozenset({1, 2}))
    more = len(facts["not_captured"]) - 10
    rest = [terminal.dim(f"  … and {more} more kinds: see --json")] if more > 0 else []
    return [terminal.bold("Not captured"), terminal.dim(table[0]), *table[1:], *rest]


def _damage(facts: Facts, terminal: Terminal) -> list[str]:
    damage = facts["damage"]
    if not damage:
        return []
    lost = sum(place["bytes"] for place in damage)
    title = f"Damaged: {size(lost)} of the log cannot be used, and what they held is missing above"
    lines = [f"  byte {number(place['offset'])}: {printable(place['reason'])}" for place in damage[:5]]
    if len(damage) > 5:
        lines.append(f"  … and {number(len(damage) - 5)} more places")
    return [terminal.bad(title), *lines]
