"""Figures of a parallel job as a whole. Where each comes from: docs/parallel.md and analysis/definitions.py.

P. Carns et al., "Understanding and Improving Computational Science Storage Access through Continuous
Characterization", 2011, is meant by "the paper".
"""

from __future__ import annotations

from typing import Any

from headrace import _native
from headrace.analysis.asynchronous import FETCHING
from headrace.analysis.changes import signed
from headrace.analysis.end_clusters import saved
from headrace.analysis.kinds import (
    FILE_KINDS,
    LIBRARY_LAYERS,
    SYSTEM_LAYERS,
    merge_files,
    merge_topmost,
    whose,
)
from headrace.analysis.libraries import interfaces
from headrace.analysis.processes import stand_ins
from headrace.analysis.ranks import SERVED_BY, extremes, node_rows, rank_rows, spread
from headrace.analysis.recorded import creation_recorded, not_in_source, unaligned
from headrace.analysis.reduced import REDUCED, reduced
from headrace.logs import JobLog, flags

Facts = dict[str, Any]

MIB = 1 << 20
_BEHIND = 0.01  # of all bytes, from which on a speed is not told of what moved behind calls
STRATEGIES = ("unique", "partially shared", "shared")
_SHOWN = (
    "instance",
    "rank",
    "process",
    "host",
    "io_ns",
    "read_ns",
    "write_ns",
    "meta_ns",
    "mpi_ns",
    "mpiio_ns",
)
_TIMES = ("read_ns", "write_ns", "meta_ns")
# What needs to know of each file who used it and how it was opened: not to be told of files in sums of ranks
# that representatives stand for.
_OF_SINGLE_FILES = {
    "performance": ("agg_time_by_slowest_ns", "agg_perf_by_slowest", "by_interface"),
    "access": (
        "creates_per_rank",
        "created",
        "written",
        "held_data",
        "truncated_at_open",
        "held_data_unknown",
    ),
}


def parallel(log: JobLog, processes: list[Facts], run_ns: int, most: int = 5) -> Facts | None:
    """None of a job without ranks; `most`: how many of the slowest and fastest ranks and nodes are named."""
    ranks = rank_rows(log, processes, run_ns)
    if not ranks:
        return None
    silent = not_in_source(log)
    no_messages = {"mpi_ns": None} if "mpi_ns" in silent else {}
    nodes = [row | no_messages for row in node_rows(ranks)]
    above = {key: [row | no_messages for row in node_rows(ranks, key)] for key in SERVED_BY}
    by_path = merge_files(log, "path", [])
    evenness = log.native.rank_statistics(by_path)
    topmost = merge_topmost(log, "path", [])
    of_all = reduced(log)
    stood_for = saved(log)
    # Nobody knows which rank was slow where one record has what all of them did.
    compared = [] if of_all else ranks
    slowest, fastest = extremes(compared, lambda row: float(row["io_ns"]), most)
    slow_nodes, fast_nodes = extremes([] if of_all else nodes, lambda row: float(row["io_ns_per_rank"]), most)
    return {
        "instances": _instances(processes, ranks, of_all),
        "ranks": len(ranks),
        "nodes": len(nodes) or None,
        "reduced": _sums(of_all),
        "stood_for": stood_for,
        "performance": _performance(log, ranks, len(nodes), topmost, _sums(of_all))
        | _unknown(_OF_SINGLE_FILES["performance"] if stood_for else ()),
        "access": _access(log, ranks, by_path, evenness)
        | _unknown(_OF_SINGLE_FILES["access"] if stood_for else ()),
        "strategies": _without_files(_strategies(log, topmost), stood_for),
        "interfaces": _without_files(_interfaces(log, by_path), stood_for),
        "io_ns": spread([row["io_ns"] for row in compared]),
        "bytes": spread([row["bytes_read"] + row["bytes_written"] for row in compared]),
        "mpi_ns": None if no_messages else spread([row["mpi_ns"] for row in ranks]),
        "mpi": {
            name: None if no_messages else sum(row[key] for row in ranks)
            for name, key in (("calls", "mpi_calls"), ("bytes", "mpi_bytes"), ("time_ns", "mpi_ns"))
        },
        "slowest_ranks": [_shown(row | silent) for row in slowest],
        "fastest_ranks": [_shown(row | silent) for row in fastest],
        "slowest_nodes": slow_nodes,
        "fastest_nodes": fast_nodes,
        "io_nodes": None if of_all else _served(above["io_node"], ranks, most),
        "switches": None if of_all else _served(above["nearest_switch"], ranks, most),
    }


def _unknown(keys: tuple[str, ...]) -> Facts:
    return dict.fromkeys(keys)


