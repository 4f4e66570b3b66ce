"""The head of `headrace show`: what ran, and whether the log has all of it."""

from __future__ import annotations

import time
from typing import Any

from headrace.commands._show_gaps import losses_in_short
from headrace.commands._terminal import Terminal
from headrace.commands._text import duration, printable, shorten_right
from headrace.commands._unfinished import unfinished_lines
from headrace.text import count, size

Facts = dict[str, Any]


def header_lines(facts: Facts, terminal: Terminal) -> list[str]:
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
    if job.get("scheduler_job"):
        place.append(f"{printable(str(job['scheduler']))} job {printable(str(job['scheduler_job']))}")
    if isinstance(job["start_utc_ns"], int):
        place.append(moment(job["start_utc_ns"]))
    # A damaged log without a process left has lost its end: how long the job ran is lost with it.
    lost = facts["damage"] and not job["run_ns"]
    least = "at least " if job["run_at_least"] else ""
    place.append("run time not known" if lost else f"ran {least}{duration(job['run_ns'])}")
    lines += terminal.wrap(", ".join(place), "  ")
    lines += terminal.wrap(", ".join(_what_ran(facts)), "  ")
    if job.get("emulate"):  # figures of another machine are not to be taken for this one's
        emulated = f"on an EMULATED file system: {printable(str(job['emulate']))}"
        lines += [terminal.warn(line) for line in terminal.wrap(emulated, "  ")]
    text, bad = _completeness(facts)
    paint = terminal.bad if bad else terminal.warn if text != "log complete" else str
    lines += [paint(line) for line in terminal.wrap(text, "  ")]
    lines += unfinished_lines(facts.get("unfinished", []), terminal)
    if facts["log"].get("trace"):
        lines.append(f"  with an event trace: headrace trace overview {printable(facts['log']['trace'])}")
    if facts["selected_processes"]:
        images = len(facts["selected_processes"])
        lines.append(
            f"  Figures below are of {images} selected process image{'s' if images > 1 else ''} alone."
        )
    return lines


def _what_ran(facts: Facts) -> list[str]:
    job, damaged = facts["job"], bool(facts["damage"])
    text = count(job["process_ids"], "process", "processes")
    if job["processes"] != job["process_ids"]:
        text += f", {count(job['processes'], 'program image')}"
    if damaged:
        text = f"at least {text}" if job["processes"] else "processes not known"
    status = job["exit_status"]
    if status is None:
        return [text, "exit status not known"]
    return [text, ("last known " if damaged else "") + f"exit status {printable(str(status))}"]


def _completeness(facts: Facts) -> tuple[str, bool]:
    """What can be said of the log as a whole, and whether that is bad news."""
    job, log = facts["job"], facts["log"]
    if facts["damage"]:
        places = count(log["damaged_places"], "place")
        end = "" if log["closed"] else ", and its end may be missing"
        return f"log DAMAGED ({size(log['damaged_bytes'])} at {places}{end}): figures are incomplete", True
    complete = job["complete"]
    if complete == "yes":
        losses = losses_in_short(facts)
        return "log complete" + (f", but not captured: {losses}" if losses else ""), False
    if not complete:
        return "log perhaps not complete: nobody says that it is", False
    text = f"log not complete: {printable(str(complete).removeprefix('no: '))}"
    if "still running" in text:
        # `headrace run` leaves somebody behind who waits for them; `headrace collect` does not.
        again = "it completes by itself when they end; show it again then"
        text += "; " + (again if job["command"] else "collect again when they end")
    if not log["closed"] and "not closed" not in text:
        text += "; its writer did not finish it"
    return text, False


def moment(utc_ns: int) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(utc_ns / 1e9))
    except (ValueError, OverflowError, OSError):
        return "at an impossible time"
