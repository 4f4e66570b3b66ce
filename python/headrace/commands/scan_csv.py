"""`headrace scan csv`."""

from __future__ import annotations

from pathlib import Path

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
    path = Path(target).resolve()
    partial = path.with_name(f".{path.name}.partial")
    try:
        if path.exists() and not _may_replace(path):
            raise OutputError(f"{target}: is there and is no CSV of fsstats: give another name, or remove it")
        partial.write_text(text, encoding="utf-8", newline="")
        partial.replace(path)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def _may_replace(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        begin = file.read(1 << 16)
    return not begin or scans.is_fsstats(begin)
