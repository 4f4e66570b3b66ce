"""`headrace scan merge`."""

from __future__ import annotations

import click

from headrace import scans
from headrace._errors import OutputError, UsageError
from headrace.commands._text import number, printable
from headrace.scans.merging import merge


@click.command("merge")
@click.argument("parts", nargs=-1, metavar="SCAN SCAN...")
@click.option("-o", "--output", "target", required=True, metavar="FILE", help="The merged scan.")
def command(parts: tuple[str, ...], target: str) -> None:
    """Add up scans of parts of a file system, from one host or many.

    Parts must not overlap. A file with links in several parts counts in each; how
    many these can be is said.

    \b
    Example:
      headrace scan /scratch/a -o a.hr; headrace scan /scratch/b -o b.hr
      headrace scan merge a.hr b.hr -o scratch.hr
    """
    if len(parts) < 2:
        raise UsageError("name two scans or more, for example: headrace scan merge a.hr b.hr -o all.hr")
    merged = merge([scans.load(part) for part in parts])
    try:
        merged.save(target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
    click.echo(f"{printable(target)}: {number(merged.number('files'))} files of {len(parts)} scans")
    if elsewhere := merged.number("links_elsewhere"):
        click.echo(
            f"up to {number(elsewhere)} files may have links in several parts and count twice", err=True
        )
    if not merged.complete:
        click.echo(f"incomplete: {printable(merged.facts['complete'].removeprefix('no: '))}", err=True)
