"""`headrace scan merge`."""

from __future__ import annotations

from pathlib import Path

import click

from headrace import scans
from headrace._errors import LogError, UsageError
from headrace._outputs import apart, check
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
    apart(target, parts)
    check(target, _refusal)
    merged = merge([scans.load(part) for part in parts])
    merged.save(target, refusal=_refusal)
    click.echo(f"{printable(target)}: {number(merged.number('files'))} files of {len(parts)} scans")
    if elsewhere := merged.number("links_elsewhere"):
        click.echo(
            f"up to {number(elsewhere)} files may have links in several parts and count twice", err=True
        )
    if not merged.complete:
        click.echo(f"incomplete: {printable(merged.facts['complete'].removeprefix('no: '))}", err=True)


def _refusal(path: Path) -> str | None:
    try:
        if path.stat().st_size:
            scans.load(path)
    except LogError:
        return "is there and is no scan: give another name, or remove it"
    return None
