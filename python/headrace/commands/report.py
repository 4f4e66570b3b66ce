"""`headrace report`."""

from __future__ import annotations

import json
from pathlib import Path

import click

import headrace
from headrace._outputs import apart
from headrace.analysis.job_facts import job_facts
from headrace.commands._meanwhile import around
from headrace.commands._terminal import working
from headrace.commands._text import printable
from headrace.reports import html
from headrace.reports.job import tables, title
from headrace.text import size


@click.command("report")
@click.argument("log")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The report (LOG with .html in place of .hr); - is standard output.",
)
@click.option("--force", is_flag=True, help="Replace FILE even if it is not a report.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts instead; keys in docs/report.md.")
@click.option("--anonymize", is_flag=True, help="Tokens in place of paths, arguments, hosts and users.")
@click.option(
    "--catalog", "catalog_at", metavar="DIR", help="What else went on meanwhile, from this catalog."
)
@click.option("--job", type=int, help="Which job, from 1, of a file that holds several.")
@click.option("--mpi-files", is_flag=True, help="Count the MPI library's own files among the program's.")
def command(
    log: str,
    output: str | None,
    force: bool,
    as_json: bool,
    anonymize: bool,
    catalog_at: str | None,
    job: int | None,
    mpi_files: bool,
) -> None:
    """Write a report: one HTML file that any browser shows, without a network.

    It has what `headrace show` says and more: where the time went, bandwidth over time, every file,
    directories, processes. Hover over a figure for what it means; docs/report.md describes each part.

    \b
    Example:
      headrace report job.hr
      headrace report job.hr -o report.html
      headrace report job.hr --catalog /site/catalog
      headrace report job.hr --json | jq .layers
    """
    with working(f"reading {printable(log)}"), headrace.open(log, job, anonymize, mpi_files) as opened:
        found = job_facts(opened)
        if catalog_at is not None:
            found.facts["meanwhile"] = around(catalog_at, log, job, anonymize)
        if as_json:
            click.echo(json.dumps(found.facts, indent=2))
            return
        target = output or default_output(log, job)
        apart(target, [log])
        written = html.write(html.document("job", title(found), found.facts, tables(found)), target, force)
    if target != "-":
        click.echo(f"{printable(target)}: {size(written)}; open it in a browser")


def default_output(log: str, job: int | None) -> str:
    """Beside the log, so that the two stay together."""
    path = Path(log)
    stem = path.stem if path.suffix == ".hr" else path.name
    return str(path.with_name(stem + (f"-{job}" if job else "") + ".html"))
