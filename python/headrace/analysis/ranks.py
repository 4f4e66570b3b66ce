"""What each rank of a parallel job did, and how evenly: sums over processes, images and threads of a rank."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headrace.analysis.changes import signed
from headrace.analysis.kinds import merge_files, merge_topmost
from headrace.analysis.processes import lifetime_ns
from headrace.logs import JobLog

Facts = dict[str, Any]

_TIMES = ("read_ns", "write_ns", "meta_ns")
_IO = ("bytes_read", "bytes_written", *_TIMES)
RANK_IO = (*_IO, "calls", "files", "io_ns", "system_ns")  # of a rank's row: what it did in files
_CALLS = ("reads", "writes", "metadata_calls")
_SUMS = (
    *_IO,
    "calls",
    "io_ns",
    "system_ns",
    "mpi_ns",
    "mpi_calls",
    "mpi_bytes",
    "mpiio_ns",
    "run_ns",
    "images",
)


SERVED_BY = ("io_node", "nearest_switch")  # of the table `nodes`


def rank_rows(log: JobLog, processes: list[Facts], run_ns: int) -> list[Facts]:
    """One row a rank, by instance and rank; `processes` are those of `process_rows`.

    Figures of I/O are of each file's topmost layer; `system_ns` is the time in the system's calls alone.
    `mpi_ns` is time inside communication calls, `mpiio_ns` that inside MPI-IO calls; both without what is
    spent in other captured calls below them. A rank that executes another program keeps its row.
    """
    system = {row["process"]: row for row in merge_files(log, "process", []).rows(None, ["process", *_TIMES])}
    done = {row["process"]: row for row in merge_topmost(log, "process", []).rows()}
    library = library_times(log)
    places = node_places(log)
    rows: dict[tuple[int, int], Facts] = {}
    nothing = {**dict.fromkeys(_SUMS, 0), **dict.fromkeys(SERVED_BY, ""), "captured": False, "files": 0}
    for process in processes:
        if process["rank"] < 0:
            continue
        key = process["instance"], process["rank"]
        row = rows.get(key)
        if row is None:
            row = rows[key] = {
                "instance": process["instance"],
                "rank": process["rank"],
                "host": process["host"],
                "executable": process["executable"],
                "process": process["process"],
                **nothing,
            }
            if places:
                row.update(places.get(process["host"], {}))
        if (io := done.get(process["process"])) is not None:
            _add(row, io)
        if (below := system.get(process["process"])) is not None:
            row["system_ns"] += sum(signed(below[key]) for key in _TIMES)
        for name, value in library[process["process"]].items() if process["process"] in library else ():
            row[name] += value
        row["run_ns"] += lifetime_ns(process, run_ns)
        row["images"] += 1
        row["captured"] = row["captured"] or bool(process["captured"])
    return [rows[key] for key in sorted(rows)]


def _add(row: Facts, io: Facts) -> None:
    for key in _IO:
        row[key] += signed(io[key])
    row["io_ns"] += sum(signed(io[key]) for key in _TIMES)
    row["calls"] += sum(io[key] for key in _CALLS)
    row["files"] += io["files"]


def library_times(log: JobLog) -> dict[int, Facts]:
    """By process: what `mpi` and `mpiio` calls took; nothing of a process that made none."""
    result: dict[int, Facts] = {}
    for row in log.native.process_layers().rows():
        if row["layer"] == "mpi":
            figures = {"mpi_ns": row["own_ns"], "mpi_calls": row["calls"], "mpi_bytes": row["bytes"]}
        elif row["layer"] == "mpiio":
            figures = {"mpiio_ns": row["own_ns"]}
        else:
            continue
        result.setdefault(row["process"], {}).update(figures)
    return result


def spread(values: Sequence[float]) -> Facts | None:
    """Least, most, mean, variance (of the population) and imbalance (most by mean) of a figure over ranks."""
    if not values:
        return None
    mean, least, most = math.fsum(values) / len(values), min(values), max(values)
    squares = math.fsum((value - mean) ** 2 for value in values) if least < most else 0.0
    return {
        "least": least,
        "most": most,
        "mean": mean,
        "variance": squares / len(values),
        "imbalance": most / mean if mean > 0 else None,
    }


def extremes(
    rows: list[Facts], figure: Callable[[Facts], float], most: int
) -> tuple[list[Facts], list[Facts]]:
    """The slowest and the fastest rows: of equal ones those that come first; no row is in both."""
    slowest = heapq.nsmallest(min(most, (len(rows) + 1) // 2), rows, key=lambda row: -figure(row))
    taken = {id(row) for row in slowest}
    first = heapq.nsmallest(len(slowest) + most, rows, key=figure)
    fastest = [row for row in first if id(row) not in taken]
    return slowest, fastest[: min(most, len(rows) // 2)]


def node_rows(ranks: Iterable[Facts], key: str = "host") -> list[Facts]:
    """One row a node, most time in I/O by rank first: compute nodes are the hosts that ranks ran on.

    With another `key` one row for each of what serves nodes ("io_node", "nearest_switch"), and how many they
    are. Ranks of which it is not known are in none.
    """
    groups: dict[str, Facts] = {}
    hosts: dict[str, set[str]] = {}
    for rank in ranks:
        name = rank[key]
        if not name:
            continue
        group = groups.setdefault(
            name, {key: name, "ranks": 0, "io_ns": 0, "slowest_io_ns": 0, "bytes": 0, "mpi_ns": 0}
        )
        hosts.setdefault(name, set()).add(rank["host"])
        group["ranks"] += 1
        group["io_ns"] += rank["io_ns"]
        group["mpi_ns"] += rank["mpi_ns"]
        group["slowest_io_ns"] = max(group["slowest_io_ns"], rank["io_ns"])
        group["bytes"] += rank["bytes_read"] + rank["bytes_written"]
        if key == "host":
            group |= {served: rank[served] for served in SERVED_BY}
    for name, group in groups.items():
        group["io_ns_per_rank"] = group["io_ns"] / group["ranks"]
        if key != "host":
            group["nodes"] = len(hosts[name])
    return sorted(groups.values(), key=lambda group: (-group["io_ns_per_rank"], group[key]))


def node_places(log: JobLog) -> dict[str, Facts]:
    """By node: the I/O node and the switch that serve it, as far as the log says."""
    if not log.native.columns("nodes"):
        return {}
    rows = log.native.frame("nodes").rows(None, ["node", *SERVED_BY])
    return {row["node"]: {key: row[key] for key in SERVED_BY} for row in rows}


def ranges(ranks: Iterable[int], most: int = 12, others: bool = False) -> str:
    """As "0-3, 8, 12-15"; what is beyond `most` parts is counted. `others`: these may not be all."""
    parts: list[list[int]] = []
    for rank in sorted(set(ranks)):
        if parts and rank == parts[-1][1] + 1:
            parts[-1][1] = rank
        else:
            parts.append([rank, rank])
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in parts[:most]]
    rest = sum(last - first + 1 for first, last in parts[most:])
    end = f", … and {rest:,} more" if rest else ""
    return ", ".join(texts) + (end or (", …" if others and texts else ""))
