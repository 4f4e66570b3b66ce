"""`headrace monitor export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from headrace import samples
from headrace._errors import UsageError
from headrace._outputs import apart, new_file, only_with_force
from headrace.commands._terminal import working
from headrace.commands._text import number, printable


@click.command("export")
@click.argument("store")
@click.option("--parquet", "parquet", metavar="FILE", help="Write the table as Parquet.")
@click.option("--csv", "csv", metavar="FILE", help="Write the table as CSV; - is the standard output.")
@click.option(
    "--table",
    type=click.Choice(samples.TABLES),
    default="samples",
    show_default=True,
    help="Which table.",
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def command(store: str, parquet: str | None, csv: str | None, table: str, force: bool) -> None:
    """Write a table of a store for other programs; docs/formats/sample-store.md says what is in it.

    \b
    Example:
      headrace monitor export /var/lib/headrace --parquet samples.parquet
      headrace monitor export /var/lib/headrace --table sample_gaps --csv gaps.csv
    """
    output = parquet or csv
    if output is None or (parquet and csv):
        raise UsageError("export needs one of --parquet FILE and --csv FILE")
    problems: list[str] = []
    if csv == "-":
        _write(store, table, sys.stdout.buffer, False, problems)
        _tell(problems)
        return
    apart(output, [store])
    with new_file(output, only_with_force(force)) as partial, working(f"writing {printable(output)}"):
        rows = _write(store, table, partial, parquet is not None, problems)
    click.echo(f"{printable(output)}: {number(rows)} row{'' if rows == 1 else 's'}")
    _tell(problems)


def _tell(problems: list[str]) -> None:
    for problem in problems:
        click.echo(f"headrace: {printable(problem)}", err=True)


def _write(store: str, table: str, path: Path | BinaryIO, as_parquet: bool, problems: list[str]) -> int:
    """File by file, so that memory is that of one file. LogError: none of them can be read."""
    import pyarrow.csv
    import pyarrow.parquet

    rows = 0
    writer: Any = None
    try:
        for tables in samples.each(store, problems):
            part = tables[table]
            if writer is None and as_parquet:
                writer = pyarrow.parquet.ParquetWriter(path, part.schema, compression="zstd")
            elif writer is None:
                writer = pyarrow.csv.CSVWriter(path, part.schema)
            writer.write_table(part)
            rows += part.num_rows
    finally:
        if writer is not None:
            writer.close()
    return rows
