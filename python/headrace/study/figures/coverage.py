"""How much of what ran is in job logs, and why the rest is not (section III of the paper, Table II)."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from headrace.study.figure import Figure, Finding
from headrace.study.query import Connection, data, rows, text, time, total
from headrace.study.scope import Scope
from headrace.study.settings import NO_PROJECT, Settings
from headrace.study.words import number, percent
from headrace.text import count

NO_RECORDS = (
    "The catalog has no records of the batch scheduler: add them with `headrace catalog add`, such as the"
    " output of `sacct --parsable2` or PBS accounting files."
)
NO_LOGS = "The catalog has no job logs: add them with `headrace catalog add`."
_SHORT = 60  # seconds
_QUARTER = 900  # seconds: time zones differ by multiples of it
_FARTHEST = 26  # hours between two time zones
_USUAL = 0.5  # of such logs that are apart by the same
# What schedulers call a job that came to its own end.
_DONE = ", ".join(
    map(text, ("completed", "complete", "done", "finished", "ended", "success", "succeeded", "ok"))
)
_LISTED = 1000  # files of each kind
_NAMES = {"posix": "POSIX", "stdio": "stdio", "mpiio": "MPI-IO", "hdf5": "HDF5", "pnetcdf": "PnetCDF"}


def coverage(connection: Connection, _: Settings, scope: Scope) -> Figure:
    found = rows(
        connection,
        f"""SELECT count(*) AS jobs, coalesce(sum(CASE WHEN covered THEN 1 ELSE 0 END), 0) AS covered_jobs,
  coalesce(sum(core_hours), 0) AS hours, coalesce(sum(CASE WHEN covered THEN core_hours END), 0) AS
  covered_hours, count(*) - count(core_hours) AS hours_unknown,
  count(DISTINCT CASE WHEN project <> '{NO_PROJECT}' THEN project END) AS projects,
  count(DISTINCT CASE WHEN covered AND project <> '{NO_PROJECT}' THEN project END) AS covered_projects
