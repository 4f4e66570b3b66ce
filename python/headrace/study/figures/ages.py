"""How old data is, and how seldom it is overwritten (section IV-B of the paper)."""

from __future__ import annotations

from typing import Any

from headrace.study.figure import Figure, Finding
from headrace.study.figures.coverage import NO_LOGS
from headrace.study.figures.scans import NO_SCANS, file_systems, numbers, problems
from headrace.study.query import Connection, data, rows, total
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import percent_first
from headrace.text import significant

_DAY = 86400
_ASKED = (64, 128)  # days


def ages(connection: Connection, settings: Settings, _: Scope) -> Figure:
    systems = {name: scans[-1] for name, scans in file_systems(connection, settings).items()}
    records = []
    for name, scans in [("all", list(systems.values())), *((name, [scan]) for name, scan in systems.items())]:
        if scans and not (name == "all" and len(scans) == 1):
            for age in ("modified", "accessed"):
                records += _older(connection, name, age, scans)
    figure = Figure(
        "ages",
        "Age of data",
        "lines",
        data(
            records,
            "file_system text, age text, older_than_days real, share_of_files real, share_of_bytes real",
        ),
        "Share of the bytes in files that were last modified, or read, at least so many days before the"
        " scan; at the bounds of the bins of the scans.",
        "Regular files of the last scan of each file system in the period."
        f" {problems(list(systems.values()))} Files of times in the future count as of no age.",
        encoding={"x": "older_than_days", "y": "share_of_bytes", "colour": "file_system", "panel": "age"},
        units={"share_of_files": "share", "share_of_bytes": "share", "older_than_days": "days"},
        titles={"older_than_days": "not touched for", "share_of_bytes": "of the bytes"},
        options={"log_x": True, "step": True},
        paper="Section IV-B",
        missing="" if records else NO_SCANS,
    )
    first = records[0]["file_system"] if records else ""
    for asked in _ASKED:
        found = [
            row
            for row in records
            if row["file_system"] == first and row["age"] == "modified" and row["older_than_days"] >= asked
        ]
        if found and found[0]["share_of_bytes"] is not None:
            days, share = found[0]["older_than_days"], found[0]["share_of_bytes"]
            old = f"for {significant(days, 4)} days or more"
            words = f"{percent_first(share)} of the bytes were not modified {old}."
            figure.words.append(words)
            figure.numbers[f"share of bytes not modified for {asked} days"] = share
    if figure.words:
        figure.findings = [Finding(" ".join(figure.words), "ages", 0.55)]
    return figure


def _older(connection: Connection, name: str, age: str, scans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """From the youngest to the oldest bound: what is at least that old."""
    bins = rows(
        connection,
        f"""SELECT low, CAST(sum(files) AS BIGINT) AS files, CAST(sum(bytes) AS BIGINT) AS bytes FROM
  scan_histograms
WHERE histogram = '{age}_age' AND owned_by = 'all' AND scan IN ({numbers(scans)}) GROUP BY low ORDER BY
  low""",
    )
    files = sum(row["files"] for row in bins)
    stored = None if any(row["bytes"] is None for row in bins) else sum(row["bytes"] for row in bins)
    records = []
    for place, row in enumerate(bins):
        if row["low"] is None or row["low"] <= 0:
            continue
        older = [each for each in bins[place:] if each["low"] is not None]
        records.append(
            {
                "file_system": name,
                "age": age,
                "older_than_days": row["low"] / _DAY,
                "share_of_files": sum(each["files"] for each in older) / files if files else None,
                "share_of_bytes": sum(each["bytes"] for each in older) / stored if stored else None,
            }
        )
    return records


def overwritten(connection: Connection, _: Settings, __: Scope) -> Figure:
    found = rows(
        connection,
        f"""SELECT project, {total("files_written")}, {total("files_new", "new_files")},
  {total("files_old", "old_files")}
FROM study_logs GROUP BY project HAVING sum(files_written) > 0 ORDER BY files_written DESC, project""",
    )
    sums = {key: sum(row[key] for row in found) for key in ("files_written", "new_files", "old_files")}
    records = [_written(row) for row in ([{"project": "all", **sums}, *found] if found else [])]
    figure = Figure(
        "overwritten",
        "Files that jobs overwrite",
        "table",
        data(records, "project text, files_written int, new int, old int, unknown int, share_new real"),
        "Files that captured jobs wrote: new ones, which the job created or which were empty before; old"
        " ones, which had data; and those of which the log does not know. The share is that of new ones"
        " among those that are known.",
        "All logs of the period; a file counts for each job that wrote it. The first row is the sum of all"
        " projects.",
        units={**dict.fromkeys(("files_written", "new", "old", "unknown"), "count"), "share_new": "share"},
        paper="Section IV-B",
        missing="" if records else NO_LOGS,
    )
    if records and records[0]["share_new"] is not None:
        share = records[0]["share_new"]
        written = f"{sums['files_written']:,} files that jobs wrote"
        words = f"{percent_first(share)} of the {written} were created or empty before."
        if records[0]["unknown"]:
            words = f"{words[:-1]} ({records[0]['unknown']:,} of them are not known)."
        figure.words, figure.numbers = [words], {"share of written files that are new": share}
        figure.findings = [Finding(words, "overwritten", 0.5)]
    return figure


def _written(row: dict[str, Any]) -> dict[str, Any]:
    new, old = row["new_files"], row["old_files"]
    return {
        "project": row["project"],
        "files_written": row["files_written"],
        "new": new if new + old else None,  # not recorded: every file written is new or old
        "old": old if new + old else None,
        "unknown": row["files_written"] - new - old,
        "share_new": new / (new + old) if new + old else None,
    }
