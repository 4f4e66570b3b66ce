"""What else the file systems did while a job ran: for `headrace report` as facts, and as terminal text."""

from __future__ import annotations

from typing import Any

import headrace
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, printable, shorten_right
from headrace.text import count, size

_JOBS = 8  # shown
_BARS = 24  # columns

Facts = dict[str, Any]


def around(catalog_at: str, log: str, job: int | None, anonymize: bool) -> Facts:
    """The facts that docs/live.md describes. Raises CatalogError, LogError and MissingPackageError."""
    from headrace import catalog, meanwhile

    names = meanwhile.Names() if anonymize else None
    with headrace.open(log, job) as opened:  # names are looked for as they are
        return meanwhile.look(catalog.open(catalog_at), opened, job or 1, names)


def meanwhile_lines(facts: Facts, terminal: Terminal) -> list[str]:
    lines = ["", terminal.bold("Meanwhile")]
    for said in facts["said"]:
        paint = terminal.warn if said["kind"] in ("missing", "calendar") else str
        lines += [paint(line) for line in terminal.wrap(printable(said["text"]), "  ", "    ")]
    if facts["jobs"]:
        lines += ["", *_jobs(facts, terminal)]
    return lines


def _jobs(facts: Facts, terminal: Terminal) -> list[str]:
    """When each other job ran within this one's time, as a bar, and what it moved meanwhile."""
    length = facts["end_utc_ns"] - facts["begin_utc_ns"]
    lines = [terminal.dim(f"  {'this job':<{_BARS}}  {'nodes':>6} {'meanwhile':>10}  other job")]
    for row in facts["jobs"][:_JOBS]:
        moved = NONE if row["bytes_meanwhile"] is None else size(row["bytes_meanwhile"])
        nodes = NONE if row["nodes"] is None else f"{row['nodes']:,}"
        names = [row["job"], row["project"] or row["user"], row["program"]]
        who = ", ".join(printable(str(name)) for name in names if name) or "not named"
        shared = f" (also on {printable(', '.join(row['same']))})" if row["same"] else ""
        line = f"  {_bar(row, length, terminal)}  {nodes:>6} {moved:>10}  {who}{shared}"
        lines.append(shorten_right(line, terminal.columns))
    more = facts["jobs_in_all"] - min(_JOBS, len(facts["jobs"]))
    if more > 0:
        lines.append(terminal.dim(f"  and {count(more, 'other job')}: --json and headrace report have more"))
    return lines


def _bar(row: Facts, length: int, terminal: Terminal) -> str:
    begin = int(max(0, row["begin_at_ns"]) * _BARS // length)
    end = int(length if row["end_at_ns"] is None else min(length, row["end_at_ns"]))
    until = max(begin + 1, -(-end * _BARS // length))
    full, empty = ("━", "·") if terminal.unicode else ("=", ".")
    return empty * begin + full * (until - begin) + empty * (_BARS - until)
