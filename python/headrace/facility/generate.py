"""Writes a made-up facility: as a directory of files, or straight into a catalog.

A job is forgotten when its rows or its log are written, so that memory does not grow with the number of jobs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import samples, scans
from headrace._errors import OutputError, UsageError
from headrace._outputs import make_directory
from headrace.facility.contents import scan_tables
from headrace.facility.devices import gap_rows, make_activity, server_table
from headrace.facility.logs import write_log
from headrace.facility.rows import Rows, log_row
from headrace.facility.scheduler import lines, row
from headrace.facility.site import rows_of, site_tables, site_text
from headrace.facility.truth import Truth, table_of

if TYPE_CHECKING:
    from headrace.facility.plan import Job, Plan

__all__ = ["MARK", "Report", "write_catalog", "write_files"]

_MADE = "facility "
MARK = ".headrace-facility"  # in a directory that is this program's to replace
_RECORDS, _JOBS = 400_000, 50_000  # files and jobs of the scheduler's, at most, of one commit
_LOGS = 20_000  # groups of files likewise
_NAMES = {"slurm": "sacct.txt", "pbs": "accounting", "cobalt": "accounting"}
Report = Callable[[str, int, int], None]  # what, how many are done, of how many


def write_files(
    plan: Plan, directory: Path, scheduler: str, servers: int, minutes: int, report: Report
) -> dict[str, Any]:
    """Makes the directory anew; returns the truth. Raises OutputError."""
    try:
        _own(directory)
        for name in ("logs", "scheduler", "samples", "scans"):
            (directory / name).mkdir()
        truth = Truth(plan)
        with (directory / "scheduler" / _NAMES[scheduler]).open("w", encoding="utf-8") as file:
            jobs = _logs(plan, directory / "logs", scheduler, truth, report)
            file.writelines(line + "\n" for line in lines(jobs, scheduler, plan.preset["cores_per_node"]))
        activity = make_activity(plan.preset, plan.settings.seed, minutes)
        for number in range(servers):
            report("samples of servers", number, servers)
            tables = {
                "samples": server_table(activity, number, servers),
                "sample_gaps": rows_of("sample_gaps", gap_rows(activity, number)),
            }
            samples.write(directory / "samples" / f"server{number:03d}.hr", tables, number + 1)
        for which in (0, 1):
            scans.write(
                directory / "scans" / f"scan-{which + 1}.hr", scan_tables(plan.preset, which), which + 1
            )
        (directory / "site.toml").write_text(site_text(plan, activity), encoding="utf-8")
        figures = truth.figures(activity, servers)
        _write_truth(directory, figures)
    except OSError as error:
        raise OutputError(f"{error.filename or directory}: cannot be written: {error.strerror}") from error
    return figures


def write_catalog(
    plan: Plan, catalog: Path, scheduler: str, servers: int, minutes: int, report: Report
) -> dict[str, Any]:
    """Commits the rows that adding the files would give, to a new catalog or one without another facility."""
    from headrace.catalog import write_tables

    truth = Truth(plan)
    settings = plan.settings
    name = _name(plan, scheduler, servers, minutes)
    _alone(catalog, name)
    _commit_jobs(plan, catalog, scheduler, name, truth, report)
    activity = make_activity(plan.preset, settings.seed, minutes)
    for number in range(servers):
        report("samples of servers", number, servers)
        gaps = rows_of("sample_gaps", gap_rows(activity, number))
        tables = {"samples": server_table(activity, number, servers), "sample_gaps": gaps}
        write_tables(catalog, tables, name, f"{name} server {number}")
    for which in (0, 1):
        write_tables(catalog, scan_tables(plan.preset, which), name, f"{name} scan {which}")
    write_tables(catalog, site_tables(plan, activity), name, f"{name} site")
    return truth.figures(activity, servers)


def _name(plan: Plan, scheduler: str, servers: int, minutes: int) -> str:
    """Where rows are from, as the catalog says: it differs where anything of the facility does."""
    asked = json.dumps([plan.preset, vars(plan.settings), scheduler, servers, minutes], sort_keys=True)
    return f"{_MADE}{plan.preset['name']} {hashlib.blake2b(asked.encode(), digest_size=8).hexdigest()}"


def _alone(catalog: Path, name: str) -> None:
    """Ids of rows are those of one facility, so that two in a catalog would be mixed. Raises UsageError."""
    from headrace import catalog as catalogs

    if not catalog.exists():
        return
    for source in set(catalogs.open(catalog).table("sources")["path"].to_pylist()):
        if source.startswith(_MADE) and source != name:
            raise UsageError(
                f"{catalog}: has another made-up facility, whose jobs would be mixed with these: name another"
                " catalog, or repeat the command that made it"
            )


def _commit_jobs(plan: Plan, catalog: Path, scheduler: str, name: str, truth: Truth, report: Report) -> None:
    from headrace.catalog import write_tables

    rows = Rows(plan.preset["mount"], plan.preset["mount_type"])
    scheduled: list[dict[str, Any]] = []
    parts = 0
    for number, job in enumerate(plan.jobs(), 1):
        logged = None
        if job.runs is not None:
            logged = log_row(job, number, scheduler)
            rows.add(job, number, logged)
        truth.add(job, logged)
        scheduled.append(row(job, scheduler, plan.preset["cores_per_node"]))
        if number % 1000 == 0:
            report("jobs", number, plan.settings.jobs)
        full = rows.records >= _RECORDS or len(scheduled) >= _JOBS or len(rows.groups) >= _LOGS
        if full or number == plan.settings.jobs:
            tables = {**rows.take(), "scheduler_jobs": rows_of("scheduler_jobs", scheduled)}
            parts += 1
            write_tables(catalog, tables, name, f"{name} part {parts}")
            scheduled = []


def _own(directory: Path) -> None:
    """An empty directory: a new one, or one that a former run made. Raises OutputError for anything else."""
    if directory.exists():
        if not directory.is_dir() or (any(directory.iterdir()) and not (directory / MARK).exists()):
            raise OutputError(
                f"{directory}: exists and is no facility that was made here; name another directory"
            )
        for entry in directory.iterdir():
            if entry.name == MARK:
                continue
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    make_directory(directory)
    (directory / MARK).write_text(
        "made by headrace bench facility, which replaces all in here\n", encoding="utf-8"
    )


def _logs(plan: Plan, directory: Path, scheduler: str, truth: Truth, report: Report) -> Iterator[Job]:
    """Writes the log of each captured job, and gives all jobs."""
    made: set[Path] = set()
    for number, job in enumerate(plan.jobs(), 1):
        truth.add(job, None if job.runs is None else log_row(job, 0, scheduler))
        if job.runs is not None:
            folder = directory / f"{job.number // 1000}"
            if folder not in made:
                folder.mkdir()
                made.add(folder)
            write_log(f"{folder}/{job.number}.hr", job, scheduler, plan.preset, plan.settings.seed)
        if number % 200 == 0:
            report("jobs", number, plan.settings.jobs)
        yield job


def _write_truth(directory: Path, figures: dict[str, Any]) -> None:
    import pyarrow
    import pyarrow.parquet

    (directory / "truth.json").write_text(
        json.dumps(figures, indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )
    pyarrow.parquet.write_table(pyarrow.table(table_of(figures)), os.fspath(directory / "truth.parquet"))
