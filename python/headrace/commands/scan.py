"""`headrace scan`: the walk is the native program's; what is done with its file is here."""

from __future__ import annotations

import importlib

import click

from headrace.commands._native_program import become_native

# The native program hands these words here (src/programs/headrace/scan.cc). The walk itself runs `rules` and
# `parquet`.
PARTS = {
    "show": "headrace.commands.scan_show",
    "csv": "headrace.commands.scan_csv",
    "merge": "headrace.commands.scan_merge",
    "diff": "headrace.commands.scan_diff",
    "rules": "headrace.commands.scan_rules",
    "parquet": "headrace.commands.scan_parquet",
}


@click.command(
    "scan",
    help="Count what is in a file system: files and bytes by size, age, owner.",
    context_settings={
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
        "help_option_names": [],
    },
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int | None:
    if arguments and arguments[0] in PARTS:
        part: click.Command = importlib.import_module(PARTS[arguments[0]]).command
        name = f"headrace scan {arguments[0]}"
        status = part.main(list(arguments[1:]), prog_name=name, standalone_mode=False)
        return status if isinstance(status, int) else None
    return become_native("scan", arguments)
