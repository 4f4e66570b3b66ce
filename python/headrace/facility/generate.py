"""Writes a made-up facility: as a directory of files, or straight into a catalog."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import samples, scans
from headrace._errors import OutputError
from headrace.facility.contents import scan_tables
from headrace.facility.devices import gap_rows, make_activity, server_table
from headrace.facility.logs import set_times, write_log
from headrace.facility.rows import Rows
from headrace.facility.scheduler import lines, row
from headrace.facility.truth import Truth, device_figures, scan_figures, table_of

if TYPE_CHECKING:
    import pyarrow

    from headrace.facility.plan import Job, Plan

__all__ = ["MARK", "Report", "write_catalog", "write_files"]

MARK = ".headrace-facility"  # in a directory that is this program's to replace
_BATCH = 500_000  # rows of files a commit
_NAMES = {"slurm": "sacct.txt", "pbs": "accounting"}
Report = Callable[[str, int, int], None]  # what, how many are done, of how many


def write_files(
    plan: Plan, directory: Path, scheduler: str, servers: int, minutes: int, report: Report
) -> dict[str, Any]:
    """Makes the directory anew; returns the truth. Raises OutputError."""
    try:
        _own(directory)
        for name in ("logs", "scheduler", "samples", "scans"):
            (directory / name).mkdir()
        truth = _truth(plan, scheduler)
        jobs = _logs(plan, directory / "logs", scheduler, truth, report)
        jobs.sort(key=lambda job: (job.start, job.number))
        with (directory / "scheduler" / _NAMES[scheduler]).open("w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines(jobs, scheduler, plan.preset["cores_per_node"]))
        activity = make_activity(plan.preset, plan.settings.seed, minutes)
        for number in range(servers):
            report("samples of servers", number, servers)
            tables = {
                "samples": server_table(activity, number, servers),
                "sample_gaps": _gaps(activity, number),
            }
            samples.write(directory / "samples" / f"server{number:03d}.hr", tables, number + 1)
        for which in (0, 1):
            scans.write(
                directory / "scans" / f"scan-{which + 1}.hr", scan_tables(plan.preset, which), which + 1
            )
        (directory / "site.toml").write_text(_site_text(plan, activity), encoding="utf-8")
        figures = {**truth.figures(), **device_figures(activity), **scan_figures(plan.preset)}
        _write_truth(directory, figures)
    except OSError as error:
        raise OutputError(f"{error.filename or directory}: cannot be written: {error.strerror}") from error
    return figures


def write_catalog(
    plan: Plan, catalog: Path, scheduler: str, servers: int, minutes: int, report: Report
) -> dict[str, Any]:
    """Commits the rows that adding the files would give. A catalog that is there gets them as well."""
    from headrace.catalog import write_tables

    truth = _truth(plan, scheduler)
    settings = plan.settings
    name = f"facility {plan.preset['name']} {settings}"
    rows = Rows(scheduler, plan.preset["mount"], plan.preset["mount_type"])
    scheduled: list[dict[str, Any]] = []
    parts = 0
    for number, job in enumerate(plan.jobs(), 1):
        truth.add(job)
        scheduled.append(row(job, scheduler, plan.preset["cores_per_node"]))
        if job.runs is not None:
            set_times(job)
            rows.add(job, number)
        if rows.records >= _BATCH or len(scheduled) >= _BATCH or number == settings.jobs:
            report("jobs", number, settings.jobs)
            tables = {**rows.take(), "scheduler_jobs": _rows_of("scheduler_jobs", scheduled)}
            parts += 1
            write_tables(catalog, tables, name, f"{name} part {parts}")
            scheduled = []
    activity = make_activity(plan.preset, settings.seed, minutes)
    for number in range(servers):
        report("samples of servers", number, servers)
        tables = {"samples": server_table(activity, number, servers), "sample_gaps": _gaps(activity, number)}
        write_tables(catalog, tables, name, f"{name} server {number} of {servers}, {minutes}")
    for which in (0, 1):
        write_tables(catalog, scan_tables(plan.preset, which), name, f"{name} scan {which}")
    write_tables(catalog, _site_tables(plan, activity), name, f"{name} site")
    return {**truth.figures(), **device_figures(activity), **scan_figures(plan.preset)}


def _truth(plan: Plan, scheduler: str) -> Truth:
    return Truth(plan.preset, scheduler, 1024 // plan.settings.shrink)


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
    directory.mkdir(parents=True, exist_ok=True)
    (directory / MARK).write_text(
        "made by headrace bench facility, which replaces all in here\n", encoding="utf-8"
    )


def _logs(plan: Plan, directory: Path, scheduler: str, truth: Truth, report: Report) -> list[Job]:
    jobs = []
    made: set[Path] = set()
    for number, job in enumerate(plan.jobs(), 1):
        truth.add(job)
        if job.runs is not None:
            set_times(job)
            folder = directory / f"{job.number // 1000}"
            if folder not in made:
                folder.mkdir()
                made.add(folder)
            write_log(f"{folder}/{job.number}.hr", job, scheduler, plan.preset, plan.settings.seed)
            job.runs = []
        jobs.append(job)
        if number % 200 == 0:
            report("jobs", number, plan.settings.jobs)
    return jobs


def _rows_of(name: str, rows: Iterable[dict[str, Any]]) -> pyarrow.Table:
    import pyarrow

    from headrace.catalog import arrow_schema

    return pyarrow.Table.from_pylist(list(rows), arrow_schema(name))


def _gaps(activity: Any, number: int) -> pyarrow.Table:
    return _rows_of("sample_gaps", gap_rows(activity, number))


def _ceiling(ceiling: dict[str, Any], shrink: int) -> dict[str, Any]:
    least = ceiling.get("nodes_least")
    return ceiling if least is None else ceiling | {"nodes_least": max(1, least // shrink)}


def _site_rows(plan: Plan, activity: Any) -> dict[str, list[dict[str, Any]]]:
    preset = plan.preset
    facts = {
        "name": preset["name"],
        "cores_per_node": preset["cores_per_node"],
        "processes_per_node": preset["processes_per_node"],
        "peak_bytes_per_s": preset["peak_bytes_per_s"],
    }
    return {
        "site": [{"key": key, "value": str(value)} for key, value in facts.items()],
        "ceilings": [_ceiling(ceiling, plan.settings.shrink) for ceiling in preset["ceilings"]],
        "calendar": [
            {"start": a, "end": b, "kind": kind, "text": text} for a, b, kind, text in activity.calendar
        ],
        "projects": [{"project": share[0], "account": share[0]} for share in plan.shares],
        "devices": [
            {"host": "server*", "device": f"sd{'abcdefgh'[i]}", "file_system": name}
            for i, name in enumerate(activity.file_systems)
        ],
    }


def _site_tables(plan: Plan, activity: Any) -> dict[str, pyarrow.Table]:
    from headrace.catalog import TABLES

    placed = {name: any(column.name == "place" for column in TABLES[name].columns) for name in TABLES}
    return {
        name: _rows_of(name, [row | {"place": i} if placed[name] else row for i, row in enumerate(rows)])
        for name, rows in _site_rows(plan, activity).items()
    }


def _site_text(plan: Plan, activity: Any) -> str:
    """Site facts, ceilings, calendar, project map and device map as TOML."""
    from datetime import datetime, timezone

    def text(key: str, value: Any) -> str:
        if key in ("start", "end"):
            return datetime.fromtimestamp(value // 1_000_000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        return json.dumps(value)

    tables = _site_rows(plan, activity)
    parts = ["[site]\n" + "".join(f"{row['key']} = {text('', row['value'])}\n" for row in tables.pop("site"))]
    for name, rows in tables.items():
        for one in rows:
            parts.append(
                f"[[{name}]]\n" + "".join(f"{key} = {text(key, value)}\n" for key, value in one.items())
            )
    return "\n".join(parts)


def _write_truth(directory: Path, figures: dict[str, Any]) -> None:
    import pyarrow
    import pyarrow.parquet

    (directory / "truth.json").write_text(
        json.dumps(figures, indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )
    pyarrow.parquet.write_table(pyarrow.table(table_of(figures)), os.fspath(directory / "truth.parquet"))
