"""`headrace trace export`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from headrace import _native
from headrace._errors import HeadraceError, OutputError, UsageError
from headrace._outputs import apart, new_file, only_with_force, reason_of
from headrace.analysis.traces import Trace
from headrace.commands import _otf2 as _otf2_library
from headrace.commands import _trace_parquet
from headrace.commands._terminal import counting
from headrace.commands._text import number, printable
from headrace.commands._trace_options import part, part_options
from headrace.text import count, size

Facts = dict[str, Any]
_Told = Callable[[int], None]

_CHANGES = {
    "closed_at_end": ("call or region", "calls and regions", "still open at the end: closed there"),
    "cut_at_begin": ("call or region", "calls and regions", "open when the time span begins: begin with it"),
    "closed_in_gap": ("call or region", "calls and regions", "closed where events are missing"),
    "opened_in_gap": ("call or region", "calls and regions", "begun where events are missing"),
    "closed_early": ("call or region", "calls and regions", "closed as what they were in ended"),
    "left_out": ("end", "ends", "left out: of what was not open"),
    "moved": ("event", "events", "before the one in front of them: put at its time"),
    "without_rank": ("message or collective", "messages and collectives", "left out: no rank, or none known"),
    "damaged_chunks": ("damaged chunk", "damaged chunks", "passed over: headrace trace verify says where"),
}


def _refuse(path: Path, target: str, force: bool) -> None:
    """Of formats that are directories."""
    if not path.exists() and not path.is_symlink():
        return
    if not force:
        raise OutputError(f"{path}: exists already; --force replaces it, -o OUT writes elsewhere")
    inside = {"otf2": "traces.otf2", "parquet": "spans.parquet"}[target]
    if not (path / inside).is_file():
        raise OutputError(f"{path}: is of no kind that --force replaces; -o OUT writes elsewhere")


def _otf2(
    trace: Trace, path: Path, job: int, locations: list[int], begin_ns: int, end_ns: int, told: _Told
) -> Facts:
    asked: Facts = {
        "what": "write",
        "trace": trace.path,
        "job": job,
        "locations": locations,
        "directory": str(path),
    }
    return _otf2_library.ask({**asked, "begin_at_ns": begin_ns, "end_at_ns": end_ns}, told)


def _perfetto(
    trace: Trace, path: Path, job: int, locations: list[int], begin_ns: int, end_ns: int, told: _Told
) -> Facts:
    return _native.write_perfetto(
        os.fsencode(trace.path), job, os.fsencode(path), locations, begin_ns, end_ns, told
    )


_FORMATS = {"otf2": _otf2, "perfetto": _perfetto, "parquet": _trace_parquet.write}


@contextmanager
def _new_directory(path: Path, target: str, force: bool) -> Iterator[Path]:
    """Under another name first, so that what has this name is always whole; as new_file is for files."""
    _refuse(path, target, force)
    try:
        with tempfile.TemporaryDirectory(prefix=".headrace-", dir=path.parent) as directory:
            partial = Path(directory, "partial")
            try:
                yield partial
            except HeadraceError as error:
                # The temporary name says nothing to anybody.
                error.args = (str(error).replace(str(partial), str(path)),)
                raise
            _refuse(path, target, force)  # what came meanwhile
            if path.is_dir() and not path.is_symlink():
                path.rename(Path(directory, "before"))
            partial.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {reason_of(error)}") from error


def _bytes(path: Path) -> int:
    return sum(each.stat().st_size for each in path.rglob("*")) if path.is_dir() else path.stat().st_size


@click.command("export")
@click.argument("trace")
@click.option("--to", "target", type=click.Choice(list(_FORMATS)), help="The format; required.")
@click.option("-o", "--output", metavar="OUT", help="What to write, required; it must not be there.")
@click.option("--force", is_flag=True, help="Replace OUT if it is of this format.")
@part_options
def export(
    trace: str,
    target: str | None,
    output: str | None,
    force: bool,
    rank: str | None,
    process: str | None,
    begin: str | None,
    end: str | None,
    job: int | None,
) -> None:
    """Write a trace in a format of other tools.

    otf2: a directory, an OTF2 archive for Vampir, Score-P's tools and otf2-print (traces.otf2 in it is what
    they open). perfetto: a file for ui.perfetto.dev, which holds up to about 2 GB; --from, --until and --rank
    make it smaller. parquet: a directory of tables for DuckDB, pandas and Spark. docs/interchange.md says
    what becomes of what.

    \b
    Example:
      headrace trace export job.trace.hr --to otf2 -o job-otf2
      headrace trace export job.trace.hr --to perfetto -o step.pftrace --from 1.5s --until 1.6s
      headrace trace export job.trace.hr --to parquet -o tables
    """
    if target is None or output is None:
        lacks = f"format (--to {', '.join(_FORMATS)})" if target is None else "name (-o OUT)"
        example = f"headrace trace export {trace} --to {target or 'otf2'} -o {output or 'job-out'}"
        raise UsageError(f"export needs a {lacks}, for example: {example}")
    asked = part(trace, job, rank, process, begin, end)
    opened = asked.trace
    path = Path(output)
    apart(path, [trace])
    is_file = target == "perfetto"
    new = new_file(path, only_with_force(force)) if is_file else _new_directory(path, target, force)
    total = sum(opened.locations[i]["events"] for i in asked.locations)
    wanted = (job or 0, asked.locations, asked.first_ns, asked.last_ns)
    with new as partial, counting(f"writing {printable(output)}", total) as told:
        facts = _FORMATS[target](opened, partial, *wanted, told)
    records = "" if facts["records"] == facts["events"] else f" as {number(facts['records'])} records"
    click.echo(f"{printable(output)}: {count(facts['events'], 'event')}{records}, {size(_bytes(path))}")
    for key, (one, several, what) in _CHANGES.items():
        if facts[key]:
            click.echo(f"headrace: {printable(trace)}: {count(facts[key], one, several)} {what}", err=True)
    asked.tell_if_empty(facts["events"])
