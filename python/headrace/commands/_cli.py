"""The group of all commands, and the one place that turns errors into exit statuses.

Subcommands are imported when they are run: `headrace --help` must not wait for what it does not need.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import warnings
from typing import Any

import click

from headrace import __version__
from headrace._errors import HeadraceError, MissingPackageError, MissingPackageWarning, OutputError
from headrace._packages import missing_module
from headrace.commands._native_program import become_native
from headrace.commands._pages import tell_where_pages_are
from headrace.commands._text import printable

HELP = """See, explain and fix the I/O of parallel programs.

\b
Example:
  headrace run -o job.hr -- ./simulation input.txt
  headrace show job.hr
  headrace diff before.hr after.hr

Pages such as docs/show.md are in the directory that `headrace config
--documents` prints.

\b
Exit status: 0 done; 2 wrong usage; 3 the log cannot be used; 4 a result
cannot be written; 5 a package is missing; `headrace run`: of the command.
"""

# Name: (module, one line). Without a module: done by the native program.
COMMANDS = {
    "run": (None, "Run a command and capture its I/O in a job log."),
    "collect": (None, "Gather what a capture without `headrace run` left into a job log."),
    "snapshot": (None, "Write what a running job has done so far into a log of its own."),
    "serve": (None, "Serve files to other processes: a forwarding server."),
    "mount": (None, "Show the files of forwarding servers to all programs."),
    "status": (None, "Show what forwarding servers are doing."),
    "bench": ("headrace.commands.bench", "Run an I/O workload and measure it."),
    "scan": ("headrace.commands.scan", "Count what is in a file system, by size, age and owner."),
    "monitor": (
        "headrace.commands.monitor",
        "Sample block devices and Lustre servers into a store, and show it.",
    ),
    "config": (None, "Print where Headrace is and what programs are linked with."),
    "wrap": (None, "Run a compiler that links programs with the capture library."),
    "make-log-directories": (None, "Make a site's directories for the logs of the coming days."),
    "show": ("headrace.commands.show", "Show what a job log says, in the terminal or as JSON."),
    "report": ("headrace.commands.report", "Write a report: one HTML file for any browser."),
    "diff": ("headrace.commands.diff", "Show what changed between runs."),
    "scaling": ("headrace.commands.scaling", "Show how the parts of a run change as a job grows."),
    "phases": ("headrace.commands.phases", "Show the phases of a run, and why ranks were slow there."),
    "study": ("headrace.commands.study", "Study the I/O of a site, from its catalog."),
    "trace": ("headrace.commands.trace", "Read an event trace: print, add up and check its events."),
    "cluster": (
        "headrace.commands.cluster",
        "Find groups of ranks, or of rows of a table, and what lies outside.",
    ),
    "catalog": ("headrace.commands.catalog", "Collect a facility's logs and records, and ask with SQL."),
    "export": ("headrace.commands.export", "Write the tables of a job log as Parquet, CSV or JSON."),
    "convert": ("headrace.commands.convert", "Turn a Darshan log into a job log, or the other way round."),
    "anonymize": (
        "headrace.commands.anonymize",
        "Write a job log again without paths, arguments, hosts and users.",
    ),
    "doctor": ("headrace.commands.doctor", "Check what works on this machine, and why not."),
}


class ReaderLeftError(Exception):
    """A broken pipe, under a name that click does not make an exit status of its own."""


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderLeftError from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, line = COMMANDS[cmd_name]
        if module is None:
            return _native_command(cmd_name, line)
        command: click.Command = importlib.import_module(module).command
        tell_where_pages_are(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _native_command(name: str, line: str) -> click.Command:
    settings = {"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []}

    @click.command(name, help=line, context_settings=settings)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> None:
        become_native(name, arguments)

    return command


@click.command(cls=Commands, help=HELP)
@click.version_option(__version__, message="headrace %(version)s")
def cli() -> None:
    pass


def _hold_closed_streams() -> None:
    """Where a shell closed one (`>&-`): no file takes its place that is opened later; writing is an error."""
    while (held := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(held)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def _say_warnings() -> None:
    """Headrace's own as a line without the place in its code; others as Python has them."""
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
        if issubclass(category, MissingPackageWarning):
            print(f"headrace: {printable(str(message))}", file=sys.stderr)
        else:
            others(message, category, *rest)

    warnings.showwarning = show  # type: ignore[assignment]


def run(arguments: list[str] | None) -> int:
    _hold_closed_streams()
    _say_warnings()
    # Facts of large jobs are millions of objects without circles: looking for these took a third of the time.
    gc.set_threshold(1_000_000, 20, 20)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its number, never an exception.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    try:
        return _run(arguments)
    except (BrokenPipeError, ReaderLeftError):
        # The reader of the pipe left, as `| head` does. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 128 + signal.SIGPIPE
    except (KeyboardInterrupt, click.Abort):
        return 128 + signal.SIGINT
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except HeadraceError as error:
        return _fail(error)
    except ModuleNotFoundError as error:
        return _fail(MissingPackageError(missing_module(error)))
    except OSError as error:
        # Readers raise errors of their own: what is left is the output, which is flushed again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _fail(OutputError(f"cannot write: {error}"))


def _run(arguments: list[str] | None) -> int:
    status = cli.main(arguments, prog_name="headrace", standalone_mode=False)
    sys.stdout.flush()
    return status if isinstance(status, int) else 0


def _fail(error: HeadraceError) -> int:
    print(f"headrace: {printable(str(error))}", file=sys.stderr)
    return error.exit_status
