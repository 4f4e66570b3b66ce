"""`headrace scan rules`: a project map as the walk reads it."""

from __future__ import annotations

import sys

import click

from headrace.scans.projects import read_rules


@click.command("rules")
@click.argument("map_file", metavar="MAP")
def command(map_file: str) -> None:
    """Print the rules of a project map: four fields each, with NUL bytes behind.

    Checks the map; `headrace scan --projects MAP` reads this.

    \b
    Example:
      headrace scan rules projects.toml | tr '\\0' ' '
    """
    text = "".join(f"{field}\0" for rule in read_rules(map_file) for field in rule)
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
