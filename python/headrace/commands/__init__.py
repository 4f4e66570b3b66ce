"""The command line: one subcommand, one file. `main` is `headrace` for all that is not native."""

from __future__ import annotations


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit status; `arguments` default to the process's own."""
    try:
        from headrace.commands._cli import run
    except ModuleNotFoundError as error:
        import sys

        from headrace._errors import MissingPackageError
        from headrace._packages import missing_module

        print(f"headrace: {missing_module(error)}", file=sys.stderr)
        return MissingPackageError.exit_status
    return run(arguments)
