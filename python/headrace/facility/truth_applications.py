"""The truth of how jobs do I/O: interfaces, strategies, projects and files."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from headrace.facility.preset import micros
from headrace.facility.rows import interface_of, sharing_of
from headrace.facility.truth_coverage import ratio

if TYPE_CHECKING:
    from headrace.facility.plan import Job

__all__ = ["Applications", "day_of", "stamp"]

_DAY = 86_400_000_000  # µs
_INTERFACES = {"posix": "POSIX", "stdio": "stdio", "mpiio": "MPI-IO", "hdf5": "HDF5", "pnetcdf": "PnetCDF"}
_STRATEGIES = {"unique": "unique", "partial": "partially shared", "shared": "shared"}
_FEW = 10  # files that count as N:1

Kinds = dict[tuple[int, str], list[int]]  # class of size and kind: jobs, bytes read and written


def stamp(when: int) -> str:
    return datetime.fromtimestamp(when // 1_000_000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def day_of(when: int) -> str:
    """The day in which a point in time lies, as a study writes it: its first second."""
    return stamp(when // _DAY * _DAY)


class Applications:
    def __init__(self, preset: dict[str, Any]) -> None:
        scans = preset["scans"]
        self.mount = preset["mount"].strip("/")
        self.between = micros(scans["start"]), micros(scans["end"])
        self.added = scans["files"][1] - scans["files"][0]
        self.jobs = 0
        self.projects: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.interfaces: Kinds = defaultdict(lambda: [0, 0, 0])
        self.strategies: Kinds = defaultdict(lambda: [0, 0, 0])
        self.uses: dict[str, int] = defaultdict(int)
        self.points: dict[tuple[str, int, int], int] = defaultdict(int)
        self.activity: dict[tuple[str, str, str], int] = defaultdict(int)
        self.days: dict[str, list[int]] = defaultdict(lambda: [0, 0])  # bytes read and written by jobs
        self.churn = [0, 0]

    def add(self, job: Job, row: dict[str, Any]) -> None:
        about, moved = self.projects[job.project], row["bytes_read"] + row["bytes_written"]
        self.jobs += 1
        for name in ("bytes_read", "bytes_written", "files_written", "files_new", "files_old"):
            about[name] += row[name]
        for run in job.runs or []:
            self.points[job.project, run.ranks, sum(group.files for group in run.groups)] += 1
        day = day_of(job.start)
        for word in ("read", "written"):
            self.activity[day, word, job.project] += row[f"bytes_{word}"]
        self.days[day][0] += row["bytes_read"]
        self.days[day][1] += row["bytes_written"]
        if self.between[0] <= job.start < self.between[1]:
            self.churn[0] += row["creates"]
            self.churn[1] += row["files_written"]
        self._add_kinds(job, row, moved)

    def _add_kinds(self, job: Job, row: dict[str, Any], moved: int) -> None:
        size = 1 << (max(row["processes"], 1).bit_length() - 1)
        for layer in _INTERFACES:
            self.uses[layer] += row[f"uses_{layer}"]
        for run in job.runs or []:
            for group in run.groups:
                kinds = (
                    self.interfaces[size, interface_of(group)],
                    self.strategies[size, sharing_of(group, run.ranks)],
                )
                for kind in kinds:
                    kind[1] += group.bytes_read
                    kind[2] += group.bytes_written
        self.interfaces[size, _interface(row)][0] += 1
        most = max(("shared", "partial", "unique"), key=lambda kind: row[f"bytes_{kind}"])
        self.strategies[size, most if moved else "none"][0] += 1

    def figures(self, devices: dict[str, int]) -> dict[str, Any]:
        """`devices`: bytes that they have read and written."""
        moving = {name: p for name, p in self.projects.items() if p["bytes_read"] + p["bytes_written"]}
        whole = sum(p["bytes_read"] + p["bytes_written"] for p in moving.values())
        bytes_of = {
            layer: sum(v[1] + v[2] for k, v in self.interfaces.items() if k[1] == layer)
            for layer in _INTERFACES
        }
        return {
            "interfaces": _by_size(self.interfaces, _INTERFACES),
            "strategies": _by_size(self.strategies, _STRATEGIES),
            "interface_use": {
                name: {
                    "jobs": self.uses[layer],
                    "share_of_jobs": self.uses[layer] / self.jobs,
                    "bytes": bytes_of[layer],
                    "share_of_bytes": bytes_of[layer] / whole,
                }
                for layer, name in _INTERFACES.items()
            },
            "top_projects": {
                f"{name}/{word}": {
                    "bytes": p[f"bytes_{word}"],
                    "share": p[f"bytes_{word}"] / whole,
                    "share_of_devices": ratio(p[f"bytes_{word}"], devices[word]),
                }
                for name, p in sorted(moving.items())
                for word in ("read", "written")
            },
            "project_activity": {
                f"{day}/{word}/{name}": {"bytes": moved}
                for (day, word, name), moved in sorted(self.activity.items())
                if moved
            },
            **self._files(moving),
        }

    def _files(self, moving: dict[str, Any]) -> dict[str, Any]:
        counts: dict[str, int] = defaultdict(int)
        for (_, processes, files), runs in self.points.items():
            counts[_category(processes, files)] += runs
        runs = sum(counts.values())
        names = ("files_written", "files_new", "files_old")
        writing = {name: p for name, p in sorted(self.projects.items()) if p["files_written"]}
        writing["all"] = {name: sum(p[name] for p in writing.values()) for name in names}
        return {
            "files_by_processes": {
                f"{name}/{processes}/{files}": {"instances": count}
                for (name, processes, files), count in sorted(self.points.items())
                if name in moving
            },
            "file_counts": {name: {"instances": n, "share": n / runs} for name, n in sorted(counts.items())},
            "overwritten": {name: _written(p) for name, p in writing.items()},
            "churn": {
                self.mount: {
                    "created_by_jobs": self.churn[0],
                    "written_by_jobs": self.churn[1],
                    "added": self.added,
                    "first": stamp(self.between[0]),
                    "last": stamp(self.between[1]),
                }
            },
        }


def _interface(row: dict[str, Any]) -> str:
    """The highest one that the job used; of POSIX and streams, on one level, that which moved more."""
    for layer in ("pnetcdf", "hdf5", "mpiio"):
        if row[f"uses_{layer}"]:
            return layer
    if row["uses_stdio"] and (not row["uses_posix"] or row["bytes_stdio"] > row["bytes_posix"]):
        return "stdio"
    return "posix" if row["uses_posix"] else "none"


def _by_size(kinds: Kinds, names: dict[str, str]) -> dict[str, Any]:
    """A row for each class of size, and each kind that is there by jobs, bytes read or bytes written."""
    rows: dict[str, Any] = {}
    for size in sorted({key[0] for key in kinds}):
        here = {kind: kinds[size, kind] for kind in [*names, "none"] if (size, kind) in kinds}
        for place, by in enumerate(("jobs", "bytes read", "bytes written")):
            whole = sum(values[place] for values in here.values())
            for kind, values in here.items():
                if values[place]:
                    counted = {"jobs": None, "bytes": None, ("bytes" if place else "jobs"): values[place]}
                    rows[f"{size}/{by}/{names.get(kind, kind)}"] = {**counted, "share": values[place] / whole}
    return rows


def _category(processes: int, files: int) -> str:
    if not files:
        return "no files"
    if processes < 2:
        return "one process"
    if files >= processes:
        return "N:N, one or more per process"
    return "N:1, 10 or fewer" if files <= _FEW else "N:M, between"


def _written(sums: dict[str, int]) -> dict[str, Any]:
    new, old = sums["files_new"], sums["files_old"]
    return {
        "files_written": sums["files_written"],
        "new": new,
        "old": old,
        "unknown": sums["files_written"] - new - old,
        "share_new": ratio(new, new + old),
    }
