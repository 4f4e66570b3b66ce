"""Jobs of a project from the fastest to the slowest, and from few to many nodes (Tables V and VI)."""

from __future__ import annotations

from typing import Any

from headrace.study.figure import Figure
from headrace.study.figures.access_sizes import bucket_label
from headrace.study.figures.performance import UNIT, large_filter, missing_large
from headrace.study.query import Connection, data, rows, text
from headrace.study.runs import IO_SHARE
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import number

_STEPS = 6  # jobs of a project's ladder: Table V has six
_ALIKE = 2.0  # the most by which bytes differ that count as the same
_SIZES = 3  # the least of different numbers of nodes that tell anything


def ladder(connection: Connection, settings: Settings, _: Scope) -> Figure:
    found = rows(
        connection,
        f"""WITH top AS (SELECT project FROM study_runs WHERE large GROUP BY project
  ORDER BY sum(moved) DESC, project LIMIT {settings.top}),
ranked AS (SELECT l.*, row_number() OVER (PARTITION BY l.project ORDER BY mib_per_s_per_node DESC, l.job,
    l.run) AS place,
    count(*) OVER (PARTITION BY l.project) AS jobs
  FROM study_runs l JOIN top t ON t.project = l.project WHERE large AND mib_per_s_per_node IS NOT NULL),
steps AS (SELECT *, floor((place - 1) * {_STEPS - 1.0} / CASE WHEN jobs > 1 THEN jobs - 1 ELSE 1 END) AS step,
    floor((place - 2) * {_STEPS - 1.0} / CASE WHEN jobs > 1 THEN jobs - 1 ELSE 1 END) AS step_before FROM
  ranked)
SELECT run, project, job, processes, nodes, mib_per_s_per_node,
  meta_ns / nullif(meta_ns + read_ns + write_ns, 0) AS metadata_share, {IO_SHARE} AS io_share
FROM steps WHERE place = 1 OR step > step_before ORDER BY project, place""",
    )
    keys = _key_sizes(connection, [row["run"] for row in found])
    for row in found:
        row["key_direction"], bucket = keys.get(row["run"], (None, None))
        row["key_size"] = None if bucket is None else bucket_label(bucket)
    return Figure(
        "ladder",
        "Jobs of a project from fast to slow",
        "table",
        data(
            found,
            "project text, job text, processes int, nodes int, mib_per_s_per_node real, metadata_share real,"
            " io_share real, key_size text, key_direction text",
        ),
        f"The large jobs of a project by {UNIT}: the fastest, the slowest and four between them at equal"
        " distances in that order. Metadata as a share of all time in calls on files; I/O time of the slowest"
        " process as a share of the job's; the size and direction of most reads and writes of POSIX and"
        " stdio.",
        f"{large_filter(connection, settings)} The first {settings.top} projects by bytes.",
        units={
            "processes": "count",
            "nodes": "count",
            "mib_per_s_per_node": "MiB/s",
            "metadata_share": "share",
            "io_share": "share",
        },
        titles={
            "mib_per_s_per_node": UNIT,
            "metadata_share": "metadata",
            "io_share": "I/O of run time",
            "key_size": "most frequent size",
        },
        paper="Table V",
        missing="" if found else missing_large(connection),
    )


def _key_sizes(connection: Connection, runs: list[str]) -> dict[str, tuple[str, int]]:
    if not runs:
        return {}
    found = rows(
        connection,
        f"""SELECT l.run, a.direction, a.bucket, sum(a."count") AS operations FROM access_sizes a
JOIN study_logs l ON l.log = a.log
WHERE l.run IN ({", ".join(map(text, runs))}) AND a.layer IN ('posix', 'stdio')
GROUP BY 1, 2, 3 ORDER BY operations, 1, 2, 3""",
    )
    return {row["run"]: (row["direction"], row["bucket"]) for row in found if row["operations"]}


def scaling(connection: Connection, settings: Settings, _: Scope) -> Figure:
    found = rows(
        connection,
        f"""SELECT project, program, nodes, count(*) AS jobs, avg(mib_per_s_per_node) AS mib_per_s_per_node,
  sum(meta_ns) / nullif(sum(meta_ns + read_ns + write_ns), 0) AS metadata_share, avg({IO_SHARE}) AS io_share,
  avg(CAST(moved AS DOUBLE)) AS bytes_per_job, CAST(sum(moved) AS DOUBLE) / sum(processes) AS
  bytes_per_process
FROM study_runs WHERE large AND nodes > 0 GROUP BY project, program, nodes ORDER BY project, program,
  nodes""",
    )
    groups: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
    for row in found:
        groups.setdefault((row["project"], row["program"]), []).append(row)
    records = []
    words = []
    for (project, _program), group in groups.items():
        if len(group) < _SIZES:
            continue
        kind = recognized(group)
        records += [{**row, "scaling": kind} for row in group]
        first, last = group[0], group[-1]
        if kind != "neither" and first["mib_per_s_per_node"] and last["mib_per_s_per_node"]:
            same = "the same bytes on more nodes" if kind == "strong" else "the same bytes a process"
            words.append(
                f"{project}, {same}: {number(first['mib_per_s_per_node'])} {UNIT} with {first['nodes']:,}"
                " nodes,"
                f" {number(last['mib_per_s_per_node'])} with {last['nodes']:,}."
            )
    return Figure(
        "scaling",
        "Performance by the size of jobs",
        "table",
        data(
            records,
            "project text, program text, nodes int, jobs int, mib_per_s_per_node real, metadata_share real,"
            " io_share real, bytes_per_job real, bytes_per_process real, scaling text",
        ),
        "Means of the large jobs of a program by nodes; metadata is a share of the time of all these jobs'"
        " calls on files, and I/O that of the slowest process in a job's time. Strong: bytes per job differ"
        f" by no more than a factor of {_ALIKE:g} between all"
        " sizes; weak: bytes per process do so. When both do, the one that differs less.",
        f"{large_filter(connection, settings)} Programs with jobs of {_SIZES} different numbers of nodes or"
        " more.",
        units={
            **dict.fromkeys(("nodes", "jobs"), "count"),
            **dict.fromkeys(("bytes_per_job", "bytes_per_process"), "bytes"),
            "mib_per_s_per_node": "MiB/s",
            "metadata_share": "share",
            "io_share": "share",
        },
        titles={"mib_per_s_per_node": UNIT, "metadata_share": "metadata", "io_share": "I/O of run time"},
        paper="Table VI",
        words=words[:10],
        missing=""
        if records
        else f"No program ran with {_SIZES} numbers of nodes."
        if found
        else missing_large(connection),
    )


def recognized(group: list[dict[str, Any]]) -> str:
    """strong, weak or neither, of rows with bytes_per_job and bytes_per_process."""
    spreads = {}
    for kind, key in (("strong", "bytes_per_job"), ("weak", "bytes_per_process")):
        values = [row[key] for row in group]
        spreads[kind] = max(values) / min(values) if min(values) > 0 else float("inf")
    kind = min(spreads, key=lambda each: spreads[each])
    return kind if spreads[kind] <= _ALIKE else "neither"
