"""`headrace diff`."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import click

from headrace import _native
from headrace._errors import UsageError
from headrace._outputs import apart
from headrace.analysis.changed_files import Matched
from headrace.analysis.compare import Options, compare
from headrace.commands._diff import render
from headrace.commands._terminal import terminal, working
from headrace.commands._text import printable, to_ascii
from headrace.logs import JobLog
from headrace.text import size

_PAGE_BINS = 500  # of the bandwidth over time in a report


@click.command("diff")
@click.argument("logs", nargs=-1, metavar="LOG LOG [LOG]...")
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs; keys in docs/diff.md.")
@click.option("-o", "--output", "output_file", metavar="FILE", help="Write a report instead: one HTML file.")
@click.option("--force", is_flag=True, help="Replace FILE even if it is not a report.")
@click.option("--files", "rows", type=click.IntRange(min=0), default=10, help="Rows of the main table (10).")
@click.option(
    "--sort",
    type=click.Choice(["time", "bytes", "calls", "path"]),
    default="time",
    help="Their order: the greatest change of it first (time).",
)
@click.option(
    "--anonymize",
    is_flag=True,
    help="Tokens in place of paths, arguments, hosts and users, the same in all logs.",
)
@click.option("--by", type=click.Choice(["path", "directory"]), default="path", help="What a row is (path).")
@click.option("--mpi-files", is_flag=True, help="Count the MPI library's own files among the program's.")
def command(
    logs: tuple[str, ...],
    as_json: bool,
    output_file: str | None,
    force: bool,
    rows: int,
    sort: str,
    by: str,
    anonymize: bool,
    mpi_files: bool,
) -> None:
    """Show what changed between runs: time, bytes, calls, sizes and files.

    The first log is what the others are compared with. Times vary from run to run: to tell a change from
    chance, repeat each side and write `vs` between the sides; means and spreads are then compared.

    Files are the same when their paths are, or their places below each job's working directory.

    \b
    Example:
      headrace diff before.hr after.hr
      headrace diff b1.hr b2.hr b3.hr vs a1.hr a2.hr a3.hr
      headrace diff before.hr after.hr -o changes.html
      headrace diff before.hr after.hr --json | jq '.totals[0]'
    """
    sides = _sides(logs)
    if output_file is not None:
        apart(output_file, logs)
    output = terminal()
    bins = _PAGE_BINS if output_file is not None else output.graph_columns
    options = Options(rows=rows, by=by, sort=sort, bins=bins)
    with working("comparing"), contextlib.ExitStack() as open_logs:
        key = _native.Anonymizer() if anonymize else None
        opened = [
            [open_logs.enter_context(JobLog(log, None, key, mpi_files)) for log in side] for side in sides
        ]
        facts, matched = compare(opened, options)
        if output_file is not None and not as_json:
            _write(facts, matched, output_file, force)
            return
    if as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        lines = render(facts, output)
        click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))


def _write(facts: dict[str, Any], matched: Matched, target: str, force: bool) -> None:
    from headrace.reports import diff, html

    document = html.document("diff", diff.title(facts), diff.page_facts(facts), diff.tables(matched))
    written = html.write(document, target, force)
    if target != "-":
        click.echo(f"{printable(target)}: {size(written)}; open it in a browser")


def _sides(logs: tuple[str, ...]) -> list[list[str]]:
    """Each log is a side, unless the word `vs` stands between sides of several runs."""
    sides: list[list[str]] = [[]]
    for log in logs:
        if log == "vs":
            sides.append([])
        else:
            sides[-1].append(log)
    if len(sides) == 1:
        sides = [[log] for log in logs]
    if len(sides) < 2 or not all(sides):
        example = "for example: headrace diff before.hr after.hr"
        raise UsageError(f"diff needs two logs or more, and one at least on each side of 'vs', {example}")
    return sides
