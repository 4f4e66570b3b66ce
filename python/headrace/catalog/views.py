"""Views that are derived from a catalog's tables: what the study and people ask.

SQL as DuckDB has it. A view may use those before it. docs/catalog.md explains the columns.
"""

from __future__ import annotations

from headrace.catalog import patterns, sampled_once
from headrace.catalog.schema import TABLES

# What is a sum over the logs of a job; the rest of their figures are named below.
_SUMS = [
    column.name
    for column in TABLES["logs"].columns
    if column.unit in ("bytes", "count", "ns")
    and column.name
    not in (
        "elapsed_ns",
        "processes",
        "ranks",
        "nodes",
        "instances",
        "slowest_ns",
        "estimated_ns",
        "io_ranks",
    )
]
# What a log may not say: of the sum over a job's logs one that does not know makes the sum not known.
_IF_ALL_KNOW = ("files_new", "files_old", "creates", "unaligned", "bytes_rank0", "io_ranks", "io_rank_last")
_FLAGS = [column.name for column in TABLES["logs"].columns if column.name.startswith("uses_")]

_NEAR = "INTERVAL 5 MINUTE"  # clocks of nodes and of the scheduler differ


def _said_last(column: str) -> str:
    """What the record of the latest end says that says it; of jobs that have not ended, what any says.

    Ties and nulls mean the same to all engines: `max_by` takes no row without a key.
    """
    ended = f'max_by({column}, CASE WHEN {column} IS NOT NULL THEN "end" END)'
    return f'coalesce({ended}, CASE WHEN max("end") IS NULL THEN max({column}) END)'


# A record may be there several times, of exports that overlap.
_SCHEDULED = f"""
SELECT nullif(scheduler, '') AS scheduler, job, "start", max("user") AS "user", max(account) AS account,
  max(queue) AS queue, max("name") AS "name", max(submit) AS submit, max("end") AS "end",
  {_said_last("state")} AS state, {_said_last("exit_status")} AS exit_status,
  max(nodes) AS nodes, max(cores) AS cores, max(processes) AS processes, max(command) AS command
FROM scheduler_jobs GROUP BY nullif(scheduler, ''), job, "start"
"""

# Which run of a scheduler's job a log is of: the last one of that id that had begun and not ended. Darshan's
# logs know the number alone. Jobs that are run again keep their id, so the start belongs to it. DuckDB's
# `max_by` passes over nulls, which would name a scheduler of another run.
_RUNS = f"""
SELECT l.log, max(s."start") AS run_start, max_by(s.job, s."start") AS run_job,
  nullif(max_by(coalesce(s.scheduler, ''), s."start"), '') AS run_scheduler
FROM logs l JOIN scheduler_jobs s
  ON split_part(l.scheduler_job, '.', 1) = split_part(s.job, '.', 1)
  AND ((l.scheduler IS NULL) OR (l.scheduler = s.scheduler AND l.scheduler_job = s.job))
  AND l."start" >= s."start" - {_NEAR} AND (s."end" IS NULL OR l."start" <= s."end" + {_NEAR})
WHERE l.scheduler_job IS NOT NULL
GROUP BY l.log
"""

# The last row that fits counts. A row with neither account nor user is about paths alone.
_PROJECT_OF = """
SELECT who.account, who."user", max_by(p.project, p.place) AS project,
  max_by(coalesce(p.label, p.project), p.place) AS label
FROM (
  SELECT DISTINCT account, "user" FROM scheduled
  UNION SELECT DISTINCT s.account, l."user" FROM logs l LEFT JOIN log_runs r ON r.log = l.log
  LEFT JOIN scheduled s ON s.scheduler IS NOT DISTINCT FROM r.run_scheduler AND s.job = r.run_job AND s."start" = r.run_start
) who JOIN projects p
  ON (p.account IS NULL OR p.account = who.account) AND (p."user" IS NULL OR p."user" = who."user")
  AND (p.account IS NOT NULL OR p."user" IS NOT NULL)
GROUP BY who.account, who."user"
"""

