"""MiB/s per node (section II-D of the paper) by project (Figure 10), and what lies above the possible."""

from __future__ import annotations

from typing import Any

from headrace.study.distribution import quantile
from headrace.study.figure import Figure, Finding
from headrace.study.figures.coverage import NO_LOGS
from headrace.study.query import Connection, data, rows
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import number
from headrace.text import count, every

NO_LARGE = "No job of the period is that large: choose others with --min-processes and --min-bytes."
UNIT = "MiB/s per node"
_LISTED = 1000


def missing_large(connection: Connection) -> str:
    jobs = rows(connection, "SELECT count(*) AS n FROM study_runs")[0]["n"]
    return NO_LARGE if jobs else NO_LOGS


def large_filter(connection: Connection, settings: Settings) -> str:
    found = rows(
        connection,
        """SELECT count(*) AS jobs, coalesce(sum(CASE WHEN large THEN 1 ELSE 0 END), 0) AS large,
  coalesce(sum(CASE WHEN large AND mib_per_s_per_node IS NULL THEN 1 ELSE 0 END), 0) AS unknown FROM
  study_runs""",
    )[0]
    return (
        f"Jobs of {settings.large()}: {found['large']:,} of {found['jobs']:,} with a log."
        f" {found['unknown']:,} of these have no {UNIT}, since their I/O time or their nodes are not known."
    )


def performance(connection: Connection, settings: Settings, _: Scope) -> Figure:
    found = rows(
        connection,
        """SELECT project, nodes, mib_per_s_per_node AS value FROM study_runs
WHERE large AND mib_per_s_per_node IS NOT NULL ORDER BY project, value""",
    )
    by_project: dict[str, list[dict[str, Any]]] = {}
    for row in found:
        by_project.setdefault(row["project"], []).append(row)
    limits = ceilings(connection, settings)
    left, outliers, records = 0, [], []
    for project in _most_moved(connection):
        each = by_project.get(project, [])
        kept = [
            row["value"]
            for row in each
            if (limit := _ceiling(row, limits)) is None or row["value"] <= limit[0]
        ]
        over = [
            row["value"]
            for row in each
            if (limit := _ceiling(row, limits)) is not None and row["value"] > limit[0]
        ]
        left += len(over)
        outliers += [{"x": project, "y": value} for value in over[-_LISTED:]]
        if kept:
            records.append(_box(project, kept))
    figure = Figure(
        "performance",
        "Performance of large jobs by project",
        "box",
        data(records, "project text, low real, q1 real, median real, q3 real, high real, count int"),
        f"{UNIT}: bytes read and written / reading, writing and metadata time of the slowest process /"
        " nodes. Least, quartiles (with linear interpolation) and greatest of the jobs of a project.",
        f"{large_filter(connection, settings)} The boxes leave out {count(left, 'job')} above the ceiling"
        " that holds for their nodes: see outliers.",
        encoding={key: key for key in ("low", "q1", "median", "q3", "high", "count")} | {"x": "project"},
        units={"count": "count", **dict.fromkeys(("low", "q1", "median", "q3", "high"), "MiB/s")},
        titles={"median": "bandwidth per node"},
        options={
            "log_y": True,
            "guides": [{"label": _named(name, least), "y": limit} for name, limit, least in limits],
            "outliers": outliers[:_LISTED],
        },
        paper="Figure 10",
        missing="" if records else missing_large(connection),
    )
    if records:
        _tell(figure, records, [row["value"] for row in found])
    return figure


def _tell(figure: Figure, records: list[dict[str, Any]], values: list[float]) -> None:
    best, worst = (choose(records, key=lambda row: row["median"]) for choose in (max, min))
    middle = quantile(sorted(values), 0.5)
    figure.words = [f"The median of {every(len(values), 'large job')} is {number(middle)} {UNIT}."]
    figure.numbers = {f"median of large jobs ({UNIT})": middle}
    if len(records) > 1:
        least, most = (f"{number(row['median'])} ({row['project']})" for row in (worst, best))
        figure.words.append(f"Medians of projects reach from {least} to {most} {UNIT}.")
    figure.findings = [Finding(" ".join(figure.words), "performance", 0.6)]


def _most_moved(connection: Connection) -> list[str]:
    found = rows(
        connection,
        "SELECT project FROM study_runs WHERE large GROUP BY project ORDER BY sum(moved) DESC, project",
    )
    return [row["project"] for row in found]


