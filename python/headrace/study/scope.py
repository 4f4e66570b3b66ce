"""What a study counts, chosen once: the rows of the period and the projects, under the names of a study.

All figures read the tables that `prepare` makes, so that a filter or a pseudonym cannot be forgotten in one:

    study_logs          a row a log; project, program and job are what the study calls them
    study_captured      a row a job with logs: what they have together
    study_moved         bytes of files by size of job, interface and sharing
    study_jobs          a row a job of the scheduler, or a log that no such job is known of
    study_bins          bytes of all devices of a file system in intervals of the same length
    study_owners        project of a scan's owner, as the study calls it
"""

from __future__ import annotations

from dataclasses import dataclass

from headrace._errors import UsageError
from headrace.study.bins import during, store_bins
from headrace.study.query import Connection, hold, rows, store, text, total
from headrace.study.settings import NO_PROJECT, Settings

__all__ = ["Scope", "class_label", "prepare"]

_CLASSES = 48  # powers of two of processes
_KEPT = (
    "log, processes, ranks, nodes, instances, complete, bytes_read, bytes_written, reads, writes,"
    # Times of all processes of all jobs have no room in 64 bits.
    " CAST(read_ns AS DOUBLE) AS read_ns, CAST(write_ns AS DOUBLE) AS write_ns,"
    " CAST(meta_ns AS DOUBLE) AS meta_ns, slowest_ns, slowest_exact, files, files_read, files_written,"
    " files_read_written, files_new, files_old, creates, opens, seeks, sequential, consecutive, unaligned,"
    " judged, uses_posix, uses_stdio, uses_mpiio, uses_hdf5, uses_pnetcdf, bytes_posix, bytes_stdio,"
    " bytes_mpiio, bytes_hdf5, bytes_pnetcdf, bytes_unique, bytes_partial, bytes_shared, files_unique,"
    " files_partial, files_shared, mpiio_operations, mpiio_collective, io_ranks, io_rank_last, bytes_rank0,"
    " elapsed_ns, mib_per_s_per_node"
)
_INTERFACES = ("posix", "stdio", "mpiio", "hdf5", "pnetcdf")
_RUN = """CASE WHEN run_job IS NULL THEN concat('log ', CAST(log AS VARCHAR(20)))
    ELSE concat(run_scheduler, ' ', run_job, ' ', CAST(run_start AS VARCHAR(40))) END"""
_NAME = f"coalesce(label, project, {text(NO_PROJECT)})"


@dataclass(frozen=True)
class Scope:
    """What is left out before any figure counts, and the length of the intervals of study_bins."""

    logs_left_out: int
    jobs_left_out: int
    bin_seconds: int  # 0: there are no samples
    long_samples: int  # samples of a hundred or more, which are in totals and in no interval


def prepare(connection: Connection, settings: Settings) -> Scope:
    """Makes the tables of a study. The views of headrace.catalog must be there."""
    hold(connection)
    _names(connection, settings)
    where = " AND ".join([*during(settings, '"start"'), *_of_projects(settings)]) or "true"
    hidden = settings.pseudonyms is not None
    job = "coalesce(run_job, scheduler_job, source)"
    store(
        connection,
        "study_logs",
        f"""SELECT {_KEPT}, k.called AS project, "start" AS began, "end" AS ended,
  {_hidden("program", "executable") if hidden else "executable"} AS program,
  {_hidden("job", job) if hidden else job} AS job,
  {_hidden("log", "source") if hidden else "source"} AS source,
  {"CASE WHEN complete THEN NULL ELSE 'not complete' END" if hidden else "why_incomplete"} AS why_incomplete,
  coalesce(core_hours, 0) AS core_hours, bytes_read + bytes_written AS moved, run,
  {_class_sql()} AS size_class,
  (processes >= {settings.min_processes} AND bytes_read + bytes_written >= {settings.min_bytes}) AS large
FROM (SELECT *, max(processes) OVER (PARTITION BY run) AS most
    FROM (SELECT *, {_RUN} AS run FROM log_jobs) runs) sized
JOIN study_names k ON k.name = {_NAME} WHERE {where}""",
    )
    used = [f"max(CASE WHEN uses_{key} THEN 1 ELSE 0 END) = 1 AS uses_{key}" for key in _INTERFACES]
    moved = [total(f"bytes_{key}") for key in (*_INTERFACES, "unique", "partial", "shared")]
    store(
        connection,
        "study_captured",
        f"""SELECT run, max(size_class) AS size_class, {total("moved")}, {", ".join([*used, *moved])}
FROM study_logs GROUP BY run""",
    )
    store(
        connection,
        "study_moved",
        """SELECT l.size_class, f.interface,
  CASE WHEN f.folded > 0 THEN 'not known' ELSE f.sharing END AS sharing,
  CAST(sum(f.bytes_read) AS BIGINT) AS bytes_read, CAST(sum(f.bytes_written) AS BIGINT) AS bytes_written
FROM files f JOIN study_logs l ON l.log = f.log GROUP BY 1, 2, 3""",
    )
    store(
        connection,
        "study_jobs",
        f"""SELECT scheduler, k.called AS project, state, "start" AS began, "end" AS ended, nodes, processes,
  core_hours, covered, logs, complete, bytes_read, bytes_written
FROM jobs JOIN study_names k ON k.name = {_NAME} WHERE {where}""",
    )
    seconds, long = store_bins(connection, settings)
    return Scope(
        _left_out(connection, "logs", "study_logs"),
        _left_out(connection, "jobs", "study_jobs"),
        seconds,
        long,
    )


