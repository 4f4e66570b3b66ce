"""`headrace convert`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click

import headrace
from headrace import _native
from headrace._errors import LogNotFoundError, UsageError
from headrace._outputs import apart, new_file, only_with_force
from headrace.commands import _otf2
from headrace.commands._terminal import counting
from headrace.commands._text import printable
from headrace.text import count, size

_SUFFIXES = {"hr": ".hr", "darshan": ".darshan", "trace": ".trace.hr"}
_OTHERS = {
    ".otf2": "headrace trace export --to otf2",
    ".parquet": "headrace export --to parquet",
    ".csv": "headrace export --to csv",
    ".html": "headrace report",
}
_KINDS = {"hr": "a job log", "darshan": "a Darshan log", "trace": "a trace"}


@click.command("convert")
@click.argument("log")
@click.option(
    "--to",
    "target",
    type=click.Choice(list(_SUFFIXES)),
    help="The format. Default: what FILE's suffix names, or hr without one.",
)
@click.option("-o", "--output", metavar="FILE", help="The new log; else LOG with another suffix.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--job", type=int, help="Which job, from 1, of a file that holds several.")
def command(log: str, target: str | None, output: str | None, force: bool, job: int | None) -> None:
    """Write a Darshan log as a job log, or a job log as a Darshan log.

    Nothing needs to be converted before it is shown: all other commands read Darshan logs as they are.
    docs/darshan.md says what becomes of which counter. With --to trace the operations that Darshan traced
    one by one (DXT), or an OTF2 archive, become an event trace, which `headrace trace` reads:
    docs/interchange.md.

    \b
    Example:
      headrace convert job.darshan -o job.hr
      headrace convert job.hr -o job.darshan
      headrace convert job.darshan --to trace -o job.trace.hr
      headrace convert scorep-run/traces.otf2 --to trace -o run.trace.hr
    """
    named = _format_of(output, target)
    if target is not None and named is not None and named != target:
        raise UsageError(
            f"{output}: is named as {_KINDS[named]}, and --to {target} writes {_KINDS[target]}: leave"
            f" --to out, or give it a name that ends in '{_SUFFIXES[target]}'"
        )
    target = target or named or "hr"
    archive = target == "trace" and log.endswith(".otf2")
    path = Path(output) if output is not None else Path(Path(log).name).with_suffix(_SUFFIXES[target])
    if output is None and path.exists() and path.samefile(log):
        others = " or ".join(f"--to {each}" for each in _SUFFIXES if each != target)
        raise UsageError(
            f"{log}: is {_KINDS[target]} already, by its name; {others} gives it another format, "
            "-o FILE another name"
        )
    apart(path, [log])
    with new_file(path, only_with_force(force)) as partial, counting(f"reading {printable(log)}", 0) as told:
        left_out = _write_archive(log, partial, told) if archive else _write(log, target, partial, job)
    click.echo(f"{printable(str(path))}: {size(path.stat().st_size)}")
    if target == "trace":
        _tell_traced(log, left_out)
    elif target == "darshan":
        _tell_left_out(log, left_out)


def _format_of(output: str | None, target: str | None) -> str | None:
    """By the suffix of a name, the longest first. UsageError: another command writes such."""
    name = Path(output).name if output is not None else ""
    for end, how in _OTHERS.items():
        if target is None and name.endswith(end):
            raise UsageError(f"{output}: is named as another format, which `{how}` writes")
    ends = sorted(_SUFFIXES.items(), key=lambda item: -len(item[1]))
    return next((target for target, end in ends if name.endswith(end)), None)


def _tell_left_out(log: str, left_out: dict[str, int]) -> None:
    if left_out["records"]:
        click.echo(
            "headrace: a Darshan log tells of ranks alone: what "
            f"{count(left_out['processes'], 'process', 'processes')} outside of them did, such as the"
            f" launcher, is not in it: {count(left_out['records'], 'record of a file', 'records of files')}"
            f" with {size(left_out['bytes'])}; 'headrace show --by process {printable(log)}' has them",
            err=True,
        )
    if left_out["mpi_files"]:
        own = left_out["mpi_files"]
        click.echo(
            f"headrace: {count(own, 'record')} of files that the MPI library made for itself"
            f" {'is' if own == 1 else 'are'} not in it: 'headrace show {printable(log)}' has them apart",
            err=True,
        )
    if left_out["unranked_bytes"]:
        click.echo(
            "headrace: a time line of a Darshan log is of one rank: "
            f"{size(left_out['unranked_bytes'])} whose rank is not known have none;"
            f" 'headrace show {printable(log)}' shows them over time",
            err=True,
        )


_TRACED = {
    "untraced": "counted in the log, but not traced one by one",
    "lanes": "at the same time as others of their thread: in threads of their own",
    "left_out": "left out: too many at the same time",
    "untold": "of the archive that a trace has no counterpart of: left out",
    "backward": "that end before they begin: they end where they begin",
}


def _tell_traced(log: str, traced: dict[str, int]) -> None:
    for key, what in _TRACED.items():
        if traced.get(key):
            unit = count(traced[key], "record" if key == "untold" else "operation")
            click.echo(f"headrace: {printable(log)}: {unit} {what}", err=True)


def _write_archive(log: str, path: Path, told: Callable[[int], None]) -> dict[str, int]:
    if not Path(log).is_file():
        raise LogNotFoundError(f"{log}: there is no such file")
    return _otf2.ask({"what": "read", "anchor": log, "output": str(path)}, told)


def _refuse_parts_of_archives(log: str) -> None:
    anchor = Path(log).with_suffix(".otf2")
    if not log.endswith((".def", ".evt")) or not Path(log).is_file():
        return
    for name in (anchor, *sorted(Path(log).parent.parent.glob("*.otf2"))[:1]):
        if name.is_file():
            raise UsageError(f"{log}: a part of an OTF2 archive; name its anchor, {name}, with --to trace")
    raise UsageError(
        f"{log}: looks like a part of an OTF2 archive, which is read by its anchor, NAME.otf2 with --to trace"
    )


def _write(log: str, target: str, path: Path, job: int | None) -> dict[str, int]:
    _refuse_parts_of_archives(log)
    with headrace.open(log, job) as opened:
        if target == "trace":
            left_out = _native.convert_to_trace(opened.native, os.fsencode(path))
        else:
            left_out = _native.convert(opened.native, target, os.fsencode(path))
        for damage in opened.damage:
            reason = printable(damage.reason)
            click.echo(f"headrace: {printable(log)}: damaged at byte {damage.offset}: {reason}", err=True)
    return left_out
