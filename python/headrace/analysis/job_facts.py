"""All that a report of one job says; computed once, apart from how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.analysis.calls import finest_spans, rate
from headrace.analysis.definitions import definitions, units
from headrace.analysis.directories import treemap
from headrace.analysis.job_sites import job_sites
from headrace.analysis.kinds import merge_files, merge_topmost
from headrace.analysis.libraries import interfaces, layers_of_file
from headrace.analysis.parallel import file_ranks
from headrace.analysis.processes import process_rows
from headrace.analysis.properties import properties
from headrace.analysis.rank_report import MOST_SPANS as MOST_HEAT_SPANS
from headrace.analysis.rank_report import heat, known_properties, shared_files
from headrace.analysis.ranks import RANK_IO, rank_rows
from headrace.analysis.recorded import not_in_source
from headrace.analysis.reduced import reduced
from headrace.analysis.servers import servers
from headrace.analysis.summary import mpi_files, overview, process_facts, tell_damage
from headrace.analysis.system_rows import SystemRows
from headrace.logs import JobLog, flags

MOST_FILES = 100_000
MOST_PROCESSES = 100_000
MOST_SPANS = 2_000
MOST_DIRECTORIES = 2_000
MOST_LIBRARY_FILES = 100
MOST_MPI_FILES = 200

# (name, type, bytes in parts, texts of a code), as in docs/formats/report-payload.md.
PackedColumn = tuple[str, str, tuple[bytes, ...], list[str] | None]


@dataclass(frozen=True)
class JobFacts:
    """`facts` and the tables `files` and `processes` of docs/formats/report-payload.md."""

    facts: dict[str, Any]
    files: int  # rows of file_columns
    file_columns: list[PackedColumn]
    file_sites: list[int]  # index into facts["sites"] of the place that opened each; -1: not known
    processes: list[dict[str, Any]]  # as in docs/show.md
    ranks: list[dict[str, Any]]  # of a parallel job: rank_rows
    file_ranks: list[dict[str, Any] | None]  # of a parallel job: by row of the files
    interfaces: list[list[str]]  # by row of the files
    heat: dict[str, bytes]  # columns of the table `heat`; none: empty


def job_facts(log: JobLog, most_files: int = MOST_FILES) -> JobFacts:
    """Raises LogError."""
    rows = process_rows(log)
    summary = overview(log, rows, [], MOST_LIBRARY_FILES)
    summary["mpi_files"] = mpi_files(log, [], MOST_MPI_FILES)
    run_ns = summary["job"]["run_ns"]
    processes = process_facts(log, rows, run_ns)
    by_path = merge_files(log, "path", [])
    topmost = merge_topmost(log, "path", [])
    files, columns, chosen, left_out = log.native.report_files(topmost, by_path, most_files)
    sites, opened = job_sites(log, topmost, by_path, chosen)
    top_level = {key: summary.pop(key) for key in ("layers", "functions", "sizes", "libraries", "parallel")}
    facts = {
        "summary": summary,
        **top_level,
        "rate": rate(log, [], run_ns, finest_spans([log], run_ns, MOST_SPANS)),
        "treemap": treemap(topmost, MOST_DIRECTORIES),
        "sites": sites,
        "definitions": definitions(),
        "units": units(),
        "flags": [flag._asdict() for flag in flags()],
    }
    picture = heat(log, rows, run_ns, finest_spans([log], run_ns, MOST_HEAT_SPANS))
    about = SystemRows(by_path, "path").below(topmost, chosen, ["path", "kind", "layers"])
    known = properties(log, None, [])
    facts["properties"], facts["properties_left_out"] = known_properties(
        known, [row["path"] for row in about]
    )
    facts["servers"], facts["servers_against_ranks"] = servers(log, by_path, known, rows)
    if top_level["parallel"]:
        facts["shared_files"] = shared_files(log, topmost, rows)
        facts["heat"] = picture[0] if picture else None
    above = interfaces(log, [])
    if left_out["files"]:
        facts["files_left_out"] = {key: round(value) for key, value in left_out.items()}
    if len(processes) > MOST_PROCESSES:
        facts["processes_left_out"] = len(processes) - MOST_PROCESSES
    tell_damage(log, summary)
    return JobFacts(
        facts,
        files,
        columns,
        opened,
        processes[:MOST_PROCESSES],
        _ranks(log, rows, run_ns),
        file_ranks(log, topmost, chosen) if top_level["parallel"] else [],
        [layers_of_file(row, above) for row in about],
        picture[1] if picture else {},
    )


def _ranks(log: JobLog, processes: list[dict[str, Any]], run_ns: int) -> list[dict[str, Any]]:
    """Rows of ranks; null is what is only known of all ranks of their program together."""
    of_all, not_known, silent = reduced(log), dict.fromkeys(RANK_IO), not_in_source(log)
    return [
        (row | not_known if row["instance"] in of_all else row) | silent
        for row in rank_rows(log, processes, run_ns)[:MOST_PROCESSES]
    ]
