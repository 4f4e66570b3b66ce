"""An overview of a trace as text, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import click

from headrace.analysis.overview_rows import row_name
from headrace.analysis.overviews import BYTES, CLASSES, Overview
from headrace.analysis.trace_groups import GROUPS, groups
from headrace.analysis.trace_sums import cut, recorded
from headrace.analysis.traces import Trace, location_name
from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, duration, percent, printable, sparkline
from headrace.commands._time_text import ends_of_axis
from headrace.commands._trace import HEADS, cut_lines, recorded_lines
from headrace.text import count, size

Facts = dict[str, Any]

# By class of time: a letter, and a colour behind it.
_LOOKS = {
    "program": (".", "bright_black"),
    "messages": ("m", "magenta"),
    "collective": ("c", "yellow"),
    "wait": ("z", "white"),
    "read": ("r", "green"),
    "write": ("w", "red"),
    "metadata": ("d", "blue"),
    "tracing": ("t", "cyan"),
}


def json_facts(trace: Trace, seen: Overview) -> Facts:
    """The keys of docs/trace.md."""
    lists = seen.lists()
    rows = []
    names = trace.names()
    for number, locations in enumerate(seen.locations):
        told = [location_name(trace.locations[each]) for each in locations]
        row: Facts = {"name": row_name(trace, names, locations), "locations": told}
        row["class_ns"] = {name: lists[name][number] for name in CLASSES}
        rows.append({**row, **{name: lists[name][number] for name in BYTES}})
    return {
        "trace": trace.path,
        "begin_at_ns": seen.begin_at_ns,
        "end_at_ns": seen.end_at_ns,
        "columns": seen.columns,
        "rows": rows,
        "precision_ns": seen.precision_ns,
        "chunks": seen.chunks,
        "decoded_chunks": seen.decoded_chunks,
        "unread_chunks": seen.unread_chunks,
        **cut(trace),
        **recorded(trace),
        "groups": group_sums(trace, seen),
    }


def group_sums(trace: Trace, seen: Overview) -> list[Facts]:
    """Time by class of the program's threads and of others, by the rows; one of several kinds is `mixed`."""
    lists = seen.lists()
    everywhere = [each for locations in seen.locations for each in locations]
    of = {each: name for name, chosen in groups(trace, everywhere).items() for each in chosen}
    sums: dict[str, Facts] = {}
    for number, locations in enumerate(seen.locations):
        names = {of[each] for each in locations}
        name = names.pop() if len(names) == 1 else "mixed"
        row = sums.setdefault(name, {"group": name, "locations": 0, "class_ns": dict.fromkeys(CLASSES, 0)})
        row["locations"] += len(locations)
        for each in CLASSES:
            row["class_ns"][each] += sum(lists[each][number])
    return [sums[name] for name in (*GROUPS, "mixed") if name in sums]


def lines(trace: Trace, seen: Overview, terminal: Terminal) -> list[str]:
    """The picture, how much was read and written over time, and what the letters stand for."""
    lists = seen.lists()
    all_names = trace.names()
    names = [printable(row_name(trace, all_names, locations)) for locations in seen.locations]
    room = max([*map(len, names), len("written")])
    drawn = [*cut_lines(cut(trace), terminal), _axis(seen, room)]
    for number, name in enumerate(names):
        most = [_most(lists, number, column) for column in range(seen.columns)]
        cells = "".join(_paint(each, terminal, len(list(same))) for each, same in groupby(most))
        drawn.append(f"  {name:<{room}}  {cells}".rstrip())
    drawn += _moved(seen, lists, room, terminal)
    return [*drawn, "", *_legend(group_sums(trace, seen), terminal), *_notes(trace, seen, terminal)]


def _axis(seen: Overview, room: int) -> str:
    begin, end = ends_of_axis(seen.begin_at_ns, seen.end_at_ns, seen.columns)
    column = f"a column is {duration((seen.end_at_ns - seen.begin_at_ns) / seen.columns)}"
    between = seen.columns - len(begin) - len(end)
    middle = f"{column:^{between}}" if between > len(column) + 1 else f" {column} "
    return f"  {'':<{room}}  {begin}{middle}{end}"


def _most(lists: dict[str, list[list[int]]], row: int, column: int) -> str:
    """What most of a cell's time went to; empty where none is known."""
    most, name = max((lists[each][row][column], each) for each in CLASSES)
    return name if most else ""


def _paint(name: str, terminal: Terminal, times: int = 1) -> str:
    if not name:
        return " " * times
    letter, colour = _LOOKS[name]
    return click.style(letter * times, bg=colour, fg="black") if terminal.colour else letter * times


def _moved(seen: Overview, lists: dict[str, list[list[int]]], room: int, terminal: Terminal) -> list[str]:
    drawn = []
    column_s = (seen.end_at_ns - seen.begin_at_ns) / seen.columns / 1e9
    for name in BYTES:
        sums = [sum(row[column] for row in lists[name]) for column in range(seen.columns)]
        if not any(sums):
            continue
        word = name.removeprefix("bytes_")
        most = f"{size(sum(sums))}, at most {size(max(sums) / column_s)}/s"
        drawn.append(f"  {word:<{room}}  {sparkline(sums, terminal.unicode)}")
        drawn.append(f"  {'':<{room}}  {most}")
    return drawn


def _legend(found: list[Facts], terminal: Terminal) -> list[str]:
    """Time by class; a column for each group, as in stats."""
    timed = [group for group in found if any(group["class_ns"].values())]
    rows: list[Sequence[str]] = []
    if len(found) > 1:
        rows.append(("", "", *(text for group in timed for text in (HEADS[group["group"]], ""))))
    shown = [name for name in _LOOKS if any(group["class_ns"][name] for group in timed)]
    for name in shown:
        times = [(group["class_ns"][name], sum(group["class_ns"].values())) for group in timed]
        cells = [(duration(ns), percent(ns / whole)) if ns else (NONE, "") for ns, whole in times]
        rows.append((_LOOKS[name][0], name, *(text for cell in cells for text in cell)))
    drawn = columns(rows, left=frozenset({0, 1}))
    head = drawn[: len(rows) - len(shown)]
    return head + [
        f"  {_paint(name, terminal)}{line[3:]}" for name, line in zip(shown, drawn[len(head) :], strict=True)
    ]


def _notes(trace: Trace, seen: Overview, terminal: Terminal) -> list[str]:
    notes = recorded_lines(recorded(trace), terminal)
    if seen.unread_chunks:
        unread = count(seen.unread_chunks, "damaged chunk")
        notes.append(terminal.warn(f"  {unread} passed over: headrace trace verify says where"))
    return notes
