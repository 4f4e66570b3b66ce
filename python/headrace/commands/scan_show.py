"""`headrace scan show`."""

from __future__ import annotations

import json
from typing import Any

import click

from headrace import scans
from headrace.commands._scan_text import render
from headrace.commands._terminal import terminal
from headrace.commands._text import to_ascii
from headrace.scans import bins
from headrace.scans.scan import COUNTS, Scan


@click.command("show")
@click.argument("scan_file", metavar="SCAN")
@click.option("--json", "as_json", is_flag=True, help="All of it, for programs; keys in docs/scan.md.")
@click.option("--owners", type=click.IntRange(min=0), default=10, help="Rows of each list of owners (10).")
@click.option("--of", "owner", default="all", metavar="WHOM", help="user:NAME, group:NAME or project:NAME.")
def command(scan_file: str, as_json: bool, owners: int, owner: str) -> None:
    """Show what a scan found: totals, owners, sizes, ages and problems.

    \b
    Example:
      headrace scan show scratch.hr
      headrace scan show scratch.hr --of project:climate
      headrace scan show scratch.hr --json | jq .totals.files
    """
    scan = scans.load(scan_file)
    if as_json:
        click.echo(json.dumps(facts(scan), indent=2))
        return
    output = terminal()
    lines = render(scan, owner, owners, output)
    click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))


def facts(scan: Scan) -> dict[str, Any]:
    """What a scan's file has; nothing is left out."""
    histograms = [
        {
            **key._asdict(),
            **dict(zip(("low", "high"), bins.edges(key.histogram, key.bucket), strict=True)),
            **one._asdict(),
        }
        for key, one in sorted(scan.bins.items())
    ]
    return {
        "path": scan.path,
        "roots": scan.roots,
        "file_system": scan.file_system,
        "host": scan.facts.get("host", ""),
        "start_utc_ns": scan.number("start_utc_ns"),
        "end_utc_ns": scan.number("end_utc_ns"),
        "complete": scan.facts.get("complete", ""),
        "totals": {name: scan.number(name) for name in COUNTS},
        "ranges": {name: {"least": least, "greatest": most} for name, (least, most) in scan.ranges.items()},
        "histograms": histograms,
        "problems": [{"path": path, "reason": reason} for path, reason in scan.problems],
    }
