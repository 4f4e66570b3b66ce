"""The head of `headrace diff`: which runs, in what they are unequal, and the change in a sentence."""

from __future__ import annotations

from typing import Any

from headrace.analysis.unequal import run_names
from headrace.commands._show_header import moment
from headrace.commands._signed import against
from headrace.commands._terminal import Terminal
from headrace.commands._text import duration, printable, shorten_right

Facts = dict[str, Any]


def header_lines(facts: Facts, terminal: Terminal) -> list[str]:
    runs = [run for side in facts["sides"] for run in side["runs"]]
    names = run_names([len(side["runs"]) for side in facts["sides"]])
    commands = [_command(run) for run in runs]
    alike = len(set(commands)) == 1
    lines = [terminal.bold(shorten_right(commands[0], terminal.columns))] if alike else []
    for number, (name, run) in enumerate(zip(names, runs, strict=True)):
        job = run["job"]
        place = [printable(run["log"]["path"])]
        if not alike and (number == 0 or commands[number] != commands[number - 1]):
            lines += [terminal.bold(line) for line in terminal.wrap(commands[number])]
        place += [f"on {printable(job['host'])}"] if job["host"] else []
        place += [moment(job["start_utc_ns"])] if isinstance(job["start_utc_ns"], int) else []
        place.append(f"ran {duration(job['run_ns'])}")
        lines += terminal.wrap(", ".join(place), f"  {name}  ", "     ")
    for row in facts["unequal"]:
        lines += [terminal.warn(line) for line in terminal.wrap(f"! {printable(row['text'])}", "  ", "    ")]
    if facts["same"]:
        return [*lines, "", "No difference: times, calls, bytes, sizes and files are the same."]
    for side in range(1, len(facts["sides"])):
        lines += terminal.wrap(_sentence(facts, side), "  ", "    ")
    return lines


def _command(run: Facts) -> str:
    command = run["job"]["command"]
    words = command if isinstance(command, list) else [str(command or "")]
    return " ".join(map(printable, words)) or "command not known"


def _sentence(facts: Facts, place: int) -> str:
    """What a side took more or less than the first one, and what explains most of it."""
    first, name = facts["sides"][0]["name"], facts["sides"][place]["name"]
    rows = {row["key"]: row for row in facts["totals"]}
    run, io = rows["run_ns"], rows["io_ns"]
    text = f"{name} ran {_more(run, place, first)}; its I/O took {_more(io, place, '')}"
    if run["changes"][place]["beyond_spread"] is False:
        text = f"{name} ran {_more(run, place, first)}, but ranges overlap: that may be chance"
        text += f". Its I/O took {_more(io, place, '')}"
    moved = io["changes"][place]["amount"]
    parts = {
        part: rows[f"{part}.time_ns"]["changes"][place]["amount"] for part in ("read", "write", "metadata")
    }
    helping = {part: amount for part, amount in parts.items() if amount * moved > 0}
    if moved and helping:
        part = max(helping, key=lambda each: abs(helping[each]))
        text += f", most of it in {_PARTS[part]}"
    return text + "."


_PARTS = {"read": "reading", "write": "writing", "metadata": "metadata calls"}


def _more(row: Facts, place: int, than: str) -> str:
    moved = row["changes"][place]["amount"]
    than = f" than {than}" if than else ""
    if moved == 0:
        return f"as long{than.replace(' than', ' as')}"
    word = "longer" if moved > 0 and than else "more" if moved > 0 else "shorter" if than else "less"
    share = against(row["values"][0], row["values"][place])
    return f"{duration(abs(moved))} {word}{than}" + (f" ({share})" if share else "")