def _without_files(found: Facts, stood_for: Facts | None) -> Facts:
    return {name: dict.fromkeys(row) if stood_for else row for name, row in found.items()}


def _served(rows: list[Facts], ranks: list[Facts], most: int) -> Facts | None:
    """Of what serves nodes: how many, the slowest and fastest, and how many ranks are in none of them."""
    if not rows:
        return None
    slowest, fastest = extremes(rows, lambda row: float(row["io_ns_per_rank"]), most)
    without = len(ranks) - sum(row["ranks"] for row in rows)
    return {"number": len(rows), "slowest": slowest, "fastest": fastest, "ranks_without": without}


def _shown(row: Facts) -> Facts:
    """Ids as in the table of processes."""
    shown = {key: row[key] for key in (*_SHOWN, "bytes_read", "bytes_written")}
    return shown | {"process": f"{row['process']:016x}", "instance": f"{row['instance']:016x}"}


def _instances(processes: list[Facts], ranks: list[Facts], of_all: dict[int, Facts]) -> list[Facts]:
    """The runs of parallel programs. `no_files`: its ranks touched none; standard streams are no files."""
    found: dict[int, Facts] = {}
    sizes = {process["instance"]: 0 for process in processes}
    for process in processes:
        if process["rank"] >= 0:
            sizes[process["instance"]] = max(sizes[process["instance"]], process["ranks"])
    for row in ranks:
        entry = found.get(row["instance"])
        if entry is None:
            entry = found[row["instance"]] = {
                "executable": row["executable"],
                "ranks_in_log": 0,
                "hosts": set(),
                "files": 0,
                "captured": 0,
            }
        entry["ranks_in_log"] += 1
        entry["hosts"].add(row["host"])
        entry["files"] += row["files"]
        entry["captured"] += row["captured"]
    return [
        {
            "instance": f"{number:016x}",
            "executable": entry["executable"],
            "ranks": max(sizes[number], entry["ranks_in_log"]),
            "ranks_in_log": entry["ranks_in_log"],
            "nodes": len(entry["hosts"] - {""}) or None,
            "no_files": entry["files"] + of_all.get(number, {}).get("files", 0) == 0
            if entry["captured"]
            else None,
        }
        for number, entry in found.items()
    ]


def _sums(of_all: dict[int, Facts]) -> Facts | None:
    if not of_all:
        return None
    return {key: sum(entry[key] for entry in of_all.values()) for key in REDUCED}


def _performance(
    log: JobLog,
    ranks: list[Facts],
    nodes: int,
    topmost: _native.Frame,
    of_all: Facts | None,
) -> Facts:
    """`mib_per_second` and `…_per_node` are the paper's (II-D), `agg_perf_by_slowest` is Darshan's.

    Where files have one record for all ranks, nobody knows how long a rank took in all its files.
    """
    more = of_all or dict.fromkeys(REDUCED, 0)
    moved = sum(row["bytes_read"] + row["bytes_written"] for row in ranks) + more["bytes"]
    slowest_ns = max(row["io_ns"] for row in ranks) if of_all is None else None
    why_not = _why_not(log, moved)
    rate = _rate(moved, slowest_ns) if why_not is None else None
    agg_ns = _agg_time_by_slowest(log, topmost) if why_not is None else None
    if why_not is None and agg_ns is None:
        why_not = "slowest"
    io_ns = sum(row["io_ns"] for row in ranks) + more["io_ns"]
    meta_ns = sum(row["meta_ns"] for row in ranks) + more["meta_ns"]
    return {
        "bytes": moved,
        "io_ns": io_ns,
        "slowest_rank_ns": slowest_ns,
        "mib_per_second": rate,
        "mib_per_second_per_node": rate / nodes if rate is not None and nodes else None,
        "agg_time_by_slowest_ns": agg_ns,
        "agg_perf_by_slowest": _rate(moved, agg_ns),
        "system_share": (sum(row["system_ns"] for row in ranks) + more["system_ns"]) / io_ns
        if io_ns > 0
        else None,
        "metadata_share": meta_ns / io_ns if io_ns > 0 else None,
        "mib_per_rank": moved / MIB / len(ranks),
        "why_not": why_not,
        "by_interface": _by_interface(log),
        "darshan_log": of_darshan(log),
    }