def _box(project: str, values: list[float]) -> dict[str, Any]:
    parts = {"low": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "high": 1.0}
    return {"project": project, "count": len(values)} | {
        key: quantile(values, part) for key, part in parts.items()
    }


def ceilings(connection: Connection, settings: Settings) -> list[tuple[str, float, int]]:
    """Name, MiB/s per node, and the nodes from which on it holds; the highest first."""
    found = rows(
        connection,
        "SELECT DISTINCT name, mib_per_s_per_node AS value, coalesce(nodes_least, 0) AS least FROM ceilings"
        " WHERE mib_per_s_per_node > 0 AND mib_per_s_per_node < 1e300 ORDER BY value DESC, name",
    )
    names = [
        f"ceiling {place + 1}" if settings.pseudonyms else row["name"] for place, row in enumerate(found)
    ]
    return [(name, row["value"], row["least"]) for name, row in zip(names, found, strict=True)]


def _named(ceiling: str, least: int) -> str:
    return f"{ceiling} (from {count(least, 'node')} on)" if least > 1 else ceiling


def _ceiling(row: dict[str, Any], limits: list[tuple[str, float, int]]) -> tuple[float, str] | None:
    """What a job of so many nodes cannot exceed: the highest limit of those that begin at the most nodes."""
    holding = [limit for limit in limits if limit[2] <= (row["nodes"] or 0)]
    if not holding:
        return None
    name, value, _ = max(holding, key=lambda limit: (limit[2], limit[1]))
    return value, name


def outliers(connection: Connection, settings: Settings, _: Scope) -> Figure:
    limits = ceilings(connection, settings)
    found = rows(
        connection,
        """SELECT project, job, processes, nodes, mib_per_s_per_node FROM study_runs
WHERE large AND mib_per_s_per_node IS NOT NULL ORDER BY mib_per_s_per_node DESC, job""",
    )
    records = []
    for row in found:
        limit = _ceiling(row, limits)
        if limit is not None and row["mib_per_s_per_node"] > limit[0]:
            records.append({**row, "ceiling": limit[0], "limit": limit[1]})
    none = (
        "The catalog has no ceilings: say what the network of a node can do with `headrace catalog add`."
        if not limits
        else "No job is above a ceiling."
    )
    return Figure(
        "outliers",
        "Jobs above what is possible",
        "table",
        data(
            records[:_LISTED],
            "project text, job text, processes int, nodes int, mib_per_s_per_node real, ceiling real, limit"
            " text",
        ),
        f"Large jobs with more {UNIT} than the ceiling that holds for their nodes: of those that begin at"
        " most at so many nodes, the one that begins at the most. Caches explain some; sparse I/O without"
        " coordination, which the metric does not describe, others.",
        f"{large_filter(connection, settings)} {len(records):,} are above a ceiling, of which"
        f" {len(records[:_LISTED]):,} are listed.",
        units={"processes": "count", "nodes": "count", "mib_per_s_per_node": "MiB/s", "ceiling": "MiB/s"},
        titles={"mib_per_s_per_node": UNIT},
        paper="Section II-D",
        missing="" if records else none if found else missing_large(connection),
    )


def metric(connection: Connection, _: Settings, __: Scope) -> Figure:
    found = rows(
        connection,
        """SELECT how, count(*) AS jobs FROM (SELECT CASE
    WHEN nodes IS NULL OR nodes = 0 THEN 'nodes are not known'
    WHEN slowest_ns IS NULL OR slowest_ns = 0 THEN 'no time of I/O'
    WHEN slowest_exact THEN 'exact: the slowest process'
    ELSE 'estimated: the slowest process in each shared file' END AS how
  FROM study_runs WHERE moved > 0) hows
GROUP BY how ORDER BY jobs DESC, how""",
    )
    jobs = sum(row["jobs"] for row in found)
    for row in found:
        row["share"] = row["jobs"] / jobs
    return Figure(
        "metric",
        "How performance is known",
        "table",
        data(found, "how text, jobs int, share real"),
        f"{UNIT} = (bytes read + bytes written) / (time of the slowest process in reading, writing and"
        " metadata calls) / nodes. Where a log has sums over ranks alone, shared files count one after"
        " another: each with the time of its slowest process, as Darshan's logs say it; from first open to"
        " last I/O where a log does not. Where nodes or time are not known, there is no figure.",
        "Jobs with a log of the period that moved any bytes.",
        units={"jobs": "count", "share": "share"},
        titles={"how": "time of the slowest process"},
        paper="Section II-D",
        missing="" if found else NO_LOGS,
    )