# What is no number of them, such as nan or 0, is none.
_SITE_NUMBERS = """
SELECT max_by(CASE WHEN key = 'cores_per_node' THEN number END,
    CASE WHEN key = 'cores_per_node' THEN place END) AS cores_per_node,
  max_by(CASE WHEN key = 'processes_per_node' THEN number END,
    CASE WHEN key = 'processes_per_node' THEN place END) AS processes_per_node
FROM (SELECT key, place, CASE WHEN TRY_CAST(value AS DOUBLE) BETWEEN 1 AND 1e9 THEN TRY_CAST(value AS DOUBLE) END AS number FROM site) s
"""

# Of a job of the scheduler's.
_HOURS = """coalesce(CAST(s.cores AS DOUBLE), s.nodes * n.cores_per_node)
    * ((epoch_us(s."end") - epoch_us(s."start")) / 3600e6)"""

_LOG_JOBS = f"""
WITH known AS (
  SELECT l.* EXCLUDE (nodes), r.run_scheduler, r.run_job, r.run_start, s.account, s.queue, s.cores AS job_cores,
    coalesce(s."user", l."user") AS who,
    CAST(coalesce(s.nodes, l.nodes, ceil(l.processes / nullif(n.processes_per_node, 0))) AS BIGINT) AS nodes,
    n.cores_per_node, {_HOURS} AS run_core_hours
  FROM logs l LEFT JOIN log_runs r ON r.log = l.log
  LEFT JOIN scheduled s ON s.scheduler IS NOT DISTINCT FROM r.run_scheduler AND s.job = r.run_job AND s."start" = r.run_start
  CROSS JOIN site_numbers n
)
SELECT k.* EXCLUDE (who, job_cores, cores_per_node),
  coalesce(p.project, k.account) AS project, coalesce(p.label, p.project, k.account) AS label,
  coalesce(CAST(k.job_cores AS DOUBLE), k.nodes * k.cores_per_node, CAST(k.processes AS DOUBLE))
    * (k.elapsed_ns / 3600e9) AS core_hours,
  CASE WHEN k.slowest_ns > 0 AND k.nodes > 0
    THEN (k.bytes_read + k.bytes_written) / 1048576.0 / (k.slowest_ns / 1e9) / k.nodes END AS mib_per_s_per_node
FROM known k LEFT JOIN project_of p
  ON p.account IS NOT DISTINCT FROM k.account AND p."user" IS NOT DISTINCT FROM k.who
"""


def _figure(how: str, name: str) -> str:
    """TRY: null where a sum has no room, as times of very many processes may not."""
    value = f"TRY_CAST({how}({name}) AS BIGINT)"
    known = f"CASE WHEN count({name}) = count(*) THEN {value} END" if name in _IF_ALL_KNOW else value
    return f"{known} AS {name}"


_FIGURES = ", ".join(
    [
        *(_figure("sum", name) for name in _SUMS),
        *(f"bool_or({name}) AS {name}" for name in _FLAGS),
        "max(slowest_ns) AS slowest_ns",
        "bool_and(slowest_exact) AS slowest_exact",
        "bool_and(complete) AS complete",
        "max(ranks) AS ranks",
        *(_figure("max", name) for name in ("io_ranks", "io_rank_last")),
        "TRY_CAST(sum(instances) AS BIGINT) AS instances",
        "TRY_CAST(sum(elapsed_ns) AS BIGINT) AS elapsed_ns",
    ]
)
_FIGURE_NAMES = [
    *_SUMS,
    *_FLAGS,
    "slowest_ns",
    "slowest_exact",
    "complete",
    "ranks",
    "io_ranks",
    "io_rank_last",
    "instances",
    "elapsed_ns",
]

