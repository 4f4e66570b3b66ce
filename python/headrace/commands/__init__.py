"""The command line: one subcommand, one file. `main` is `headrace` for all that is not native."""

from __future__ import annotations


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit status; `arguments` default to the process's own."""
    from headrace.commands._cli import run

    return run(arguments)
