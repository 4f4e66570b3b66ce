"""What of a job's time is not recorded, or not to be trusted, in sentences."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from headrace.text import count, lasting

__all__ = ["not_recorded"]

Facts = dict[str, Any]
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_CLOCKS_NS = 2_000_000_000  # schedulers have whole seconds
_HALF_HOUR_NS = 1800 * 10**9


def when(utc_ns: int) -> str:
    return (_EPOCH + timedelta(microseconds=utc_ns // 1000)).strftime("%Y-%m-%d %H:%M:%S")


def not_recorded(facts: Facts) -> list[str]:
    return [*_not_sampled(facts), *_not_found(facts), *_clocks(facts)]


def _not_sampled(facts: Facts) -> list[str]:
    period = facts["periods"].get("samples")
    length = facts["end_utc_ns"] - facts["begin_utc_ns"]
    if period is None:
        return [
            "The catalog has no samples of devices: what they did is not recorded."
            " `headrace monitor` takes them."
        ]
    if not facts["file_systems"]:
        if facts["end_utc_ns"] <= period["begin_utc_ns"] or facts["begin_utc_ns"] >= period["end_utc_ns"]:
            return [_outside("Samples of devices", period, facts)]
        return [
            f"No device was sampled while this job ran: what they did is not recorded{_why(facts, None)}."
        ]
    told = _not_all_the_time(facts, length)
    if facts["interval_ns"] > length:
        told.append(
            f"Samples are {lasting(facts['interval_ns'])} long, longer than this job:"
            " figures of devices are of its part of them, spread evenly."
        )
    if all(row["used"] is None for row in facts["file_systems"]):
        told.append(
            "Which of the sampled devices this job's files lie on is not known:"
            " no file system in the catalog's device map has the name of one of its mounts."
        )
    return told


def _not_all_the_time(facts: Facts, length: int) -> list[str]:
    """Hosts of which the same is missing, together; those of which most is, first."""
    alike: dict[tuple[int, str], list[str]] = {}
    for row in facts["uncovered"]:
        what = row["host"] if len(row["devices"]) > 1 else f"{row['devices'][0]} of {row['host']}"
        alike.setdefault((row["missing_ns"], _why(facts, row["host"])), []).append(what)
    told = []
    groups = sorted(alike.items(), key=lambda each: -each[0][0])
    for (missing, why), names in groups[:3]:
        who = ", ".join(names[:3]) + (
            f" and {count(len(names) - 3, 'more', 'more')}" if len(names) > 3 else ""
        )
        verb = "was" if len(names) == 1 else "were"
        told.append(f"{who} {verb} not recorded for {lasting(missing)} of {lasting(length)}{why}.")
    left = sum(len(names) for _, names in groups[3:])
    if left:
        told.append(f"{count(left, 'more host or device', 'more hosts or devices')} not all the time.")
    return told


def _why(facts: Facts, host: str | None) -> str:
    reasons = sorted({row["reason"] for row in facts["gaps"] if host is None or row["host"] == host})
    return f" ({', '.join(reasons)})" if reasons else ""


def _not_found(facts: Facts) -> list[str]:
    told = []
    for name, what in (("logs", "Job logs"), ("scheduler_jobs", "Records of the scheduler")):
        period = facts["periods"].get(name)
        if period is None:
            told.append(f"The catalog has no {what[0].lower() + what[1:]}.")
        elif facts["end_utc_ns"] <= period["begin_utc_ns"] or facts["begin_utc_ns"] >= period["end_utc_ns"]:
            told.append(_outside(what, period, facts))
    if not facts["job"]["in_catalog"]:
        told.append("This log is not in the catalog; that takes nothing from the above.")
    if facts["job"]["steps"]:
        told.append(
            f"{count(facts['job']['steps'], 'more log')} of the same job of the scheduler"
            f" {'is' if facts['job']['steps'] == 1 else 'are'} not among the others."
        )
    return told


def _outside(what: str, period: Facts, facts: Facts) -> str:
    return (
        f"{what} in the catalog are from {when(period['begin_utc_ns'])} to {when(period['end_utc_ns'])} UTC,"
        f" and this job began at {when(facts['begin_utc_ns'])}."
    )


def _clocks(facts: Facts) -> list[str]:
    told = []
    record = facts["job"]["scheduled"]
    length = facts["end_utc_ns"] - facts["begin_utc_ns"]
    if record and record["is_this_run"]:
        early, late = (
            record["begin_at_ns"],
            length - (record["end_at_ns"] if record["end_at_ns"] is not None else length),
        )
        if max(early, late) > _CLOCKS_NS:
            what = f"begins {lasting(early)} before" if early >= late else f"ends {lasting(late)} after"
            told.append(f"The log {what} the scheduler's record of the job: their clocks differ.")
    elif record:
        off = record["begin_at_ns"]
        zone = (
            abs(off - round(off / _HALF_HOUR_NS) * _HALF_HOUR_NS) < 300 * 10**9
            and abs(off) <= 14 * 2 * _HALF_HOUR_NS
        )
        guess = "a time zone" if zone else "another run, or clocks that differ"
        told.append(
            f"The scheduler's record of this job's id is {lasting(off)} {'later' if off > 0 else 'earlier'}"
            " than the log,"
            f" which looks like {guess}: it is not taken for this job."
        )
    put = sorted({row["host"] for row in facts["gaps"] if row["reason"] == "clock"})
    if put:
        told.append(
            f"The clock of {', '.join(map(str, put[:3]))}{' and others' if len(put) > 3 else ''}"
            " was put while this job ran."
        )
    return told
