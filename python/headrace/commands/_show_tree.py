"""The process tree of `headrace show`."""

from __future__ import annotations

from typing import Any

from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, duration, number, printable, shorten_right, size, width

Facts = dict[str, Any]

_MOST = 20


def process_lines(facts: Facts, terminal: Terminal) -> list[str]:
    processes = facts["processes"]
    if not processes:
        return []
    heading: tuple[str, ...] = ("pid", "ran", "I/O", "read", "written", "ended")
    shown = processes[:_MOST]
    cells = [_figures(process) for process in shown]
    widths = [max(width(row[place]) for row in [heading, *cells]) for place in range(len(heading))]
    room = None if terminal.columns is None else max(20, terminal.columns - 2 - sum(widths) - 2 * len(widths))

    def line(figures: tuple[str, ...], name: str) -> str:
        return "  " + "".join(f"{cell:>{widths[place]}}  " for place, cell in enumerate(figures)) + name

    lines = [terminal.bold("Processes"), terminal.dim(line(heading, "command"))]
    for process, figures in zip(shown, cells, strict=True):
        lines.append(line(figures, shorten_right(_name(process, terminal), room)))
    more = len(processes) - len(shown)
    if more > 0:
        lines.append(terminal.dim(f"  … and {number(more)} more: --by process ranks them, --json has all"))
    return lines


def _figures(process: Facts) -> tuple[str, ...]:
    head = (str(process["pid"]), duration(process["run_ns"]))
    if not process["captured"]:
        return (*head, NONE, NONE, NONE, _ended(process))
    moved = (size(process["bytes_read"]), size(process["bytes_written"]))
    return (*head, duration(process["io_ns"]), *moved, _ended(process))


def _ended(process: Facts) -> str:
    ended, status = process["ended"], process["exit_status"]
    if ended == "exit":
        return f"exit {status}" if status >= 0 else "exit"
    if ended == "killed" and status > 128:
        return f"signal {status - 128}"
    return printable(ended or "unknown")


def _name(process: Facts, terminal: Terminal) -> str:
    depth = min(process["depth"], 12)
    branch = ("   " * (depth - 1) + ("└─ " if terminal.unicode else "`- ")) if depth else ""
    words = [printable(word) for word in process["arguments"] or [process["executable"]]]
    if words and "/" in words[0]:
        words[0] = words[0].rpartition("/")[2] or words[0]
    if len(words) > 1 and sum(len(word) for word in words) > 200:
        words = [words[0], " ".join(words[1:])[:200] + "…"]
    rank = f"[{process['rank']}] " if process["rank"] >= 0 else ""
    missing = "" if process["captured"] else f" (not captured: {printable(process['reason'])})"
    return branch + rank + " ".join(words) + missing
