"""What part of a trace a command is about: its options, and what they come to."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import click

from headrace._errors import UsageError
from headrace.analysis.trace_calls import ALL, Calls
from headrace.analysis.traces import Trace
from headrace.commands._text import printable
from headrace.commands._time_text import nanoseconds

_F = TypeVar("_F", bound=Callable[..., Any])

_PROCESS = click.option("--process", metavar="PID", help="Only this process; a pid, or an id from --json.")
_OPTIONS = (
    click.option("--rank", metavar="LIST", help="Only these ranks: 3, 0-7, 0-7,12 or 0-62:2."),
    _PROCESS,
    click.option("--from", "begin", metavar="TIME", help="Only from then on: 1.5, 20ms, 7us, 12ns."),
    click.option("--until", "end", metavar="TIME", help="Only until then. Both are since the job's start."),
    click.option("--job", type=int, help="Which job, from 1, of a file that holds several."),
)
_CALLS = (
    click.option("--file", "files", metavar="GLOB", multiple=True, help="Only calls on such files: '*.h5'."),
    click.option("--function", "functions", metavar="GLOB", multiple=True, help="Only of such functions."),
    click.option("--errors", is_flag=True, help="Only operations on files that failed."),
)
_LAST = (1 << 64) - 1


def part_options(function: _F) -> _F:
    """--rank, --process, --from, --until and --job."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def rank_options(function: _F) -> _F:
    """The same without --process: of what ranks do with each other."""
    for option in reversed(_OPTIONS):
        function = function if option is _PROCESS else option(function)
    return function


def call_options(function: _F) -> _F:
    """--file, --function and --errors, as one `calls` of type Calls."""

    @functools.wraps(function)
    def called(
        *args: Any, files: tuple[str, ...], functions: tuple[str, ...], errors: bool, **more: Any
    ) -> Any:
        patterns = [list(map(os.fsencode, each)) for each in (files, functions)]
        return function(*args, calls=Calls(patterns[0], patterns[1], errors), **more)

    for option in reversed(_CALLS):
        called = option(called)
    return cast(_F, called)


def times(begin: str | None, end: str | None) -> tuple[int | None, int | None]:
    """Of --from and --until, in ns. Raises UsageError."""
    begin_ns = None if begin is None else nanoseconds(begin, "--from")
    end_ns = None if end is None else nanoseconds(end, "--until")
    if begin_ns is not None and end_ns is not None and begin_ns > end_ns:
        raise UsageError(f"--from {begin} is after --until {end}")
    return begin_ns, end_ns


@dataclass(frozen=True)
class Part:
    """A trace, and what of it was asked for."""

    trace: Trace
    locations: list[int]
    begin_at_ns: int | None
    end_at_ns: int | None  # the last one of it

    @property
    def first_ns(self) -> int:
        return self.begin_at_ns or 0

    @property
    def last_ns(self) -> int:
        return _LAST if self.end_at_ns is None else self.end_at_ns

    def touched(self, begin_at_ns: int, end_at_ns: int) -> int:
        """How many locations are there in this range, whose end is behind it."""
        rows = [self.trace.locations[each] for each in self.locations]
        return sum(
            row["begin_at_ns"] < end_at_ns and row["end_at_ns"] >= begin_at_ns
            for row in rows
            if row["events"]
        )

    def tell_if_empty(self, found: int, calls: Calls = ALL) -> None:
        """On stderr where nothing was found: when something would have been."""
        if not found and not calls.everything:
            click.echo(f"headrace: {printable(self.trace.path)}: no call is as asked for", err=True)
            return
        rows = [self.trace.locations[each] for each in self.locations]
        rows = [row for row in rows if row["events"]]
        if found or (self.begin_at_ns is None and self.end_at_ns is None and rows):
            return
        says = "there are no events"
        if rows:
            first = min(row["begin_at_ns"] for row in rows)
            last = max(row["end_at_ns"] for row in rows)
            says = f"no event is in this range: they are from {_exact(first)} to {_exact(last)} of the job"
        elif len(self.locations) < len(self.trace.locations):
            says = "there are no events of these threads"
        click.echo(f"headrace: {printable(self.trace.path)}: {says}", err=True)


def _exact(ns: int) -> str:
    """As --from takes it, with no digit that does not count."""
    text = f"{ns // 10**9}.{ns % 10**9:09}".rstrip("0").rstrip(".")
    return f"{text} s"


def part(
    path: str, job: int | None, rank: str | None, process: str | None, begin: str | None, end: str | None
) -> Part:
    """Opens the trace. Raises UsageError."""
    begin_ns, end_ns = times(begin, end)
    opened = Trace(path, job)
    return Part(opened, opened.choose(rank, process), begin_ns, end_ns)
