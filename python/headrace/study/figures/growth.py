"""How file systems grow (Table III of the paper), and what jobs' files become (section IV-B)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from headrace.study.figure import Figure, Finding
from headrace.study.figures.scans import NO_SCANS, file_systems, owner_files, told_apart
from headrace.study.query import Connection, data, rows, time, total
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import moment, percent
from headrace.text import count, lasting, size

_BILLION = 1_000_000_000
_TOO_FAR = 365 * 200  # days: a forecast beyond is none
_ALL_GROW = (
    "File systems grow by the files of all projects: that cannot be compared with what some of these created."
)
_BETWEEN = "It takes two scans of a file system and job logs between them."
_TWO = "It takes two scans of a file system at different times: make another with `headrace scan` and add it."


def growth(connection: Connection, settings: Settings, _: Scope) -> Figure:
    systems = _looked_twice(connection, settings)
    apart = told_apart(connection, settings)
    records = [_change(name, "all", scans[0], scans[-1]) for name, scans in systems.items()]
    whole = records[0] if len(records) == 1 else None
    if len(records) > 1:
        whole = _together(records)
        records.append(whole)
    if apart:
        records += _of_owner(connection, systems, apart)
    figure = Figure(
        "growth",
        "Growth of the file systems",
        "table",
        data(
            records,
            "file_system text, who text, first time, last time, files_first int, files_last int,"
            " files_change real,"
            " bytes_first int, bytes_last int, bytes_change real, days real, forecast time",
        ),
        "Files and their bytes in the first and the last scan, and the change as a share of the first."
        " Forecast: when there are 10⁹ files, if their number goes on growing by the same amount a day.",
        f"{len(systems)} file systems with two scans or more in the period.",
        units={
            **dict.fromkeys(("files_first", "files_last"), "count"),
            **dict.fromkeys(("bytes_first", "bytes_last"), "bytes"),
            **dict.fromkeys(("files_change", "bytes_change"), "share"),
        },
        titles={"forecast": "10⁹ files"},
        paper="Table III",
        missing="" if records else _TWO if file_systems(connection, settings) else NO_SCANS,
    )
    if whole:
        _tell(figure, whole)
    return figure


def _tell(figure: Figure, whole: dict[str, Any]) -> None:
    words = (
        f"In {lasting(whole['days'] * 86400e9)} the number of files changed by"
        f" {whole['files_last'] - whole['files_first']:+,}{_of_first(whole['files_change'])} and their bytes"
        f" by {_signed_size(whole)}{_of_first(whole['bytes_change'])}."
    )
    figure.words = [words]
    if whole["forecast"]:
        figure.words.append(f"At that rate there are 10⁹ files on {moment(whole['forecast'])[:10]}.")
    figure.findings = [Finding(" ".join(figure.words), "growth", 0.65)]
    figure.numbers = {
        "files at the end": float(whole["files_last"]),
        "bytes at the end": float(whole["bytes_last"]),
    }


def _of_first(share: float | None) -> str:
    return "" if share is None else f" ({'+' if share >= 0 else '-'}{percent(abs(share))})"


def _signed_size(row: dict[str, Any]) -> str:
    change = row["bytes_last"] - row["bytes_first"]
    return ("+" if change >= 0 else "-") + size(abs(change))


def _looked_twice(connection: Connection, settings: Settings) -> dict[str, list[dict[str, Any]]]:
    found = file_systems(connection, settings)
    return {name: scans for name, scans in found.items() if scans[-1]["began"] > scans[0]["began"]}


def _change(name: str, who: str, first: dict[str, Any], last: dict[str, Any]) -> dict[str, Any]:
    record = {"file_system": name, "who": who, "first": first["began"], "last": last["began"]}
    for key in ("files", "bytes"):
        record |= {f"{key}_first": first[key], f"{key}_last": last[key]}
    return _rated(record)


def _rated(record: dict[str, Any]) -> dict[str, Any]:
    record["days"] = (record["last"] - record["first"]).total_seconds() / 86400
    for key in ("files", "bytes"):
        first, last = record[f"{key}_first"], record[f"{key}_last"]
        record[f"{key}_change"] = (last - first) / first if first else None
    record["forecast"] = _forecast(record)
    return record


def _forecast(record: dict[str, Any]) -> datetime | None:
    """When there are 10⁹ files; None when they do not grow, are there already, or it is too far.

    Scans of one day say nothing of it.
    """
    grown = record["files_last"] - record["files_first"]
    missing = _BILLION - record["files_last"]
    if grown <= 0 or missing <= 0 or record["days"] < 1:
        return None
    days = missing / (grown / record["days"])
    latest = datetime.max.replace(tzinfo=record["last"].tzinfo) - record["last"]
    if days > _TOO_FAR or timedelta(days=days) > latest:
        return None
    when: datetime = record["last"] + timedelta(days=days)
    return when


def _together(records: list[dict[str, Any]]) -> dict[str, Any]:
    sums = {
        f"{key}_{place}": sum(row[f"{key}_{place}"] for row in records)
        for key in ("files", "bytes")
        for place in ("first", "last")
    }
    ends = {"first": min(row["first"] for row in records), "last": max(row["last"] for row in records)}
    return _rated({"file_system": "all", "who": "all", **ends, **sums})


def _of_owner(
    connection: Connection, systems: dict[str, list[dict[str, Any]]], project: str
) -> list[dict[str, Any]]:
    ends = [scan for scans in systems.values() for scan in (scans[0], scans[-1])]
    owned = {row["scan"]: row for row in owner_files(connection, ends) if row["project"] == project}
    nothing = {"files": 0, "bytes": 0}
    records = []
    for name, scans in systems.items():
        parts = [
            {**scan, **{key: owned.get(scan["scan"], nothing)[key] for key in nothing}}
            for scan in (scans[0], scans[-1])
        ]
        records.append(_change(name, project, parts[0], parts[1]))
    return [*records, {**_together(records), "who": project}] if len(records) > 1 else records


def churn(connection: Connection, settings: Settings, _: Scope) -> Figure:
    systems = {} if settings.projects else _looked_twice(connection, settings)
    record = _created(connection, systems) if systems else None
    figure = Figure(
        "churn",
        "Files that jobs create, and files that stay",
        "table",
        data(
            [record] if record else [],
            "file_system text, created_by_jobs int, written_by_jobs int, added int, first time, last time",
        ),
        "Files that captured jobs created and wrote between the first and the last scan, and by how many"
        " the files on the"
        " file systems grew meanwhile. Jobs that create more than is added show that files are deleted soon.",
        "Jobs that began between the scans and have a log; jobs count each file that they wrote."
        + (
            f" {record['unknown']:,} of {count(record['logs'], 'log')} do not say what was created."
            if record
            else ""
        ),
        units={"created_by_jobs": "count", "written_by_jobs": "count", "added": "count"},
        not_recorded=("created_by_jobs",),
        paper="Section IV-B",
        missing="" if record else _ALL_GROW if settings.projects else _BETWEEN,
    )
    if record and record["created_by_jobs"]:
        created, added = record["created_by_jobs"], record["added"]
        least = "at least " if record["unknown"] else ""
        grew = f"while the file systems grew by {added:,}"
        figure.words = [f"Captured jobs created {least}{created:,} files, {grew}."]
    return figure


def _created(connection: Connection, systems: dict[str, list[dict[str, Any]]]) -> dict[str, Any] | None:
    first = min(scans[0]["began"] for scans in systems.values())
    last = max(scans[-1]["began"] for scans in systems.values())
    made = rows(
        connection,
        "SELECT count(*) AS logs, count(*) - count(creates) AS unknown, CAST(sum(creates) AS BIGINT) AS"
        " creates,"
        f" {total('files_written')} FROM study_logs WHERE began >= {time(first)} AND began < {time(last)}",
    )[0]
    if not made["logs"]:
        return None
    return {
        "file_system": "all" if len(systems) > 1 else next(iter(systems)),
        "created_by_jobs": made["creates"],
        "written_by_jobs": made["files_written"],
        "added": sum(scans[-1]["files"] - scans[0]["files"] for scans in systems.values()),
        "first": first,
        "last": last,
        "logs": made["logs"],
        "unknown": made["unknown"],
    }
