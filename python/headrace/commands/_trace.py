"""What `headrace trace` prints of figures and checks."""

from __future__ import annotations

import json
from typing import Any

from headrace.analysis.trace_accounts import left_out
from headrace.analysis.trace_check import Check
from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, clip, duration, printable, shorten_right
from headrace.commands._trace_clocks import clock_lines
from headrace.commands._unfinished import unfinished_lines
from headrace.text import count, size

Facts = dict[str, Any]

_PLACES = 20  # damaged ones
# Of groups of locations (analysis/trace_groups.py), over columns.
HEADS = {"main": "main", "threads": "others", "mpi_threads": "of MPI", "no_rank": "no rank", "mixed": "mixed"}
_REGIONS = {
    "cut": ("region", "ended with an outer one: the program did not leave them by themselves"),
    "stray": ("end", "of regions that were not open: passed over"),
    "value": ("value", "of counters that are no numbers: left out"),
}


def info_lines(facts: Facts, terminal: Terminal) -> list[str]:
    rows = [("trace", printable(facts["trace"]))]
    if facts["command"]:
        rows.append(("command", shorten_right(printable(_command(facts["command"])), 100)))
    if facts["begin_at_ns"] is not None:
        span = facts["end_at_ns"] - facts["begin_at_ns"]
        begin = duration(facts["begin_at_ns"])
        rows.append(("time", f"{duration(span)}, from {begin} to {duration(facts['end_at_ns'])} of the job"))
    rows.append(("locations", _locations(facts)))
    rows.append(("events", f"{facts['events']:,} in {count(facts['chunks'], 'chunk')}"))
    each = facts["bytes_per_event"]
    rows.append(("bytes", size(facts["bytes"]) + ("" if each is None else f", {each:.2f} an event")))
    if facts["tick_ns"]:
        rows.append(("tick", f"{facts['tick_ns']} ns"))
    if facts["filter"]:
        rows.append(("filter", shorten_right(printable(facts["filter"]), 200)))
    if facts["flushes_alone"]:
        rows.append(("flushes", f"not synchronized: {printable(facts['flushes_alone'])}"))
    lines = columns(rows, left=frozenset({0, 1}))
    return (
        cut_lines(facts, terminal)
        + unfinished_lines(facts["unfinished"], terminal)
        + [clip(line, terminal.columns) for line in lines]
        + clock_lines(facts["clocks"], terminal)
        + _unmatched(facts, terminal)
        + _accounts(facts, terminal)
        + loss_lines(facts, terminal)
    )


def location_lines(rows: list[Facts], terminal: Terminal) -> list[str]:
    table = [("location", "process", "pid", "host", "command", "events", "lost", "from", "until")]
    for row in rows:
        lost = row["lost"] + row["missing"]
        times = [NONE if row[key] is None else duration(row[key]) for key in ("begin_at_ns", "end_at_ns")]
        called = " ".join(row[key] for key in ("command", "thread_name") if row[key])
        host, command = printable(row["host"]) or NONE, printable(called) or NONE
        name = (printable(row["name"]), row["process"], str(row["pid"]), host, command)
        table.append((*name, f"{row['events']:,}", f"{lost:,}" if lost else NONE, times[0], times[1]))
    head, *lines = columns(table, left=frozenset({0, 1, 3, 4}))
    return [clip(line, terminal.columns) for line in (terminal.dim(head), *lines)]


def _unmatched(facts: Facts, terminal: Terminal) -> list[str]:
    """Settings that recorded nothing, or left nothing out."""
    if not facts["unmatched"]:
        return []
    told = "; ".join(map(printable, facts["unmatched"]))
    text = f"Settings that nothing matched: {told}."
    return [terminal.warn(line) for line in terminal.wrap(text, "  ", "    ")]


def _command(text: str) -> str:
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return " ".join(map(str, words)) if isinstance(words, list) else text


def _locations(facts: Facts) -> str:
    text = f"{count(facts['locations'], 'thread')} of {count(facts['processes'], 'process', 'processes')}"
    if facts["hosts"]:
        text += f" on {count(facts['hosts'], 'host')}"
    return text + (f"; ranks {facts['rank_list']}" if facts["rank_list"] else "")


