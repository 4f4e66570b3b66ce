"""Phases that were detected, in sentences: those of the terminal and of the page."""

from __future__ import annotations

from typing import Any

from headrace.commands._phase_words import plural
from headrace.commands._text import duration, number, percent, printable
from headrace.text import count, size

Facts = dict[str, Any]

_WHY_NOT = {
    "nothing": "no file was read or written as far as the log tells it over time",
    "short": "the run was too short for that",
    "continuous": "files are read and written most of the time, without clear breaks",
    "coarse": "breaks are about as short as a bin",
    "irregular": "there are short ones at irregular times, as chance makes them",
}
_OF = {
    "bytes": "bytes read and written",
    "bytes_written": "bytes written",
    "bytes_read": "bytes read",
    "operations": "operations",
}


def heading(explained: Facts) -> str:
    name = printable(explained["phase"])
    return f"{name}, instance {explained['instance']}" if explained["instance"] else f"{name}, all instances"


def how(detected: Facts, who: str) -> list[str]:
    """What the phases were told from, how exactly, or why there are none."""
    width = f"in bins of {duration(detected['width_ns'])}" if detected["width_ns"] else ""
    own = _of_mpi_files(detected)
    if not detected["phases"]:
        nothing = f"Nothing is detected in bytes over time {width}".rstrip()
        words = [f"{nothing}: {_WHY_NOT[detected['why_not']]}.", *own]
        each = detected["each_rank"]
        if each:
            period = f", one every {duration(each['period_ns'])}" if each["period_ns"] else ""
            words.append(
                f"Single {plural(who)} have bursts, at other times than others: "
                f"{number(each['with_bursts'])} of {number(each['looked_at'])} that were looked at, "
                f"with {number(each['bursts'])} of about {size(each['bytes'])} each as a rule{period}."
            )
        return words
    part = detected["part_of_bytes"]
    return [
        f"Detected from {_OF[detected['of']]} over time, {width}: the program marks no phases. "
        "Times are right to one bin" + (f"; {percent(part)} of all bytes are in these." if part else "."),
        *own,
    ]


def _of_mpi_files(detected: Facts) -> list[str]:
    own = detected["mpi_files"]
    if not own:
        return []
    return [
        f"Left out: {size(own['bytes'])} in {count(own['bursts'], 'burst')} after "
        f"{duration(own['begin_at_ns'])}, mostly of the MPI library's own files (`headrace show` has them)."
    ]


def numbers(who_took_part: str, who: str) -> str:
    """Of processes it is said that the numbers are pids."""
    if who == "rank":
        return who_took_part
    return f"{'pid' if who_took_part.isdecimal() else 'pids'} {who_took_part}"


def about(phase: Facts) -> str:
    """One line on a detected phase."""
    words = f"{count(phase['instances'], 'instance')}"
    if phase["period_ns"]:
        words += f", one every {duration(phase['period_ns'])}"
    elif phase["instances"] > 2:
        words += " at irregular times"
    return f"{words}; {moved(phase, phase['instances'])}{' each' if phase['instances'] > 1 else ''}"


def moved(figures: Facts, parts: float = 1) -> str:
    """Bytes, or operations where there are none; of one of so many equal parts."""
    texts = [
        f"{size(figures[key] / parts)} {word}"
        for key, word in (("bytes_read", "read"), ("bytes_written", "written"))
        if figures[key] / parts >= 0.5
    ]
    return ", ".join(texts) or count(round(figures["operations"] / parts), "operation")


def groups(explained: Facts, who: str) -> list[str]:
    words = []
    has_bytes = any(group["bytes_read"] + group["bytes_written"] for group in explained["groups"])
    for group in explained["groups"]:
        like = f", like {printable(group['medoid'])}" if group["medoid"] and group["ranks"] > 1 else ""
        text = f"{count(group['ranks'], who, plural(who))} ({numbers(group['who'], who)}){like}: "
        is_still = has_bytes and group["bytes_read"] + group["bytes_written"] < 0.5
        each = " each" if group["ranks"] > 1 else ""
        words.append(text + ("no bytes of files." if is_still else f"{moved(group)}{each}."))
    outliers = explained["outliers"]
    if outliers:
        names = ", ".join(map(printable, outliers[:8])) + (", …" if len(outliers) > 8 else "")
        words.append(f"Like no other: {names}.")
    return words
