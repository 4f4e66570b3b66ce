"""The truth of which jobs have logs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.facility.plan import Job

__all__ = ["HOUR", "Coverage", "ratio"]

HOUR = 3_600_000_000  # µs
_SHORT = 60_000_000  # µs: too short for a log to be missed
_INTERFACES = {"posix": "POSIX", "stdio": "stdio", "mpiio": "MPI-IO", "hdf5": "HDF5"}


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


class Coverage:
    """Sums by project, and of jobs without a log by the project and what is known of them."""

    def __init__(self) -> None:
        self.projects: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.missing: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        self.how: dict[str, int] = defaultdict(int)

    def add(self, job: Job, row: dict[str, Any] | None, core_us: int) -> None:
        about = self.projects[job.project]
        about["jobs"] += 1
        about["core_us"] += core_us
        if row is None:
            short = "short" if job.end - job.start < _SHORT else ""
            counted = self.missing[job.project, "failed" if job.state != "completed" else short]
            counted[0] += 1
            counted[1] += core_us
            return
        about["jobs_covered"] += 1
        about["core_us_covered"] += core_us
        moved = row["bytes_read"] + row["bytes_written"]
        about["bytes"] += moved
        for layer in _INTERFACES:
            about[layer] += row[f"uses_{layer}"]
        if moved:
            self.how["exact: the slowest process" if row["slowest_ns"] else "no time of I/O"] += 1

    def figures(self) -> dict[str, Any]:
        projects = dict(sorted(self.projects.items()))
        sums = {name: sum(p[name] for p in projects.values()) for name in ("jobs", "core_us")}
        covered = {name: sum(p[f"{name}_covered"] for p in projects.values()) for name in ("jobs", "core_us")}
        whats = {
            "jobs": (sums["jobs"], covered["jobs"]),
            "core hours": (sums["core_us"] / HOUR, covered["core_us"] / HOUR),
            "projects": (len(projects), sum(p["jobs_covered"] > 0 for p in projects.values())),
        }
        moving = sum(self.how.values())
        return {
            "coverage": {
                what: {"total": whole, "covered": part, "share": part / whole}
                for what, (whole, part) in whats.items()
            },
            "coverage_reasons": self._reasons(sums["jobs"]),
            "project_coverage": {name: _project(p) for name, p in projects.items()},
            "damaged_logs": {},  # all are whole
            "metric": {how: {"jobs": jobs, "share": jobs / moving} for how, jobs in sorted(self.how.items())},
        }

    def _reasons(self, jobs: int) -> dict[str, dict[str, float]]:
        """Of a project without any log, that is the reason; else what the scheduler knows of the job."""
        words = {
            "failed": "failed or was ended",
            "short": "shorter than a minute",
            "": "no log, though other jobs of the project have one",
        }
        sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for (project, kind), (count, core_us) in self.missing.items():
            covered = self.projects[project]["jobs_covered"]
            found = sums[words[kind] if covered else "no job of the project has a log"]
            found[0] += count
            found[1] += core_us
        return {
            reason: {"jobs": count, "core_hours": core_us / HOUR, "share_of_jobs": count / jobs}
            for reason, (count, core_us) in sorted(sums.items())
        }


def _project(sums: dict[str, int]) -> dict[str, Any]:
    """What jobs without a log moved is not known."""
    return {
        "jobs": sums["jobs"],
        "jobs_covered": sums["jobs_covered"],
        "core_hours": sums["core_us"] / HOUR,
        "core_hours_covered": sums["core_us_covered"] / HOUR,
        "bytes": sums["bytes"] if sums["jobs_covered"] else None,
        "interfaces": ", ".join(name for layer, name in _INTERFACES.items() if sums[layer]) or None,
    }
