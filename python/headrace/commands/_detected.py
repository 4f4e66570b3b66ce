"""Phases that were detected, in the terminal."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from headrace._places import page
from headrace.commands._clusters import cluster_lines
from headrace.commands._detected_words import about, groups, heading, how, numbers
from headrace.commands._phase_words import plural
from headrace.commands._phases import stood_for_lines
from headrace.commands._terminal import Terminal
from headrace.commands._text import duration, number, printable, sparkline
from headrace.text import count, size

Facts = dict[str, Any]

_MOST_PHASES = 20
_MOST_INSTANCES = 8
_SOME = 0.01  # of the bytes: with less, others are not told
_FEW_BINS = 4  # a shorter burst may have been much shorter: its speed is a least one


def render_detected(facts: Facts, out: Terminal) -> list[str]:
    who = "rank" if facts["ranks"] else "process"
    detected = facts["detected"]
    lines = [f"{printable(facts['log'])}: {count(facts['members'], who, plural(who))}, no phases marked"]
    lines += stood_for_lines(facts, who, out)
    for sentence in how(detected, who):
        lines += out.wrap(sentence, "", "  ")
    lines += _over_time(detected, out)
    for phase in detected["phases"][:_MOST_PHASES]:
        lines.append(f"{out.bold(phase['phase'])}  {about(phase)}")
        for one in phase["each"][:_MOST_INSTANCES]:
            lines += out.wrap(_instance(one, facts, who), "    ", "      ")
        if phase["instances"] > _MOST_INSTANCES:
            more = phase["instances"] - _MOST_INSTANCES
            lines.append(f"    and {number(more)} more (--json has them)")
    if len(detected["phases"]) > _MOST_PHASES:
        lines.append(f"and {len(detected['phases']) - _MOST_PHASES} more phases (--json has them)")
    if facts["clusters"]:
        lines += ["", *cluster_lines(facts["clusters"], out)]
    explained = detected["explained"]
    if explained and facts["members"] > 1:
        lines += ["", out.bold(heading(explained))]
        for sentence in groups(explained, who):
            lines += out.wrap(sentence, "  ", "    ")
    if facts["in_phases"] == 0 and not detected["phases"]:
        lines += out.wrap(f"Marks in the program tell its phases exactly: {page('phases.md')}.", "", "  ")
    return lines


def _over_time(detected: Facts, out: Terminal) -> list[str]:
    bins = detected["bins"]
    values = [sum(each) for each in zip(bins["read"], bins["written"], strict=True)]
    values = values if any(values) else bins["operations"]
    if not any(values):
        return []
    columns = min(len(values), out.graph_columns)
    edges = [at * len(values) // columns for at in range(columns + 1)]
    heights = [max(values[begin:end]) for begin, end in pairwise(edges)]
    return [f"    over the run  {sparkline(heights, out.unicode)}"]


def _instance(one: Facts, facts: Facts, who: str) -> str:
    took = one["end_at_ns"] - one["begin_at_ns"]
    words = f"{number(one['instance'])}: after {duration(one['begin_at_ns'])} for {duration(took)}"
    if one["bytes_per_second"] > 0:
        least = "at least " if took < _FEW_BINS * facts["detected"]["width_ns"] else ""
        words += f", {least}{size(one['bytes_per_second'])}/s"
    members = facts["members"]
    everything = one["bytes_read"] + one["bytes_written"] or one["operations"]
    others = one["others"] > 0 and one["others"] >= _SOME * everything
    if one["members"] == members and not others and not facts["stood_for"]:
        return words + (f", all {plural(who)}" if members > 1 else "")
    took_part = []
    if one["who"]:
        took_part.append(f"{count(one['members'], who, plural(who))} ({numbers(one['who'], who)})")
    if others and facts["stood_for"]:
        took_part.append("ranks that others stand for")
    elif others:
        took_part.append("processes that no rank started")
    return f"{words}, {' and '.join(took_part)}" if took_part else words
