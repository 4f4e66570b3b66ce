"""The truth of jobs' habits, and of jobs that are nearly the same."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from headrace.facility.truth_coverage import HOUR

if TYPE_CHECKING:
    from headrace.facility.plan import Job

__all__ = ["Habits"]

_EXAMPLES = 10
_LEAST, _GROUPS = 10, 100  # jobs that are nearly the same, and groups of them that a study lists
_HABITS = (
    "rank 0 does all I/O",
    "first ranks do all I/O",
    "some ranks do all I/O",
    "a seek for each operation",
    "files both read and written",
    "MPI-IO without collectives",
    "mostly metadata",
    "small operations",
)

_One = tuple[int, int, int]  # of a job: bytes, files, core µs


class Habits:
    def __init__(self) -> None:
        self.jobs = 0
        self.sums: dict[str, list[int]] = {name: [0, 0, 0] for name in _HABITS}  # jobs, bytes, core µs
        self.longest: dict[str, list[tuple[int, int, int, int, str, str]]] = {name: [] for name in _HABITS}
        self.alike: dict[tuple[str, str, int], list[_One]] = defaultdict(list)

    def add(self, job: Job, row: dict[str, Any], core_us: int) -> None:
        moved = row["bytes_read"] + row["bytes_written"]
        self.jobs += 1
        for name in _habits(row, moved):
            _count(self.sums[name], moved, core_us)
            # Of jobs that took as long and moved as much, any may be shown: the last two are not compared.
            one = (core_us, moved, row["processes"], -job.number, job.project, f"/soft/{job.program}")
            kept = self.longest[name]
            (heapq.heappush if len(kept) < _EXAMPLES else heapq.heappushpop)(kept, one)
        if moved:
            key = job.project, f"/soft/{job.program}", row["processes"]
            self.alike[key].append((moved, row["files"], core_us))

    def figures(self) -> dict[str, Any]:
        return {
            "detectors": {
                name: {
                    "jobs": jobs,
                    "share_of_jobs": jobs / self.jobs,
                    "bytes": moved,
                    "core_hours": core_us / HOUR,
                }
                for name, (jobs, moved, core_us) in self.sums.items()
            },
            "detected_jobs": {
                f"{name}/{place}": {
                    "job": str(-number),
                    "project": project,
                    "program": program,
                    "processes": processes,
                    "bytes": moved,
                    "core_hours": core_us / HOUR,
                }
                for name, kept in self.longest.items()
                for place, (core_us, moved, processes, number, project, program) in enumerate(
                    sorted(kept)[::-1], 1
                )
            },
            "identical": self._identical(),
        }

    def _identical(self) -> dict[str, Any]:
        found = [
            (key, group)
            for key, jobs in self.alike.items()
            for alike in _groups(sorted(jobs), 0)
            for group in _groups(sorted(alike, key=itemgetter(1)), 1)
        ]
        rows: list[dict[str, Any]] = [
            {
                **dict(zip(("project", "program", "processes"), key, strict=True)),
                "jobs": len(group),
                "bytes_per_job": sum(moved for moved, _, _ in group) / len(group),
                "bytes": sum(moved for moved, _, _ in group),
                "core_hours": sum(core_us for _, _, core_us in group) / HOUR,
            }
            for key, group in found
        ]
        names = ("project", "program", "processes")
        rows.sort(key=lambda row: (-row["jobs"], -row["bytes"], *(row[name] for name in names)))
        return {str(place): row for place, row in enumerate(rows[:_GROUPS], 1)}


def _groups(ordered: list[_One], place: int) -> Iterator[list[_One]]:
    """Of jobs in order of a figure, the most that differ by a tenth at most, and so on with the others."""
    while ordered:
        values = [one[place] for one in ordered]
        ends = [bisect_right(values, value * 11 // 10) for value in values]
        first = max(range(len(values)), key=lambda i: (ends[i] - i, -i))
        if ends[first] - first < _LEAST:
            return
        yield ordered[first : ends[first]]
        del ordered[first : ends[first]]


def _count(sums: list[int], moved: int, core_us: int) -> None:
    for place, value in enumerate((1, moved, core_us)):
        sums[place] += value


def _habits(row: dict[str, Any], moved: int) -> list[str]:
    """Those of a job. All groups of files begin at rank 0: the ranks that do I/O are the first ones."""
    operations = row["reads"] + row["writes"]
    chosen = row["ranks"] > 1 and moved > 0 and row["mpiio_collective"] == 0
    of_first = row["bytes_rank0"] * 10 >= moved * 9
    asked = (
        chosen and of_first,
        chosen and not of_first and 1 < row["io_ranks"] <= row["ranks"] / 2,
        False,
        operations >= 100 and row["seeks"] * 10 >= operations * 9,
        row["files_read_written"] > 0 and row["files_read_written"] * 10 >= row["files"],
        row["ranks"] > 1 and row["mpiio_operations"] > 0 and row["mpiio_collective"] == 0,
        moved > 0 and row["meta_ns"] > row["read_ns"] + row["write_ns"],
        operations >= 1000 and moved < 4096 * operations,
    )
    return [name for name, has in zip(_HABITS, asked, strict=True) if has]
