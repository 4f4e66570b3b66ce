"""`headrace scan csv`."""

from __future__ import annotations

from pathlib import Path

import click

from headrace import scans
from headrace._outputs import apart, new_file
from headrace.scans.fsstats import csv_lines


@click.command("csv")
@click.argument("scan_file", metavar="SCAN")
@click.option("-o", "--output", "target", metavar="FILE", help="In place of standard output.")
def command(scan_file: str, target: str | None) -> None:
    """Write a scan's histograms as fsstats 1.4.5 does.

    All fifteen, over all owners, with its bins and units: KB, days, entries.

    \b
    Example:
      headrace scan csv scratch.hr -o scratch.csv
    """
    text = "\n".join(csv_lines(scans.load(scan_file))) + "\n"
    if target is None:
        click.echo(text, nl=False)
        return
    apart(target, [scan_file])
    with new_file(target, _refusal) as partial:
        partial.write_text(text, encoding="utf-8", newline="")


def _refusal(path: Path) -> str | None:
    with path.open("rb") as file:
        begin = file.read(1 << 16)
    if not begin or scans.is_fsstats(begin):
        return None
    return "is there and is no CSV of fsstats: give another name, or remove it"
