"""`headrace phases`."""

from __future__ import annotations

import json
from typing import Any

import click

import headrace
from headrace._errors import UsageError
from headrace._outputs import apart
from headrace.analysis.detected_phases import detected_facts
from headrace.analysis.phase_compare import compare
from headrace.analysis.phase_facts import phase_facts
from headrace.commands import _detected_words
from headrace.commands._detected import render_detected
from headrace.commands._phase_words import heading, verdicts, why
from headrace.commands._phases import comparison, render, stood_for
from headrace.commands._terminal import Terminal, terminal, working
from headrace.commands._text import printable, to_ascii
from headrace.logs import JobLog
from headrace.text import size


@click.command("phases")
@click.argument("logs", nargs=-1, required=True, metavar="LOG [LOG...]")
@click.option("--phase", "path", metavar="NAME", help="Explain this one; by default that with most I/O.")
@click.option("--instance", type=click.IntRange(1), help="Of the phase, only this time, such as dump 17.")
@click.option("--detected", is_flag=True, help="Those told from bytes over time, also where some are marked.")
@click.option("--job", type=int, help="Which job, from 1, of a log that holds several.")
@click.option("-o", "--output", "output_file", metavar="FILE", help="Write a report instead: one HTML file.")
@click.option("--force", is_flag=True, help="Replace FILE even if it is not a report.")
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs; keys in docs/phases.md.")
def command(
    logs: tuple[str, ...],
    path: str | None,
    instance: int | None,
    detected: bool,
    job: int | None,
    output_file: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Show what a program did in the phases that it marks, and why some ranks were slower there.

    Where it marks none, phases are detected: bursts in what was read and written over time, and who took
    part in them.

    Ranks are grouped by their time in each function, by their messages, by their bandwidth over time and
    by the sizes of their requests; what these groups have in common says what goes with slowness.

    \b
    Example:
      headrace phases job.hr
      headrace phases job.hr --phase step/dump --instance 17
      headrace phases unmarked.hr --phase "burst 2"
      headrace phases small-blocks.hr large-blocks.hr --phase dump
      headrace phases job.hr -o phases.html
      headrace phases job.hr --json | jq '.explained.slow'
    """
    if output_file is not None:
        apart(output_file, logs)
    output = terminal()
    page = output_file is not None and not as_json
    runs, jobs = [], []
    if len(logs) > 1 and not detected:
        _check_alike(logs, job)
    with working("reading and clustering"):
        for log in logs:
            with headrace.open(log, job) as opened:
                runs.append(_facts(opened, path, instance, detected))
                if runs[0]["explained"]:
                    path = path or runs[0]["explained"]["phase"]  # of all runs the same
                jobs += [_about(opened)] if page else []
    comparable = len(runs) > 1 and all(run["explained"] for run in runs)
    compared = compare(runs, str(path)) if comparable else None
    if output_file is not None and page:
        _write(runs, jobs, compared, output_file, force)
        return
    if as_json:
        facts = {"runs": runs, "comparison": compared} if len(runs) > 1 else runs[0]
        click.echo(json.dumps(facts, indent=2))
        return
    lines = [line for run in runs for line in [*_words(run, output), ""]][:-1]
    if compared:
        lines += ["", *comparison(compared, output)]
    click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))


def _check_alike(logs: tuple[str, ...], job: int | None) -> None:
    """Raises UsageError where only some of the logs have marked phases: nothing of these can be compared."""
    marked: dict[bool, str] = {}
    for log in logs:
        with headrace.open(log, job) as opened:
            marked.setdefault(len(opened.native.frame("phases")) > 0, log)
    if len(marked) > 1:
        raise UsageError(
            f"{marked[False]}: no phase is marked in this log, but in {marked[True]}: --detected tells those "
            "of both from bytes over time; or give each log by itself"
        )


def _facts(log: JobLog, path: str | None, instance: int | None, detected: bool) -> dict[str, Any]:
    if detected or not len(log.native.frame("phases")):
        return detected_facts(log, path, instance)
    return {**phase_facts(log, path, instance), "detected": None}


def _words(run: dict[str, Any], output: Terminal) -> list[str]:
    return render_detected(run, output) if run["detected"] else render(run, output)


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

    said = [_said(run, "rank" if run["ranks"] else "process") for run in runs]
    if compared:
        compared = {**compared, "said": verdicts(compared)}
    facts = phases.page_facts(runs, jobs, said, compared)
    written = html.write(html.document("phases", phases.title(jobs), facts, {}), target, force)
    if target != "-":
        click.echo(f"{printable(target)}: {size(written)}; open it in a browser")


def _said(run: dict[str, Any], who: str) -> dict[str, Any]:
    """The sentences of a run."""
    detected = run["detected"]
    if not detected:
        return {"of": heading(run["explained"]), **why(run["explained"], who)}
    explained = detected["explained"]
    return {
        "of": _detected_words.heading(explained) if explained else "",
        "how": [*stood_for(run, who), *_detected_words.how(detected, who)],
        "phases": [_detected_words.about(phase) for phase in detected["phases"]],
        "groups": _detected_words.groups(explained, who) if explained else [],
    }
