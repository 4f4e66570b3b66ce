"""`headrace scan diff`."""

from __future__ import annotations

import json
from typing import Any

import click

from headrace import scans
from headrace._errors import UsageError
from headrace.commands._scan_churn import Made, churn, made_by_jobs, sentence
from headrace.commands._scan_text import date
from headrace.commands._terminal import Terminal, terminal
from headrace.commands._text import number, percent, printable, shorten_right, to_ascii
from headrace.scans.growth import compare
from headrace.text import size


@click.command("diff")
@click.argument("before", metavar="OLDER")
@click.argument("after", metavar="NEWER")
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs; keys in docs/scan.md.")
@click.option("--by", type=click.Choice(["user", "group", "project"]), help="Owners (project, else user).")
@click.option("--rows", type=click.IntRange(min=0), default=10, help="Of owners (10).")
@click.option("--files", "files_limit", type=click.IntRange(min=1), help="When so many files are reached.")
@click.option("--bytes", "bytes_limit", type=click.IntRange(min=1), help="When so many bytes are reached.")
@click.option("--at", "catalog", metavar="CATALOG", help="Compare growth with what its jobs created.")
@click.option("--created", type=click.IntRange(min=0), help="The same with a number of files.")
def command(
    before: str,
    after: str,
    as_json: bool,
    by: str | None,
    rows: int,
    files_limit: int | None,
    bytes_limit: int | None,
    catalog: str | None,
    created: int | None,
) -> None:
    """Show how a file system grew between two scans, and when it reaches limits.

    Forecasts are linear (as much more each day) and by doubling (the same factor).

    \b
    Example:
      headrace scan diff january.hr march.hr --files 1000000000
      headrace scan diff january.hr march.hr --at catalog --by project
    """
    if catalog is not None and created is not None:
        raise UsageError("--at and --created both say what jobs created: give one of them")
    old, new = scans.load(before), scans.load(after)
    by = by or ("project" if new.owners("project") else "user")
    limits = {
        name: value for name, value in (("files", files_limit), ("bytes", bytes_limit)) if value is not None
    }
    facts = compare(old, new, by, limits)
    made: Made = {"jobs": None, "created": created, "elsewhere": None}
    if catalog is not None:
        made = made_by_jobs(catalog, old, new)
    asked = catalog is not None or created is not None
    facts["churn"] = churn(made, facts["growth"]["files"]["change"]) if asked else None
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    output = terminal()
    lines = _render(facts, rows, output)
    click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))


def _amount(name: str, value: float) -> str:
    return number(round(value)) if name in ("files", "directories") else size(value)


def _render(facts: dict[str, Any], rows: int, output: Terminal) -> list[str]:
    old, new = facts["before"], facts["after"]
    lines = [
        output.bold(printable(facts["file_system"])),
        f"{date(old['start_utc_ns'])} to {date(new['start_utc_ns'])}: {facts['days']:.1f} days",
        "",
        output.bold(f"{'':<12}{'before':>16}{'after':>16}{'change':>16}{'':>9}{'a day':>14}"),
    ]
    for name, one in facts["growth"].items():
        cells = [_amount(name, one[key]) for key in ("before", "after", "change")]
        lines.append(
            f"{name:<12}{cells[0]:>16}{cells[1]:>16}{cells[2]:>16}{percent(one['share']):>9}"
            f"{_amount(name, one['per_day']):>14}"
        )
    lines += [
        "",
        output.bold(f"{facts['owned_by']:<24}{'files':>16}{'change':>16}{'of all':>9}{'bytes':>12}"),
    ]
    for row in facts["owners"][:rows]:
        name = shorten_right(printable(row["owner"]) or "(none)", 23)
        share = percent(row["share_of_files_change"])
        lines.append(
            f"{name:<24}{number(row['files_after']):>16}{number(row['files_change']):>16}{share:>9}"
            f"{size(row['bytes_change']):>12}"
        )
    lines.append("")
    if facts["days"] < 1:
        lines.append("The scans are less than a day apart, which is too near for a forecast.")
    else:
        lines += [sentence for one in facts["forecast"] for sentence in _forecast(one)]
    if facts["churn"]:
        lines.append(sentence(facts["churn"]))
    lines += [output.warn(f"{printable(path)} is incomplete: growth may be more or less")
              for path in facts["incomplete"]]  # fmt: skip
    return lines


def _forecast(one: dict[str, Any]) -> list[str]:
    if one["limit"] is None or one["linear_utc_ns"] is None:
        return [f"{one['of'].capitalize()} did not grow: there is no forecast."]
    limit = f"{number(one['limit'])} {one['of']}"
    lines = [f"Reaches {limit} in {date(one['linear_utc_ns'], '%B %Y')} if as many are added each day."]
    if one["doubling_utc_ns"] is not None:
        lines.append(
            f"Reaches {limit} in {date(one['doubling_utc_ns'], '%B %Y')} if it goes on doubling every "
            f"{number(round(one['doubling_days']))} days."
        )
    return lines
