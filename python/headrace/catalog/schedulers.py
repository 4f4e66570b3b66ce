"""Records of batch schedulers as rows of `scheduler_jobs`: sacct's, accounting logs of PBS and Cobalt, CSV.

`sacct -P` separates by "|" and names its columns in the first line; accounting logs of PBS (PBS Professional
Reference Guide, "Accounting Log") and of Cobalt, which took their form over (its Cobalt/accounting.py), have
lines "MM/DD/YYYY HH:MM:SS;TYPE;JOB;KEY=VALUE …", whose values are quoted where they have spaces. Times without
a zone are this machine's local time.
"""

from __future__ import annotations

import csv
import datetime
import re
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
_FREE_TEXT = (
    "JobName",
    "SubmitLine",
    "Comment",
    "WorkDir",
)  # sacct's columns that may hold a "|" of their own
_LINE = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z]{1,2};[^;]+;")
_FACT = re.compile(r"""([^\s=]+)=("(?:[^"\\]|\\.)*"(?=\s|$)|'[^']*'(?=\s|$)|\S*)""")
_OF_COBALT = {"exe", "mode", "priority_core_hours", "resources_used.location"}  # which PBS does not have
_NOTHING = ("", "Unknown", "None", "N/A", "NONE")
_TIMES = ("submit", "start", "end")
_INTEGERS = tuple(c.name for c in TABLES["scheduler_jobs"].columns if c.type == "int64")
_COUNTS = ("nodes", "cores", "processes")
_LONGEST = 1 << 20  # characters of a field


def is_sacct(first_line: str) -> bool:
    names = first_line.strip().split("|")
    return "Start" in names and bool({"JobID", "JobIDRaw"} & set(names))


def is_accounting(first_line: str) -> bool:
    return _LINE.match(first_line) is not None


Found = tuple[list[Row], list[str]]  # rows, and why lines are left out


def sacct(lines: Iterable[str]) -> Found:
    rows: list[Row] = []
    bad: list[str] = []
    header: list[str] = []
    for number, line in enumerate(lines, 1):
        values = line.rstrip("\r\n").split("|")
        if not header:
            header = values
        elif line.strip():
            try:
                rows += _of_sacct(values, header, number)
            except CatalogError as error:
                bad.append(str(error))
    return rows, bad


def _of_sacct(values: list[str], header: list[str], number: int) -> list[Row]:
    facts = dict(zip(header, _fitted(values, header, number), strict=True))
    if "." in facts.get("JobID", facts.get("JobIDRaw", "")):
        return []  # a step of a job
    row: Row = {
        name: next((facts[key] for key in keys if facts.get(key)), None) for name, keys in _SACCT.items()
    }
    state = ((row["state"] or "").split() or ["unknown"])[0].lower()
    row |= {"scheduler": "slurm", "state": state, "exit_status": _slurm_status(facts.get("ExitCode", ""))}
    return _kept(row, number)


def _fitted(values: list[str], header: list[str], line: int) -> list[str]:
    """As many values as the header has names; `sacct` does not escape a "|" inside of a name."""
    more = len(values) - len(header)
    free = [header.index(name) for name in _FREE_TEXT if name in header]
    if more < 0 or (more > 0 and len(free) != 1):
        raise CatalogError(f"line {line}: has {len(values)} columns, and the first line has {len(header)}")
    if more == 0:
        return values
    begin, end = free[0], free[0] + more + 1
    return [*values[:begin], "|".join(values[begin:end]), *values[end:]]


def accounting(lines: Iterable[str]) -> tuple[str, Found]:
    """Which scheduler wrote it besides."""
    ended: dict[tuple[Any, Any], Row] = {}
    bad: list[str] = []
    cobalt = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if not _LINE.match(line):
            bad.append(f"line {number}: is no record of an accounting log")
            continue
        _, kind, job, text = line.rstrip("\r\n").split(";", 3)
        if kind not in ("S", "E"):
            continue
        facts = _facts(text)
        cobalt = cobalt or bool(_OF_COBALT & set(facts))
        try:
            kept = _kept(_accounted(kind, job, facts), number)
        except CatalogError as error:
            bad.append(str(error))
            continue
        for row in kept:
            key = (row["job"], row["start"])
            if kind == "E" or key not in ended:
                ended[key] = row
    scheduler = "cobalt" if cobalt else "pbs"
    return scheduler, ([row | {"scheduler": scheduler} for row in ended.values()], bad)


