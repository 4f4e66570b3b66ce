"""What a study of a made-up facility must show, added up from the plan alone.

`Truth.figures()` has, by figure id (docs/study.md), rows by their key and in them values by column. `KEYS`
says which columns make a row's key. Counts and bytes are exact; rates, shares and core hours are exact up to
rounding of doubles. Nothing here asks the study's code. Memory grows by 64 bytes for each large job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.facility.truth_applications import Applications
from headrace.facility.truth_coverage import Coverage
from headrace.facility.truth_habits import Habits
from headrace.facility.truth_large import Large
from headrace.facility.truth_storage import device_figures, scan_figures

if TYPE_CHECKING:
    from headrace.facility.devices import Activity
    from headrace.facility.plan import Job, Plan

__all__ = ["KEYS", "NOT_TOLD", "Truth", "table_of"]

LARGE_PROCESSES, LARGE_BYTES = 1024, 500 << 20  # the paper's section V, of a facility of full size
PLACE = "#"  # in a key: which one of the rows that have the same columns before it, from 1

# Columns that tell the rows of a figure apart: their values, joined by "/", are the keys of its truth.
KEYS: dict[str, tuple[str, ...]] = {
    "coverage": ("what",),
    "coverage_reasons": ("reason",),
    "project_coverage": ("project",),
    "damaged_logs": ("source",),
    "interfaces": ("least_processes", "by", "interface"),
    "interface_use": ("interface",),
    "strategies": ("least_processes", "by", "strategy"),
    "top_projects": ("project", "direction"),
    "files_by_processes": ("project", "processes", "files"),
    "file_counts": ("category",),
    "throughput": ("start", "direction"),
    "throughput_totals": ("file_system",),
    "sample_gaps": ("reason",),
    "project_activity": ("day", "direction", "project"),
    "burstiness": ("share_of_peak",),
    "idle": (PLACE,),
    "file_sizes": ("population", "below"),
    "growth": ("who",),
    "ages": ("age", "older_than_days"),
    "overwritten": ("project",),
    "churn": ("file_system",),
    "performance": ("project",),
    "outliers": ("project", "job"),
    "metric": ("how",),
    "estimates": ("strategy",),
    "characteristics": ("project",),
    "access_sizes": ("project", "direction", "bucket"),
    "ladder": ("project", PLACE),
    "scaling": ("project", "program", "nodes"),
    "devices_applications": ("day", "direction"),
    "detectors": ("detector",),
    "detected_jobs": ("detector", PLACE),
    "identical": (PLACE,),
}

# Figures of a study without a truth, and why.
NOT_TOLD = {"comparison": "is of two studies, of which each has its truth"}


class Truth:
    """Takes the jobs one by one, with the row of `logs` of those that have one."""

    def __init__(self, plan: Plan) -> None:
        shrink = plan.settings.shrink
        self.large = LARGE_PROCESSES // shrink, LARGE_BYTES // shrink
        self.cores = plan.preset["cores_per_node"]
        self.preset = plan.preset
        self.coverage = Coverage()
        self.applications = Applications(plan.preset)
        self.performance = Large(plan.preset["ceilings"], shrink, *self.large)
        self.habits = Habits()

    def add(self, job: Job, row: dict[str, Any] | None) -> None:
        core_us = job.nodes * self.cores * (job.end - job.start)
        self.coverage.add(job, row, core_us)
        if row is not None:
            self.applications.add(job, row)
            self.performance.add(job, row)
            self.habits.add(job, row, core_us)

    def figures(self, activity: Activity, servers: int) -> dict[str, Any]:
        """`settings` are those with which a study is to be asked."""
        figures = {
            **self.coverage.figures(),
            **self.applications.figures({"read": sum(activity.read), "written": sum(activity.written)}),
            **self.performance.figures(),
            **self.habits.figures(),
            **device_figures(activity, servers, self.applications.days),
            **scan_figures(self.preset),
        }
        processes, moved = self.large
        settings = {"min_processes": processes, "min_bytes": moved, "top": 100}
        return {"settings": {"study": settings}, **{name: figures[name] for name in KEYS}}


def table_of(figures: dict[str, Any]) -> dict[str, list[Any]]:
    """The same as columns: figure, row, column, and value or text; both are null for what cannot be known."""
    columns: dict[str, list[Any]] = {"figure": [], "row": [], "column": [], "value": [], "text": []}
    for figure, rows in figures.items():
        for row, values in rows.items():
            for column, value in values.items():
                words = isinstance(value, str)
                known = None if words or value is None else float(value)
                for name, item in zip(
                    columns, (figure, row, column, known, value if words else None), strict=True
                ):
                    columns[name].append(item)
    return columns
