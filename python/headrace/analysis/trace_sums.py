"""What the events of a trace add up to: `headrace trace stats`."""

from __future__ import annotations

from typing import Any

from headrace.analysis.opened_traces import OpenedTrace
from headrace.analysis.trace_accounts import LEFT_OUT
from headrace.analysis.trace_calls import ALL, Calls
from headrace.analysis.trace_events import UNKNOWN
from headrace.analysis.trace_groups import PROGRAM, add_up, groups

Facts = dict[str, Any]

_SUMS = ("calls", "unfinished", "errors", "bytes", "time_ns", "own_ns")
_OF_FILES = ("calls", "unfinished", "errors", "bytes_read", "bytes_written", "time_ns")


def damage(trace: OpenedTrace) -> list[Facts]:
    return [{"offset": at, "bytes": length, "reason": reason} for at, length, reason in trace.native.damage()]


def stats(
    trace: OpenedTrace,
    locations: list[int],
    begin_at_ns: int,
    end_at_ns: int,
    calls: Calls = ALL,
    by_file: bool = False,
) -> Facts:
    """What the events of these locations add up to, from begin to end, which is the last ns.

    `calls` chooses what is in `functions` and `files`; all else is of all events.
    """
    by_group = {
        name: (chosen, trace.native.stats(chosen, begin_at_ns, end_at_ns, calls, by_file))
        for name, chosen in groups(trace, locations).items()
    }
    sums = [each for _, each in by_group.values()] or [trace.native.stats([])]
    # What others do, most of which is to wait, would hide what the program's own threads do.
    own = [by_group[name][1] for name in PROGRAM if name in by_group] or sums
    rows = [trace.locations[each] for each in locations]
    events = sum(each["events"] for each in sums)
    headers = sum(row["events"] for row in rows)
    whole = begin_at_ns == 0 and end_at_ns == UNKNOWN
    every = events if whole and len(rows) == len(trace.locations) else _events(trace)
    return {
        "trace": trace.path,
        "events": events,
        "bytes": trace.native.size,
        "bytes_per_event": trace.native.size / every if every else None,
        "locations": len(rows),
        "lost_chunks": sum(row["lost_chunks"] for row in rows) + trace.native.damaged_chunks,
        **cut(trace),
        "lost_calls": sum(row["lost"] for row in rows),
        "lost_events": sum(row["missing"] for row in rows) + (headers - events) * whole,
        **recorded(trace),
        "chosen": None if calls.everything else calls.facts(),
        "kinds": add_up([each["kinds"] for each in sums]),
        "class_ns": add_up([each["class_ns"] for each in own]),
        "traffic": add_up([each["traffic"] for each in sums]),
        "functions": functions([span for each in sums for span in each["spans"].rows()]),
        **({"files": files([row for each in sums for row in each["files"].rows()])} if by_file else {}),
        "groups": [
            {
                "group": name,
                "locations": len(chosen),
                "events": each["events"],
                "class_ns": each["class_ns"],
                "functions": functions(each["spans"].rows()),
                **({"files": files(each["files"].rows())} if by_file else {}),
            }
            for name, (chosen, each) in by_group.items()
        ],
        "damage": damage(trace),
    }


def cut(trace: OpenedTrace) -> Facts:
    """`lost_calls`: that could not be recorded; `cut`: why, and the remedy. Null: none, or not known."""
    lost = sum(row["lost"] for row in trace.locations)
    return {"lost_calls": lost, "cut": trace.facts.get("cut") if lost else None}


def recorded(trace: OpenedTrace) -> Facts:
    """Whether something was left out: `filter`, the settings (null: none); `left_out`, how much by why."""
    accounts = trace.native.accounts()
    left_out = {what: accounts[what] for what in LEFT_OUT if accounts.get(what)}
    return {"filter": trace.facts.get("filter"), "left_out": left_out}


def _events(trace: OpenedTrace) -> int:
    return sum(row["events"] for row in trace.locations)


def functions(spans: list[Facts]) -> list[Facts]:
    """One row a function or region, by time; one that reads and does other things has several spans."""
    merged: dict[tuple[str, str, str], Facts] = {}
    for span in sorted(spans, key=lambda span: -span["time_ns"]):
        key = (span["kind"], span["layer"], span["name"])
        row = merged.setdefault(key, {**span, **dict.fromkeys(_SUMS, 0)})
        for name in _SUMS:
            row[name] += span[name]
        row["longest_ns"] = max(row["longest_ns"], span["longest_ns"])
    return sorted(merged.values(), key=lambda row: (-row["time_ns"], row["layer"], row["name"]))


def files(rows: list[Facts]) -> list[Facts]:
    """One row a path (null: not known) and layer, by time."""
    merged: dict[tuple[str | None, str], Facts] = {}
    for row in rows:
        path = row["path"] or None
        sums = merged.setdefault((path, row["layer"]), {**row, "path": path, **dict.fromkeys(_OF_FILES, 0)})
        for name in _OF_FILES:
            sums[name] += row[name]
        sums["longest_ns"] = max(sums["longest_ns"], row["longest_ns"])
    return sorted(merged.values(), key=lambda row: (-row["time_ns"], row["path"] or "", row["layer"]))
