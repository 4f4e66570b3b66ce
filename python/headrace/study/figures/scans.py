"""Which scans of the file systems a study reads: the first and the last complete look at each."""

from __future__ import annotations

from typing import Any

from headrace._errors import UsageError
from headrace.study.query import Connection, rows, time
from headrace.study.settings import NOT_SAID, Settings

NO_SCANS = (
    "The catalog has no scans of file systems: make them with `headrace scan`, at the begin and at the end"
    " of a period, and add them with `headrace catalog add`."
)


def file_systems(connection: Connection, settings: Settings) -> dict[str, list[dict[str, Any]]]:
    """Scans by file system, in order of time; with pseudonyms, "file system 1" and so on."""
    where = ([f'"start" >= {time(settings.start)}'] if settings.start else []) + (
        [f'"start" < {time(settings.end)}'] if settings.end else []
    )
    found = rows(
        connection,
        f"""SELECT scan, file_system, "start" AS began, "end" AS ended, files, bytes, unreadable,
  vanished, largest, complete FROM scans
WHERE {" AND ".join(where) or "true"} ORDER BY file_system, began, scan""",
    )
    names: dict[str, list[dict[str, Any]]] = {}
    for row in found:
        name = row["file_system"] or NOT_SAID
        called = settings.pseudonyms.file_system(name) if settings.pseudonyms else name
        names.setdefault(called, []).append(row)
    return {name: _whole(scans) for name, scans in names.items()}


def _whole(scans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without states of scans that went on: of those that began together one counts, a complete one."""
    ends = sorted(
        scans, key=lambda scan: (scan["complete"] is True, scan["ended"] or scan["began"], scan["scan"])
    )
    last = {scan["began"]: scan for scan in ends}
    return sorted(last.values(), key=lambda scan: (scan["began"], scan["scan"]))


def last_scans(connection: Connection, settings: Settings) -> list[dict[str, Any]]:
    return [scans[-1] for scans in file_systems(connection, settings).values()]


def owner_files(connection: Connection, scans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Files and bytes of each project in scans, those with most files first."""
    if not scans:
        return []
    return rows(
        connection,
        f"""SELECT o.project, h.scan, CAST(sum(h.files) AS BIGINT) AS files, CAST(sum(h.bytes) AS BIGINT) AS
  bytes
FROM scan_histograms h JOIN study_owners o ON o.owner = h.owner
WHERE h.owned_by = 'project' AND h.histogram = 'size' AND h.scan IN ({numbers(scans)})
GROUP BY o.project, h.scan ORDER BY files DESC, o.project""",
    )


def told_apart(connection: Connection, settings: Settings) -> str | None:
    """The project that is told apart from all others; None when scans know no projects."""
    sums: dict[str, int] = {}
    for row in owner_files(connection, last_scans(connection, settings)):
        if row["project"]:  # files of no project are all others, even where they are the most
            sums[row["project"]] = sums.get(row["project"], 0) + row["files"]
    if settings.without is not None:
        wanted = settings.pseudonyms.project(settings.without) if settings.pseudonyms else settings.without
        if sums and wanted not in sums:
            raise UsageError(
                f"no file of a scan is of the project {settings.without!r}: scan with a project map"
            )
        return wanted if sums else None
    return min(sums, key=lambda name: (-sums[name], name)) if sums else None


def numbers(scans: list[dict[str, Any]]) -> str:
    return ", ".join(str(scan["scan"]) for scan in scans)


def problems(scans: list[dict[str, Any]]) -> str:
    """What the scans could not see, in words."""
    unreadable = sum(scan["unreadable"] or 0 for scan in scans)
    partial = sum(scan["complete"] is False for scan in scans)
    unknown = sum(scan["complete"] is None for scan in scans)
    more = f", and of {unknown} nobody knows" if unknown else ""
    what = f"{partial} of {len(scans)} scans are not complete{more}"
    return f"{unreadable:,} directories could not be read; {what}."


__all__ = ["NO_SCANS", "file_systems", "last_scans", "numbers", "owner_files", "problems", "told_apart"]
