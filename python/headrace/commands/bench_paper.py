"""`headrace bench paper`."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from headrace._errors import UsageError
from headrace.commands._paper import markdown, render
from headrace.commands._terminal import terminal, working
from headrace.commands._text import duration, printable, to_ascii
from headrace.papers import paper
from headrace.papers.comparison import compare, repetitions
from headrace.papers.kept import Kept
from headrace.papers.matrix import Run, runs_of
from headrace.papers.running import Machine, Runner
from headrace.reports import html
from headrace.text import count, size

_REPEATS = 3


def _list(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    for name in paper.names():
        found = paper.read(name)
        click.echo(f"{name:16} {found.title}")
        click.echo(f"{'':16} {found.source}")
    context.exit()


@click.command("paper")
@click.argument("name")
@click.option("--list", "lists", is_flag=True, is_eager=True, expose_value=False, callback=_list,
              help="The papers that there are.")  # fmt: skip
@click.option("--dir", "directory", default=".", metavar="DIR", help="Where runs have their files.")
@click.option("--results", metavar="DIR", help="Where results are kept (default: headrace-paper-NAME).")
@click.option("--repeats", type=click.IntRange(1, 1000), help="Runs of each case (default: 3).")
@click.option("--table", "tables", multiple=True, metavar="NAME", help="These tables alone; again for more.")
@click.option("--full", is_flag=True, help="The paper's own sizes, not those that take minutes.")
@click.option("--launcher", default="mpirun -n {ranks}", metavar="WORDS", help="What starts several ranks.")
@click.option("--limit", default=600.0, type=click.FloatRange(1), metavar="SECONDS", help="Most for one run.")
@click.option("-o", "--output", "output_file", metavar="FILE", help="A page (.html) or Markdown (.md).")
@click.option("--force", is_flag=True, help="Replace FILE even if it is not a report.")
@click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/bench/papers.md.")
@click.option("--show", is_flag=True, help="Run nothing: show what the results have.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def command(
    name: str,
    directory: str,
    results: str | None,
    repeats: int | None,
    tables: tuple[str, ...],
    full: bool,
    launcher: str,
    limit: float,
    output_file: str | None,
    force: bool,
    as_json: bool,
    show: bool,
    options: tuple[str, ...],
) -> None:
    """Measure a paper's tables again, and show them beside what was published.

    Each case of each table is a run of `headrace bench`; all are run once, then once more, up to
    --repeats. Results are kept as they come: the same command goes on where it was interrupted.
    OPTIONS after -- are given to every run, for example -- --hdf5 /opt/hdf5/lib/libhdf5.so

    \b
    Example:
      headrace bench paper --list
      headrace bench paper page-buffer --dir /scratch/me -o page-buffer.html
      headrace bench paper page-buffer --table hopper-1d --repeats 5
    """
    study = paper.read(name, full, options)
    kept = Kept(Path(results or f"headrace-paper-{study.name}") / "runs.jsonl")
    if output_file is not None and not as_json:
        html.check(output_file, force)
    if show:
        study = _stored(name, study, kept)
    chosen = study.chosen(tables)
    if not show:
        machine = Machine(Path(directory), launcher, limit)
        with kept.alone():
            _check_machine(kept, machine)
            runs = runs_of(chosen, repeats or _REPEATS)
            _measure([run for run in runs if _is_wanted(run, kept, limit)], machine, kept)
    facts = compare(chosen, kept.results, repeats)
    facts["others"] = _others(study, kept)
    _present(facts, output_file, force, as_json)


def _keys(study: paper.Paper, kept: Kept) -> set[str]:
    return {run.key for run in runs_of(study, repetitions(kept.results))}


def _stored(name: str, study: paper.Paper, kept: Kept) -> paper.Paper:
    """The study as it was measured, where no manner is asked for and none of the plain command is stored."""
    if study.manner != paper.Manner() or _keys(study, kept) & kept.results.keys():
        return study
    manner = next(reversed(kept.manners()), None) or paper.Manner(full=True)
    found = paper.read(name, manner.full, manner.options)
    return found if _keys(found, kept) & kept.results.keys() else study


def _others(study: paper.Paper, kept: Kept) -> list[str]:
    """What else is stored."""
    return [
        f"{count(number, 'run')} with {manner.words or 'neither --full nor options'}: not shown"
        for manner, number in kept.manners(_keys(study, kept)).items()
    ]


def _check_machine(kept: Kept, machine: Machine) -> None:
    for result in kept.results.values():
        before = result.get("machine", machine.facts)
        if before != machine.facts:
            raise UsageError(
                f"{kept.path}: has results of --dir {before['directory']} and --launcher "
                f"'{before['launcher']}'; give the same again, or name another directory with --results"
            )


def _is_wanted(run: Run, kept: Kept, limit: float) -> bool:
    """What did not fit may fit now, and what took too long may be given more time."""
    result = kept.results.get(run.key)
    if result is None or result["outcome"] == "too large":
        return True
    return bool(result["outcome"] == "too long" and result["limit"] < limit)


def _measure(missing: list[Run], machine: Machine, kept: Kept) -> None:
    """Interrupted, it says what is kept; what runs removes its files first."""
    runner = Runner(machine)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: runner.stop())
    began, measured, again = time.monotonic(), 0, {run.key for run in missing}
    try:
        for done, run in enumerate(missing):
            if run.key not in again:  # another table has the same run
                continue
            again.remove(run.key)
            _tell(run, done, len(missing), time.monotonic() - began, measured)
            with working(f"{run.table.name}, {run.case.name}"):
                result = runner.perform(run)
            kept.add(result)
            measured += 1
    except KeyboardInterrupt:
        results = printable(str(kept.path))
        _say(f"interrupted; {count(len(kept.results), 'run')} in {results}: the same command goes on there")
        raise


def _tell(run: Run, done: int, total: int, seconds: float, measured: int) -> None:
    left = seconds / measured * (total - done) if measured else 0.0
    still = f", about {duration(left * 1e9)} left" if left >= 2 else ""
    repetition = f"repetition {run.repetition + 1}"
    _say(f"run {done + 1} of {total}{still}: {run.table.name}, {run.case.name}, {repetition}")


def _say(text: str) -> None:
    print(f"headrace bench paper: {text}", file=sys.stderr, flush=True)


def _present(facts: dict[str, Any], output_file: str | None, force: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    if output_file is None:
        output = terminal()
        lines = render(facts, output)
        click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))
        return
    document: Iterable[bytes] = html.document("paper", f"Headrace: {facts['title']}", facts, {})
    if output_file.endswith(".md"):
        document = [line.encode() + b"\n" for line in (*markdown(facts), "", html.MADE_HERE)]
    written = html.write(document, output_file, force)
    if output_file != "-":
        where = "" if output_file.endswith(".md") else "; open it in a browser"
        click.echo(f"{printable(output_file)}: {size(written)}{where}")