# `mine` is used twice, and made once.
_JOBS = f"""
WITH mine AS (SELECT * FROM log_jobs),
captured AS (
  SELECT run_scheduler, run_job, run_start, count(*) AS logs, max(nodes) AS log_nodes,
    max(processes) AS log_processes, {_FIGURES}
  FROM mine WHERE run_job IS NOT NULL GROUP BY run_scheduler, run_job, run_start
)
SELECT s.scheduler, s.job, s."user", s.account, coalesce(p.project, s.account) AS project,
  coalesce(p.label, p.project, s.account) AS label, s.queue, s.state, s."start", s."end",
  coalesce(s.nodes, c.log_nodes) AS nodes, s.cores, coalesce(s.processes, c.log_processes) AS processes,
  {_HOURS} AS core_hours,
  c.logs IS NOT NULL AS covered, coalesce(c.logs, 0) AS logs, {", ".join(f"c.{name}" for name in _FIGURE_NAMES)}
FROM scheduled s CROSS JOIN site_numbers n
LEFT JOIN captured c ON c.run_scheduler IS NOT DISTINCT FROM s.scheduler AND c.run_job = s.job AND c.run_start = s."start"
LEFT JOIN project_of p ON p.account IS NOT DISTINCT FROM s.account AND p."user" IS NOT DISTINCT FROM s."user"
UNION ALL
SELECT CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR), "user", CAST(NULL AS VARCHAR), project, label,
  CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR), "start", "end", nodes, CAST(NULL AS BIGINT), processes, core_hours,
  true, 1, {", ".join(_FIGURE_NAMES)}
FROM mine WHERE run_job IS NULL
"""

# The last row that fits counts. Patterns as `patterns.regular` has them.
_DEVICE_PLACES = f"""
SELECT s.host, s.device, max_by(coalesce(d.server, s.host), d.place) AS server,
  max_by(coalesce(d.file_system, ''), d.place) AS file_system
FROM (SELECT DISTINCT host, device FROM samples) s JOIN devices d
  ON regexp_matches(s.host, {patterns.sql("d.host")}) AND regexp_matches(s.device, {patterns.sql("d.device")})
GROUP BY s.host, s.device
"""

# A sample may be there several times: by a store, and by what it was exported to or imported from. It is known by its
# end, since of the first one of a file without what came before nobody knows exactly when it began.
_SAMPLE = ("host", "kind", "device", "start", "end")
_COUNTED = [column.name for column in TABLES["samples"].columns if column.name not in _SAMPLE]
_ONCE = f"""
SELECT host, kind, device, min("start") AS "start", "end", {", ".join(f"max({name}) AS {name}" for name in _COUNTED)}
FROM samples GROUP BY host, kind, device, "end"
"""

_DEVICE_MINUTES = f"""
SELECT s.*, coalesce(p.server, s.host) AS server, p.file_system
FROM ({sampled_once.sql(_ONCE, _COUNTED)}) s LEFT JOIN device_places p ON p.host = s.host AND p.device = s.device
WHERE p.file_system IS NULL OR p.file_system <> ''
"""

# What reached the storage of a server, once: by Lustre's targets, or by the devices below them in hours without
# samples of these. What clients' mounts counted is the same once more.
_STORAGE_SAMPLES = """
SELECT s.* FROM device_minutes s LEFT JOIN (
  SELECT DISTINCT host, coalesce(file_system, '') AS file_system, date_trunc('hour', "start") AS in_hour FROM device_minutes
  WHERE kind IN ('lustre_ost', 'lustre_mdt')
) t ON t.host = s.host AND t.file_system = coalesce(s.file_system, '') AND t.in_hour = date_trunc('hour', s."start")
WHERE s.kind <> 'lustre_llite' AND (s.kind <> 'block' OR t.host IS NULL)
"""

VIEWS = {
    "scheduled": _SCHEDULED,
    "log_runs": _RUNS,
    "project_of": _PROJECT_OF,
    "site_numbers": _SITE_NUMBERS,
    "log_jobs": _LOG_JOBS,
    "jobs": _JOBS,
    "device_places": _DEVICE_PLACES,
    "device_minutes": _DEVICE_MINUTES,
    "storage_samples": _STORAGE_SAMPLES,
}
