"""`headrace trace unify`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from headrace import _native
from headrace._errors import OutputError
from headrace._outputs import apart
from headrace.commands._terminal import working
from headrace.commands._text import printable
from headrace.logs import refuse_pipes
from headrace.text import count, size


@click.command("unify")
@click.argument("traces", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", required=True, help="The one to make.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/trace.md.")
def unify(traces: tuple[str, ...], output: str, force: bool, as_json: bool) -> None:
    """Put the files of a trace together into one, in the order in which viewers read.

    Tables come first, each name once; then the events of all threads by time; then the index. Nothing but
    speed depends on it. What was killed goes on where it was when it is run again.

    \b
    Example:
      headrace trace unify -o one.trace.hr job.trace.hr
      headrace trace unify -o one.trace.hr part-*.trace.hr
    """
    target = Path(output)
    if target.exists() and not force:
        raise OutputError(
            f"{printable(output)}: exists already; --force replaces it, -o FILE writes elsewhere"
        )
    if target.is_dir():
        raise OutputError(f"{printable(output)}: is a directory")
    apart(target, traces)
    for trace in traces:
        refuse_pipes(trace)
    with working(f"writing {printable(output)}"):
        made = _native.unify_traces([os.fsencode(trace) for trace in traces], os.fsencode(output))
    if as_json:
        click.echo(json.dumps({"trace": output, **made}))
        return
    told = f"{count(made['events'], 'event')} in {count(made['chunks'], 'chunk')}, {size(made['bytes'])}"
    click.echo(f"{printable(output)}: {told}")
    if made["resumed_bytes"]:
        click.echo(f"  {size(made['resumed_bytes'])} were there already, of an attempt that was broken off")
    if made["damaged_chunks"]:
        damaged = count(made["damaged_chunks"], "damaged chunk")
        click.echo(f"headrace: {damaged} copied as found: headrace trace verify says where", err=True)
