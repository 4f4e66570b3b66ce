"""The truth of how well large jobs do."""

from __future__ import annotations

from array import array
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Any

from headrace.facility.truth_coverage import ratio
from headrace.facility.truth_order import box, rung, rungs

if TYPE_CHECKING:
    from headrace.facility.plan import Job

__all__ = ["Large"]

_MIB = 1 << 20
_SIZES = 3  # the least of numbers of nodes that scaling is told of
_STRATEGIES = {"shared": "shared", "partial": "partially shared", "unique": "unique"}
_CLOSE = 0.03  # of what is known
_ALIKE = 2.0  # times as many bytes, at most, count as the same
_NUMBERS = (
    "number",
    "processes",
    "nodes",
    "meta_ns",
    "all_ns",
    "size",
    "writes",
    "busy_ns",
    "elapsed_ns",
)  # kept of each job, besides its rate
_SUMS = (
    "processes",
    "files",
    "creates",
    "read_ns",
    "write_ns",
    "meta_ns",
    "sequential",
    "judged",
    "unaligned",
)


class _Project:
    def __init__(self) -> None:
        self.rates = array("d")  # MiB/s per node, of each job
        self.jobs = {name: array("q") for name in _NUMBERS}
        self.sums: dict[str, Any] = defaultdict(int)
        self.means: dict[str, list[float]] = defaultdict(lambda: [0, 0])  # sum, jobs

    def numbers(self, i: int) -> dict[str, int]:
        return {name: values[i] for name, values in self.jobs.items()}