def recorded_lines(facts: Facts, terminal: Terminal) -> list[str]:
    """Where something was left out by settings: that sums and pictures are not of everything."""
    reasons = left_out(facts["left_out"])
    if not facts["filter"] and not reasons:
        return []
    asked = shorten_right(printable(facts["filter"]), 200) if facts["filter"] else "no setting says so"
    text = f"Not everything was recorded ({asked}). Left out: {'; '.join(reasons) or 'nothing'}."
    return [terminal.warn(line) for line in terminal.wrap(text, "  ", "    ")]


def _accounts(facts: Facts, terminal: Terminal) -> list[str]:
    """What filters left out, and what did not fit together."""
    accounts: dict[str, int] = facts["accounts"]
    reasons = left_out(accounts)
    texts = [f"Left out: {'; '.join(reasons)}."] if reasons else []
    texts += [
        f"{count(accounts[what], thing)} {why}."
        for what, (thing, why) in _REGIONS.items()
        if accounts.get(what)
    ]
    return [line for text in texts for line in terminal.wrap(text, "  ", "    ")]


def cut_lines(facts: Facts, terminal: Terminal) -> list[str]:
    """What stands first of a trace that does not have all: how much is missing, why, and the remedy."""
    lines = terminal.wrap(cut_text(facts), "", "  ") if facts["lost_calls"] else []
    return [terminal.warn(line) for line in lines]


def cut_text(facts: Facts) -> str:
    lost = facts["lost_calls"]
    missing = f"Incomplete: {count(lost, 'call')} {'is' if lost == 1 else 'are'} missing"
    return (
        f"{missing} because {printable(facts['cut'])}"
        if facts["cut"]
        else f"{missing}; headrace show says why"
    )


def loss_lines(facts: Facts, terminal: Terminal) -> list[str]:
    lines = []
    waiting = facts.get("waiting_files", [])
    if waiting:
        named = f"{len(waiting):,} of them" if len(waiting) > 1 else printable(waiting[0])
        lines.append(
            f"Not complete yet: events of a node are in a file on its local storage ({named}) until all that "
            "writes it has ended. The job still runs, or was killed: then headrace collect copies it."
        )
    if facts["lost_events"] or facts["lost_chunks"]:
        lost = f"{count(facts['lost_events'], 'event')} and {count(facts['lost_chunks'], 'chunk')}"
        lines.append(f"{'Not here' if waiting else 'Lost'}: {lost} that were recorded.")
    if facts.get("damaged_chunks"):
        lines.append(f"Damaged: {count(facts['damaged_chunks'], 'chunk')} of events.")
    elif facts.get("damaged_chunks", 0) is None:
        lines.append("Whether chunks are damaged, headrace trace verify tells: it reads all of them.")
    places = damage_lines(facts["damage"], terminal)
    if facts.get("no_room") and (lines or places or not facts["closed"]):
        lines.append(f"It goes no further, since {printable(facts['no_room'])}")
    elif not facts.get("closed", True):
        lines.append(
            "The writer did not close the file: it was killed, the disk is full, it is still at work, "
            "or the file was cut."
        )
    for part in facts.get("first_parts", []):
        path, rest = printable(part), printable(facts["trace"])
        lines.append(f"What came first is in {path}: headrace trace unify -o FILE {path} {rest} joins them")
    return [terminal.warn(line) for text in lines for line in terminal.wrap(text, "  ", "    ")] + places


def damage_lines(damage: list[Facts], terminal: Terminal) -> list[str]:
    """Where it is; the reason tells whose, and of several files in which."""
    texts = [
        f"Damaged at byte {place['offset']:,}, {place['bytes']:,} bytes: {printable(place['reason'])}"
        if place["bytes"]
        else printable(place["reason"])  # of a whole file
        for place in damage
    ]
    if len(texts) > _PLACES:
        texts[_PLACES:] = [f"and {len(texts) - _PLACES:,} more places: --json has all"]
    return [terminal.warn(line) for text in texts for line in terminal.wrap(text, "  ", "    ")]


def check_lines(checks: list[Check], terminal: Terminal) -> list[str]:
    lines = []
    for check in checks:
        word, paint = {
            True: ("holds", terminal.good),
            False: ("fails", terminal.bad),
            None: ("open", terminal.warn),
        }[check.holds]
        indent = " " * 18
        first, *more = terminal.wrap(printable(check.says), indent)
        lines += [f"{paint(f'{word:<7}')} {check.name:<9} {first.removeprefix(indent)}", *more]
    return lines
