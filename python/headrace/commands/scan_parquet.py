"""`headrace scan parquet`: rows of files that a walk has kept, as Parquet."""

from __future__ import annotations

import click

from headrace.scans.rows import write_parquet


@click.command("parquet")
@click.argument("rows")
@click.option("-o", "--output", "target", required=True, metavar="FILE", help="The Parquet file.")
def command(rows: str, target: str) -> None:
    """Turn ROWS that `headrace scan --files` kept into Parquet.

    The walk does it itself; this is for rows that are left when it could not.

    \b
    Example:
      headrace scan parquet s.hr.part.rows -o files.parquet
    """
    write_parquet(rows, target)
