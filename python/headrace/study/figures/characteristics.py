"""What large jobs of each project do (Table IV of the paper)."""

from __future__ import annotations

from headrace.study.figure import Figure
from headrace.study.figures.performance import UNIT, large_filter, missing_large
from headrace.study.query import Connection, data, rows
from headrace.study.scope import Scope
from headrace.study.settings import Settings

# Name: (dividend, divisor), of a job for the mean and of sums for the pooled figure.
_RATIOS = {
    "metadata_share": ("meta_ns", "(meta_ns + read_ns + write_ns)"),
    "io_share": ("least(slowest_ns, elapsed_ns)", "elapsed_ns"),
    "files_per_process": ("files", "processes"),
    "creates_per_process": ("creates", "processes"),
    "sequential_share": ("sequential", "judged"),
    "aligned_share": ("(judged - unaligned)", "judged"),
    "mib_per_process": ("moved / 1048576.0", "processes"),
}
_SHARES = ("metadata_share", "io_share", "sequential_share", "aligned_share")
_COLUMNS = ["mib_per_s_per_node", *_RATIOS]


def characteristics(connection: Connection, settings: Settings, _: Scope) -> Figure:
    means = ", ".join(
        f"avg(CAST({up} AS DOUBLE) / nullif({down}, 0)) AS {name}" for name, (up, down) in _RATIOS.items()
    )
    pooled = ", ".join(
        f"CAST(sum({up}) AS DOUBLE) / nullif(sum(CASE WHEN {up} IS NOT NULL THEN {down} END), 0)"
        f" AS pooled_{name}"
        for name, (up, down) in _RATIOS.items()
    )
    found = rows(
        connection,
        f"""SELECT project, count(*) AS jobs, avg(mib_per_s_per_node) AS mib_per_s_per_node, {means},
  sum(CASE WHEN mib_per_s_per_node IS NOT NULL THEN moved END) / 1048576.0
    / nullif(sum(CASE WHEN mib_per_s_per_node IS NOT NULL THEN slowest_ns / 1e9 * nodes END), 0)
    AS pooled_mib_per_s_per_node, {pooled}
FROM study_runs WHERE large GROUP BY project ORDER BY sum(moved) DESC, project""",
    )
    columns = [*_COLUMNS, *(f"pooled_{name}" for name in _COLUMNS)]
    return Figure(
        "characteristics",
        "What large jobs do, by project",
        "table",
        data(found, "project text, jobs int, " + ", ".join(f"{name} real" for name in columns)),
        f"Means over the jobs of a project of: {UNIT}; metadata time as a share of all time in calls on"
        " files; the slowest process's I/O time as a share of the job's; files and created files per"
        " process; sequential and aligned reads and writes of POSIX as"
        " shares of them; MiB per process. Pooled: the same of the sums over the jobs, in which large jobs"
        " weigh more.",
        f"{large_filter(connection, settings)} A job without a divisor, such as one without any read or"
        " write, is no part of that mean.",
        units={
            "jobs": "count",
            **{prefix + name: "share" for prefix in ("", "pooled_") for name in _SHARES},
            **{prefix + "mib_per_s_per_node": "MiB/s" for prefix in ("", "pooled_")},
        },
        titles={
            prefix.replace(" ", "_") + name: prefix + title
            for prefix in ("", "pooled ")
            for name, title in (
                ("mib_per_s_per_node", UNIT),
                ("mib_per_process", "MiB per process"),
                ("io_share", "I/O share of run time"),
            )
        },
        not_recorded=tuple(
            prefix + name for prefix in ("", "pooled_") for name in ("creates_per_process", "aligned_share")
        ),
        paper="Table IV",
        missing="" if found else missing_large(connection),
    )
