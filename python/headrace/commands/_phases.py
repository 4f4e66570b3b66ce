"""Phases in the terminal."""

from __future__ import annotations

from typing import Any

from headrace.commands._clusters import cluster_lines
from headrace.commands._phase_words import heading, plural, verdicts, why
from headrace.commands._terminal import Terminal
from headrace.commands._text import duration, number, percent, printable, sparkline
from headrace.text import count, size

Facts = dict[str, Any]

_MOST_PHASES = 20


def render(facts: Facts, out: Terminal) -> list[str]:
    who = "rank" if facts["ranks"] else "process"
    lines = [f"{printable(facts['log'])}: {count(facts['members'], who, plural(who))}"]
    if facts["in_phases"] < facts["members"]:
        lines[0] += f", of which {number(facts['in_phases'])} were in phases"
    lines += stood_for_lines(facts, who, out)
    for phase in facts["phases"][:_MOST_PHASES]:
        lines += _phase(phase, who, out)
    if len(facts["phases"]) > _MOST_PHASES:
        lines.append(f"and {len(facts['phases']) - _MOST_PHASES} more phases (--json has them)")
    if facts["clusters"]:
        lines += ["", *cluster_lines(facts["clusters"], out)]
    return [*lines, "", *explanation(facts["explained"], who, out)]


def stood_for_lines(facts: Facts, who: str, out: Terminal) -> list[str]:
    return [line for sentence in stood_for(facts, who) for line in out.wrap(sentence, "  ")]


def stood_for(facts: Facts, who: str) -> list[str]:
    """A sentence on members that are in no figure of single ones, if there are any."""
    if not facts.get("stood_for"):
        return []
    are = "is" if facts["stood_for"] == 1 else "are"
    return [
        f"{count(facts['stood_for'], who, plural(who))} more {are} stood for by these: in sums of bytes and "
        "time, and not in what is said of single ones."
    ]


def _phase(phase: Facts, who: str, out: Terminal) -> list[str]:
    times, longest = phase["time_ns"], phase["longest"]
    first = f"{out.bold(printable(phase['phase']))}  {count(phase['instances'], 'instance')}"
    if phase["least_instances"] != phase["instances"]:
        first += f" (some {plural(who)} {number(phase['least_instances'])})"
    first += f", {duration(times['mean'])} each on average, longest {duration(longest['time_ns'])} "
    of = f", instance {number(longest['instance'])}" if longest["instance"] else ""
    first += f"({printable(longest['member'])}{of})"
    moved = [
        f"{size(phase[key])} {word}"
        for key, word in (
            ("bytes_read", "read"),
            ("bytes_written", "written"),
            ("message_bytes", "in messages"),
        )
        if phase[key]
    ]
    spent = phase["spent_ns"]
    shares = [
        f"{percent(min(1.0, phase[key] / spent))} {word}"
        for key, word in (
            ("read_ns", "reading"),
            ("write_ns", "writing"),
            ("meta_ns", "other calls"),
            ("message_ns", "MPI"),
        )
        if spent and phase[key]
    ]
    lines = [first, *out.wrap("; ".join(filter(None, [", ".join(moved), ", ".join(shares)])), "    ")]
    each = phase["each"]
    if len(each) > 2:
        shown = each[-out.graph_columns :]
        graph = sparkline([one["time_ns"]["most"] for one in shown], out.unicode)
        lines.append(f"    longest by instance {shown[0]['instance']}…{shown[-1]['instance']}  {graph}")
    if phase["cut"]:
        lines += out.wrap(
            f"{count(phase['cut'], 'instance')} did not end by their own end (left open)", "    "
        )
    if phase["missing"]:
        lines += out.wrap(f"{count(phase['missing'], who, plural(who))} never were in it", "    ")
    return lines


def comparison(compared: Facts, out: Terminal) -> list[str]:
    """Whether a phase takes another time in another run."""
    lines = [out.bold(f"{printable(compared['phase'])}: longest time of a rank, instance by instance")]
    for run in compared["runs"]:
        times = run["longest_ns"]
        spread = f"{duration(min(times))} to {duration(max(times))}"
        what = f"median {duration(run['median_ns'])} of {number(len(times))} ({spread})"
        lines.append(f"  {printable(run['log'])}: {what}  {_histogram(compared, times, out)}")
    for verdict in verdicts(compared):
        lines += out.wrap(verdict, "  ", "    ")
    return lines


def _histogram(compared: Facts, times: list[float], out: Terminal) -> str:
    """One character a span of time, the same for all runs."""
    everything = [time for run in compared["runs"] for time in run["longest_ns"]]
    low, high = min(everything), max(everything)
    counts = [0.0] * 24
    for time in times:
        counts[min(23, int((time - low) / max(1, high - low) * 24))] += 1
    return f"|{sparkline(counts, out.unicode)}|"


def explanation(explained: Facts, who: str, out: Terminal) -> list[str]:
    """Why ranks were slow in a phase, in words."""
    lines = [out.bold(heading(explained))]
    for sentences in why(explained, who).values():
        for sentence in sentences:
            lines += out.wrap(sentence, "  ", "    ")
    return lines
