"""`sacct -P`, Slurm's accounting: columns that are separated by "|" and named in the first line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from headrace._errors import CatalogError
from headrace.catalog.schedulers import LeftOut, Row, kept, whole_lines

__all__ = ["is_sacct", "jobs"]

_COLUMNS = {
    "job": ("JobIDRaw", "JobID"), "user": ("User",), "account": ("Account",), "queue": ("Partition",),
    "name": ("JobName",), "submit": ("Submit",), "start": ("Start",), "end": ("End",), "state": ("State",),
    "nodes": ("NNodes", "AllocNodes"), "cores": ("AllocCPUS", "NCPUS"), "processes": ("NTasks",),
    "command": ("SubmitLine",),
}  # fmt: skip
# What users and administrators write, and may have a "|" in.
_FREE_TEXT = (
    "AdminComment", "Comment", "Constraints", "Container", "Extra", "JobName", "Licenses", "Reason", "StdErr",
    "StdIn", "StdOut", "SubmitLine", "SystemComment", "WCKey", "WorkDir",
)  # fmt: skip


def is_sacct(first_line: str) -> bool:
    names = first_line.strip().split("|")
    return "Start" in names and bool({"JobID", "JobIDRaw"} & set(names))


def jobs(lines: Iterable[str], left_out: LeftOut) -> Iterator[Row]:
    header: list[str] = []
    for number, line in enumerate(whole_lines(lines, left_out), 1):
        values = line.rstrip("\r\n").split("|")
        if not header:
            header = values
        elif line.strip():
            try:
                row = _job(values, header, f"line {number}")
            except CatalogError as error:
                left_out.add(str(error))
                continue
            if row is not None:
                yield row


def _job(values: list[str], header: list[str], place: str) -> Row | None:
    facts = dict(zip(header, _fitted(values, header, place), strict=True))
    if "." in facts.get("JobID", facts.get("JobIDRaw", "")):
        return None  # a step of a job
    row: Row = {
        name: next((facts[key] for key in keys if facts.get(key)), None) for name, keys in _COLUMNS.items()
    }
    state = ((row["state"] or "").split() or ["unknown"])[0].lower()
    row |= {"scheduler": "slurm", "state": state, "exit_status": _status(facts.get("ExitCode", ""))}
    return kept(row, place, facts.get("ElapsedRaw"))


def _fitted(values: list[str], header: list[str], place: str) -> list[str]:
    """As many values as the header has names; `sacct` does not escape a "|" inside of a name."""
    more = len(values) - len(header)
    free = [header.index(name) for name in _FREE_TEXT if name in header]
    if more < 0 or (more > 0 and len(free) != 1):
        raise CatalogError(f"{place}: has {len(values)} columns, and the first line has {len(header)}")
    if more == 0:
        return values
    begin, end = free[0], free[0] + more + 1
    return [*values[:begin], "|".join(values[begin:end]), *values[end:]]


def _status(text: str) -> int | None:
    """Of "STATUS:SIGNAL", as a shell gives it."""
    status, _, signal = text.partition(":")
    if not re.fullmatch(r"[0-9]{1,9}", status):
        return None
    return 128 + int(signal) if re.fullmatch(r"[0-9]{1,9}", signal) and int(signal) else int(status)
