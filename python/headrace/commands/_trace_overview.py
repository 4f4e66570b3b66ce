"""`headrace trace overview`."""

from __future__ import annotations

import json

import click

from headrace.analysis.traces import Trace
from headrace.commands._terminal import terminal, working
from headrace.commands._text import printable, to_ascii
from headrace.commands._time_text import nanoseconds
from headrace.commands._trace_picture import json_facts, lines


@click.command("overview")
@click.argument("trace")
@click.option("--rank", type=click.IntRange(0), help="Only this rank.")
@click.option("--process", metavar="PID", help="Only this process; a pid, or an id from --json.")
@click.option("--from", "begin", metavar="TIME", help="Only from then on: 1.5, 20ms, 7us, 12ns.")
@click.option("--to", "end", metavar="TIME", help="Only until then. Both are since the job's start.")
@click.option("--columns", type=click.IntRange(1, 100_000), help="So many; by default as the terminal has.")
@click.option("--rows", type=click.IntRange(1, 100_000), help="At most so many; by default as it has.")
@click.option("--job", type=int, help="Which job, from 1, of a file that holds several.")
@click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/trace.md.")
def overview(
    trace: str,
    rank: int | None,
    process: str | None,
    begin: str | None,
    end: str | None,
    columns: int | None,
    rows: int | None,
    job: int | None,
    as_json: bool,
) -> None:
    """Draw what threads spent their time with, and how much they read and wrote.

    A line is a thread or several, a column a moment, and a letter what most of its time went to. Reads a
    thousand bytes of each chunk, so it is fast for long traces, and more where it is told to look closer.

    \b
    Example:
      headrace trace overview job.trace.hr
      headrace trace overview --from 1.5s --to 1.6s --rank 3 job.trace.hr
      headrace trace overview --json --columns 1000 --rows 500 job.trace.hr
    """
    begin_ns = None if begin is None else nanoseconds(begin, "--from")
    end_ns = None if end is None else nanoseconds(end, "--to")
    output = terminal()
    with working(f"reading {printable(trace)}"):
        opened = Trace(trace, job)
        chosen = opened.choose(rank, process)
        label = max((len(name) for name in opened.names()), default=0) * 2 + 5
        room = max(20, (output.columns or 110) - label)
        seen = opened.overview(columns or room, rows or output.graph_rows, begin_ns, end_ns, chosen)
    if as_json:
        click.echo(json.dumps(json_facts(opened, seen)))
        return
    if not any(row["events"] for row in opened.locations):
        click.echo("The trace has no events.")
        return
    drawn = lines(opened, seen, output)
    click.echo("\n".join(drawn if output.unicode else map(to_ascii, drawn)))
