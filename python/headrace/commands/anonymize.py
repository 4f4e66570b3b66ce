"""`headrace anonymize`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from headrace import _native
from headrace._errors import LogForeignError, UsageError
from headrace._outputs import apart, new_file, only_with_force
from headrace.commands._terminal import working
from headrace.commands._text import printable
from headrace.text import count, size


@click.command("anonymize")
@click.argument("log")
@click.option("-o", "--output", metavar="FILE", help="The new log; required.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def command(log: str, output: str | None, force: bool) -> None:
    """Write a job log again with tokens in place of paths, arguments, hosts and users.

    All figures stay. The same name has the same token in the whole log, and another one in any other log: the
    key that makes them is thrown away. docs/anonymize.md says what can still be seen.

    \b
    Example:
      headrace anonymize job.hr -o for-support.hr
      headrace run --anonymize -o job.hr -- ./simulation
    """
    if output is None:
        raise UsageError(f"anonymize needs a new log, for example: headrace anonymize {log} -o anonymous.hr")
    target = Path(output)
    apart(target, [log])
    with new_file(target, only_with_force(force)) as partial, working(f"reading {printable(log)}"):
        done = _write(log, partial)
    click.echo(f"{printable(output)}: {count(done['jobs'], 'job')}, {size(target.stat().st_size)}")
    for what in done["left_out"]:
        click.echo(f"headrace: left out, because it may hold names: {printable(what)}", err=True)
    for offset, _, reason in done["damage"]:
        click.echo(f"headrace: {printable(log)}: damaged at byte {offset}: {printable(reason)}", err=True)


def _write(log: str, target: Path) -> dict[str, Any]:
    done: dict[str, Any] = _native.anonymize(os.fsencode(log), bytes(target))
    if {"table 'references'", "table 'locations'"} & set(done["left_out"]):
        raise LogForeignError(
            f"{printable(log)}: a trace, whose names cannot be taken out; pass on the job log, "
            "NAME.hr beside NAME.trace.hr"
        )
    return done
