"""How evenly the devices are used (Figure 7 of the paper), and when they could do something else."""

from __future__ import annotations

import bisect
from typing import Any

from headrace.study.distribution import share_below
from headrace.study.figure import Figure, Finding
from headrace.study.figures.throughput import NO_SAMPLES
from headrace.study.query import Connection, data, rows
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import percent, rate
from headrace.text import count, significant

_STEPS = 200
_THIRD = 0.33  # of the peak: what the paper says of Intrepid
_WINDOWS = 20


def _moved(connection: Connection) -> list[tuple[int, int]]:
    found = rows(
        connection,
        "SELECT bin, bytes_read + bytes_written AS moved FROM study_intervals WHERE counted ORDER BY bin",
    )
    return [(row["bin"], row["moved"]) for row in found]


def burstiness(connection: Connection, _: Settings, scope: Scope) -> Figure:
    ordered = sorted(moved for _, moved in _moved(connection))
    peak = ordered[-1] if ordered else 0
    records = []
    if peak:
        shares = [step / _STEPS for step in range(1, _STEPS + 1)]
        records = [{"share_of_peak": each, "share_of_time": _up_to(ordered, each * peak)} for each in shares]
    figure = Figure(
        "burstiness",
        "How long the devices are how busy",
        "lines",
        data(records, "share_of_peak real, share_of_time real"),
        f"Share of the intervals of {scope.intervals.seconds} s in which all devices together read and wrote"
        " at"
        " most this share of what they did in the busiest one.",
        f"{count(len(ordered), 'interval')} of the period with samples, over which longer samples are spread;"
        f" {scope.intervals.left_out()}.",
        encoding={"x": "share_of_peak", "y": "share_of_time"},
        units={"share_of_peak": "share", "share_of_time": "share"},
        titles={"share_of_peak": "of the peak throughput", "share_of_time": "of the time"},
        options={"step": True},
        paper="Figure 7",
        missing="" if peak else "The devices moved nothing." if ordered else NO_SAMPLES,
    )
    if peak:
        below = share_below(ordered, _THIRD * peak)
        top = rate(peak / scope.intervals.seconds)
        part = f"{percent(_THIRD)} of their peak of {top}"
        words = f"For {percent(below)} of the time the devices were below {part}."
        figure.words = [words, f"The mean was {rate(sum(ordered) / len(ordered) / scope.intervals.seconds)}."]
        figure.numbers = {"share of time below 33 % of peak": below}
        figure.findings = [Finding(words, "burstiness", 0.9)]
    return figure


def _up_to(ordered: list[int], limit: float) -> float:
    return bisect.bisect_right(ordered, limit) / len(ordered) if limit < ordered[-1] else 1.0


def idle(connection: Connection, settings: Settings, scope: Scope) -> Figure:
    moved = _moved(connection)
    peak = max((each for _, each in moved), default=0)
    windows = _windows(moved, settings.threshold * peak, scope) if peak else []
    windows.sort(key=lambda window: (-window["hours"], window["start"]))
    figure = Figure(
        "idle",
        "Longest quiet times",
        "table",
        data(windows[:_WINDOWS], "start time, end time, hours real, mean_bytes_per_s real"),
        f"Spans in which all devices together stayed below {percent(settings.threshold)} of the peak in"
        f" every interval of {scope.intervals.seconds} s. A time without samples ends a span.",
        f"The {min(len(windows), _WINDOWS)} longest of {count(len(windows), 'span')}.",
        units={"mean_bytes_per_s": "bytes/s"},
        titles={"mean_bytes_per_s": "mean throughput"},
        paper="Section IV",
        missing="" if windows else "There is no such time." if moved else NO_SAMPLES,
    )
    if windows:
        share = sum(each["hours"] for each in windows) * 3600 / (len(moved) * scope.intervals.seconds)
        longest = windows[0]["hours"]
        below = f"below {percent(settings.threshold)} of their peak for {percent(share)} of the time"
        figure.words = [f"The devices are {below}; the longest such span lasts {significant(longest)} hours."]
        figure.numbers = {"share of time idle": share}
    return figure


def _windows(moved: list[tuple[int, int]], limit: float, scope: Scope) -> list[dict[str, Any]]:
    windows: list[list[int]] = []  # first interval, the one after the last, bytes
    for number, amount in moved:
        if amount >= limit:
            continue
        if windows and windows[-1][1] == number:
            windows[-1][1] += 1
            windows[-1][2] += amount
        else:
            windows.append([number, number + 1, amount])
    return [
        {
            "start": scope.intervals.begin(first),
            "end": scope.intervals.begin(last),
            "hours": (last - first) * scope.intervals.seconds / 3600,
            "mean_bytes_per_s": amount / ((last - first) * scope.intervals.seconds),
        }
        for first, last, amount in windows
    ]
