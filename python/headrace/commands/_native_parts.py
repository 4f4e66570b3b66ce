"""Commands that are the native program's but for some words, which it hands here."""

from __future__ import annotations

import importlib

import click

from headrace.commands._native_program import become_native
from headrace.commands._pages import tell_where_pages_are


def native_command(name: str, help: str, parts: dict[str, str]) -> click.Command:
    """`headrace NAME`. `parts`: the words, each with the module whose `command` takes the words behind."""

    def command(arguments: tuple[str, ...]) -> int | None:
        if not arguments or arguments[0] not in parts:
            return become_native(name, arguments)
        part: click.Command = importlib.import_module(parts[arguments[0]]).command
        tell_where_pages_are(part)
        status = part.main(
            list(arguments[1:]), prog_name=f"headrace {name} {arguments[0]}", standalone_mode=False
        )
        return status if isinstance(status, int) else None

    return click.Command(
        name,
        help=help,
        callback=command,
        params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
        context_settings={
            "ignore_unknown_options": True,
            "allow_interspersed_args": False,
            "help_option_names": [],
        },
    )
