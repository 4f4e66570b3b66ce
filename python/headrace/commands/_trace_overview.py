"""`headrace trace overview`."""

from __future__ import annotations

import json

import click

from headrace.commands._terminal import terminal, working
from headrace.commands._text import printable, to_ascii
from headrace.commands._trace_options import part, part_options
from headrace.commands._trace_picture import json_facts, lines


@click.command("overview")
@click.argument("trace")
@part_options
@click.option("--columns", type=click.IntRange(1, 100_000), help="So many; by default as the terminal has.")
@click.option("--rows", type=click.IntRange(1, 100_000), help="At most so many; by default as it has.")
@click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/trace.md.")
def overview(
    trace: str,
    rank: str | None,
    process: str | None,
    begin: str | None,
    end: str | None,
    job: int | None,
    columns: int | None,
    rows: int | None,
    as_json: bool,
) -> None:
    """Draw what threads spent their time with, and how much they read and wrote.

    A line is a thread or several, a column a moment, and a letter what most of its time went to. Reads a
    thousand bytes of each chunk, so it is fast for long traces, and more where it is told to look closer.

    \b
    Example:
      headrace trace overview job.trace.hr
      headrace trace overview --from 1.5s --until 1.6s --rank 3 job.trace.hr
      headrace trace overview --json --columns 1000 --rows 500 job.trace.hr
    """
    output = terminal()
    with working(f"reading {printable(trace)}"):
        asked = part(trace, job, rank, process, begin, end)
        opened = asked.trace
        label = max([*map(len, opened.names()), 24]) + 4
        room = max(20, (output.columns or 110) - label)
        if asked.end_at_ns is not None:
            room = max(1, min(room, asked.end_at_ns - asked.first_ns))  # a nanosecond each at least
        seen = opened.overview(
            columns or room, rows or output.graph_rows, asked.begin_at_ns, asked.end_at_ns, asked.locations
        )
    behind = seen.end_at_ns if asked.end_at_ns is None else max(1, asked.end_at_ns)
    touched = asked.touched(seen.begin_at_ns, behind)
    if as_json:
        click.echo(json.dumps(json_facts(opened, seen)))
    elif touched:
        drawn = lines(opened, seen, output)
        click.echo("\n".join(drawn if output.unicode else map(to_ascii, drawn)))
    asked.tell_if_empty(touched)
