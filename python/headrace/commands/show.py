"""`headrace show`."""

from __future__ import annotations

import json
from typing import Any

import click

import headrace
from headrace._errors import UsageError
from headrace.analysis.summary import Options, summarize
from headrace.commands._live import watch
from headrace.commands._meanwhile import around, meanwhile_lines
from headrace.commands._show import render
from headrace.commands._show_tree import MOST_PROCESSES
from headrace.commands._terminal import terminal, working
from headrace.commands._text import printable, to_ascii


@click.command("show")
@click.argument("log", required=False)
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
@click.option(
    "--catalog", "catalog_at", metavar="DIR", help="What else went on meanwhile, from this catalog."
)
@click.option("--job", type=int, help="Which job, from 1, of a file that holds several.")
@click.option("--mpi-files", is_flag=True, help="Count the MPI library's own files among the program's.")
@click.option("--live", is_flag=True, help="A running job: LOG is the directory of its records, or nothing.")
@click.option("--every", type=click.FloatRange(0.1), default=5.0, help="Seconds between two live views (5).")
def command(
    log: str | None,
    as_json: bool,
    rows: int,
    sort: str,
    by: str,
    process: str | None,
    anonymize: bool,
    catalog_at: str | None,
    job: int | None,
    mpi_files: bool,
    live: bool,
    every: float,
) -> None:
    """Show what a job log says: what ran, how long it read and wrote, which files, and what is missing.

    Time is the sum over all processes and threads of the time inside the calls.

    \b
    Example:
      headrace show job.hr
      headrace show job.hr --sort bytes --files 50
      headrace show job.hr --catalog /site/catalog
      headrace show job.hr --json | jq .totals
      headrace show --live
    """
    output = terminal()
    options = Options(
        rows=rows,
        by=by,
        sort=sort,
        process=process,
        bins=output.graph_columns,
        tree=None if as_json else MOST_PROCESSES,
    )

    def facts_of(path: str) -> dict[str, Any]:
        with headrace.open(path, job, anonymize, mpi_files) as opened:
            facts = summarize(opened, options)
        if catalog_at is not None:
            facts["meanwhile"] = around(catalog_at, path, job, anonymize)
        return facts

    def lines_of(path: str) -> list[str]:
        facts = facts_of(path)
        lines = render(facts, output)
        if "meanwhile" in facts:
            lines += meanwhile_lines(facts["meanwhile"], output)
        return lines if output.unicode else [*map(to_ascii, lines)]

    if live:
        if catalog_at is not None:
            raise UsageError("--catalog is for a job that has ended; without --live")
        if as_json:
            raise UsageError("--live is for people; for programs: headrace snapshot -o now.hr, then --json")
        watch(log, every, lines_of)
        return
    if log is None:
        raise UsageError("name a log, for example: headrace show job.hr; or use --live for a running job")
    with working(f"reading {printable(log)}"):
        shown = json.dumps(facts_of(log), indent=2) if as_json else "\n".join(lines_of(log))
    click.echo(shown)
