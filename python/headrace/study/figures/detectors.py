"""Habits of jobs that cost performance (section V of the paper)."""

from __future__ import annotations

from headrace.study.figure import Figure, Finding
from headrace.study.figures.coverage import NO_LOGS
from headrace.study.query import Connection, data, rows, total
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import percent
from headrace.text import count, size

_RANKS = "ranks > 1 AND moved > 0"
# Where operations are collective, the library chooses who reads and writes.
_CHOSEN = f"{_RANKS} AND mpiio_collective = 0"
_FEW = f"{_CHOSEN} AND io_ranks > 1 AND 2 * io_ranks <= ranks AND bytes_rank0 < 0.9 * moved"
# Name: (condition on study_runs, what it means).
DETECTORS = {
    "rank 0 does all I/O": (
        f"{_CHOSEN} AND bytes_rank0 >= 0.9 * moved",
        "One process reads and writes nine tenths of the bytes or more: it does not scale, and the others"
        " wait.",
    ),
    "first ranks do all I/O": (
        f"{_FEW} AND io_rank_last = io_ranks - 1",
        "The first k ranks, half of all or fewer, read and write for the others, as collective MPI-IO would.",
    ),
    "some ranks do all I/O": (
        f"{_FEW} AND io_rank_last >= io_ranks",
        "Half of the ranks or fewer, and not the first ones, read and write for the others.",
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
        "ranks > 1 AND mpiio_operations > 0 AND mpiio_collective = 0",
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


def detectors(connection: Connection, _: Settings, scope: Scope) -> Figure:
    parts = " UNION ALL ".join(
        f"SELECT '{name}' AS detector, count(*) AS jobs, {total('moved', 'bytes')},"
        " coalesce(sum(core_hours), 0) AS"
        f" core_hours FROM study_runs WHERE {condition}"
        for name, (condition, _meaning) in DETECTORS.items()
    )
    sums = rows(
        connection,
        "SELECT count(*) AS jobs, sum(CASE WHEN io_ranks IS NULL THEN 1 ELSE 0 END) AS unknown,"
        " sum(CASE WHEN mpiio_collective > 0 THEN 1 ELSE 0 END) AS collective FROM study_runs",
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
        f"Counted: {count(sums['jobs'], 'job')} with a log of the period ({scope.logs_left_out:,} logs of"
        " others left out)."
        f" {sums['unknown'] or 0:,} do not say which ranks did I/O and cannot show the first three; of"
        f" {sums['collective'] or 0:,} with collective MPI-IO the library chose the ranks, so they do not"
        " count"
        " there.",
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
            "SELECT project, job, program, processes, moved AS bytes, core_hours FROM study_runs"
            f" WHERE {condition} ORDER BY core_hours DESC, moved DESC, run LIMIT {_EXAMPLES}",
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
