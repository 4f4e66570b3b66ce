"""What devices moved for what jobs moved: caches, read-modify-write, and who else was there (section IV)."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from headrace.study.bins import parts
from headrace.study.figure import Figure, Finding
from headrace.study.figures.coverage import NO_LOGS
from headrace.study.figures.throughput import NO_SAMPLES
from headrace.study.query import Connection, data, rows, total
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import number

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_DAYS = 1000  # over so many a sample is split; longer ones say nothing of days
_OF_ALL = "Devices serve all projects: what they moved cannot be compared with what some of these asked for."


def devices_applications(connection: Connection, settings: Settings, _: Scope) -> Figure:
    moved = _by_devices(connection)
    asked = rows(
        connection,
        f"SELECT CAST(date_trunc('day', began) AS TIMESTAMP) AS day, {total('bytes_read')},"
        f" {total('bytes_written')}"
        " FROM study_logs GROUP BY 1",
    )
    jobs = {str(row["day"])[:10]: row for row in asked}
    records = [
        {
            "day": day,
            "direction": name,
            "device_bytes": amounts[column],
            "job_bytes": job,
            "ratio": amounts[column] / job if job else None,
        }
        for day, amounts in moved.items()
        for name, column in (("read", "bytes_read"), ("written", "bytes_written"))
        for job in [jobs.get(str(day)[:10], {}).get(column, 0)]
    ]
    both = bool(records and jobs and not settings.projects)
    figure = Figure(
        "devices_applications",
        "Bytes of devices for each byte of jobs",
        "lines",
        data(
            records if both else [], "day time, direction text, device_bytes int, job_bytes int, ratio real"
        ),
        "Bytes that the devices moved on a day (UTC), divided by those of captured jobs that began on it."
        " Below one: caches answered, or data was written again before it reached a device. Above one:"
        " others than captured jobs used the file systems, or small and unaligned accesses made them read"
        " and write whole blocks.",
        "Days with samples; those without captured jobs have no ratio. Jobs that run over midnight count on"
        " their first day.",
        encoding={"x": "day", "y": "ratio", "colour": "direction"},
        units={"device_bytes": "bytes", "job_bytes": "bytes"},
        options={"log_y": True},
        paper="Section IV",
        missing="" if both else _OF_ALL if settings.projects else NO_LOGS if records else NO_SAMPLES,
    )
    for name in ("read", "written"):
        devices, captured = (
            sum(row[key] for row in records if row["direction"] == name)
            for key in ("device_bytes", "job_bytes")
        )
        if both and captured:
            ratio = devices / captured
            figure.words.append(
                f"For each byte that captured jobs have {name}, devices have {name} {number(ratio)}."
            )
            figure.numbers[f"bytes of devices {name} for each of jobs"] = ratio
    if figure.words:
        figure.findings = [Finding(" ".join(figure.words), "devices_applications", 0.45)]
    return figure


def _by_devices(connection: Connection) -> dict[datetime, dict[str, int]]:
    """Bytes of devices by day."""
    found = rows(
        connection,
        f"SELECT bin AS day, {total('bytes_read')}, {total('bytes_written')}"
        f" FROM ({parts(86_400_000_000, 0, _DAYS)}) parts GROUP BY bin ORDER BY bin",
    )
    return {_EPOCH + timedelta(days=row["day"]): row for row in found}