def _by_interface(log: JobLog) -> Facts:
    """Darshan's estimate of each layer that moved anything, as it makes one for each of its modules.

    Of a Darshan log it is Darshan's own, which takes standard streams and the MPI library's files in.
    """
    result: Facts = {}
    for layer in (*LIBRARY_LAYERS, *SYSTEM_LAYERS):
        merged = _of_layer(log, layer, FILE_KINDS)
        moved = _moved(merged)
        if not moved:  # Darshan's HDF5 tells of transfers by dataset alone
            merged = _of_layer(log, layer, [*FILE_KINDS, "dataset"])
            moved = _moved(merged)
        if not moved:
            continue
        behind = layer == "posix" and _is_behind(log, moved, moved)
        time_ns = None if behind else _agg_time_by_slowest(log, merged, reduced_only=of_darshan(log))
        why_not = (
            "asynchronous" if behind else "slowest" if time_ns is None else None if time_ns > 0 else "time"
        )
        result[layer] = {
            "bytes": moved,
            "agg_time_by_slowest_ns": time_ns,
            "agg_perf_by_slowest": _rate(moved, time_ns),
            "why_not": why_not,
        }
    return result


def _why_not(log: JobLog, moved: int) -> str | None:
    """Where no speed can be told of the topmost layers; None: one can, if it is recorded."""
    own = sum(
        row["bytes_read"] + row["bytes_written"]
        for row in merge_topmost(log, "layer", []).rows(None, ["layer", "bytes_read", "bytes_written"])
        if row["layer"] == "posix"
    )
    return "asynchronous" if _is_behind(log, own, moved) else None


def _is_behind(log: JobLog, own: int, moved: int) -> bool:
    """Whether POSIX aio, whose calls begin transfers and fetch their results, has a part of the bytes.

    `own`: of the system's calls themselves. io_uring and libaio have the time until a completion was seen.
    """
    behind = sum(row["bytes"] for row in log.native.functions().rows() if row["function"] in FETCHING)
    return bool(min(behind, own) > _BEHIND * moved)


def _of_layer(log: JobLog, layer: str, kinds: list[str]) -> _native.Frame:
    if of_darshan(log):
        return log.native.merge("path", [], [*kinds, "stream"], [layer])
    return log.native.merge("path", [], kinds, [layer], whose(log))


def _moved(merged: _native.Frame) -> int:
    rows = merged.rows(None, ["bytes_read", "bytes_written"])
    return sum(row["bytes_read"] + row["bytes_written"] for row in rows)


def of_darshan(log: JobLog) -> bool:
    """Whether the log was a Darshan log."""
    return "darshan_job_id" in log.job


def _rate(moved: int, time_ns: float | None) -> float | None:
    return moved / MIB / (time_ns / 1e9) if time_ns is not None and time_ns > 0 else None


def _agg_time_by_slowest(log: JobLog, by_path: _native.Frame, *, reduced_only: bool = False) -> float | None:
    """The slowest rank's time in files that not all ranks share, and the slowest one's in each that they do.

    Darshan takes a file for shared when all ranks of the job opened it, and makes the sum for one of its
    modules at a time; here it is made of the records of `by_path`. A file with one record for all ranks
    counts as shared. `reduced_only`: no other does, as in Darshan's own estimate of a log that keeps a record
    a rank (`accumulate_records`, darshan-util). None: the log does not say who was slowest.
    """
    evenness = log.native.rank_statistics(by_path)
    rows = evenness.rows(None, ["strategy", "ranks", "time_most_ns", "reduced", "reduced_slowest_ns"])
    reduced = [signed(row["reduced_slowest_ns"]) for row in rows if row["reduced"]]
    if any(time < 0 for time in reduced):
        return None
    by_all = "" if reduced_only else "shared"
    shared = sum(reduced) + sum(
        signed(row["time_most_ns"]) for row in rows if row["strategy"] == by_all and not row["reduced"]
    )
    others = [
        n for n, row in enumerate(rows) if row["reduced"] or (row["ranks"] and row["strategy"] != by_all)
    ]
    alone = {
        row["process"]: signed(row["time_ns"]) for row in log.native.process_sums(by_path, others).rows()
    }
    sums: dict[tuple[int, int], int] = {}
    standing = stand_ins(log)
    if not any(time for process, time in alone.items() if process not in standing):
        return shared
    for process in log.native.frame("processes").rows(None, ["process", "instance", "rank"]):
        if process["rank"] >= 0:
            key = (process["instance"], process["rank"])
            sums[key] = sums.get(key, 0) + alone.get(process["process"], 0)
    return max(sums.values(), default=0) + shared


