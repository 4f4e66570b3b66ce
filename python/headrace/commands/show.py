"""`headrace show`."""

from __future__ import annotations

import json

import click

import headrace
from headrace.analysis.summary import Options, summarize
from headrace.commands._show import render
from headrace.commands._terminal import terminal, working
from headrace.commands._text import printable, to_ascii


@click.command("show")
@click.argument("log")
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs; keys in docs/show.md.")
@click.option("--files", "rows", type=click.IntRange(min=0), default=10, help="Rows of the main table (10).")
@click.option(
    "--sort",
    type=click.Choice(["time", "bytes", "calls", "path"]),
    default="time",
    help="Their order (time).",
)
@click.option(
    "--by", type=click.Choice(["path", "process", "directory"]), default="path", help="What a row is (path)."
)
@click.option("--process", metavar="PID", help="Only this process; a pid, or an id from --json.")
@click.option("--anonymize", is_flag=True, help="Tokens in place of paths, arguments, hosts and users.")
@click.option("--job", type=int, help="Which job, from 1, of a file that holds several.")
@click.option("--mpi-files", is_flag=True, help="Count the MPI library's own files among the program's.")
def command(
    log: str,
    as_json: bool,
    rows: int,
    sort: str,
    by: str,
    process: str | None,
    anonymize: bool,
    job: int | None,
    mpi_files: bool,
) -> None:
    """Show what a job log says: what ran, how long it read and wrote, which files, and what is missing.

    Time is the sum over all processes and threads of the time inside the calls.

    \b
    Example:
      headrace show job.hr
      headrace show job.hr --sort bytes --files 50
      headrace show job.hr --json | jq .totals
    """
    output = terminal()
    options = Options(rows=rows, by=by, sort=sort, process=process, bins=output.graph_columns)
    with working(f"reading {printable(log)}"), headrace.open(log, job, anonymize, mpi_files) as opened:
        facts = summarize(opened, options)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        lines = render(facts, output)
        click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))
