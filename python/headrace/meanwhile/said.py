"""The same in sentences, the weightiest first; and what is not recorded."""

from __future__ import annotations

from typing import Any

from headrace.meanwhile import devices
from headrace.meanwhile.not_recorded import not_recorded
from headrace.study.words import percent, rate
from headrace.text import count, lasting, significant, size

__all__ = ["sentences"]

Facts = dict[str, Any]


def sentences(facts: Facts) -> list[Facts]:
    """Each `kind` ("activity", "jobs", "calendar" or "missing") and `text`."""
    if facts["begin_utc_ns"] is None:
        return [
            _one(
                "missing", "The log does not say when the job ran, so nothing else can be found of that time."
            )
        ]
    return [
        *(_one("activity", text) for text in _activity(facts)),
        *(_one("jobs", text) for text in _jobs(facts)),
        *(_one("calendar", text) for text in _calendar(facts)),
        *(_one("missing", text) for text in not_recorded(facts)),
    ]


def _one(kind: str, text: str) -> Facts:
    return {"kind": kind, "text": text}


def called(name: str | None) -> str:
    return name or "the sampled devices"


def _activity(facts: Facts) -> list[str]:
    told = []
    # Where it is known which the job used, the others only stand in the table.
    used = [row for row in facts["file_systems"] if row["used"]] or facts["file_systems"][:3]
    for row in used:
        moved = devices.moved(row)
        if moved is None:
            told.append(f"What {called(row['name'])} moved is not recorded: the samples have no bytes.")
        if moved is None or row["rate"] is None:
            continue
        told.append(
            f"While this job ran, {called(row['name'])} moved {size(moved)}, {rate(row['rate'])} on average"
            f"{_against(row)}."
        )
        own = (row["own_read_bytes"] or 0) + (row["own_written_bytes"] or 0)
        if row["used"] and own:
            told.append(_share(own, moved))
    return told


def _against(row: Facts) -> str:
    """Beside the usual."""
    if row["usual"] is None or row["steps"] < 3:
        return ""
    text = f": more than in {percent(row['below'])} of all intervals with samples"
    if row["usual"] > 0:
        times = row["rate"] / row["usual"]
        text += (
            f", {significant(times, 2)} times the usual {rate(row['usual'])}"
            if times < 99.5
            else f", usual are {rate(row['usual'])}"
        )
    return text + (f", {percent(row['rate'] / row['peak'])} of the peak" if row["peak"] else "")


def _share(own: int, moved: int) -> str:
    if own <= moved:
        return f"This job's calls moved {size(own)} there, {percent(own / moved)} of that."
    return f"This job's calls moved {size(own)} there, more than the devices did: caches had the rest."


def _jobs(facts: Facts) -> list[str]:
    jobs, in_all = facts["jobs"], facts["jobs_in_all"]
    known = {"logs", "scheduler_jobs"} & set(facts["periods"])
    if not in_all:
        return ["No other job ran at the same time, as far as the catalog knows."] if known else []
    with_logs = [row for row in jobs if row["logs"]]
    verb = "ran" if in_all > 1 else "ran as well"
    told = [
        f"{count(in_all, 'other job')} {verb} at the same time"
        + _with_logs(in_all, facts["jobs_with_logs"])
        + "."
    ]
    if facts["jobs_on_same"]:
        told.append(
            f"{facts['jobs_on_same']:,} of them used the same file system as this job,"
            f" and moved about {size(facts['bytes_on_same'])} meanwhile."
        )
    if with_logs and with_logs[0]["bytes_meanwhile"]:
        told.append(f"Most was moved by {_who(with_logs[0])}: about {size(with_logs[0]['bytes_meanwhile'])}.")
    return told


def _with_logs(in_all: int, with_logs: int) -> str:
    if with_logs == in_all:
        return ", with a log" if in_all == 1 else ", all with logs"
    if not with_logs:
        return (
            ", without a log: what they moved is not recorded"
            if in_all == 1
            else ", none with a log: what they moved is not recorded"
        )
    return f", {with_logs:,} of them with logs; what the others moved is not recorded"


def _who(row: Facts) -> str:
    name = (
        f"job {row['job']}"
        if row["job"] and not str(row["job"]).startswith("job ")
        else row["job"] or "a job"
    )
    program = f" ({row['program']})" if row["program"] else ""
    of = f" of {row['project'] or row['user']}" if row["project"] or row["user"] else ""
    return f"{name}{of}{program}"


def _calendar(facts: Facts) -> list[str]:
    length = facts["end_utc_ns"] - facts["begin_utc_ns"]
    told = []
    for row in facts["calendar"][:5]:
        begin, end = max(0, row["begin_at_ns"]), min(length, row["end_at_ns"])
        part = "all of its time" if end - begin >= length else f"{lasting(end - begin)} of its time"
        text = ", ".join(each for each in (row["kind"], row["text"]) if each) or "no words"
        told.append(f"The calendar has an entry for {part}: {text}.")
    return told
