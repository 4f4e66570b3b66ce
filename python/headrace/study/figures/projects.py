"""Who moves the data (Figure 4 of the paper), and when."""

from __future__ import annotations

from headrace.study.figure import Figure, Finding
from headrace.study.figures.coverage import NO_LOGS
from headrace.study.query import Connection, data, rows, total
from headrace.study.scope import Scope
from headrace.study.settings import NO_PROJECT, Settings
from headrace.study.words import percent
from headrace.text import count, size


def top_projects(connection: Connection, settings: Settings, _: Scope) -> Figure:
    found = rows(
        connection,
        f"SELECT project, {total('bytes_read')}, {total('bytes_written')}, {total('moved')} FROM study_logs"
        " GROUP BY project HAVING sum(moved) > 0 ORDER BY moved DESC, project",
    )
    whole = sum(row["moved"] for row in found)
    top = found[: settings.top]
    devices = {} if settings.projects else _of_devices(connection)
    records = [
        {
            "project": row["project"],
            "direction": direction,
            "bytes": row[column],
            "share_of_devices": row[column] / devices[direction] if devices.get(direction) else None,
            "share": row[column] / whole,
        }
        for row in top
        for direction, column in (("read", "bytes_read"), ("written", "bytes_written"))
    ]
    figure = Figure(
        "top_projects",
        "Projects that move the most data",
        "bars",
        data(records, "project text, direction text, bytes int, share real, share_of_devices real"),
        "Bytes that captured jobs read and wrote, of files. Shares are of the bytes of all projects, read"
        " and written"
        " together, and of what all devices read or wrote in the period, if there are samples: caches can"
        " make"
        " that more than all.",
        f"The first {len(top)} of {count(len(found), 'project')} that moved data, with"
        f" {size(sum(row['moved'] for row in top))} of {size(whole)}.",
        encoding={"x": "project", "y": "bytes", "colour": "direction"},
        units={"bytes": "bytes", "share": "share", "share_of_devices": "share"},
        titles={"share_of_devices": "of the devices' bytes"},
        paper="Figure 4",
        missing="" if found else NO_LOGS,
    )
    if not found:
        return figure
    first = top[0]
    readers = sum(row["bytes_read"] > row["bytes_written"] for row in top)
    share = percent(first["moved"] / whole)
    who = "Jobs of no known project" if first["project"] == NO_PROJECT else first["project"]
    lead = f"{who} moved {size(first['moved'])}, {share} of all that jobs moved."
    figure.words = [lead, f"{readers} of these {len(top)} read more than they wrote."]
    read, written = (record["share_of_devices"] for record in records[:2])
    if read is not None and written is not None:
        shares = f"{percent(read)} of what the devices read and {percent(written)} of what they wrote"
        figure.words.insert(1, f"That is as much as {shares}.")
    figure.findings = [Finding(lead, "top_projects", 0.85)]
    figure.numbers = {
        "bytes of jobs": float(whole),
        "share of reads of jobs": sum(row["bytes_read"] for row in found) / whole,
    }
    return figure


def _of_devices(connection: Connection) -> dict[str, int]:
    """What they read and wrote; empty: they have no samples."""
    sums = rows(
        connection,
        f"SELECT {total('read_bytes', 'read')}, {total('write_bytes', 'written')} FROM study_counters",
    )
    return sums[0]


def project_activity(connection: Connection, settings: Settings, _: Scope) -> Figure:
    found = [
        row
        for direction, column in (("read", "bytes_read"), ("written", "bytes_written"))
        for row in rows(
            connection,
            f"""SELECT CAST(date_trunc('day', began) AS TIMESTAMP) AS day, '{direction}' AS direction,
  CASE WHEN t.project IS NULL THEN 'all others' ELSE l.project END AS project, {total(column, "bytes")}
FROM study_logs l LEFT JOIN (SELECT project FROM study_logs WHERE moved > 0 GROUP BY project
  ORDER BY sum(moved) DESC, project LIMIT {settings.top}) t ON t.project = l.project
WHERE began IS NOT NULL GROUP BY 1, 2, 3 HAVING sum({column}) > 0 ORDER BY 1, 3""",
        )
    ]
    unknown = rows(connection, "SELECT count(*) AS n FROM study_logs WHERE began IS NULL AND moved > 0")[0][
        "n"
    ]
    figure = Figure(
        "project_activity",
        "Activity of projects by day",
        "bars",
        data(found, "day time, direction text, project text, bytes int"),
        "Bytes that captured jobs read and wrote, on the day (UTC) on which the job began.",
        f"All logs of the period, but for {unknown:,} that do not say when they began; projects behind the"
        " first"
        f" {settings.top} by bytes are added up.",
        encoding={"x": "day", "y": "bytes", "colour": "project", "panel": "direction"},
        units={"bytes": "bytes"},
        paper="Section IV",
        missing="" if found else NO_LOGS,
    )
    if found:
        days: dict[object, int] = {}
        for row in found:
            days[row["day"]] = days.get(row["day"], 0) + row["bytes"]
        busiest = max(days, key=lambda day: days[day])
        figure.words = [f"The busiest day was {busiest:%Y-%m-%d} with {size(days[busiest])}."]
    return figure
