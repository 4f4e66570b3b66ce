"""`sacct --json`: an object with a list of jobs, as Slurm's data parsers since 20.11 write it.

Numbers are integers, or objects {"set", "infinite", "number"}; states are a text, or a list of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from headrace._errors import CatalogError
from headrace.catalog.schedulers import LeftOut, Row, kept

__all__ = ["is_one", "jobs"]


def is_one(begin: bytes) -> bool:
    return begin.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"jobs"' in begin and (
        b'"job_id"' in begin or b'"slurm"' in begin.lower()
    )  # fmt: skip


def jobs(content: bytes, left_out: LeftOut) -> Iterator[Row]:
    """Raises CatalogError for what is no JSON, or has no jobs."""
    try:
        found = json.loads(content.decode("utf-8-sig", "replace"))["jobs"]
        if not isinstance(found, list):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CatalogError(f"is no JSON of `sacct --json`, or cut: {error or 'no list of jobs'}") from error
    for number, job in enumerate(found, 1):
        place = f"job {number}"
        try:
            if not isinstance(job, dict):
                raise CatalogError(f"{place}: is no object")
            row = _job(job, place)
        except CatalogError as error:
            left_out.add(str(error))
            continue
        if row is not None:
            yield row


def _job(job: dict[str, Any], place: str) -> Row | None:
    times, of = _object(job.get("time")), _object(job.get("association"))
    state = _object(job.get("state")).get("current", job.get("state"))
    row: Row = {
        "scheduler": "slurm",
        "job": _digits(job.get("job_id")),
        "user": _text(job.get("user")) or _text(of.get("user")),
        "account": _text(job.get("account")) or _text(of.get("account")),
        "queue": _text(job.get("partition")),
        "name": _text(job.get("name")),
        "submit": _digits(times.get("submission")),
        "start": _digits(times.get("start")),
        "end": _digits(times.get("end")),
        "state": (_text(state[0] if isinstance(state, list) and state else state) or "unknown").lower(),
        "exit_status": _status(_object(job.get("exit_code"))),
        "nodes": _digits(job.get("allocation_nodes")) or _allocated(job, "node"),
        "cores": _allocated(job, "cpu") or _digits(_object(job.get("required")).get("CPUs")),
        "processes": None,
        "command": _text(job.get("submit_line")),
    }
    for name in ("submit", "start", "end"):
        row[name] = None if row[name] == "0" else row[name]
    return kept(row, place, _digits(times.get("elapsed")))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value or None if isinstance(value, str) else None


def _number(value: Any) -> int | None:
    if isinstance(value, dict):
        value = value.get("number") if value.get("set", True) and not value.get("infinite") else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _digits(value: Any) -> str | None:
    number = _number(value)
    return None if number is None else str(number)


def _allocated(job: dict[str, Any], kind: str) -> str | None:
    found = _object(job.get("tres")).get("allocated")
    rows = [_object(each) for each in found] if isinstance(found, list) else []
    return next((_digits(row.get("count")) for row in rows if row.get("type") == kind), None)


def _status(code: dict[str, Any]) -> str | None:
    """As a shell gives it."""
    signal = _object(code.get("signal"))
    ended_by = _number(signal.get("id", signal.get("signal_id")))
    status = _number(code.get("return_code"))
    return str(128 + ended_by) if ended_by else None if status is None else str(status)
