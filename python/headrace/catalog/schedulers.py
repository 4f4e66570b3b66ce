"""Records of batch schedulers as rows of `scheduler_jobs`: sacct's, accounting logs of PBS and Cobalt, CSV.

`sacct -P` separates by "|" and names its columns in the first line; accounting logs of PBS (PBS Professional
Reference Guide, "Accounting Log") and of Cobalt, which took their form over, have lines
"MM/DD/YYYY HH:MM:SS;TYPE;JOB;KEY=VALUE …". Times without a zone are this machine's local time.
"""

from __future__ import annotations

import csv
import datetime
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from headrace._errors import CatalogError
from headrace.catalog.schema import TABLES

Row = dict[str, Any]

_SACCT = {
    "job": ("JobIDRaw", "JobID"), "user": ("User",), "account": ("Account",), "queue": ("Partition",),
    "name": ("JobName",), "submit": ("Submit",), "start": ("Start",), "end": ("End",), "state": ("State",),
    "nodes": ("NNodes", "AllocNodes"), "cores": ("AllocCPUS", "NCPUS"), "processes": ("NTasks",),
    "command": ("SubmitLine",),
}  # fmt: skip
_LINE = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z];[^;]+;")
_TIMES = ("submit", "start", "end")
_INTEGERS = tuple(c.name for c in TABLES["scheduler_jobs"].columns if c.type == "int64")
_LONGEST = 1 << 20  # characters of a field


def is_sacct(first_line: str) -> bool:
    names = first_line.strip().split("|")
    return "Start" in names and bool({"JobID", "JobIDRaw"} & set(names))


def is_accounting(first_line: str) -> bool:
    return _LINE.match(first_line) is not None


def sacct(lines: Iterable[str]) -> list[Row]:
    """Raises CatalogError with the line that cannot be read."""
    rows = []
    header: list[str] = []
    for number, line in enumerate(lines, 1):
        values = line.rstrip("\n").split("|")
        if not header:
            header = values
            continue
        if not line.strip():
            continue
        if len(values) < len(header):
            raise CatalogError(
                f"line {number}: has {len(values)} columns, and the first line has {len(header)}"
            )
        facts = dict(zip(header, values, strict=False))
        if "." in facts.get("JobID", facts.get("JobIDRaw", "")):
            continue  # a step of a job
        row: Row = {
            name: next((facts[key] for key in keys if facts.get(key)), None) for name, keys in _SACCT.items()
        }
        state = (row["state"] or "unknown").split()[0].lower()
        row |= {"scheduler": "slurm", "state": state, "exit_status": _slurm_status(facts.get("ExitCode", ""))}
        rows += _kept(row, number)
    return rows


def accounting(lines: Iterable[str]) -> tuple[str, list[Row]]:
    """Which scheduler wrote it, and the rows. Raises CatalogError with the line that cannot be read."""
    ended: dict[tuple[Any, Any], Row] = {}
    cobalt = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if not _LINE.match(line):
            raise CatalogError(f"line {number}: is no record of an accounting log")
        _, kind, job, text = line.rstrip("\n").split(";", 3)
        if kind not in ("S", "E"):
            continue
        facts = _facts(text)
        cobalt = cobalt or "resources_used.location" in facts or "exe" in facts
        status = facts.get("Exit_status")
        row: Row = {
            "job": job, "user": facts.get("user"), "account": facts.get("account", facts.get("project")),
            "queue": facts.get("queue"), "name": facts.get("jobname"), "submit": facts.get("qtime", facts.get("ctime")),
            "start": facts.get("start"), "end": facts.get("end") if kind == "E" else None,
            "state": "running" if kind == "S" else "completed" if status in (None, "0") else "failed",
            "exit_status": status, "nodes": facts.get("Resource_List.nodect", facts.get("resources_used.nodect")),
            "cores": facts.get("Resource_List.ncpus"), "processes": facts.get("Resource_List.mpiprocs"),
            "command": " ".join(filter(None, (facts.get("exe"), facts.get("args")))) or None,
        }  # fmt: skip
        for kept in _kept(row, number):
            key = (kept["job"], kept["start"])
            if kind == "E" or key not in ended:
                ended[key] = kept
    scheduler = "cobalt" if cobalt else "pbs"
    return scheduler, [row | {"scheduler": scheduler} for row in ended.values()]


def table(lines: Iterable[str], columns: Mapping[str, str], scheduler: str) -> list[Row]:
    """A CSV file's rows. `columns`: names of its columns by those of the schema."""
    csv.field_size_limit(_LONGEST)
    rows = []
    reader = csv.DictReader(lines)
    try:
        missing = [name for name in columns.values() if name not in (reader.fieldnames or [])]
        if missing:
            raise CatalogError(f"line 1: there is no column {missing[0]!r}, which the column map names")
        for facts in reader:
            row: Row = {name: facts[column] or None for name, column in columns.items()}
            row["scheduler"] = row.get("scheduler") or scheduler
            if row.get("state"):
                row["state"] = row["state"].lower()
            rows += _kept(row, reader.line_num)
    except csv.Error as error:
        raise CatalogError(f"line {reader.line_num}: {error}") from error
    return rows


def _kept(row: Row, line: int) -> list[Row]:
    """With times and numbers; nothing of a job that never began."""
    if not row.get("job"):
        raise CatalogError(f"line {line}: there is no job id")
    for name in _TIMES:
        row[name] = moment(row.get(name), line, name)
    if row["start"] is None:
        return []
    for name in _INTEGERS:
        row[name] = _integer(row.get(name), line, name)
    return [row]


def moment(text: Any, line: int, what: str) -> datetime.datetime | None:
    if text in (None, "", "Unknown", "None", "N/A"):
        return None
    try:
        if re.fullmatch(r"-?\d+(\.\d+)?", str(text)):
            return datetime.datetime.fromtimestamp(float(text), datetime.timezone.utc)
        return datetime.datetime.fromisoformat(str(text).replace("Z", "+00:00")).astimezone(
            datetime.timezone.utc
        )
    except (ValueError, OverflowError, OSError) as error:
        raise CatalogError(f"line {line}: {what} is no time: {str(text)[:60]!r}") from error


def _integer(text: Any, line: int, what: str) -> int | None:
    if text in (None, ""):
        return None
    try:
        number = int(str(text))
        if not -(2**63) < number < 2**63:
            raise ValueError
        return number
    except ValueError as error:
        raise CatalogError(f"line {line}: {what} is no number: {str(text)[:60]!r}") from error


def _slurm_status(text: str) -> int | None:
    """Of "STATUS:SIGNAL", as a shell gives it."""
    status, _, signal = text.partition(":")
    if not status.isdigit():
        return None
    return 128 + int(signal) if signal.isdigit() and int(signal) else int(status)


def _facts(text: str) -> dict[str, str]:
    try:
        words = shlex.split(text) if '"' in text or "'" in text else text.split()
    except ValueError:
        words = text.split()
    return {key: value for key, equals, value in (word.partition("=") for word in words) if equals}
