"""`headrace bench`: workloads are the native program's; studies and tables of their figures are here."""

from __future__ import annotations

import importlib

import click

from headrace.commands._native_program import become_native

# The native program hands these words here (src/programs/headrace/main.cc).
PARTS = {
    "facility": "headrace.commands.bench_facility",
    "paper": "headrace.commands.bench_paper",
    "parquet": "headrace.commands.bench_parquet",
}


@click.command(
    "bench",
    help="Run an I/O workload and measure it.",
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
        name = f"headrace bench {arguments[0]}"
        status = part.main(list(arguments[1:]), prog_name=name, standalone_mode=False)
        return status if isinstance(status, int) else None
    return become_native("bench", arguments)
