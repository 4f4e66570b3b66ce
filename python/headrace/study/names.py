"""What a study calls projects, programs and the owners of files: tables of names."""

from __future__ import annotations

from headrace._errors import UsageError
from headrace.study.query import Connection, keep, rows, store, text
from headrace.study.settings import NO_PROJECT, Settings

__all__ = ["store_names"]

_PROJECT = f"coalesce(label, project, {text(NO_PROJECT)})"  # of a job or log
_USER = f"""CASE WHEN "user" IS NULL THEN {text(NO_PROJECT)} ELSE concat('user ', "user") END"""

# Of a project of several labels the last one that was added, as for jobs.
_LABELS = (
    """(SELECT project, max_by(coalesce(label, project), place) AS label FROM projects GROUP BY project)"""
)


def store_names(connection: Connection, settings: Settings) -> tuple[str, bool]:
    """Tables study_names, of projects and labels, study_programs and study_owners.

    Gives the name of a job or log as SQL, and whether it is that of the user, as where no job has a project.
    """
    known = rows(
        connection,
        """SELECT count(project) AS projects, count("user") AS users FROM (
  SELECT project, "user" FROM jobs UNION ALL SELECT project, "user" FROM log_jobs) every_job""",
    )[0]
    by_user = not known["projects"] and known["users"] > 0
    name = _USER if by_user else _PROJECT
    _projects(connection, settings, name)
    _programs(connection, settings)
    store(
        connection,
        "study_owners",
        f"""SELECT DISTINCT h.owner, k.called AS project FROM scan_histograms h
LEFT JOIN {_LABELS} p ON p.project = h.owner
JOIN study_names k ON k.name = coalesce(p.label, h.owner) WHERE h.owned_by = 'project'""",
    )
    return name, by_user


def _programs(connection: Connection, settings: Settings) -> None:
    """Only where they have other names."""
    called: dict[str, str] = {}
    if settings.pseudonyms:
        for row in rows(connection, "SELECT DISTINCT executable AS name FROM logs ORDER BY name"):
            if row["name"]:
                called[row["name"]] = settings.pseudonyms.of("program", row["name"])
    _keep(connection, "study_programs", called)


def _projects(connection: Connection, settings: Settings, name: str) -> None:
    """Those that moved most first; of scans' owners as well."""
    found = rows(
        connection,
        f"""SELECT name, sum(moved) AS moved FROM (
  SELECT {name} AS name, CAST(bytes_read + bytes_written AS DOUBLE) AS moved FROM log_jobs
  UNION ALL SELECT DISTINCT {name}, CAST(0 AS DOUBLE) FROM jobs
  UNION ALL SELECT DISTINCT coalesce(p.label, h.owner), CAST(0 AS DOUBLE) FROM scan_histograms h
    LEFT JOIN {_LABELS} p ON p.project = h.owner WHERE h.owned_by = 'project'
) names GROUP BY name ORDER BY moved DESC, name""",
    )
    names = [row["name"] for row in found] or [NO_PROJECT]
    _check(connection, settings, names)
    hidden = settings.pseudonyms
    _keep(connection, "study_names", {name: hidden.project(name) if hidden else name for name in names})


def _keep(connection: Connection, table: str, called: dict[str, str]) -> None:
    import pyarrow

    columns = [pyarrow.array(list(values), pyarrow.string()) for values in (called.keys(), called.values())]
    keep(connection, table, pyarrow.table(columns, names=["name", "called"]))


def _check(connection: Connection, settings: Settings, names: list[str]) -> None:
    if not settings.projects:
        return
    found = rows(connection, "SELECT DISTINCT project FROM jobs UNION SELECT DISTINCT project FROM log_jobs")
    known = {*names, *(row["project"] for row in found if row["project"])}
    unknown = [name for name in settings.projects if name not in known]
    if not unknown:
        return
    if settings.pseudonyms:  # which there are would be told
        raise UsageError(f"no job is of the project {unknown[0]!r}")
    listed = ", ".join(map(repr, names[:10])) + (" and others" if len(names) > 10 else "")
    raise UsageError(f"no job is of the project {unknown[0]!r}; the catalog has {listed}")
