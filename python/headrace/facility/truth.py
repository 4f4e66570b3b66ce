"""What a study of a made-up facility must show, added up from the plan alone.

`Truth.figures()` has the values of a figure's columns, by figure id (docs/study.md) and project or
the like: counts and bytes are exact; rates, shares and core hours are exact up to rounding of doubles.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from headrace.facility.rows import log_row, sharing_of

if TYPE_CHECKING:
    from headrace.facility.devices import Activity
    from headrace.facility.plan import Job

__all__ = ["Truth", "table_of"]

_MIB = 1 << 20
_LARGE_BYTES = 500 * _MIB  # the paper's section V, as the study's default


class Truth:
    """Takes the jobs one by one; `least` is how many processes a large job has."""

    def __init__(self, preset: dict[str, Any], scheduler: str, least: int) -> None:
        self.preset, self.scheduler, self.least = preset, scheduler, least
        self.projects: dict[str, dict[str, Any]] = defaultdict(lambda: defaultdict(int))
        self.interfaces: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.strategies: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.sizes: dict[tuple[str, str, int], int] = defaultdict(int)
        self.rates: dict[str, list[float]] = defaultdict(list)
        self.detected: dict[str, int] = defaultdict(int)
        self.totals: dict[str, int] = defaultdict(int)

    def add(self, job: Job) -> None:
        about = self.projects[job.project]
        core_us = job.nodes * self.preset["cores_per_node"] * (job.end - job.start)
        about["jobs"] += 1
        about["core_us"] += core_us
        self.totals["jobs"] += 1
        if job.runs is None:
            return
        row = log_row(job, 0, self.scheduler)
        about["jobs_covered"] += 1
        about["core_us_covered"] += core_us
        for name in (
            "bytes_read",
            "bytes_written",
            "files",
            "files_written",
            "files_new",
            "files_old",
            "creates",
            "processes",
            "read_ns",
            "write_ns",
            "meta_ns",
            "instances",
        ):
            about[name] += row[name]
        self._add_shares(job, row)
        self._add_large(job, row)

    def _add_shares(self, job: Job, row: dict[str, Any]) -> None:
        for layer in ("posix", "stdio", "mpiio", "hdf5"):
            self.interfaces[layer]["jobs"] += row[f"uses_{layer}"]
            self.interfaces[layer]["bytes"] += row[f"bytes_{layer}"]
        for sharing in ("unique", "partial", "shared"):
            self.strategies[sharing]["bytes"] += row[f"bytes_{sharing}"]
            self.strategies[sharing]["files"] += row[f"files_{sharing}"]
        for run in job.runs or []:
            self.totals["instances"] += 1
            self.totals["instances_without_files"] += not run.groups
        partial = {sharing_of(g, run.ranks) for run in job.runs or [] for g in run.groups} == {"partial"}
        self.detected["rank_0"] += row["io_ranks"] == 1 and row["ranks"] > 1
        self.detected["first_ranks"] += partial

    def _add_large(self, job: Job, row: dict[str, Any]) -> None:
        moved = row["bytes_read"] + row["bytes_written"]
        if row["processes"] < self.least or moved < _LARGE_BYTES:
            return
        large = self.projects[job.project]["large"] or defaultdict(int)
        self.projects[job.project]["large"] = large
        large["jobs"] += 1
        for name in (
            "processes",
            "files",
            "creates",
            "read_ns",
            "write_ns",
            "meta_ns",
            "sequential",
            "judged",
            "unaligned",
        ):
            large[name] += row[name]
        large["bytes"] += moved
        self.rates[job.project].append(moved / _MIB / (row["slowest_ns"] / 1e9) / row["nodes"])
        for group in (g for run in job.runs or [] for g in run.groups):
            for verb in ("read", "write"):
                if group[f"{verb}s"]:
                    bucket = max(group[f"{verb}_size"] - 1, 0).bit_length()
                    self.sizes[job.project, verb, bucket] += group.of_all(f"{verb}s")

    def figures(self) -> dict[str, Any]:
        projects = dict(sorted(self.projects.items()))
        covered = {name: p for name, p in projects.items() if p["jobs_covered"]}
        hours = 3_600_000_000
        return {
            "coverage": {
                "jobs": {
                    "total": self.totals["jobs"],
                    "covered": sum(p["jobs_covered"] for p in projects.values()),
                },
                "core hours": {
                    "total": sum(p["core_us"] for p in projects.values()) / hours,
                    "covered": sum(p["core_us_covered"] for p in projects.values()) / hours,
                },
                "projects": {"total": len(projects), "covered": len(covered)},
            },
            "project_coverage": {
                name: {
                    "jobs": p["jobs"],
                    "jobs_covered": p["jobs_covered"],
                    "core_hours": p["core_us"] / hours,
                    "core_hours_covered": p["core_us_covered"] / hours,
                    # What jobs without a log moved is not known.
                    "bytes": p["bytes_read"] + p["bytes_written"] if p["jobs_covered"] else None,
                }
                for name, p in projects.items()
            },
            "top_projects": {
                name: {"read": p["bytes_read"], "written": p["bytes_written"]} for name, p in covered.items()
            },
            "interface_use": {name: dict(values) for name, values in sorted(self.interfaces.items())},
            "strategies": {name: dict(values) for name, values in sorted(self.strategies.items())},
            "overwritten": {
                name: {"files_written": p["files_written"], "new": p["files_new"], "old": p["files_old"]}
                for name, p in covered.items()
            },
            "churn": {
                "created_by_jobs": sum(p["creates"] for p in covered.values()),
                "written_by_jobs": sum(p["files_written"] for p in covered.values()),
            },
            "file_counts": {
                "instances": self.totals["instances"],
                "none": self.totals["instances_without_files"],
            },
            "performance": {name: _box(rates) for name, rates in sorted(self.rates.items())},
            "characteristics": {name: _pooled(p["large"]) for name, p in covered.items() if p["large"]},
            "access_sizes": {f"{p}/{d}/{b}": {"count": n} for (p, d, b), n in sorted(self.sizes.items())},
            "detectors": dict(self.detected),
        }


def device_figures(activity: Activity) -> dict[str, Any]:
    """Of the samples: sums exactly, rates in bytes a second."""
    read, written = sum(activity.read), sum(activity.written)
    both = [a + b for a, b in zip(activity.read, activity.written, strict=True)]
    peak = max(both) / 60
    return {
        "throughput_totals": {
            "bytes_read": read,
            "bytes_written": written,
            "peak_read": max(activity.read) / 60,
            "peak_written": max(activity.written) / 60,
            "peak": peak,
            "mean": sum(both) / 60 / len(both),
        },
        "burstiness": {
            "intervals": len(both),
            "share_below_third": sum(b / 60 < peak * 0.33 for b in both) / len(both),
        },
    }


def scan_figures(preset: dict[str, Any]) -> dict[str, Any]:
    about = preset["scans"]
    names = ("files_first", "files_last"), ("bytes_first", "bytes_last")
    return {
        "growth": {
            "all": {
                **dict(zip(names[0], about["files"], strict=True)),
                **dict(zip(names[1], about["bytes"], strict=True)),
            },
            about["project"]: {
                **dict(zip(names[0], about["project_files"], strict=True)),
                **dict(zip(names[1], about["project_bytes"], strict=True)),
            },
        }
    }


def table_of(figures: dict[str, Any]) -> dict[str, list[Any]]:
    """The same as columns: figure, row, column and value, null for what cannot be known."""
    columns: dict[str, list[Any]] = {"figure": [], "row": [], "column": [], "value": []}
    for figure, rows in figures.items():
        for row, values in rows.items():
            for column, value in values.items() if isinstance(values, dict) else [("", values)]:
                known = None if value is None else float(value)
                for name, item in zip(columns, (figure, row, column, known), strict=True):
                    columns[name].append(item)
    return columns


def _box(rates: list[float]) -> dict[str, float]:
    """Quartiles between the two nearest values, as a continuous percentile of SQL has them."""
    ordered = sorted(rates)

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (place - low)

    names = ("low", "q1", "median", "q3", "high")
    return {**{name: at(i / 4) for i, name in enumerate(names)}, "count": len(ordered)}


def _pooled(large: dict[str, int]) -> dict[str, float]:
    time = large["read_ns"] + large["write_ns"] + large["meta_ns"]
    values: dict[str, float] = {"jobs": large["jobs"]}
    values["pooled_metadata_share"] = large["meta_ns"] / time
    values["pooled_files_per_process"] = large["files"] / large["processes"]
    values["pooled_creates_per_process"] = large["creates"] / large["processes"]
    values["pooled_mib_per_process"] = large["bytes"] / _MIB / large["processes"]
    if large["judged"]:
        values["pooled_sequential_share"] = large["sequential"] / large["judged"]
        values["pooled_aligned_share"] = 1 - large["unaligned"] / large["judged"]
    return values
