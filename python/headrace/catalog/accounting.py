"""Accounting logs of PBS (PBS Professional Reference Guide, "Accounting Log") and of Cobalt, which took their
form over (its Cobalt/accounting.py): lines "MM/DD/YYYY HH:MM:SS;TYPE;JOB;KEY=VALUE …", whose values are
quoted where they have spaces.

A job has a record when it starts (S), and one when it ends (E) or is put back into its queue (R).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from headrace._errors import CatalogError
from headrace.catalog.schedulers import NOTHING, LeftOut, Row, kept, whole_lines

__all__ = ["is_accounting", "jobs"]

_LINE = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z]{1,2};[^;]+;")
_FACT = re.compile(r"""([^\s=]+)=("(?:[^"\\]|\\.)*"(?=\s|$)|'[^']*'(?=\s|$)|\S*)""")
_OF_COBALT = {"exe", "mode", "priority_core_hours", "resources_used.location"}  # which PBS does not have
_ARRAY = re.compile(r"[0-9]+\[\](\.|$)")  # of PBS: all of its jobs together, which have records of their own
_NO_PROJECT = "_pbs_project_default"  # of jobs that name none
_MOST_RUNNING = 50_000  # that are kept in memory until their end is found


def is_accounting(first_line: str) -> bool:
    return _LINE.match(first_line) is not None


def jobs(lines: Iterable[str], left_out: LeftOut) -> Iterator[Row]:
    running: dict[tuple[Any, Any], Row] = {}
    scheduler = "pbs"
    for number, line in enumerate(whole_lines(lines, left_out), 1):
        if not line.strip():
            continue
        if not _LINE.match(line):
            left_out.add(f"line {number}: is no record of an accounting log")
            continue
        _, kind, job, text = line.rstrip("\r\n").split(";", 3)
        if kind not in ("S", "E", "R") or _ARRAY.match(job):
            continue
        facts = _facts(text)
        if kind == "R" and "end" not in facts:
            continue
        if _OF_COBALT & set(facts):
            scheduler = "cobalt"
        try:
            row = kept(_job(kind, job, facts) | {"scheduler": scheduler}, f"line {number}")
        except CatalogError as error:
            left_out.add(str(error))
            continue
        if row is None:
            continue
        begun = running.pop((job, row["start"]), None)
        if kind != "S":
            yield row
        else:
            running[job, row["start"]] = begun or row
        if len(running) > _MOST_RUNNING:
            yield running.pop(next(iter(running)))
    yield from running.values()


def _job(kind: str, job: str, facts: dict[str, str]) -> Row:
    status = facts.get("Exit_status")
    if status in NOTHING:
        status = None
    account = facts.get("account", facts.get("project"))
    ended = "completed" if status in (None, "0") else "failed"
    return {
        "job": job, "user": facts.get("user"), "account": None if account == _NO_PROJECT else account,
        "queue": facts.get("queue"), "name": facts.get("jobname"),
        "submit": facts.get("qtime", facts.get("ctime")),
        "start": facts.get("start"), "end": None if kind == "S" else facts.get("end"),
        "state": {"S": "running", "R": "requeued"}.get(kind, ended),
        "exit_status": status, "nodes": facts.get("Resource_List.nodect", facts.get("resources_used.nodect")),
        "cores": facts.get("Resource_List.ncpus"), "processes": facts.get("Resource_List.mpiprocs"),
        "command": " ".join(filter(None, (facts.get("exe"), facts.get("args")))) or None,
    }  # fmt: skip


def _facts(text: str) -> dict[str, str]:
    return {key: _unquoted(value) for key, value in _FACT.findall(text)}


def _unquoted(value: str) -> str:
    if len(value) < 2 or value[0] != value[-1] or value[0] not in "\"'":
        return value
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value[0] == '"' else value[1:-1]
