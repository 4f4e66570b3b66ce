"""`headrace doctor`."""

from __future__ import annotations

import dataclasses
import json

import click

from headrace._places import page
from headrace.commands import _build_checks, _checks, _forward_checks
from headrace.commands._checks import FAILS, LIMITED, OK, Check
from headrace.commands._terminal import Terminal, terminal, working
from headrace.commands._text import printable, to_ascii
from headrace.commands._trace_check import event_trace

# What no machine can change; docs/what-escapes.md has the whole list.
_NEVER = (
    "Never captured: setuid and musl programs, static ones unless linked with capture, raw system calls: "
    f"{page('what-escapes.md')}."
)


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="A list of {name, state, found, advice, needed}.")
def command(as_json: bool) -> int:
    """Check what works on this machine, why something does not, and what to do.

    Each check is ok, limited (works with losses) or fails. The exit status is 1 when capture cannot work.

    \b
    Example:
      headrace doctor
    """
    with working("checking"):
        checks = [check() for check in (*_checks.ALL, event_trace, *_forward_checks.ALL, *_build_checks.ALL)]
    failed = any(check.needed and check.state == FAILS for check in checks)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(check) for check in checks], indent=2))
        return int(failed)
    output = terminal()
    lines = [line for check in checks for line in _lines(check, output)]
    verdict = output.bad("Capture does not work here.") if failed else output.good("Capture works here.")
    lines += ["", verdict, *output.wrap(_NEVER)]
    click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))
    return int(failed)


def _lines(check: Check, output: Terminal) -> list[str]:
    paint = {OK: output.good, LIMITED: output.warn, FAILS: output.bad}[check.state]
    indent = " " * 24
    found, *more = _wrapped(printable(check.found), indent, output) or [""]
    lines = [f"{paint(f'{check.state:<8}')}{check.name:<16}{found.removeprefix(indent)}", *more]
    if check.advice:
        lines += _wrapped(f"→ {printable(check.advice)}", indent, output)
    return lines


def _wrapped(text: str, indent: str, output: Terminal) -> list[str]:
    return [indent + text] if output.columns is None else output.wrap(text, indent)
