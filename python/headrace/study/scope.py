"""What a study counts, chosen once: the rows of the period and the projects, under the names of a study.

All figures read the tables that `prepare` makes, so that a filter or a pseudonym cannot be forgotten in one:

    study_logs          a row a log; project, program and job are what the study calls them
    study_runs          a row a job with logs: what they have together (runs.py)
    study_moved         bytes of files by size of job, interface and sharing
    study_apart         a row a log of no run of a job, where a job of the same id ran at another time
    study_jobs          a row a job of the scheduler, or a log that no such job is known of
    study_counters      a row a sample of what has bytes, and
    study_bins          those bytes in intervals of the same length (bins.py)
    study_owners        project of a scan's owner, as the study calls it
"""

from __future__ import annotations

from dataclasses import dataclass

from headrace.study.bins import Intervals, during, store_bins
from headrace.study.names import store_names
from headrace.study.query import Connection, hold, rows, store, text, total
from headrace.study.runs import store_runs
from headrace.study.settings import Settings

__all__ = ["Scope", "prepare"]

_KEPT = (
    "log, processes, ranks, nodes, instances, complete, bytes_read, bytes_written, reads, writes,"
    # Times of all processes of all jobs have no room in 64 bits.
    " CAST(read_ns AS DOUBLE) AS read_ns, CAST(write_ns AS DOUBLE) AS write_ns,"
    " CAST(meta_ns AS DOUBLE) AS meta_ns, slowest_ns, slowest_exact, estimated_ns, elapsed_ns, files,"
    " files_read,"
    " files_written, files_read_written, files_new, files_old, creates, opens, seeks, sequential,"
    " consecutive,"
    " unaligned, judged, uses_posix, uses_stdio, uses_mpiio, uses_hdf5, uses_pnetcdf, bytes_posix,"
    " bytes_stdio,"
    " bytes_mpiio, bytes_hdf5, bytes_pnetcdf, bytes_unique, bytes_partial, bytes_shared, files_unique,"
    " files_partial, files_shared, mpiio_operations, mpiio_collective, io_ranks, io_rank_last, bytes_rank0,"
    " run_core_hours"
)
_RUN = """CASE WHEN run_job IS NULL THEN concat('log ', CAST(log AS VARCHAR(20)))
    ELSE concat(run_scheduler, ' ', run_job, ' ', CAST(run_start AS VARCHAR(40))) END"""
_JOB = "coalesce(run_job, scheduler_job, source)"

# By how much a log is later than the run of its job's id that is nearest. Seconds.
_APART = """SELECT log, id, min_by(later, abs(later)) AS later FROM (
  SELECT l.log, split_part(l.scheduler_job, '.', 1) AS id,
    (epoch_us(l."start") - epoch_us(s."start")) / 1000000 AS later
  FROM logs l JOIN study_logs k ON k.log = l.log
  JOIN scheduler_jobs s ON split_part(l.scheduler_job, '.', 1) = split_part(s.job, '.', 1)
  LEFT JOIN log_runs r ON r.log = l.log WHERE r.log IS NULL) every_run GROUP BY log, id"""


@dataclass(frozen=True)
class Scope:
    """What is left out before any figure counts, and the intervals of study_bins."""

    logs_left_out: int
    jobs_left_out: int
    intervals: Intervals
    by_user: bool = False  # no job has a project, so that users are told apart

    @property
    def projects(self) -> str:
        return "users" if self.by_user else "projects"


def prepare(connection: Connection, settings: Settings) -> Scope:
    """Makes the tables of a study. The views of headrace.catalog must be there."""
    hold(connection)
    name, by_user = store_names(connection, settings)
    where = " AND ".join([*during(settings, '"start"'), *_of_projects(settings, name)]) or "true"
    _store_logs(connection, settings, where, name)
    store_runs(connection, settings)
    store(
        connection,
        "study_moved",
        f"""SELECT r.size_class, f.interface,
  CASE WHEN f.folded > 0 THEN 'not known' ELSE f.sharing END AS sharing,
  {total("f.bytes_read", "bytes_read")}, {total("f.bytes_written", "bytes_written")}
FROM files f JOIN study_logs l ON l.log = f.log JOIN study_runs r ON r.run = l.run GROUP BY 1, 2, 3""",
    )
    store(connection, "study_apart", _APART)
    store(
        connection,
        "study_jobs",
        f"""SELECT job IS NOT NULL AS scheduled, k.called AS project, state, "start" AS began, "end" AS ended,
  nodes, processes, core_hours, covered, logs, complete, bytes_read, bytes_written,
  a.id IS NOT NULL AS has_log_apart
FROM jobs JOIN study_names k ON k.name = {name} LEFT JOIN (SELECT DISTINCT id FROM study_apart) a
  ON a.id = split_part(job, '.', 1) WHERE {where}""",
    )
    intervals = store_bins(connection, settings)
    return Scope(
        _left_out(connection, "logs", "study_logs"),
        _left_out(connection, "jobs", "study_jobs"),
        intervals,
        by_user,
    )


def _store_logs(connection: Connection, settings: Settings, where: str, name: str) -> None:
    """Numbers of pseudonyms are those among all logs, so that two periods have the same."""
    if settings.pseudonyms is None:
        numbers, named = "", f"executable AS program, {_JOB} AS job, source, why_incomplete"
    else:
        numbers = f""", dense_rank() OVER (ORDER BY {_JOB}) AS job_number,
    dense_rank() OVER (ORDER BY source) AS source_number"""
        named = """p.called AS program, concat('job ', CAST(job_number AS VARCHAR(20))) AS job,
  concat('log ', CAST(source_number AS VARCHAR(20))) AS source,
  CASE WHEN complete THEN NULL ELSE 'not complete' END AS why_incomplete"""
    store(
        connection,
        "study_logs",
        f"""SELECT {_KEPT}, k.called AS project, "start" AS began, "end" AS ended, {named},
  coalesce(core_hours, 0) AS core_hours, bytes_read + bytes_written AS moved, run
FROM (SELECT *, {_RUN} AS run{numbers} FROM log_jobs) runs
JOIN study_names k ON k.name = {name} LEFT JOIN study_programs p ON p.name = executable WHERE {where}""",
    )


def _of_projects(settings: Settings, name: str) -> list[str]:
    if not settings.projects:
        return []
    names = ", ".join(map(text, settings.projects))
    return [f"({name} IN ({names}) OR project IN ({names}))"]


def _left_out(connection: Connection, table: str, kept: str) -> int:
    found = rows(connection, f"SELECT (SELECT count(*) FROM {table}) - (SELECT count(*) FROM {kept}) AS n")
    return int(found[0]["n"])