FROM study_jobs WHERE scheduled""",
    )[0]
    loose = rows(connection, "SELECT count(*) AS n FROM study_jobs WHERE NOT scheduled")[0]["n"]
    logged = rows(connection, "SELECT count(*) AS logs, count(DISTINCT job) AS jobs FROM study_logs")[0]
    there = (
        f" It has {count(logged['logs'], 'log')} of {count(logged['jobs'], 'job')}." if logged["logs"] else ""
    )
    parts = [("jobs", "jobs"), ("core hours", "hours"), (scope.projects, "projects")]
    records = [_part(name, float(found[key]), float(found[f"covered_{key}"])) for name, key in parts]
    jobs, hours, projects = records
    if found["hours_unknown"] == found["jobs"]:
        hours.update(total=None, covered=None)
    figure = Figure(
        "coverage",
        "What job logs cover",
        "table",
        data(records if jobs["total"] else [], "what text, total real, covered real, share real"),
        "Jobs of the scheduler that at least one log is of, their core hours (cores times hours), and the"
        " projects that have such a job.",
        f"All jobs that the scheduler knows of in the period; {count(scope.jobs_left_out, 'job')} of other"
        f" periods or projects left out, and {count(loose, 'log')} of which no scheduler's job is known.",
        units={"total": "count", "covered": "count", "share": "share"},
        titles={"what": "", "total": "All", "covered": "With a log", "share": "Share"},
        not_recorded=("total", "covered"),
        paper="Section III",
        missing="" if jobs["total"] else NO_RECORDS + there,
    )
    if not jobs["total"]:
        figure.numbers = {"jobs with a log": float(logged["jobs"])} if logged["logs"] else {}
        return figure
    known = (hours["total"] or 0) > 0
    of_hours = f"{percent(hours['share'])} of {number(round(hours['total']))} core hours" if known else ""
    figure.words = [
        f"{number(jobs['covered'])} of {number(jobs['total'])} jobs ({percent(jobs['share'])})"
        f"{' and ' + of_hours if known else ''} have a log, of"
        f" {number(projects['covered'])} of {number(projects['total'])} {scope.projects}."
    ]
    if found["hours_unknown"]:
        figure.words.append(f"The core hours of {count(found['hours_unknown'], 'job')} are not recorded.")
    figure.numbers = {"jobs": jobs["total"], "share of jobs covered": jobs["share"]}
    if known:
        figure.numbers |= {"core hours": hours["total"], "share of core hours covered": hours["share"]}
    apart = _apart(connection)
    figure.words += apart
    figure.findings = [Finding("Job logs cover a part of the work: " + figure.words[0], "coverage", 0.95)]
    figure.findings += [Finding(each, "coverage", 1.0) for each in apart]
    return figure


def _apart(connection: Connection) -> list[str]:
    """What to say of logs with the id of a job of the scheduler at another time: most often another zone."""
    logs = rows(connection, "SELECT count(*) AS n FROM study_apart")[0]["n"]
    if not logs:
        return []
    usual = rows(
        connection,
        f"""SELECT step, count(*) AS logs FROM (SELECT round(later / {_QUARTER}) AS step
  FROM study_apart) steps GROUP BY step ORDER BY logs DESC, step LIMIT 1""",
    )[0]
    have = "has" if logs == 1 else "have"
    text = f"{count(logs, 'log')} {have} the same id as a job of the scheduler, at another time"
    hours = float(usual["step"]) * _QUARTER / 3600
    if usual["logs"] < _USUAL * logs or not 0 < abs(hours) <= _FARTHEST:
        return [f"{text}; such jobs count as without a log."]
    way = "later" if hours > 0 else "earlier"
    return [
        f"{text}: {number(abs(hours))} h {way}, as of records in another time zone. Add the scheduler's"
        " records to a new catalog with TZ set to their zone; such jobs count as without a log."
    ]


def _part(name: str, whole: float, part: float) -> dict[str, Any]:
    return {"what": name, "total": whole, "covered": part, "share": part / whole if whole else None}


def coverage_reasons(connection: Connection, settings: Settings, _: Scope) -> Figure:
    deployed = _deployed(connection)
    found = rows(
        connection,
        f"""SELECT reason, count(*) AS jobs, sum(core_hours) AS core_hours FROM (
  SELECT j.core_hours, CASE
  {f"WHEN began < {time(deployed)} THEN 'ran before capture was deployed'" if deployed else ""}
    WHEN has_log_apart THEN 'a log of the same id is of another time'
    WHEN ended IS NULL OR state = 'running' THEN 'still ran when the records were made'
    WHEN p.logs = 0 THEN 'no job of the project has a log'
    WHEN state LIKE 'cancel%' THEN 'cancelled'
    WHEN state NOT IN ({_DONE}) THEN 'failed or was ended'
    WHEN ended < began + INTERVAL {_SHORT} SECOND THEN 'shorter than a minute'
    ELSE 'no log, though other jobs of the project have one' END AS reason
  FROM study_jobs j JOIN (SELECT project, sum(CASE WHEN covered THEN 1 ELSE 0 END) AS logs FROM study_jobs
    GROUP BY project) p ON p.project = j.project
  WHERE j.scheduled AND NOT covered) reasons GROUP BY reason ORDER BY jobs DESC, reason""",
    )
    everything = rows(connection, "SELECT count(*) AS n FROM study_jobs WHERE scheduled")[0]["n"]
    bad = rows(connection, "SELECT count(*) AS n FROM study_logs WHERE NOT complete")[0]["n"]
    for row in found:
        row["share_of_jobs"] = row["jobs"] / everything
    missing = "" if found else NO_RECORDS if not everything else "Every job has a log."
    figure = Figure(
        "coverage_reasons",
        "Why jobs have no log",
        "table",
        data(found, "reason text, jobs int, core_hours real, share_of_jobs real"),
        "Jobs without a log by the first of these reasons that holds. "
        + (
            f"Capture was deployed on {deployed:%Y-%m-%d}."
            if deployed
            else "When capture was deployed is not in the catalog (`deployed` of the site's facts)."
        ),
        f"Jobs of the scheduler without a log. Of the logs that are there, {bad:,} are not complete; they"
        " count as covered. Logs that cannot be read at all belong to no job that is known.",
        units={"jobs": "count", "core_hours": "count", "share_of_jobs": "share"},
        titles={"core_hours": "core hours", "share_of_jobs": "of all jobs"},
        paper="Section II-C",
        missing=missing,
    )
    if found:
        figure.words = [f"The most frequent: {found[0]['reason']} ({count(found[0]['jobs'], 'job')})."]
    return figure


def _deployed(connection: Connection) -> datetime | None:
    """When capture was installed, as the site's facts say; None when they do not, or not as a date."""
    found = rows(connection, "SELECT value FROM site WHERE key = 'deployed' ORDER BY place")
    for row in reversed(found):
        try:
            when = datetime.fromisoformat(str(row["value"]).strip().replace("Z", "+00:00"))
        except ValueError:
            continue
        return when.astimezone(timezone.utc) if when.tzinfo else when.replace(tzinfo=timezone.utc)
    return None


