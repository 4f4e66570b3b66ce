"""What one run of a program does: groups of files that are all alike.

The numbers are those of MadeFiles (src/workload/facility/job_log.h), by the same names: per rank and file.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.facility.settings import Settings

__all__ = ["NUMBERS", "Group", "Run", "make_runs"]

NUMBERS = [
    "program",
    "first_rank",
    "width",
    "sets",
    "per_set",
    "opens",
    "reads",
    "writes",
    "read_size",
    "write_size",
    "read_ns",
    "write_ns",
    "meta_ns",
    "seeks",
    "reads_consecutive",
    "writes_consecutive",
    "reads_forward",
    "writes_forward",
    "reads_unaligned",
    "writes_unaligned",
    "read_end",
    "write_end",
    "size_at_open",
    "flags",
    "first_open_at_ns",
    "last_io_at_ns",
    "collective",
]
_CREATED, _SIZE_KNOWN = 1, 32  # bits of the counter `flags` (src/model/counters.def)


@dataclass
class Group:
    prefix: str
    layers: list[str]
    numbers: dict[str, int]

    def __getitem__(self, name: str) -> int:
        return self.numbers[name]

    @property
    def files(self) -> int:
        return self["sets"] * self["per_set"]

    @property
    def time_ns(self) -> int:
        """Of one rank on one file."""
        return self["read_ns"] + self["write_ns"] + self["meta_ns"]

    def of_all(self, name: str) -> int:
        """What its files add up to, over all ranks."""
        return self[name] * self["width"] * self.files

    @property
    def bytes_read(self) -> int:
        return self.of_all("reads") * self["read_size"]

    @property
    def bytes_written(self) -> int:
        return self.of_all("writes") * self["write_size"]


@dataclass
class Run:
    """One run of a parallel program. Times in µs since the job's start."""

    executable: str
    ranks: int
    nodes: int
    groups: list[Group] = field(default_factory=list)
    busy_us: int = 0  # the least that it takes
    start_us: int = 0
    end_us: int = 0

    def take_place(self, start_us: int, end_us: int) -> None:
        """Also says when each file is first opened, and its last read or write ends: whole µs, inside."""
        self.start_us, self.end_us = start_us, end_us
        for group in self.groups:
            spent = group.time_ns * group["per_set"] // 1000 * 1000
            first = start_us * 1000 + 1_000_000
            group.numbers["first_open_at_ns"] = first
            group.numbers["last_io_at_ns"] = min(first + max(spent, 1000), end_us * 1000)


def make_runs(
    draw: random.Random,
    program: dict[str, Any],
    settings: Settings,
    preset: dict[str, Any],
    nodes: int,
    processes: int,
    rate: float,
    number: int,
    place: int,
) -> list[Run]:
    """The runs of a captured job; all do the same, each in its own files."""
    alike = random.Random(0) if program.get("alike") else draw
    most = program.get("instances", 1)
    runs = []
    templates = [_template(file, program, settings, alike, processes) for file in program["files"]]
    _set_times(templates, program, rate, nodes)
    for i in range(1 + place * 7 % most):
        run = Run(
            f"/soft/{program['name']}", processes, min(nodes, -(-processes // preset["processes_per_node"]))
        )
        for k, (numbers, layers) in enumerate(templates):
            prefix = f"{preset['mount']}/{program['name']}/{number}/{i}/g{k}."
            run.groups.append(Group(prefix, layers, {**numbers, "program": i}))
        run.busy_us = sum(g.time_ns * g["per_set"] for g in run.groups) // 1000 + 1000  # of rank 0, in all
        runs.append(run)
    return runs


def _template(
    file: dict[str, Any], program: dict[str, Any], settings: Settings, draw: random.Random, processes: int
) -> tuple[dict[str, int], list[str]]:
    n = dict.fromkeys(NUMBERS, 0)
    width = {
        "all": processes,
        "first": max(2, processes // 8),
        "eight": min(8, processes),
        "one": 1,
        "each": 1,
    }[file["who"]]
    n["width"], n["sets"], n["opens"] = width, processes if file["who"] == "each" else 1, 1
    n["per_set"] = min(file["files"], settings.files) if file["who"] == "each" else file["files"]
    grow = file["files"] / n["per_set"]  # where there are fewer files, each has more
    if "strong" in program:
        grow *= program["strong"] / (processes * settings.shrink)
    for verb, end in (("read", "read_end"), ("write", "write_end")):
        operations, size = file.get(verb, (0, 0))
        if not operations:
            continue
        count = max(1, round(operations * grow * draw.uniform(0.8, 1.2)))
        n[f"{verb}s"], n[f"{verb}_size"], n[end] = count, size, count * size * width
        consecutive = n[f"{verb}s_consecutive"] = int(count * file.get("consecutive", 1.0))
        n[f"{verb}s_forward"] = min(count - consecutive, int(count * file.get("forward", 0.0)))
        n[f"{verb}s_unaligned"] = int(count * file.get("unaligned", 0.0))
    n["seeks"] = round(file.get("seeks", 0) * grow)
    n["collective"] = int(file.get("collective", False))
    n["flags"] = _SIZE_KNOWN | (_CREATED if file.get("made") else 0)
    n["size_at_open"] = 0 if file.get("made") else max(n["read_end"], n["write_end"])
    layers = file.get("layers", ["posix"])
    if layers[0] == "stdio":
        n["reads_unaligned"] = n["writes_unaligned"] = 0
    return n, layers


def _set_times(
    templates: list[tuple[dict[str, int], list[str]]], program: dict[str, Any], rate: float, nodes: int
) -> None:
    """The slowest process takes as long as the rate says, and that part of it for metadata."""
    moved = [
        (n["reads"] * n["read_size"] + n["writes"] * n["write_size"]) * n["width"] * n["sets"] * n["per_set"]
        for n, _ in templates
    ]
    whole = sum(moved)
    if not whole:
        return
    total_ns = whole / 1048576 / (rate * nodes) * 1e9
    for (n, _), part in zip(templates, moved, strict=True):
        each = total_ns * (part / whole) / n["per_set"]
        n["meta_ns"] = int(each * program["metadata"])
        data, read = int(each) - n["meta_ns"], n["reads"] * n["read_size"]
        n["read_ns"] = data * read // max(read + n["writes"] * n["write_size"], 1)
        n["write_ns"] = data - n["read_ns"]