class Large:
    """`least` processes and `moved` bytes are what makes a job a large one."""

    def __init__(self, ceilings: list[dict[str, Any]], shrink: int, least: int, moved: int) -> None:
        self.least, self.moved = least, moved
        limits = [(max(1, c["nodes_least"] // shrink) if "nodes_least" in c else 0, c) for c in ceilings]
        self.ceilings = [(nodes, c["mib_per_s_per_node"], c["name"]) for nodes, c in limits]
        self.projects: dict[str, _Project] = defaultdict(_Project)
        self.sizes: dict[tuple[str, str, int], int] = defaultdict(int)
        self.estimates: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.scales: dict[tuple[str, str, int], dict[str, Any]] = defaultdict(lambda: defaultdict(int))

    def add(self, job: Job, row: dict[str, Any]) -> None:
        moved = row["bytes_read"] + row["bytes_written"]
        if row["processes"] < self.least or moved < self.moved:
            return
        project = self.projects[job.project]
        seconds = row["slowest_ns"] / 1e9 * job.nodes
        busy = min(row["slowest_ns"], row["elapsed_ns"])
        rate = moved / _MIB / seconds
        spent = row["read_ns"] + row["write_ns"] + row["meta_ns"]
        counts = self._add_sizes(job)
        _, writes, size = max((count, writes, size) for (size, writes), count in counts.items())
        numbers = (
            *(job.number, row["processes"], job.nodes, row["meta_ns"], spent, size, writes),
            *(busy, row["elapsed_ns"]),
        )
        project.rates.append(rate)
        for values, number in zip(project.jobs.values(), numbers, strict=True):
            values.append(number)
        for name in _SUMS:
            project.sums[name] += row[name]
        for name, value in (
            ("jobs", 1), ("moved", moved), ("seconds", seconds), ("spent", spent),
            ("busy_ns", busy), ("elapsed_ns", row["elapsed_ns"]),
        ):  # fmt: skip
            project.sums[name] += value
        for name, part, whole in (
            ("mib_per_s_per_node", rate, 1),
            *_ratios({**row, "moved": moved, "spent": spent, "busy_ns": busy}),
        ):
            if whole:
                project.means[name][0] += part / whole
                project.means[name][1] += 1
        scale = self.scales[job.project, f"/soft/{job.program}", job.nodes]
        for name, value in (("jobs", 1), ("rates", rate), ("meta_ns", row["meta_ns"]), ("spent", spent)):
            scale[name] += value
        scale["io_shares"] += busy / row["elapsed_ns"]
        scale["moved"] += moved
        scale["processes"] += row["processes"]
        self._add_estimate(row, rate)

    def _add_estimate(self, row: dict[str, Any], rate: float) -> None:
        """Of jobs of one run; the strategy of most bytes, of as many that of more ranks."""
        if row["estimated_ns"]:
            most = max(_STRATEGIES, key=lambda sharing: row[f"bytes_{sharing}"])
            self.estimates[most].append((rate, rate * row["slowest_ns"] / row["estimated_ns"]))

    def _add_sizes(self, job: Job) -> dict[tuple[int, int], int]:
        """Reads (0) and writes (1) of the job by the power of two that is not below their size."""
        counts: dict[tuple[int, int], int] = defaultdict(int)
        for group in (group for run in job.runs or [] for group in run.groups):
            for writes, verb in enumerate(("read", "write")):
                if group[f"{verb}s"]:
                    size = max(group[f"{verb}_size"] - 1, 0).bit_length()
                    counts[size, writes] += group.of_all(f"{verb}s")
        for (size, writes), count in counts.items():
            self.sizes[job.project, ("read", "write")[writes], size] += count
        return counts

    def figures(self) -> dict[str, Any]:
        boxes: dict[str, Any] = {}
        outliers: dict[str, Any] = {}
        ladders: dict[str, Any] = {}
        for name, project in sorted(self.projects.items()):
            order = sorted(range(len(project.rates)), key=lambda i, rates=project.rates: -rates[i])  # type: ignore[misc]
            limits = {i: self._ceiling(project.jobs["nodes"][i]) for i in order}
            over = [i for i in order if project.rates[i] > limits[i][1]]
            outliers |= {f"{name}/{project.jobs['number'][i]}": _outlier(project, i, limits[i]) for i in over}
            if kept := [project.rates[i] for i in order if project.rates[i] <= limits[i][1]]:
                boxes[name] = box(kept[::-1])
            ladders |= {
                f"{name}/{step}": rung(project.rates[order[at]], project.numbers(order[at]))
                for step, at in enumerate(rungs(len(order)), 1)
            }
        return {
            "performance": boxes,
            "outliers": outliers,
            "ladder": ladders,
            "characteristics": {name: _characteristics(p) for name, p in sorted(self.projects.items())},
            "access_sizes": self._sizes(),
            "scaling": self._scaling(),
            "estimates": {
                _STRATEGIES[sharing]: _estimate(pairs) for sharing, pairs in sorted(self.estimates.items())
            },
        }

    def _ceiling(self, nodes: int) -> tuple[int, float, str]:
        """Of those that hold for so many nodes the one that begins at the most, and of these the highest."""
        return max((c for c in self.ceilings if c[0] <= nodes), default=(0, float("inf"), ""))

    def _sizes(self) -> dict[str, Any]:
        whole: dict[tuple[str, str], int] = defaultdict(int)
        for (project, direction, _), count in self.sizes.items():
            whole[project, direction] += count
        return {
            f"{project}/{direction}/{size}": {"count": count, "share": count / whole[project, direction]}
            for (project, direction, size), count in sorted(self.sizes.items())
        }

    def _scaling(self) -> dict[str, Any]:
        programs: dict[tuple[str, str], list[tuple[int, dict[str, Any]]]] = defaultdict(list)
        for (project, program, nodes), sums in sorted(self.scales.items()):
            programs[project, program].append((nodes, sums))
        rows = {}
        for (project, program), sizes in programs.items():
            if len(sizes) < _SIZES:
                continue
            kind = _kind([sums for _, sums in sizes])
            for nodes, sums in sizes:
                rows[f"{project}/{program}/{nodes}"] = {
                    "jobs": sums["jobs"],
                    "mib_per_s_per_node": sums["rates"] / sums["jobs"],
                    "metadata_share": sums["meta_ns"] / sums["spent"],
                    "io_share": sums["io_shares"] / sums["jobs"],
                    "bytes_per_job": sums["moved"] / sums["jobs"],
                    "bytes_per_process": sums["moved"] / sums["processes"],
                    "scaling": kind,
                }
        return rows


def _estimate(pairs: list[tuple[float, float]]) -> dict[str, Any]:
    """Rates as they are known and as they are estimated, of each job."""
    off = [estimated / known - 1 for known, estimated in pairs]
    return {
        "jobs": len(pairs),
        "known": median(known for known, _ in pairs),
        "estimated": median(estimated for _, estimated in pairs),
        "difference": median(off),
        "close": sum(abs(each) <= _CLOSE for each in off) / len(off),
    }


def _ratios(row: dict[str, Any]) -> list[tuple[str, float, float]]:
    """The columns of Table IV as dividend and divisor, of a job or of the sums of jobs."""
    return [
        ("metadata_share", row["meta_ns"], row["spent"]),
        ("io_share", row["busy_ns"], row["elapsed_ns"]),
        ("files_per_process", row["files"], row["processes"]),
        ("creates_per_process", row["creates"], row["processes"]),
        ("sequential_share", row["sequential"], row["judged"]),
        ("aligned_share", row["judged"] - row["unaligned"], row["judged"]),
        ("mib_per_process", row["moved"] / _MIB, row["processes"]),
    ]


def _characteristics(project: _Project) -> dict[str, Any]:
    sums = project.sums
    values: dict[str, Any] = {"jobs": sums["jobs"]}
    pooled = [("mib_per_s_per_node", sums["moved"] / _MIB, sums["seconds"]), *_ratios(sums)]
    for name, part, whole in pooled:
        values[name] = ratio(*project.means[name])
        values[f"pooled_{name}"] = ratio(part, whole)
    return values


def _outlier(project: _Project, i: int, limit: tuple[int, float, str]) -> dict[str, Any]:
    told = {name: project.jobs[name][i] for name in ("processes", "nodes")}
    return {**told, "mib_per_s_per_node": project.rates[i], "ceiling": limit[1], "limit": limit[2]}


def _kind(sizes: list[dict[str, float]]) -> str:
    """By what stays alike from one number of nodes to the other: all bytes, or those of a process."""
    spreads = []
    for word, divisor in (("strong", "jobs"), ("weak", "processes")):
        values = [sums["moved"] / sums[divisor] for sums in sizes]
        spreads.append((max(values) / min(values), word))
    spread, word = min(spreads)
    return word if spread <= _ALIKE else "neither"
