"""`headrace phases`."""

from __future__ import annotations

import json
from typing import Any

import click

import headrace
from headrace.analysis.phase_compare import compare
from headrace.analysis.phase_facts import phase_facts
from headrace.commands._phase_words import heading, verdicts, why
from headrace.commands._phases import comparison, render
from headrace.commands._terminal import terminal, working
from headrace.commands._text import printable, size, to_ascii
from headrace.logs import JobLog


@click.command("phases")
@click.argument("logs", nargs=-1, required=True, metavar="LOG [LOG...]")
@click.option("--phase", "path", metavar="NAME", help="Explain this one; by default that with most I/O.")
@click.option("--instance", type=click.IntRange(1), help="Of the phase, only this time, such as dump 17.")
@click.option("--job", type=int, help="Which job, from 1, of a log that holds several.")
@click.option("-o", "--output", "output_file", metavar="FILE", help="Write a report instead: one HTML file.")
@click.option("--force", is_flag=True, help="Replace FILE even if it is not a report.")
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs; keys in docs/phases.md.")
def command(
    logs: tuple[str, ...],
    path: str | None,
    instance: int | None,
    job: int | None,
    output_file: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Show what a program did in the phases that it marks, and why some ranks were slower there.

    Ranks are grouped by their time in each function, by their messages, by their bandwidth over time and
    by the sizes of their requests; what these groups have in common says what goes with slowness.

    \b
    Example:
      headrace phases job.hr
      headrace phases job.hr --phase step/dump --instance 17
      headrace phases small-blocks.hr large-blocks.hr --phase dump
      headrace phases job.hr -o phases.html
      headrace phases job.hr --json | jq '.explained.slow'
    """
    output = terminal()
    page = output_file is not None and not as_json
    runs, jobs = [], []
    with working("reading and clustering"):
        for log in logs:
            with headrace.open(log, job) as opened:
                runs.append(phase_facts(opened, path, instance))
                path = path or runs[0]["explained"]["phase"]  # of all runs the same
                jobs += [_about(opened)] if page else []
    compared = compare(runs, str(path)) if len(runs) > 1 else None
    if output_file is not None and page:
        _write(runs, jobs, compared, output_file, force)
        return
    if as_json:
        facts = {"runs": runs, "comparison": compared} if compared else runs[0]
        click.echo(json.dumps(facts, indent=2))
        return
    lines = [line for run in runs for line in [*render(run, output), ""]][:-1]
    if compared:
        lines += ["", *comparison(compared, output)]
    click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))


def _about(log: JobLog) -> dict[str, Any]:
    from headrace.reports import phases

    return phases.about(log)


def _write(
    runs: list[dict[str, Any]],
    jobs: list[dict[str, Any]],
    compared: dict[str, Any] | None,
    target: str,
    force: bool,
) -> None:
    from headrace.reports import html, phases

    said = [
        {"of": heading(run["explained"]), **why(run["explained"], "rank" if run["ranks"] else "process")}
        for run in runs
    ]
    if compared:
        compared = {**compared, "said": verdicts(compared)}
    facts = phases.page_facts(runs, jobs, said, compared)
    written = html.write(html.document("phases", phases.title(jobs), facts, {}), target, force)
    if target != "-":
        click.echo(f"{printable(target)}: {size(written)}; open it in a browser")
