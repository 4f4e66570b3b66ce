"""Jobs with logs: what the logs of each have together, in the table study_runs.

A job's logs may have followed each other or run at the same time. Those that reach into each other's time are
together: their processes add up and the slowest one's time counts, while over the others the greatest number
of processes counts and times add up, as in one log of several programs
(src/bindings/log_summary_processes.cc).
"""

from __future__ import annotations

from headrace.study.query import Connection, store, total
from headrace.study.settings import Settings

__all__ = ["IO_SHARE", "class_label", "store_runs"]

# I/O time of the slowest process in that of the job; estimates and clocks may give more than all of it.
IO_SHARE = "least(slowest_ns, elapsed_ns) / nullif(CAST(elapsed_ns AS DOUBLE), 0)"

_CLASSES = 48  # powers of two of processes
_SUMS = [
    "bytes_read",
    "bytes_written",
    "moved",
    "reads",
    "writes",
    "files",
    "files_written",
    "files_read_written",
    "seeks",
    "sequential",
    "judged",
    "mpiio_operations",
    "mpiio_collective",
    "bytes_posix",
    "bytes_stdio",
    "bytes_mpiio",
    "bytes_hdf5",
    "bytes_pnetcdf",
    "bytes_unique",
    "bytes_partial",
    "bytes_shared",
]
_TIMES = ("read_ns", "write_ns", "meta_ns")
_FLAGS = ("uses_posix", "uses_stdio", "uses_mpiio", "uses_hdf5", "uses_pnetcdf")
_IF_ALL_KNOW = {
    "creates": "sum",
    "unaligned": "sum",
    "bytes_rank0": "sum",
    "io_ranks": "max",
    "io_rank_last": "max",
}


def store_runs(connection: Connection, settings: Settings) -> None:
    """From study_logs. `estimated_ns`: of jobs of one log."""
    of_largest = ", ".join(
        f"max(CASE WHEN place = 1 THEN {name} END) AS {name}" for name in ("project", "program", "job")
    )
    columns = [
        *map(total, _SUMS),
        *(f"sum({name}) AS {name}" for name in _TIMES),
        *(f"max(CASE WHEN {name} THEN 1 ELSE 0 END) = 1 AS {name}" for name in _FLAGS),
        *(
            f"CASE WHEN count({name}) = count(*) THEN CAST({how}({name}) AS BIGINT) END AS {name}"
            for name, how in _IF_ALL_KNOW.items()
        ),
        "min(CASE WHEN slowest_exact THEN 1 ELSE 0 END) = 1 AS slowest_exact",
        "CASE WHEN count(*) = 1 THEN max(estimated_ns) END AS estimated_ns",
        "max(nodes) AS nodes, max(ranks) AS ranks",
        "coalesce(max(run_core_hours), sum(core_hours)) AS core_hours",
    ]
    rate = "sums.moved / 1048576.0 / (widths.slowest_ns / 1e9) / sums.nodes"
    store(
        connection,
        "study_runs",
        f"""WITH ordered AS (
  SELECT *, row_number() OVER (PARTITION BY run ORDER BY moved DESC, log) AS place,
    max(ended) OVER (PARTITION BY run ORDER BY began, log
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM study_logs
), placed AS (
  SELECT *, sum(CASE WHEN before IS NULL OR began >= before THEN 1 ELSE 0 END)
    OVER (PARTITION BY run ORDER BY began, log ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS span
  FROM ordered
), together AS (
  SELECT run, span, max(slowest_ns) AS slowest_ns, max(elapsed_ns) AS elapsed_ns, sum(processes) AS processes
  FROM placed GROUP BY run, span
), widths AS (
  SELECT run, {total("slowest_ns")}, {total("elapsed_ns")}, CAST(max(processes) AS BIGINT) AS processes
  FROM together GROUP BY run
), sums AS (SELECT run, count(*) AS logs, {of_largest}, {", ".join(columns)} FROM ordered GROUP BY run)
SELECT sums.*, widths.slowest_ns, widths.elapsed_ns, widths.processes, {_class_sql()} AS size_class,
  (widths.processes >= {settings.min_processes} AND sums.moved >= {settings.min_bytes}) AS large,
  CASE WHEN widths.slowest_ns > 0 AND sums.nodes > 0 THEN {rate} END AS mib_per_s_per_node
FROM sums JOIN widths ON widths.run = sums.run""",
    )


def _class_sql() -> str:
    """The power of two at or below the number of processes, 0 where that is not known.

    No logarithm is exact in every engine.
    """
    whens = "WHEN widths.processes IS NULL THEN 0 " + " ".join(
        f"WHEN widths.processes < {1 << power} THEN {1 << power - 1}" for power in range(1, _CLASSES)
    )
    return f"CAST(CASE {whens} ELSE {1 << _CLASSES - 1} END AS BIGINT)"


def class_label(least: int) -> str:
    if least == 0:
        return "not known"
    return "1" if least == 1 else f"{least:,}\u2013{2 * least - 1:,}"