def project_coverage(connection: Connection, _: Settings, __: Scope) -> Figure:
    uses = ", ".join(f"max(CASE WHEN uses_{key} THEN 1 ELSE 0 END) AS {key}" for key in _NAMES)
    found = rows(
        connection,
        f"""SELECT coalesce(j.project, l.project) AS project, j.jobs, j.jobs_covered, j.core_hours,
  j.core_hours_covered, l.moved AS bytes, {", ".join(f"l.{key}" for key in _NAMES)}
FROM (SELECT project, count(*) AS jobs, sum(CASE WHEN covered THEN 1 ELSE 0 END) AS jobs_covered,
    sum(core_hours) AS core_hours, sum(CASE WHEN covered THEN core_hours ELSE 0 END) AS core_hours_covered
  FROM study_jobs WHERE scheduled GROUP BY project) j
FULL OUTER JOIN (SELECT project, {total("moved")}, {uses} FROM study_logs GROUP BY
  project) l
  ON l.project = j.project ORDER BY coalesce(l.moved, -1) DESC, 1""",
    )
    for row in found:
        row["interfaces"] = ", ".join(name for key, name in _NAMES.items() if row[key]) or None
    half = [row for row in found if row["core_hours"] and row["core_hours_covered"] >= row["core_hours"] / 2]
    known = [row for row in found if row["core_hours"]]
    return Figure(
        "project_coverage",
        "Coverage and interfaces by project",
        "table",
        data(
            found,
            "project text, jobs int, jobs_covered int, core_hours real, core_hours_covered real,"
            " interfaces text, bytes int",
        ),
        "Jobs and core hours of the scheduler, those of them with a log, and the interfaces by which a"
        " captured job of the project opened files.",
        "All projects of the period, those that moved most bytes first. Empty cells: the scheduler's"
        " records, or logs, are not there.",
        units={
            "jobs": "count",
            "jobs_covered": "count",
            "core_hours": "count",
            "core_hours_covered": "count",
            "bytes": "bytes",
        },
        titles={
            "jobs_covered": "with a log",
            "core_hours": "core hours",
            "core_hours_covered": "of these with a log",
        },
        paper="Table II",
        words=[f"Logs cover half of the core hours or more of {len(half)} of {count(len(known), 'project')}."]
        if known
        else [],
        missing="" if found else NO_LOGS,
    )


def damaged_logs(connection: Connection, settings: Settings, _: Scope) -> Figure:
    found = rows(
        connection,
        "SELECT DISTINCT source, coalesce(why_incomplete, 'not said') AS why FROM study_logs WHERE NOT"
        " complete"
        f" ORDER BY source LIMIT {_LISTED}",
    )
    unread, partly = _unread(connection, settings)
    whole = rows(
        connection,
        "SELECT count(*) AS logs, count(DISTINCT CASE WHEN NOT complete THEN source END) AS bad FROM"
        " study_logs",
    )[0]
    return Figure(
        "damaged_logs",
        "Logs that are not complete",
        "table",
        data(found + unread, "source text, why text"),
        "Logs that lack a part of what the job did, and what is missing; what they have is counted. Then"
        " files of any kind and time that could not be read, or not in whole, when they were to be added.",
        f"{count(whole['bad'], 'such log')} of {whole['logs']:,}; the first {len(found):,} are listed."
        f" {count(partly['files'], 'file')} could not be read, {partly['partly']:,} of them only in part.",
        words=[f"{count(partly['files'], 'file')} could not be read in whole: figures lack what is in them."]
        if partly["files"]
        else [],
        missing="" if found or unread else "All logs are complete." if whole["logs"] else NO_LOGS,
    )


def _unread(connection: Connection, settings: Settings) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What is listed of the files that could not be read, and how many there are."""
    found = rows(connection, f"SELECT path, partly, why FROM unread ORDER BY path LIMIT {_LISTED}")
    sums = rows(
        connection,
        "SELECT count(*) AS files, coalesce(sum(CASE WHEN partly THEN 1 ELSE 0 END), 0) AS partly"
        " FROM unread",
    )[0]
    listed = []
    for place, row in enumerate(found, 1):
        why = "read in part" if row["partly"] else "not read"
        if settings.pseudonyms:
            listed.append({"source": f"file {place}", "why": why})
        else:
            listed.append({"source": row["path"], "why": f"{why}: {row['why']}"})
    return listed, sums
