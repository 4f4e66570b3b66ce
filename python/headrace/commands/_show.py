"""The facts of a summary as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace._places import page
from headrace.commands._clusters import cluster_lines
from headrace.commands._columns import columns
from headrace.commands._show_calls import directory_lines, function_lines, layer_lines
from headrace.commands._show_forwarding import forwarding_lines
from headrace.commands._show_gaps import detail_lines, loss_lines
from headrace.commands._show_header import header_lines
from headrace.commands._show_libraries import library_lines
from headrace.commands._show_mpi_files import mpi_file_lines
from headrace.commands._show_parallel import parallel_lines, server_lines
from headrace.commands._show_phases import phase_lines
from headrace.commands._show_rows import row_lines
from headrace.commands._show_tree import process_lines
from headrace.commands._terminal import Terminal
from headrace.commands._text import (
    LIBRARY_NAMES,
    NONE,
    NOT_RECORDED,
    bar,
    calls,
    clip,
    duration,
    files_and_directories,
    if_recorded,
    number,
    percent,
    printable,
    sparkline,
)
from headrace.text import count, size

Facts = dict[str, Any]

_OTHER = {
    "stream": "standard input and output",
    "pipe": "pipes",
    "socket": "sockets",
    "device": "devices",
    "anonymous": "files without a name",
    "excluded_rollup": "excluded paths",
    "vfork_child": "children before their exec",
    "mpi_files": "the MPI library's own files",
}


def render(facts: Facts, terminal: Terminal) -> list[str]:
    """All sections; one without content is left out."""
    sections = [
        header_lines(facts, terminal),
        loss_lines(facts, terminal),
        _totals(facts, terminal),
        phase_lines(facts, terminal),
        cluster_lines(facts["clusters"], terminal),
        parallel_lines(facts, terminal),
        server_lines(facts, terminal),
        layer_lines(facts, terminal),
        forwarding_lines(facts, terminal),
        library_lines(facts, terminal),
        row_lines(facts, terminal),
        mpi_file_lines(facts, terminal),
        directory_lines(facts, terminal),
        function_lines(facts, terminal),
        _sizes(facts, terminal),
        _bandwidth(facts, terminal),
        process_lines(facts, terminal),
        _mounts(facts, terminal),
        detail_lines(facts, terminal),
        _damage(facts, terminal),
    ]
    lines: list[str] = []
    for section in sections:
        if section:
            lines += [*section, ""]
    return [clip(line, terminal.columns) for line in lines[:-1]]


def _totals(facts: Facts, terminal: Terminal) -> list[str]:
    totals = facts["totals"]
    if facts["damage"] and not totals["files"] + totals["directories"] + len(facts["other"]):
        return [terminal.bold("I/O not known"), "  No record of a file is left in the log."]
    rows: list[Sequence[str]] = [("", "calls", "bytes", "time", "rate inside calls", "slowest", "errors")]
    for name in ("read", "write", "metadata"):
        part = totals[name]
        rate = part.get("bytes_per_second")
        per_call = f"{duration(part['time_ns'] / part['calls'])}/call" if part["calls"] else NONE
        if not part.get("all_calls", True):
            per_call = NOT_RECORDED
        rows.append(
            (
                name,
                number(part["calls"]),
                size(part["bytes"]) if "bytes" in part else NONE,
                duration(part["time_ns"]) if part["calls"] else NONE,
                per_call if name == "metadata" else f"{size(rate)}/s" if rate else NONE,
                if_recorded(part["slowest_ns"], duration) if part["calls"] else NONE,
                if_recorded(part["errors"], number),
            )
        )
    table = columns(rows, left=frozenset({0}))
    title = "I/O of " + ("at least " if facts["damage"] else "") + files_and_directories(totals)
    lines = [
        terminal.bold(title),
        terminal.dim(table[0]),
        *table[1:],
    ]
    sentence = f"{duration(totals['io_ns'])} in these calls, summed over processes and threads"
    if (unseen := totals["processes_at_least"]) and not facts["damage"]:
        who = (
            "the process"
            if unseen == facts["job"]["processes_captured"] == 1
            else count(unseen, "process", "processes")
        )
        sentence += (
            f". Nobody saw when {who} {'was' if unseen == 1 else 'were'} killed, so the share of"
            f" {'its' if unseen == 1 else 'their'} life is not known"
        )
    elif totals["process_ns"] and not facts["damage"]:
        share, lived = percent(totals["io_share_of_process_time"]), duration(totals["process_ns"])
        sentence += f": {share} of the {lived} that the captured processes lived"
    lines += terminal.wrap(f"{sentence}. {through_words(totals)}".rstrip(), "  ")
    lines += _asynchronous(facts, terminal)
    if apart := totals["in_no_file"]:
        moved = f"{size(apart['bytes_read'])} read, {size(apart['bytes_written'])} written"
        text = f"In no file: {calls(apart['calls'])} of these, {moved}, {duration(apart['time_ns'])}."
        lines += terminal.wrap(text, "  ", "    ")
    for other in facts["other"]:
        amount = calls(other["reads"] + other["writes"] + other["metadata_calls"])
        moved = f"{size(other['bytes_read'])} read, {size(other['bytes_written'])} written"
        excluded = other["kind"] == "excluded_rollup"
        spent = "not timed" if excluded and not other["time_ns"] else duration(other["time_ns"])
        name = _other_name(other["kind"])
        if other["kind"] == "mpi_files":
            name += f" ({files_and_directories(facts['mpi_files'])})"
        text = f"Besides, {name}: {amount}, {moved}, {spent}."
        if excluded:
            text += f" Excluded are system directories and what --exclude names: {page('show.md')}."
        lines += [terminal.dim(line) for line in terminal.wrap(text, "  ", "    ")]
    return lines


def through_words(totals: Facts) -> str:
    """How much of the time was in libraries, and how much of that the system took; empty without any."""
    above = [row for row in totals["through"] if row["layer"] in LIBRARY_NAMES and row["time_ns"] > 0]
    if not above:
        return ""
    names = " and ".join(f"{duration(row['time_ns'])} in {LIBRARY_NAMES[row['layer']]}" for row in above)
    inside = sum(row["time_ns"] for row in above)
    below = totals["system_ns"] - (totals["io_ns"] - inside)
    if below <= 0:
        return f"Of this, {names}; the log has none of the system's calls below."
    share = f"{percent(below / inside)} of that in the system's calls"
    return f"Of this, {names}: {share}, the rest waiting, exchange and copying."


def _asynchronous(facts: Facts, terminal: Terminal) -> list[str]:
    lines = []
    for row in facts["asynchronous"]:
        amount = size(row["amount"]) if row["unit"] == "bytes" else count(row["amount"], row["unit"][:-1])
        text = f"{row['what']}, {amount}: {row['note']}"
        lines += [terminal.warn(line) for line in terminal.wrap(text, "  ", "    ")]
    return lines


def _other_name(kind: str) -> str:
    return _OTHER.get(kind, printable(kind))


def _sizes(facts: Facts, terminal: Terminal) -> list[str]:
    lines = []
    for direction, title in (("read", "Sizes of reads"), ("write", "Sizes of writes")):
        buckets = facts["sizes"][direction]
        if not buckets:
            continue
        total = sum(bucket["operations"] for bucket in buckets)
        greatest = max(bucket["operations"] for bucket in buckets)
        by_layer = _operations_by_layer(facts, direction)
        rows: list[Sequence[str]] = [("", "", "", *by_layer, "")] if by_layer else []
        rows += [
            (
                _range(bucket, buckets, facts, direction),
                number(bucket["operations"]),
                percent(bucket["operations"] / total),
                *(number(operations.get(bucket["to"], 0)) for operations in by_layer.values()),
                bar(bucket["operations"], greatest, min(30, terminal.graph_columns), terminal.unicode),
            )
            for bucket in buckets
        ]
        lines += [terminal.bold(title), *columns(rows, left=frozenset({len(rows[0]) - 1}))]
    return lines


def _operations_by_layer(facts: Facts, direction: str) -> dict[str, dict[int, int]]:
    """Operations by layer and upper bound; empty when all are of one layer."""
    layers = {
        printable(name): {bucket["to"]: bucket["operations"] for bucket in sizes[direction]}
        for name, sizes in facts["sizes"]["by_layer"].items()
        if sizes[direction]
    }
    return layers if len(layers) > 1 else {}


def _range(bucket: Facts, buckets: list[Facts], facts: Facts, direction: str) -> str:
    if bucket["to"] > 1:
        return f"{size(bucket['over'])} < … ≤ {size(bucket['to'])}"
    # The others moved at least so much; when nothing else was moved, these moved nothing.
    others = sum((other["over"] + 1) * other["operations"] for other in buckets if other["to"] > 1)
    nothing = facts["totals"][direction]["bytes"] <= others and not facts["damage"]
    if direction == "write":
        return "0 B" if nothing else "≤ 1 B"
    return "0 B (end of file)" if nothing else "≤ 1 B (end of file included)"


def _bandwidth(facts: Facts, terminal: Terminal) -> list[str]:
    bandwidth = facts["bandwidth"]
    lines = []
    for key, name in (("bytes_read", "read"), ("bytes_written", "write")):
        values = bandwidth[key]
        if any(values):
            peak = max(values) / bandwidth["span_ns"] * 1e9
            lines.append(f"  {name:<5} |{sparkline(values, terminal.unicode)}| peak {size(peak)}/s")
    told = [bandwidth[key] for key in ("reads", "writes", "metadata") if bandwidth[key]]
    calls = [sum(each) for each in zip(*told, strict=True)]
    if any(calls):
        peak = max(calls) / bandwidth["span_ns"] * 1e9
        lines.append(f"  calls |{sparkline(calls, terminal.unicode)}| peak {number(round(peak))}/s")
    if not lines:
        return []
    end = duration(facts["job"]["run_ns"])
    bins = len(bandwidth["bytes_read"])
    lines.append(terminal.dim(f"         0{end.rjust(bins - 1)}  ({duration(bandwidth['span_ns'])} each)"))
    others = [other for other in facts["other"] if other["bytes_read"] + other["bytes_written"]]
    names = ", ".join(_other_name(other["kind"]) for other in others)
    title = (
        ("Bytes and calls" if any(calls) else "Bytes")
        + " over time"
        + (f" of all descriptors, these included: {names}" if names else "")
    )
    return [*map(terminal.bold, terminal.wrap(title)), *lines]


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
    table = columns(rows, left=frozenset({4, 5}), room=terminal.columns)
    more = len(facts["mounts"]) - 10
    rest = [terminal.dim(f"  … and {more} more")] if more > 0 else []
    return [terminal.bold("Mounts"), terminal.dim(table[0]), *table[1:], *rest]


def _damage(facts: Facts, terminal: Terminal) -> list[str]:
    damage = facts["damage"]
    if not damage:
        return []
    lost = sum(place["bytes"] for place in damage)
    title = f"Damaged: {size(lost)} of the log cannot be used, and what they held is missing above"
    lines = []
    for place in damage[:5]:
        text = f"byte {number(place['offset'])}: {printable(place['reason'])}"
        lines += terminal.wrap(text, "  ", "    ")
    if len(damage) > 5:
        lines.append(f"  … and {number(len(damage) - 5)} more places")
    return [*map(terminal.bad, terminal.wrap(title)), *lines]
