"""`headrace scan csv`."""

from __future__ import annotations

import click

from headrace import scans
from headrace._errors import OutputError
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
    try:
        with open(target, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
            file.write(text)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror}") from error
