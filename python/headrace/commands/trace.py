"""`headrace trace`."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

import headrace
from headrace._errors import UsageError
from headrace.analysis import trace_checks, traces
from headrace.analysis.trace_calls import Calls
from headrace.analysis.trace_check import Check
from headrace.analysis.trace_sums import cut, damage
from headrace.analysis.traces import Trace
from headrace.commands import _trace
from headrace.commands._terminal import terminal, working
from headrace.commands._text import printable, to_ascii
from headrace.commands._trace_export import export
from headrace.commands._trace_lines import trace_lines
from headrace.commands._trace_messages import messages
from headrace.commands._trace_options import call_options, part, part_options
from headrace.commands._trace_overview import overview
from headrace.commands._trace_stats import stats
from headrace.commands._trace_unify import unify
from headrace.text import count

_ENDING = ".trace.hr"
_BATCH = 8192

_job = click.option("--job", type=int, help="Which job, from 1, of a file that holds several.")
_json = click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/trace.md.")


@click.group("trace")
def command() -> None:
    """Read an event trace: what each thread of a job did, one after the other.

    A trace NAME.trace.hr lies beside the job log NAME.hr of a job that was run with --trace.

    \b
    Example:
      headrace run --trace -o job.hr -- ./simulation
      headrace trace info job.trace.hr
      headrace trace cat --rank 3 --from 1.5s job.trace.hr
      headrace trace stats job.trace.hr
      headrace trace messages job.trace.hr
      headrace trace overview job.trace.hr
      headrace trace verify job.trace.hr
      headrace trace export job.trace.hr --to otf2 -o job-otf2
    """


command.add_command(export)
command.add_command(messages)
command.add_command(overview)
command.add_command(stats)
command.add_command(unify)


@command.command("info")
@click.argument("trace")
@click.option("--locations", is_flag=True, help="List them, too: threads, by rank and process.")
@_job
@_json
def info(trace: str, locations: bool, job: int | None, as_json: bool) -> None:
    """Say what a trace is of: its time, threads, events and bytes, and what is lost.

    Reads headers only: as fast for a long trace as for a short one.

    \b
    Example:
      headrace trace info job.trace.hr
      headrace trace info --locations job.trace.hr
    """
    with working(f"reading {printable(trace)}"):
        opened = Trace(trace, job)
        facts = traces.info(opened)
        rows = traces.location_facts(opened) if locations else None
    if as_json:
        _print(json.dumps(facts if rows is None else {**facts, "location_list": rows}, indent=2))
        return
    lines = _trace.info_lines(facts, terminal())
    _print(lines if rows is None else [*lines, "", *_trace.location_lines(rows, terminal())])


@command.command("cat")
@click.argument("trace")
@part_options
@call_options
@click.option("--limit", type=click.IntRange(0), help="At most so many lines.")
@_json
def cat(
    trace: str,
    rank: str | None,
    process: str | None,
    begin: str | None,
    end: str | None,
    job: int | None,
    limit: int | None,
    as_json: bool,
    calls: Calls,
) -> None:
    """Print events, one a line, in the order of time; an operation on a file is one line.

    A line is: time since the job's start, thread, what it did. With --json each line is an object.

    \b
    Example:
      headrace trace cat --limit 20 job.trace.hr
      headrace trace cat --rank 3 --from 1.5s --until 1.6s job.trace.hr
      headrace trace cat --file '*.h5' --function '*write*' job.trace.hr
      headrace trace cat --errors --json job.trace.hr | jq -c .path
    """
    asked = part(trace, job, rank, process, begin, end)
    opened = asked.trace
    if (incomplete := cut(opened))["lost_calls"]:
        click.echo(f"headrace: {printable(trace)}: {_trace.cut_text(incomplete)}", err=True)
    rows = opened.native.rows(asked.locations, asked.first_ns, asked.last_ns, calls)
    lines = trace_lines(opened, as_json)
    output = terminal()
    found = 0
    more = True
    while more and (limit is None or limit > 0):
        printed, text, more = rows.lines(lines, _BATCH if limit is None else min(_BATCH, limit))
        found += printed
        limit = None if limit is None else limit - printed
        click.echo(text if as_json or output.unicode else to_ascii(text), nl=False)
    if damaged := opened.native.damaged_chunks:
        passed = f"{count(damaged, 'damaged chunk')} passed over: headrace trace verify says where"
        click.echo(f"headrace: {printable(trace)}: {passed}", err=True)
    if limit != 0:
        asked.tell_if_empty(found, calls)


@command.command("verify")
@click.argument("trace")
@click.option("--log", metavar="JOB.hr", help="The job log; by default NAME.hr beside NAME.trace.hr, if any.")
@_job
@_json
def verify(trace: str, log: str | None, job: int | None, as_json: bool) -> int:
    """Check that a trace agrees with itself and with the job log.

    Whether chunks are missing or damaged, events lost, ends without begins, times that go back, messages
    without their other end, and calls and bytes by function that differ from the job log's. The exit status
    is 1 if something does not hold.

    \b
    Example:
      headrace trace verify job.trace.hr
      headrace trace verify --log elsewhere/job.hr job.trace.hr
    """
    with working(f"reading {printable(trace)}"):
        opened = Trace(trace, job)
        checks = _checked(opened, log, job)
    holds = all(check.holds is not False for check in checks)
    if as_json:
        facts: dict[str, Any] = {"trace": trace, "holds": holds}
        facts["checks"] = [dataclasses.asdict(check) for check in checks]
        facts["damage"] = damage(opened)
        click.echo(json.dumps(facts, indent=2))
    else:
        _print(_trace.check_lines(checks, terminal()) + _trace.damage_lines(damage(opened), terminal()))
    return 0 if holds else 1


def _checked(trace: Trace, log: str | None, job: int | None) -> list[Check]:
    beside = _beside(trace.path) if log is None else log
    if beside is None:
        return trace_checks.check(trace, None)
    try:
        opened = headrace.open(beside)
    except UsageError:
        opened = headrace.open(beside, job)  # of as many jobs as the trace
    with opened:
        return trace_checks.check(trace, opened)


def _beside(trace: str) -> str | None:
    if not trace.endswith(_ENDING):
        return None
    log = trace.removesuffix(_ENDING) + ".hr"
    return log if Path(log).is_file() else None


def _print(text: str | list[str]) -> None:
    if isinstance(text, str):
        click.echo(text)
    else:
        click.echo("\n".join(text if terminal().unicode else map(to_ascii, text)))
