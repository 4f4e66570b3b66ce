"""Jobs of the plan as rows of a catalog: what `headrace catalog add` makes of their logs."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from headrace.catalog.schema import TABLES, arrow_schema

if TYPE_CHECKING:
    import pyarrow

    from headrace.facility.groups import Group, Run
    from headrace.facility.plan import Job

__all__ = ["Rows", "interface_of", "log_row", "sharing_of", "slowest_ns"]

_ORDER = {name: i for i, name in enumerate(("stdio", "posix", "mpiio", "pnetcdf", "hdf5"))}
_SUMS = ["reads", "writes", "read_ns", "write_ns", "meta_ns", "opens", "seeks"]


def interface_of(group: Group) -> str:
    """The highest interface that used its files."""
    return max(group.layers, key=lambda layer: _ORDER[layer])


def sharing_of(group: Group, ranks: int) -> str:
    return "unique" if group["width"] == 1 else "shared" if group["width"] == ranks else "partial"


def slowest_ns(run: Run) -> int:
    """I/O time of the slowest rank."""
    changes: dict[int, int] = {}
    for group in run.groups:
        each = group.time_ns * group["per_set"]
        first, last = group["first_rank"], group["first_rank"] + group["width"] * group["sets"]
        changes[first] = changes.get(first, 0) + each
        changes[last] = changes.get(last, 0) - each
    most = now = 0
    for rank in sorted(changes):
        now += changes[rank]
        most = max(most, now)
    return most


def slowest_of(runs: list[Run]) -> int:
    """I/O time of a job: runs one after another add up, of those at the same time the slowest counts."""
    total = most = end = 0
    for run in sorted(runs, key=lambda run: run.start_us):
        if run.start_us >= end:
            total, most = total + most, 0
        most, end = max(most, slowest_ns(run)), max(end, run.end_us)
    return total + most


def most_at_once(runs: list[Run]) -> int:
    """The most ranks that runs had at the same time."""
    return max(
        (sum(run.ranks for run in runs if run.start_us <= one.start_us < run.end_us) for one in runs),
        default=0,
    )


def estimated_ns(run: Run) -> int:
    """I/O time as the paper estimates it: files that all ranks share count from first open to last I/O.

    The times of the slowest ranks in files of some ranks add up.
    """
    of_one = [group for group in run.groups if group["width"] == 1]
    time = slowest_ns(replace(run, groups=of_one))
    for group in run.groups:
        if group["width"] == run.ranks > 1:
            time += (group["last_io_at_ns"] - group["first_open_at_ns"]) * group.files
        elif group["width"] > 1:
            time += group.time_ns * group.files
    return time


def log_row(job: Job, number: int, scheduler: str) -> dict[str, Any]:
    """The row of `logs` of a captured job."""
    runs = job.runs or []
    groups = [(group, run) for run in runs for group in run.groups]
    row: dict[str, Any] = {column.name: 0 for column in TABLES["logs"].columns if column.unit}
    row.update({column.name: False for column in TABLES["logs"].columns if column.name.startswith("uses_")})
    row.update(
        log=number,
        source=f"{job.number}.hr",
        format="headrace",
        scheduler=scheduler,
        scheduler_job=str(job.number),
        user="1000",
        executable=f"/soft/{job.program}",
        command=f"/soft/{job.program}",
        host="login1",
        start=job.start,
        end=job.end,
        elapsed_ns=(job.end - job.start) * 1000,
        processes=most_at_once(runs),
        ranks=max((run.ranks for run in runs), default=0),
        nodes=max((run.nodes for run in runs), default=0),
        instances=max(len(runs), 1),
        complete=True,
        slowest_ns=slowest_of(runs),
        slowest_exact=True,
        estimated_ns=estimated_ns(runs[0]) if len(runs) == 1 else None,
        io_rank_last=-1,
    )
    for group, run in groups:
        _add(row, group, run)
    row["io_ranks"], row["io_rank_last"] = _io_ranks(runs)
    return row


def _add(row: dict[str, Any], group: Group, run: Run) -> None:
    read, written, files = group.bytes_read, group.bytes_written, group.files
    row["bytes_read"] += read
    row["bytes_written"] += written
    for name in _SUMS:
        row[name] += group.of_all(name)
    made, wrote = bool(group["flags"] & 1), group["writes"] > 0
    row["files"] += files
    row["files_read"] += files if group["reads"] else 0
    row["files_written"] += files if wrote else 0
    row["files_read_written"] += files if wrote and group["reads"] else 0
    row["files_new"] += files if wrote and made else 0
    row["files_old"] += files if wrote and not made else 0
    row["creates"] += files if made else 0
    if group.layers[0] == "posix":
        row["judged"] += group.of_all("reads") + group.of_all("writes")
        row["unaligned"] += group.of_all("reads_unaligned") + group.of_all("writes_unaligned")
        for verb in ("reads", "writes"):
            row["consecutive"] += group.of_all(f"{verb}_consecutive")
            row["sequential"] += group.of_all(f"{verb}_consecutive") + group.of_all(f"{verb}_forward")
    if group["reads"] or wrote or made:
        row[f"uses_{interface_of(group)}"] = True
    row[f"bytes_{interface_of(group)}"] += read + written
    sharing = sharing_of(group, run.ranks)
    row[f"bytes_{sharing}"] += read + written
    row[f"files_{sharing}"] += files
    if "mpiio" in group.layers:
        operations = group.of_all("reads") + group.of_all("writes")
        row["mpiio_operations"] += operations
        row["mpiio_collective"] += operations * group["collective"]
    if group["first_rank"] == 0:
        mine = group["per_set"] * (
            group["reads"] * group["read_size"] + group["writes"] * group["write_size"]
        )
        row["bytes_rank0"] += mine


def _io_ranks(runs: list[Run]) -> tuple[int, int]:
    """All groups begin at rank 0, so the widest has the ranks of all."""
    ends = [g["first_rank"] + g["width"] * g["sets"] for run in runs for g in run.groups]
    return (max(ends), max(ends) - 1) if ends else (0, -1)


class Rows:
    """Collects rows of jobs, and gives them as Arrow tables."""

    def __init__(self, mount: str, mount_type: str) -> None:
        self.place = mount, mount_type
        self.logs: list[dict[str, Any]] = []
        self.instances: list[dict[str, Any]] = []
        self.sizes: list[dict[str, Any]] = []
        self.groups: list[tuple[dict[str, Any], Group]] = []
        self.records = 0

    def add(self, job: Job, number: int, row: dict[str, Any]) -> None:
        """`row`: that of `logs`, of log_row."""
        self.logs.append(row)
        for i, run in enumerate(job.runs or []):
            self.instances.append(
                {
                    "log": number,
                    "instance": i,
                    "executable": run.executable,
                    "start": job.start + run.start_us,
                    "end": job.start + run.end_us,
                    "processes": run.ranks,
                    "nodes": run.nodes,
                    "files": sum(g.files for g in run.groups),
                    "bytes_read": sum(g.bytes_read for g in run.groups),
                    "bytes_written": sum(g.bytes_written for g in run.groups),
                    "slowest_ns": slowest_ns(run),
                }
            )
            for group in run.groups:
                self.groups.append((self._file_row(job, number, i, run, group), group))
                self.records += group.files
        self._add_sizes(job, number)

    def _file_row(self, job: Job, number: int, instance: int, run: Run, group: Group) -> dict[str, Any]:
        width, posix = group["width"], group.layers[0] == "posix"
        row: dict[str, Any] = {
            "log": number,
            "instance": instance,
            "mount": self.place[0],
            "file_system": self.place[1],
            "interface": interface_of(group),
            "ranks": width,
            "sharing": sharing_of(group, run.ranks),
            "bytes_read": group["reads"] * group["read_size"] * width,
            "bytes_written": group["writes"] * group["write_size"] * width,
            "sequential": 0,
            "consecutive": 0,
            "unaligned": 0,
            "mpiio_operations": 0,
            "mpiio_collective": 0,
            "created": bool(group["flags"] & 1),
            "new": bool(group["flags"] & 1),
            "extent": max(group["read_end"], group["write_end"], group["size_at_open"]),
            "first_open": job.start + group["first_open_at_ns"] // 1000,
            "last_io": job.start + group["last_io_at_ns"] // 1000,
            "folded": 0,
        }
        row.update({name: group[name] * width for name in _SUMS})
        if posix:
            row["consecutive"] = (group["reads_consecutive"] + group["writes_consecutive"]) * width
            row["sequential"] = (
                row["consecutive"] + (group["reads_forward"] + group["writes_forward"]) * width
            )
            row["unaligned"] = (group["reads_unaligned"] + group["writes_unaligned"]) * width
        if "mpiio" in group.layers:
            row["mpiio_operations"] = row["reads"] + row["writes"]
            row["mpiio_collective"] = row["mpiio_operations"] * group["collective"]
        return row

    def _add_sizes(self, job: Job, number: int) -> None:
        counts: dict[tuple[str, str, int], int] = {}
        for group in (g for run in job.runs or [] for g in run.groups):
            for layer in group.layers:
                for verb in ("read", "write"):
                    if layer != "hdf5" and group[f"{verb}s"]:
                        key = layer, verb, max(group[f"{verb}_size"] - 1, 0).bit_length()
                        counts[key] = counts.get(key, 0) + group.of_all(f"{verb}s")
        for (layer, direction, bucket), count in sorted(counts.items()):
            self.sizes.append(
                {"log": number, "layer": layer, "direction": direction, "bucket": bucket, "count": count}
            )

    def take(self) -> dict[str, pyarrow.Table]:
        """The tables of what was added since the last time."""
        tables = {
            "logs": _table("logs", self.logs),
            "instances": _table("instances", self.instances),
            "access_sizes": _table("access_sizes", self.sizes),
            "files": self._files(),
        }
        self.logs, self.instances, self.sizes, self.groups, self.records = [], [], [], [], 0
        return tables

    def _files(self) -> pyarrow.Table:
        """A row a file: its group's, with a path and a rank of its own."""
        import pyarrow
        import pyarrow.compute as pc

        of_group, numbers, ranks = array("q"), array("q"), array("q")
        for index, (_, group) in enumerate(self.groups):
            of_group.extend([index] * group.files)
            numbers.extend(range(group.files))
            per_set, alone = group["per_set"], group["width"] == 1
            first = group["first_rank"]
            ranks.extend(first + i // per_set for i in range(group.files)) if alone else ranks.extend(
                [-1] * group.files
            )
        rows = [row | {"path": group.prefix, "rank": -1} for row, group in self.groups]
        table = _table("files", rows).take(_integers(of_group))
        paths = pc.binary_join_element_wise(table["path"], _integers(numbers).cast(pyarrow.string()), "")
        for name, column in (("path", paths), ("rank", _integers(ranks))):
            table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), column)
        return table


def _integers(values: array[int]) -> pyarrow.Array:
    import pyarrow

    return pyarrow.Array.from_buffers(pyarrow.int64(), len(values), [None, pyarrow.py_buffer(values)])


def _table(name: str, rows: list[dict[str, Any]]) -> pyarrow.Table:
    import pyarrow

    schema = arrow_schema(name)
    return pyarrow.Table.from_pylist(rows, schema) if rows else schema.empty_table()
