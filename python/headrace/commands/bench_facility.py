"""`headrace bench facility`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from headrace._errors import UsageError


@click.command("facility")
@click.option("--jobs", type=int, default=2000, show_default=True, help="Jobs of the scheduler.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same one gives the same bytes.")
@click.option("--preset", default="intrepid", show_default=True, help="A preset, or a file X.toml.")
@click.option("--shrink", type=int, default=1, show_default=True, help="Divide nodes and processes by this.")
@click.option("--files-per-process", type=int, default=2, show_default=True, help="At most, in each group.")
@click.option(
    "--scheduler", type=click.Choice(["slurm", "pbs", "cobalt"]), default="slurm", show_default=True
)
@click.option("--servers", type=int, default=8, show_default=True, help="Servers with devices.")
@click.option("--minutes", type=int, help="Minutes of samples, the first ones; else all.")
@click.option("-o", "--output", metavar="DIR", help="Directory of the files, made anew.")
@click.option("--direct", metavar="CATALOG", help="Add the rows to this catalog, without files.")
@click.option("--json", "as_json", is_flag=True, help="Print the truth.")
def command(
    jobs: int, seed: int, preset: str, shrink: int, files_per_process: int, scheduler: str, servers: int,
    minutes: int | None, output: str | None, direct: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Make up a computing facility of which everything is known.

    Writes job logs, records of the scheduler, samples of devices, scans and site.toml, and in
    truth.json and truth.parquet what a study of them must show. docs/bench/facility.md says more.

    \b
    Example:
      headrace bench facility --jobs 2000 --seed 7 -o made
      headrace catalog --at catalog add made/logs made/scheduler made/samples \
        made/scans made/site.toml
      headrace bench facility --jobs 100000 --shrink 64 --direct catalog
    """
    from headrace.facility import generate, is_file, load_preset, make_plan
    from headrace.facility.settings import Settings

    if (output is None) == (direct is None):
        raise UsageError("name a directory for files with -o, or a catalog with --direct")
    about = load_preset(preset)
    most = about["samples"]["minutes"]
    if not 1 <= servers <= 1024:
        raise UsageError(f"--servers {servers}: give 1 to 1,024")
    if minutes is not None and not 2 <= minutes <= most:
        raise UsageError(f"--minutes {minutes}: give 2 to {most:,}")
    write: Any = generate.write_files if output is not None else generate.write_catalog
    try:
        plan = make_plan(about, Settings(jobs, seed, shrink, files_per_process))
        figures = write(plan, Path(output or direct or ""), scheduler, servers, minutes or most, _report)
    except _UNUSABLE as error:
        if not is_file(preset):
            raise
        raise UsageError(f"{preset}: cannot be used as a preset: {_words(error)}; {_SAYS}") from error
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    if as_json:
        click.echo(json.dumps(figures, indent=1, sort_keys=True))


# What a preset of one's own may lead to that says something else than load_preset looks at.
_UNUSABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_SAYS = "the preset intrepid says what each key is"


def _words(error: Exception) -> str:
    return f"no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__


def _report(what: str, done: int, whole: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{what}: {done:,} of {whole:,}", nl=False, err=True)
