"""`headrace scaling`."""

from __future__ import annotations

import contextlib
import json

import click

from headrace import _native
from headrace._errors import UsageError
from headrace.analysis.scaling import scaling
from headrace.commands._scaling import render
from headrace.commands._terminal import terminal, working
from headrace.commands._text import to_ascii
from headrace.logs import JobLog


@click.command("scaling")
@click.argument("logs", nargs=-1, metavar="LOG LOG...")
@click.option("--weak", is_flag=True, help="The work grew with the job: ideal is the time of the smallest.")
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs; keys in docs/scaling.md.")
@click.option("--anonymize", is_flag=True, help="Tokens in place of paths, arguments, hosts and users.")
def command(logs: tuple[str, ...], weak: bool, as_json: bool, anonymize: bool) -> None:
    """Show how computing, communication and I/O share the time of a rank as a job grows.

    Logs of the same program with different numbers of ranks; the smallest is what others are compared
    with. Times are means over the ranks.

    \b
    Example:
      headrace scaling n4.hr n8.hr n16.hr
      headrace scaling --weak n*.hr --json | jq '.runs[].shares'
    """
    if len(logs) < 2:
        raise UsageError("scaling needs two logs or more, for example: headrace scaling n4.hr n8.hr")
    output = terminal()
    with working("reading"), contextlib.ExitStack() as open_logs:
        key = _native.Anonymizer() if anonymize else None
        facts = scaling([open_logs.enter_context(JobLog(log, None, key)) for log in logs], weak)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        lines = render(facts, output)
        click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))
