"""The truth of jobs' habits, and of jobs that are nearly the same."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
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


class Habits:
    def __init__(self) -> None:
        self.jobs = 0
        self.sums: dict[str, list[int]] = {name: [0, 0, 0] for name in _HABITS}  # jobs, bytes, core µs
        self.longest: dict[str, list[tuple[int, int, int, int, str, str]]] = {name: [] for name in _HABITS}
        self.alike: dict[tuple[str, str, int, int, int], list[int]] = defaultdict(lambda: [0, 0, 0])

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
            steps, files = (round(math.log(n) / math.log(1.1)) for n in (moved, row["files"] + 1))
            _count(
                self.alike[job.project, f"/soft/{job.program}", row["processes"], steps, files],
                moved,
                core_us,
            )

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
        groups = [(key, sums) for key, sums in self.alike.items() if sums[0] >= _LEAST]
        groups.sort(key=lambda group: (-group[1][0], -group[1][1], group[0]))
        return {
            str(place): {
                "project": project,
                "program": program,
                "processes": processes,
                "jobs": jobs,
                "bytes_per_job": moved / jobs,
                "bytes": moved,
                "core_hours": core_us / HOUR,
            }
            for place, ((project, program, processes, *_), (jobs, moved, core_us)) in enumerate(
                groups[:_GROUPS], 1
            )
        }


def _count(sums: list[int], moved: int, core_us: int) -> None:
    for place, value in enumerate((1, moved, core_us)):
        sums[place] += value


def _habits(row: dict[str, Any], moved: int) -> list[str]:
    """Those of a job. All groups of files begin at rank 0: the ranks that do I/O are the first ones."""
    operations = row["reads"] + row["writes"]
    several = row["ranks"] > 1 and moved > 0
    asked = (
        several and row["io_ranks"] == 1,
        several and 1 < row["io_ranks"] < row["ranks"],
        False,
        operations >= 100 and row["seeks"] * 10 >= operations * 9,
        row["files_read_written"] > 0 and row["files_read_written"] * 10 >= row["files"],
        row["ranks"] > 1 and row["mpiio_operations"] > 0 and row["mpiio_collective"] == 0,
        moved > 0 and row["meta_ns"] > row["read_ns"] + row["write_ns"],
        operations >= 1000 and moved < 4096 * operations,
    )
    return [name for name, has in zip(_HABITS, asked, strict=True) if has]
