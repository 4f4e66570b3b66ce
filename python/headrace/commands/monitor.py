"""`headrace monitor`: sampling is the native program's; what is done with samples is here."""

from __future__ import annotations

import importlib

import click

from headrace.commands._native_program import become_native

# The native program hands these words here (src/programs/headrace/monitor.cc).
PARTS = {
    "show": "headrace.commands.monitor_show",
    "import": "headrace.commands.monitor_import",
    "export": "headrace.commands.monitor_export",
}


@click.command(
    "monitor",
    help="Sample block devices and Lustre servers into a store, and show it.",
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
        name = f"headrace monitor {arguments[0]}"
        status = part.main(list(arguments[1:]), prog_name=name, standalone_mode=False)
        return status if isinstance(status, int) else None
    return become_native("monitor", arguments)
