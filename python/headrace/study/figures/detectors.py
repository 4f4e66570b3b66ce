"""Habits of jobs that cost performance, and jobs that are nearly the same (section V of the paper)."""

from __future__ import annotations

from headrace.study.figure import Figure, Finding
from headrace.study.figures.coverage import NO_LOGS
from headrace.study.query import Connection, data, rows, total
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import count, percent, size

_RANKS = "ranks > 1 AND moved > 0"
# Name: (condition on study_logs, what it means).
DETECTORS = {
    "rank 0 does all I/O": (
        f"{_RANKS} AND io_ranks = 1 AND io_rank_last = 0",
        "One process reads and writes for all: it does not scale, and the others wait.",
    ),
    "first ranks do all I/O": (
        f"{_RANKS} AND io_ranks > 1 AND io_ranks < ranks AND io_rank_last = io_ranks - 1",
        "The first k ranks aggregate for the others, as collective MPI-IO would.",
    ),
    "some ranks do all I/O": (
        f"{_RANKS} AND io_ranks > 0 AND io_ranks < ranks AND io_rank_last >= io_ranks",
        "A subset of the ranks that are not the first ones aggregates.",
    ),
    "a seek for each operation": (
        "reads + writes >= 100 AND seeks >= 0.9 * (reads + writes)",
        "Nine seeks or more for ten reads and writes: pread and pwrite need none.",
    ),
    "files both read and written": (
        "files_read_written > 0 AND files_read_written >= 0.1 * files",
        "A tenth of the job's files or more are read and written in the same run: scratch data, or"
        " checkpoints in place.",
    ),
    "MPI-IO without collectives": (
        "uses_mpiio AND ranks > 1 AND mpiio_operations > 0 AND mpiio_collective = 0",
        "All reads and writes of MPI-IO are independent, so that the library cannot merge them.",
    ),
    "mostly metadata": (
        "moved > 0 AND meta_ns > 0.5 * (meta_ns + read_ns + write_ns)",
        "More than half of the time in calls on files is spent neither reading nor writing.",
    ),
    "small operations": (
        "reads + writes >= 1000 AND moved < 4096.0 * (reads + writes)",
        "Reads and writes have less than 4 KiB on average.",
    ),
}
_EXAMPLES = 10
_GROUPS = 100
_LEAST = 10  # jobs that are nearly the same


def detectors(connection: Connection, _: Settings, scope: Scope) -> Figure:
    parts = " UNION ALL ".join(
        f"SELECT '{name}' AS detector, count(*) AS jobs, {total('moved', 'bytes')},"
        " coalesce(sum(core_hours), 0) AS"
        f" core_hours FROM study_logs WHERE {condition}"
        for name, (condition, _meaning) in DETECTORS.items()
    )
    sums = rows(
        connection,
        "SELECT count(*) AS jobs, sum(CASE WHEN io_ranks IS NULL THEN 1 ELSE 0 END) AS unknown FROM"
        " study_logs",
    )[0]
    found = (
        sorted(rows(connection, parts), key=lambda row: list(DETECTORS).index(row["detector"]))
        if sums["jobs"]
        else []
    )
    for row in found:
        row |= {"share_of_jobs": row["jobs"] / sums["jobs"], "meaning": DETECTORS[row["detector"]][1]}
    figure = Figure(
        "detectors",
        "Habits that cost performance",
        "table",
        data(found, "detector text, jobs int, share_of_jobs real, bytes int, core_hours real, meaning text"),
        "Jobs with each habit, what they moved and the core hours that they took. A job may have several.",
        f"All {sums['jobs']:,} logs of the period ({scope.logs_left_out:,} of others left out);"
        f" {sums['unknown'] or 0:,} do not say which ranks did I/O and cannot show the first three.",
        units={"jobs": "count", "share_of_jobs": "share", "bytes": "bytes", "core_hours": "count"},
        titles={"detector": "habit", "share_of_jobs": "of jobs"},
        paper="Section V",
        missing="" if found else NO_LOGS,
    )
    seen = sorted((row for row in found if row["jobs"]), key=lambda row: -row["core_hours"])
    for row in seen[:3]:
        name, share = row["detector"], percent(row["share_of_jobs"])
        text = (
            f"{name[0].upper()}{name[1:]}: {count(row['jobs'], 'job')} ({share}), {size(row['bytes'])} moved."
        )
        figure.words.append(text)
        figure.findings.append(Finding(text, "detectors", 0.4))
    figure.numbers = {f"share of jobs: {row['detector']}": row["share_of_jobs"] for row in found}
    return figure


def detected_jobs(connection: Connection, _: Settings, __: Scope) -> Figure:
    records = []
    for name, (condition, _meaning) in DETECTORS.items():
        found = rows(
            connection,
            "SELECT project, job, program, processes, moved AS bytes, core_hours FROM study_logs"
            f" WHERE {condition} ORDER BY core_hours DESC, moved DESC, log LIMIT {_EXAMPLES}",
        )
        records += [{"detector": name, **row} for row in found]
    return Figure(
        "detected_jobs",
        "Jobs with these habits",
        "table",
        data(
            records,
            "detector text, project text, job text, program text, processes int, bytes int, core_hours real",
        ),
        f"Of each habit the {_EXAMPLES} jobs that took most core hours.",
        "As of the habits above.",
        units={"processes": "count", "bytes": "bytes", "core_hours": "count"},
        titles={"detector": "habit"},
        paper="Section V",
        missing="" if records else "No job has one of these habits.",
    )


def identical(connection: Connection, _: Settings, __: Scope) -> Figure:
    found = rows(
        connection,
        f"""SELECT project, program, processes, count(*) AS jobs, avg(CAST(moved AS DOUBLE)) AS bytes_per_job,
  {total("moved", "bytes")}, sum(core_hours) AS core_hours FROM (SELECT *, CAST(round(ln(moved) / ln(1.1)) AS
  BIGINT) AS about,
    CAST(round(ln(files + 1) / ln(1.1)) AS BIGINT) AS files_about FROM study_logs WHERE moved > 0) logs
GROUP BY project, program, processes, about, files_about HAVING count(*) >= {_LEAST}
ORDER BY jobs DESC, bytes DESC, project, program, processes LIMIT {_GROUPS}""",
    )
    figure = Figure(
        "identical",
        "Jobs that are nearly the same",
        "table",
        data(
            found,
            "project text, program text, processes int, jobs int, bytes_per_job real, bytes int, core_hours"
            " real",
        ),
        "Jobs of the same project, program and number of processes whose bytes and numbers of files lie in"
        " the same steps of a tenth.",
        f"Jobs with a log that moved bytes; groups of {_LEAST} jobs or more, the first {_GROUPS}.",
        units={
            **dict.fromkeys(("processes", "jobs", "core_hours"), "count"),
            "bytes_per_job": "bytes",
            "bytes": "bytes",
        },
        paper="Section V-A",
        missing="" if found else f"There are no {_LEAST} such jobs.",
    )
    if found:
        first = found[0]
        jobs = f"{first['jobs']:,} jobs of {first['project']}"
        each = f"{first['processes']:,} processes that move {size(first['bytes_per_job'])}"
        figure.words = [f"{jobs} are nearly the same: {each}."]
        figure.findings = [Finding(figure.words[0], "identical", 0.3)]
    return figure
