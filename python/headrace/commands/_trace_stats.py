"""`headrace trace stats`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from headrace.analysis.trace_calls import Calls
from headrace.analysis.trace_groups import PROGRAM
from headrace.analysis.trace_ranks import ranks
from headrace.analysis.trace_sums import functions
from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal, terminal, working
from headrace.commands._text import NONE, clip, duration, number, percent, printable, shorten_right, to_ascii
from headrace.commands._trace import HEADS, cut_lines, loss_lines, recorded_lines
from headrace.commands._trace_files import file_table
from headrace.commands._trace_options import call_options, part, part_options
from headrace.commands._trace_ranks import rank_table
from headrace.text import count, size

Facts = dict[str, Any]

_ROWS, _OTHER_ROWS = 40, 10  # functions that are shown, of the program and of other threads
_WORDS = {
    "main": "main threads",
    "threads": "others of the program",
    "mpi_threads": "of the MPI library",
    "no_rank": "without a rank",
}


@click.command("stats")
@click.argument("trace")
@part_options
@call_options
@click.option(
    "--by", type=click.Choice(["function", "file", "rank"]), default="function", help="What has a line."
)
@click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/trace.md.")
def stats(
    trace: str,
    rank: str | None,
    process: str | None,
    begin: str | None,
    end: str | None,
    job: int | None,
    by: str,
    as_json: bool,
    calls: Calls,
) -> None:
    """Add up events by kind, calls, errors, bytes and time by function, and time by class.

    The program's own threads come first; threads of the MPI library, and processes without a rank such as
    mpirun, stand by themselves. "own" is the time in which nothing else was open inside. --file, --function
    and --errors choose which calls are in the table; a pattern has * and ?, and matches a path or a name.

    \b
    Example:
      headrace trace stats job.trace.hr
      headrace trace stats --rank 3 --from 1.5s --until 1.6s job.trace.hr
      headrace trace stats --by file --function '*write*' job.trace.hr
      headrace trace stats --by rank --rank 0-63 job.trace.hr
      headrace trace stats --json job.trace.hr | jq .bytes_per_event
    """
    with working(f"reading {printable(trace)}"):
        asked = part(trace, job, rank, process, begin, end)
        by_file = by == "file"
        facts = asked.trace.stats(asked.first_ns, asked.last_ns, asked.locations, calls, by_file)
        if by == "rank":
            facts["ranks"] = ranks(asked.trace, asked.locations, asked.first_ns, asked.last_ns, calls)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        output = terminal()
        lines = _lines(facts, output)
        click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))
    asked.tell_if_empty(facts["events"])
    if facts["events"]:
        asked.tell_if_empty(len(facts["functions"]), calls)


def _lines(facts: Facts, output: Terminal) -> list[str]:
    each = facts["bytes_per_event"]
    head = (
        f"{count(facts['events'], 'event')} of {count(facts['locations'], 'thread')}, {size(facts['bytes'])}"
    )
    lines = [
        *cut_lines(facts, output),
        output.bold(head + ("" if each is None else f", {each:.2f} bytes an event")),
    ]
    groups = {group["group"]: group for group in facts["groups"]}
    if len(groups) > 1:
        lines.append("  " + ", ".join(f"{groups[name]['locations']:,} {_WORDS[name]}" for name in groups))
    lines += recorded_lines(facts, output)
    own = [name for name in groups if name in PROGRAM]
    others = [name for name in groups if name not in PROGRAM]
    if not facts["chosen"]:
        lines += _sums(facts, output)
    if "ranks" in facts:
        lines += ["", *rank_table(facts["ranks"], bool(facts["chosen"]), output)]
        return [clip(line, output.columns) for line in lines] + loss_lines(facts, output)
    by_file = "files" in facts
    what = "Files" if by_file else "Functions"
    for title, names, most in (
        (f"{what} of the program", own, _ROWS),
        (f"{what} of the MPI library's threads, and of what has no rank", others, _OTHER_ROWS),
    ):
        found = [row for name in names for row in groups[name]["files" if by_file else "functions"]]
        if found:
            lines += ["", *([output.bold(title)] if own and others else [])]
        lines += file_table(found, most, output) if by_file else _table(functions(found), most, output)
    return [clip(line, output.columns) for line in lines] + loss_lines(facts, output)


def _sums(facts: Facts, output: Terminal) -> list[str]:
    kinds = [(number(value), name.replace("_", " ")) for name, value in facts["kinds"].items() if value]
    return ["", *columns(kinds, left=frozenset({1})), *_classes(facts["groups"], output)]


def _classes(groups: list[Facts], output: Terminal) -> list[str]:
    """Time by class; a column for each group."""
    timed = [group for group in groups if any(group["class_ns"].values())]
    if not timed:
        return []
    table: list[Sequence[str]] = []
    if len(groups) > 1:
        table.append(("", *(text for group in timed for text in (HEADS[group["group"]], ""))))
    for name in timed[0]["class_ns"]:
        times = [(group["class_ns"][name], sum(group["class_ns"].values())) for group in timed]
        if any(ns for ns, _ in times):
            cells = [(duration(ns), percent(ns / whole)) if ns else (NONE, "") for ns, whole in times]
            table.append((name, *(text for cell in cells for text in cell)))
    return ["", output.bold("Time, each moment in what it was innermost in"), *columns(table, frozenset({0}))]


def _table(found: list[Facts], most: int, output: Terminal) -> list[str]:
    if not found:
        return []
    rows: list[Sequence[str]] = [
        ("function", "layer", "class", "calls", "errors", "bytes", "time", "own", "longest")
    ]
    for row in found[:most]:
        name = printable(row["name"]) or "unknown"
        calls = number(row["calls"]) + (f" + {row['unfinished']:,} open" if row["unfinished"] else "")
        moved = size(row["bytes"]) if row["bytes"] else NONE
        errors = number(row["errors"]) if row["errors"] else NONE
        times = [duration(row[key]) for key in ("time_ns", "own_ns", "longest_ns")]
        rows.append(
            (shorten_right(name, 40), printable(row["layer"]), row["class"], calls, errors, moved, *times)
        )
    table = columns(rows, left=frozenset({0, 1, 2}))
    rest = [f"  … and {len(found) - most:,} more: --json has all"] if len(found) > most else []
    return [output.dim(table[0]), *table[1:], *rest]
