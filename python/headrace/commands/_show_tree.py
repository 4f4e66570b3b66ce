"""The process tree of `headrace show`."""

from __future__ import annotations

from typing import Any

from headrace.analysis.processes import exec_links
from headrace.analysis.recorded import added
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, duration, number, printable, shorten_right, width
from headrace.text import count, size

Facts = dict[str, Any]

MOST_PROCESSES = 20


def process_lines(facts: Facts, terminal: Terminal) -> list[str]:
    images = facts["processes"]
    if not images:
        return []
    links = exec_links(images)
    # Without an exec each image is a process, and of many only those that are shown are looked at.
    processes = _without_execs(images if links else images[:MOST_PROCESSES], links)
    in_all = len(processes) if links else facts["job"]["processes"]
    heading: tuple[str, ...] = ("pid", "ran", "I/O", "read", "written", "ended")
    shown = processes[:MOST_PROCESSES]
    cells = [_figures(process) for process in shown]
    widths = [max(width(row[place]) for row in [heading, *cells]) for place in range(len(heading))]
    room = None if terminal.columns is None else max(20, terminal.columns - 2 - sum(widths) - 2 * len(widths))

    def line(figures: tuple[str, ...], name: str) -> str:
        return "  " + "".join(f"{cell:>{widths[place]}}  " for place, cell in enumerate(figures)) + name

    lines = [terminal.bold("Processes"), terminal.dim(line(heading, "command"))]
    for process, figures in zip(shown, cells, strict=True):
        lines.append(line(figures, shorten_right(_name(process, terminal), room)))
    more = in_all - len(shown)
    if more > 0:
        lines.append(terminal.dim(f"  … and {number(more)} more: --by process ranks them, --json has all"))
    return lines


def _without_execs(images: list[Facts], links: Facts) -> list[Facts]:
    """An entry a process: what exec made of it, with the figures of all its images; parents come first."""
    entries: dict[str, Facts] = {}
    owner: dict[str, Facts] = {}
    for image in images:
        entry = owner.get(links.get(image["process"], ""))
        if entry is None:
            entry = entries[image["process"]] = {
                **image,
                "execs": 0,
                "missing": 0,
                "io_known": image["captured"],
            }
            above = owner.get(image["parent"] or "")
            entry["depth"] = above["depth"] + 1 if above else 0
        else:
            _add_image(entry, image)
        entry["missing"] += not image["captured"]
        owner[image["process"]] = entry
    return list(entries.values())


def _add_image(entry: Facts, image: Facts) -> None:
    for key in ("run_ns", "io_ns", "bytes_read", "bytes_written"):
        entry[key] = added((entry[key], image[key]))
    for key in (
        "arguments",
        "executable",
        "run_at_least",
        "ended",
        "exit_status",
        "captured",
        "reason",
        "rank",
    ):
        entry[key] = image[key]
    entry["execs"] += 1
    entry["io_known"] |= image["captured"]


def _figures(process: Facts) -> tuple[str, ...]:
    pid = NONE if process["pid"] is None else str(process["pid"])
    head = (pid, ("≥ " if process["run_at_least"] else "") + duration(process["run_ns"]))
    if not process["io_known"] or process["io_ns"] is None:
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
    name = branch + rank + " ".join(words)
    if process["execs"]:
        name += f" (after {count(process['execs'], 'exec')})"
    if process["missing"] == 0:
        return name
    part = count(process["missing"], "image") + " of it " if process["captured"] else ""
    return f"{name} ({part}not captured" + (f": {printable(process['reason'])})" if not part else ")")