def _accounted(kind: str, job: str, facts: dict[str, str]) -> Row:
    status = facts.get("Exit_status")
    if status in _NOTHING:
        status = None
    return {
        "job": job, "user": facts.get("user"), "account": facts.get("account", facts.get("project")),
        "queue": facts.get("queue"), "name": facts.get("jobname"), "submit": facts.get("qtime", facts.get("ctime")),
        "start": facts.get("start"), "end": facts.get("end") if kind == "E" else None,
        "state": "running" if kind == "S" else "completed" if status in (None, "0") else "failed",
        "exit_status": status, "nodes": facts.get("Resource_List.nodect", facts.get("resources_used.nodect")),
        "cores": facts.get("Resource_List.ncpus"), "processes": facts.get("Resource_List.mpiprocs"),
        "command": " ".join(filter(None, (facts.get("exe"), facts.get("args")))) or None,
    }  # fmt: skip


def table(lines: Iterable[str], columns: Mapping[str, str], scheduler: str) -> Found:
    """A CSV file's rows. `columns`: names of its columns by those of the schema. Raises CatalogError."""
    csv.field_size_limit(_LONGEST)
    rows: list[Row] = []
    bad: list[str] = []
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
            try:
                rows += _kept(row, reader.line_num)
            except CatalogError as error:
                bad.append(str(error))
    except csv.Error as error:
        raise CatalogError(f"line {reader.line_num}: {error}") from error
    return rows, bad


def _kept(row: Row, line: int) -> list[Row]:
    """With times and numbers; nothing of a job that never began."""
    if not row.get("job"):
        raise CatalogError(f"line {line}: there is no job id")
    for name in _TIMES:
        row[name] = moment(row.get(name), line, name)
    if row["start"] is None:
        return []
    if row["end"] is not None and row["end"] < row["start"]:
        raise CatalogError(f"line {line}: the job ends before it starts")
    for name in _INTEGERS:
        row[name] = _integer(row.get(name), line, name)
        if name in _COUNTS and (row[name] or 0) < 0:
            raise CatalogError(f"line {line}: {name} is {row[name]}, which is no number of them")
    return [row]


def moment(text: Any, line: int, what: str) -> datetime.datetime | None:
    if text is None or text in _NOTHING:
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
    if text is None or text in _NOTHING:
        return None
    try:
        number = _counted(str(text))
        if not -(2**63) < number < 2**63:
            raise ValueError
        return number
    except (ValueError, OverflowError) as error:
        raise CatalogError(f"line {line}: {what} is no number: {str(text)[:60]!r}") from error


def _counted(text: str) -> int:
    """Older versions of sacct count nodes and processors by the K and M."""
    units = {"K": 1 << 10, "M": 1 << 20}
    if text[-1] in units:
        return int(float(text[:-1]) * units[text[-1]])
    return int(text)


def _slurm_status(text: str) -> int | None:
    """Of "STATUS:SIGNAL", as a shell gives it."""
    status, _, signal = text.partition(":")
    if not re.fullmatch(r"[0-9]{1,9}", status):
        return None
    return 128 + int(signal) if re.fullmatch(r"[0-9]{1,9}", signal) and int(signal) else int(status)


def _facts(text: str) -> dict[str, str]:
    return {key: _unquoted(value) for key, value in _FACT.findall(text)}


def _unquoted(value: str) -> str:
    if len(value) < 2 or value[0] != value[-1] or value[0] not in "\"'":
        return value
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value[0] == '"' else value[1:-1]