def _access(log: JobLog, ranks: list[Facts], by_path: _native.Frame, evenness: _native.Frame) -> Facts:
    bit = {flag.name: 1 << flag.bit for flag in flags()}
    used = [row["ranks"] for row in evenness.rows(None, ["ranks"])]
    columns = ["kind", "bytes_written", "folded_files"]
    opened = log.native.first_opens(by_path).rows()
    files = created = written = held_data = emptied = unknown = 0
    known = True
    for row, first, count in zip(by_path.rows(None, columns), opened, used, strict=True):
        if not count or row["kind"] == "directory":
            continue
        files += row["folded_files"] if row["kind"] == "directory_rollup" else 1
        held = bool(first["size_known"]) and first["size"] > 0
        known = known and creation_recorded(first["flags"])
        created += bool(first["flags"] & bit["created"]) and not held
        if not row["bytes_written"] or row["kind"] != "file":
            continue
        written += 1
        held_data += held
        emptied += not held and bool(first["flags"] & bit["truncated"])
        unknown += not first["size_known"] and not first["flags"] & bit["truncated"]
    return {
        "files_per_rank": files / len(ranks),
        "creates_per_rank": created / len(ranks) if known else None,
        "created": created if known else None,
        "written": written,
        "held_data": held_data if known else None,
        "truncated_at_open": emptied if known else None,
        "held_data_unknown": unknown,
        **_regularity(log),
    }


def _regularity(log: JobLog) -> Facts:
    """Shares of the reads and writes that began no earlier than the last one ended, and of aligned ones."""
    both = log.native.merge("all", [], FILE_KINDS, list(SYSTEM_LAYERS), whose(log)).rows()[0]
    steps = {
        key: both[f"reads_{key}"] + both[f"writes_{key}"] for key in ("consecutive", "forward", "backward")
    }
    compared = sum(steps.values())
    system = log.native.merge("all", [], FILE_KINDS, ["posix"], whose(log)).rows()[0]
    operations = system["reads"] + system["writes"]
    not_aligned = unaligned(system)
    return {
        "sequential_share": (steps["consecutive"] + steps["forward"]) / compared if compared else None,
        "aligned_share": 1 - min(1.0, not_aligned / operations)
        if operations and not_aligned is not None
        else None,
    }


def _strategies(log: JobLog, by_path: _native.Frame) -> Facts:
    """Files, and bytes in them, by how many ranks used them; directories are no files."""
    result = {name: {"files": 0, "bytes_read": 0, "bytes_written": 0} for name in STRATEGIES}
    rows = by_path.rows(None, ["kind", "bytes_read", "bytes_written"])
    for row, ranks in zip(rows, log.native.rank_statistics(by_path).rows(None, ["strategy"]), strict=True):
        entry = result.get(ranks["strategy"])
        if entry is None or row["kind"] != "file":
            continue
        entry["files"] += 1
        entry["bytes_read"] += row["bytes_read"]
        entry["bytes_written"] += row["bytes_written"]
    return result


def _interfaces(log: JobLog, by_path: _native.Frame) -> Facts:
    """How many files were used through each layer; one that several layers used counts at each of them."""
    counts = dict.fromkeys((*LIBRARY_LAYERS, *SYSTEM_LAYERS), 0)
    for row in by_path.rows(None, ["kind", "layers"]):
        for layer in row["layers"].split("+") if row["kind"] == "file" else ():
            counts[layer] = counts.get(layer, 0) + 1
    if set(log.native.columns("files")) & {"layer"}:
        for (_, kind), names in interfaces(log, []).items():
            for layer in names if kind == "file" else ():
                counts[layer] += 1
    return {layer: {"files": count} for layer, count in counts.items() if count}


def file_ranks(log: JobLog, merged: _native.Frame, numbers: list[int]) -> list[Facts | None]:
    """How evenly ranks used each of these files (rows of records merged by path); None where no rank did.

    Where one record stands for several ranks, it is what the log has of these; the rest is None.
    """
    hosts = {
        row["process"]: row["host"] for row in log.native.frame("processes").rows(None, ["process", "host"])
    }
    return [_evenness(row, hosts) for row in log.native.rank_statistics(merged).rows(numbers)]


def _evenness(row: Facts, hosts: dict[int, str]) -> Facts | None:
    if not row["ranks"]:
        return None
    facts = {key: row[key] for key in ("strategy", "ranks", "world")}

    def known(value: float) -> float | None:
        return None if row["reduced"] and value == -1 else value

    for name, unit, variance in (("bytes", "", "bytes_variance"), ("time", "_ns", "time_variance_ns2")):
        facts[f"{name}{unit}"] = {
            "least": known(signed(row[f"{name}_least{unit}"])),
            "most": known(signed(row[f"{name}_most{unit}"])),
            "mean": row[f"{name}_mean{unit}"],
            "variance": known(row[variance]),
        }
    for which in ("fastest", "slowest"):
        rank = {"rank": row[f"{which}_rank"], "host": hosts.get(row[f"{which}_process"], "")}
        facts[which] = None if known(row[f"{which}_rank"]) is None else rank
    return facts