def _hidden(word: str, what: str) -> str:
    return f"concat('{word} ', CAST(dense_rank() OVER (ORDER BY {what}) AS VARCHAR(20)))"


def _of_projects(settings: Settings) -> list[str]:
    if not settings.projects:
        return []
    names = ", ".join(map(text, settings.projects))
    return [f"({_NAME} IN ({names}) OR project IN ({names}))"]


def _names(connection: Connection, settings: Settings) -> None:
    """What each project is called, those that moved most first; of scans' owners as well."""
    found = rows(
        connection,
        f"""SELECT name, sum(moved) AS moved FROM (
  SELECT {_NAME} AS name, CAST(bytes_read + bytes_written AS DOUBLE) AS moved FROM log_jobs
  UNION ALL SELECT DISTINCT {_NAME}, CAST(0 AS DOUBLE) FROM jobs
  UNION ALL SELECT DISTINCT coalesce(p.label, p.project, h.owner), CAST(0 AS DOUBLE) FROM scan_histograms h
    LEFT JOIN (SELECT project, max(label) AS label FROM projects GROUP BY project) p ON p.project = h.owner
    WHERE h.owned_by = 'project'
) names GROUP BY name ORDER BY moved DESC, name""",
    )
    names = [row["name"] for row in found] or [NO_PROJECT]
    _check_projects(connection, settings, names)
    called = [settings.pseudonyms.project(name) if settings.pseudonyms else name for name in names]
    pairs = " UNION ALL ".join(
        f"SELECT {text(name)} AS name, {text(short)} AS called"
        for name, short in zip(names, called, strict=True)
    )
    store(connection, "study_names", pairs)
    store(
        connection,
        "study_owners",
        """SELECT DISTINCT h.owner, k.called AS project FROM scan_histograms h
LEFT JOIN (SELECT project, max(label) AS label FROM projects GROUP BY project) p ON p.project = h.owner
JOIN study_names k ON k.name = coalesce(p.label, p.project, h.owner) WHERE h.owned_by = 'project'""",
    )


def _check_projects(connection: Connection, settings: Settings, names: list[str]) -> None:
    if not settings.projects:
        return
    found = rows(connection, "SELECT DISTINCT project FROM jobs UNION SELECT DISTINCT project FROM log_jobs")
    known = {*names, *(row["project"] for row in found if row["project"])}
    unknown = [name for name in settings.projects if name not in known]
    if unknown:
        listed = ", ".join(map(repr, names[:10])) + (" and others" if len(names) > 10 else "")
        raise UsageError(f"no job is of the project {unknown[0]!r}; the catalog has {listed}")


def _class_sql() -> str:
    """The power of two at or below the number of processes, 0 where that is not known.

    No logarithm is exact in every engine.
    """
    whens = "WHEN most IS NULL THEN 0 " + " ".join(
        f"WHEN most < {1 << power} THEN {1 << power - 1}" for power in range(1, _CLASSES)
    )
    return f"CAST(CASE {whens} ELSE {1 << _CLASSES - 1} END AS BIGINT)"


def class_label(least: int) -> str:
    if least == 0:
        return "not known"
    return "1" if least == 1 else f"{least:,}\u2013{2 * least - 1:,}"


def _left_out(connection: Connection, table: str, kept: str) -> int:
    found = rows(connection, f"SELECT (SELECT count(*) FROM {table}) - (SELECT count(*) FROM {kept}) AS n")
    return int(found[0]["n"])
