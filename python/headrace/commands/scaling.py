"""`headrace scaling`."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import click

from headrace import _native
from headrace._errors import UsageError
from headrace._outputs import apart
from headrace.analysis.scaling import scaling
from headrace.commands._scaling import render
from headrace.commands._terminal import terminal, working
from headrace.commands._text import printable, to_ascii
from headrace.logs import JobLog
from headrace.text import size


@click.command("scaling")
@click.argument("logs", nargs=-1, metavar="LOG LOG...")
@click.option("--weak", is_flag=True, help="The work grew with the job: ideal is the time of the smallest.")
@click.option("-o", "--output", "output_file", metavar="FILE", help="Write a report instead: one HTML file.")
@click.option("--force", is_flag=True, help="Replace FILE even if it is not a report.")
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs; keys in docs/scaling.md.")
@click.option("--anonymize", is_flag=True, help="Tokens in place of paths, arguments, hosts and users.")
@click.option("--mpi-files", is_flag=True, help="Count the MPI library's own files among the program's.")
def command(
    logs: tuple[str, ...],
    weak: bool,
    output_file: str | None,
    force: bool,
    as_json: bool,
    anonymize: bool,
    mpi_files: bool,
) -> None:
    """Show how computing, communication and I/O share the time of a rank as a job grows.

    Logs of the same program with different numbers of ranks; the smallest is what others are compared
    with. Times are means over the ranks.

    \b
    Example:
      headrace scaling n4.hr n8.hr n16.hr
      headrace scaling n4.hr n8.hr n16.hr -o scaling.html
      headrace scaling --weak n*.hr --json | jq '.runs[].shares'
    """
    if len(logs) < 2:
        raise UsageError("scaling needs two logs or more, for example: headrace scaling n4.hr n8.hr")
    if output_file is not None:
        apart(output_file, logs)
    output = terminal()
    with working("reading"), contextlib.ExitStack() as open_logs:
        key = _native.Anonymizer() if anonymize else None
        facts = scaling([open_logs.enter_context(JobLog(log, None, key, mpi_files)) for log in logs], weak)
    if output_file is not None and not as_json:
        _write(facts, output_file, force)
    elif as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        lines = render(facts, output)
        click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))


def _write(facts: dict[str, Any], target: str, force: bool) -> None:
    from headrace.reports import html, scaling

    document = html.document("scaling", scaling.title(facts), scaling.page_facts(facts), {})
    written = html.write(document, target, force)
    if target != "-":
        click.echo(f"{printable(target)}: {size(written)}; open it in a browser")
