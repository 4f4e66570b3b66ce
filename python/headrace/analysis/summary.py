"""The facts that `headrace show` prints. Keys and units are those of docs/show.md; they stay stable."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace import _native
from headrace._errors import UsageError
from headrace.analysis.access import access
from headrace.analysis.asynchronous import asynchronous
from headrace.analysis.call_sites import KINDS, call_sites
from headrace.analysis.calls import finest_spans, functions, layers, rate
from headrace.analysis.code_files import data_first
from headrace.analysis.completeness import of_all_ranks
from headrace.analysis.detected_phases import detected_summary
from headrace.analysis.directories import directories
from headrace.analysis.end_clusters import end_clusters
from headrace.analysis.gaps import not_captured
from headrace.analysis.kinds import (
    CERTAINTY,
    COUNTED,
    FILE_KINDS,
    ROW_KINDS,
    SYSTEM_LAYERS,
    TOTAL_KINDS,
    count_files,
    merge_files,
    merge_topmost,
    whose,
)
from headrace.analysis.libraries import interfaces, layers_of_file, libraries
from headrace.analysis.moments import utc_text
from headrace.analysis.parallel import file_ranks, parallel
from headrace.analysis.phase_facts import phase_summary
from headrace.analysis.processes import (
    end_seen,
    exec_links,
    find_processes,
    lifetime_ns,
    process_rows,
    run_is_seen,
)
from headrace.analysis.properties import properties
from headrace.analysis.ranks import library_times
from headrace.analysis.recorded import all_calls_recorded, not_in_source, recorded
from headrace.analysis.reduced import reduced
from headrace.analysis.servers import job_servers
from headrace.analysis.system_rows import SystemRows
from headrace.analysis.unfinished import of_log
from headrace.logs import JobLog, flags, run_time_ns

_TIMES = ("read_ns", "write_ns", "meta_ns")
_OF_PROCESS = (
    *("pid", "rank", "ranks", "host", "executable", "arguments", "depth", "start_at_ns", "ended"),
    "exit_status",
)


@dataclass(frozen=True)
class Options:
    rows: int = 10  # of the main table
    by: str = "path"  # "path", "process" or "directory"
    sort: str = "time"  # "time", "bytes", "calls" or "path"
    process: str | None = None  # a pid or a process id in 16 hexadecimal digits
    bins: int = 60  # of the bandwidth over time
    tree: int | None = None  # of the first so many processes, if none executed another program; None: of all


def summarize(log: JobLog, options: Options | None = None) -> dict[str, Any]:
    """All facts. Raises UsageError when no process has the id that the options name, and LogError."""
    options = options or Options()
    processes = process_rows(log)
    chosen = _chosen(log, processes, options.process)
    summary = overview(log, processes, chosen)
    run_ns = summary["job"]["run_ns"]
    summary |= {
        "by": options.by,
        "sort": options.sort,
        **_rows(log, chosen, options, {row["process"]: row for row in processes}),
        "directories": directories(log, chosen),
        "bandwidth": rate(log, chosen, run_ns, finest_spans([log], run_ns, options.bins)),
        "processes": process_facts(log, _first(processes, options.tree), run_ns),
    }
    found = ([], None) if chosen else job_servers(log, merge_files(log, "path", []), processes)
    summary["servers"], summary["servers_against_ranks"] = found
    tell_damage(log, summary)
    return summary


def _first(processes: list[dict[str, Any]], most: int | None) -> list[dict[str, Any]]:
    if most is None or len(processes) <= most or exec_links(processes):
        return processes
    return processes[:most]


def overview(
    log: JobLog, processes: list[dict[str, Any]], chosen: list[int], most_libraries: int = 10
) -> dict[str, Any]:
    """The facts about the job as a whole. `processes` are those of `process_rows`; empty `chosen`: all.

    `most_libraries`: how many of the files that libraries used are described layer by layer.
    """
    facts = log.job
    run_ns = job_run_ns(facts, processes)
    counted = [row for row in processes if row["captured"] and (not chosen or row["process"] in chosen)]
    process_ns = sum(lifetime_ns(row, run_ns) for row in counted)
    by_layer, by_function = layers(log, chosen), functions(log, chosen)
    gaps = not_captured(log, processes)
    phases = [] if chosen else phase_summary(log)
    return {
        "format": 1,
        "log": {
            "path": log.path,
            "bytes": log.native.size,
            "closed": log.closed_properly,
            "trace": trace_beside(log.path),
        },
        "job": _job(facts, run_ns, processes),
        "selected_processes": [hex_id(number) for number in chosen],
        "totals": _totals(log, chosen, process_ns, run_ns)
        | _unseen_ends(counted, run_is_seen(facts, processes)),
        "layers": by_layer,
        "libraries": libraries(log, chosen, most_libraries),
        "parallel": None if chosen else parallel(log, processes, run_ns),
        "unfinished": of_log(log, processes, chosen),
        "phases": phases,
        "detected_phases": [] if chosen or phases else detected_summary(log),
        "clusters": [] if chosen else end_clusters(log),
        "functions": by_function,
        "asynchronous": asynchronous(by_function, by_layer, gaps),
        "mpi_files": mpi_files(log, chosen),
        "other": _other(log, chosen),
        "sizes": _sizes(log, chosen, [row["layer"] for row in by_layer]),
        "mounts": mounts(log, chosen),
        "not_captured": gaps,
    }


def tell_damage(log: JobLog, summary: dict[str, Any]) -> None:
    """Adds what of the log could not be used. To be called last: reading the tables is what finds it."""
    summary["damage"] = [damage._asdict() for damage in log.damage]
    lost = sum(place["bytes"] for place in summary["damage"])
    summary["log"] |= {"damaged_places": len(summary["damage"]), "damaged_bytes": lost}
    job = summary["job"]
    # A log of which a part is lost is not complete, whatever the part that is left says.
    if summary["damage"]:
        job["complete"] = f"no: the log is damaged: {lost} bytes of it cannot be used"
    elif not summary["log"]["closed"] and job["complete"] == "yes":
        job["complete"] = "no: the log was not closed: its end may be missing"


def trace_beside(log: str) -> str | None:
    """The trace of the job, NAME.trace.hr beside NAME.hr, if there is one."""
    trace = log.removesuffix(".hr") + ".trace.hr"
    return trace if log.endswith(".hr") and trace != log and Path(trace).is_file() else None


def hex_id(number: int) -> str:
    return f"{number:016x}"


def _chosen(log: JobLog, processes: list[dict[str, Any]], wanted: str | None) -> list[int]:
    if wanted is None:
        return []
    found = find_processes(processes, wanted)
    if not found:
        raise UsageError(f"{log.path}: no process {wanted}: 'headrace show' without --process lists them")
    return found


def job_run_ns(facts: dict[str, Any], processes: list[dict[str, Any]]) -> int:
    last = max((max(row["start_at_ns"], row["end_at_ns"]) for row in processes), default=0)
    return run_time_ns(facts, last)


def _job(facts: dict[str, Any], run_ns: int, processes: list[dict[str, Any]]) -> dict[str, Any]:
    keys = ("command", "host", "user_id", "working_directory", "start_utc_ns", "end_utc_ns", "exit_status")
    return {
        **{key: facts.get(key) for key in (*keys, "scheduler", "scheduler_job")},
        **{name: _utc(facts.get(f"{name}_ns")) for name in ("start_utc", "end_utc")},
        "complete": of_all_ranks(facts, processes),
        "run_ns": run_ns,
        "run_at_least": not run_is_seen(facts, processes),
        "processes": len(processes),
        "process_ids": len(processes) - len(exec_links(processes)),
        "processes_captured": sum(1 for row in processes if row["captured"]),
        "headrace_version": facts.get("headrace_version"),
        "emulate": facts.get("emulate"),
        "emulated": _counts(facts.get("emulated")),
    }


def _counts(text: Any) -> dict[str, int] | None:
    """What was delayed, of a fact that may be anything."""
    try:
        counts = json.loads(text)
    except (TypeError, ValueError):
        return None
    is_right = isinstance(counts, dict) and all(isinstance(value, int) for value in counts.values())
    return counts if is_right else None


def _utc(value: Any) -> str | None:
    return utc_text(value) if isinstance(value, int) else None


def _direction(row: dict[str, Any], direction: str) -> dict[str, Any]:
    moved = row["bytes_read" if direction == "read" else "bytes_written"]
    time_ns = row[f"{direction}_ns"]
    return {
        "calls": row[f"{direction}s"],
        "errors": recorded(row, f"{direction}_errors"),
        "bytes": moved,
        "time_ns": time_ns,
        "slowest_ns": recorded(row, f"{direction}_max_ns"),
        "bytes_per_second": round(moved * 1e9 / time_ns) if time_ns else None,
    }


def _metadata(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "calls": row["metadata_calls"],
        "errors": recorded(row, "meta_errors"),
        "time_ns": row["meta_ns"],
        "slowest_ns": recorded(row, "meta_max_ns"),
        "all_calls": all_calls_recorded(row),
    }


def _sums(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "files": count_files(row),
        "files_are": CERTAINTY[row["folded_certainty"]],
        "directories": row["directories"],
        "read": _direction(row, "read"),
        "write": _direction(row, "write"),
        "metadata": _metadata(row),
        "io_ns": sum(row[name] for name in _TIMES),
    }


def mpi_files(log: JobLog, chosen: list[int], most: int = 10) -> dict[str, Any] | None:
    """The MPI library's own files; None when there are none. `rows`: the `most` with most time.

    Unless they are `counted`, they are in no other figure of files.
    """
    by_path = log.native.merge("path", chosen, FILE_KINDS, list(SYSTEM_LAYERS), "mpi")
    if not len(by_path):
        return None
    whole = log.native.merge("all", chosen, FILE_KINDS, list(SYSTEM_LAYERS), "mpi").rows()[0]
    calls = ("reads", "writes", "metadata_calls")
    columns = ["path", "kind", "processes", "opens", "bytes_read", "bytes_written", *calls, *_TIMES]
    return {
        "counted": log.mpi_files,
        **_sums(whole),
        "rows": [
            _without_times({key: value for key, value in row.items() if key not in calls})
            | {"calls": sum(row[name] for name in calls)}
            for row in by_path.rows(by_path.top("time", most), columns)
        ],
        "rows_in_all": len(by_path),
    }


def _totals(log: JobLog, chosen: list[int], process_ns: int, run_ns: int) -> dict[str, Any]:
    sums = _sums(merge_topmost(log, "all", chosen).rows()[0])
    io_ns = sums["io_ns"]
    below = merge_files(log, "all", chosen).rows(None, list(_TIMES))[0]
    return {
        **sums,
        "system_ns": sum(below[name] for name in _TIMES),
        "through": _through(log, chosen),
        "in_no_file": _in_no_file(log, chosen),
        "process_ns": process_ns,
        "io_share_of_process_time": io_ns / process_ns if process_ns else None,
        "io_share_of_run_time": io_ns / run_ns if run_ns else None,
    }


def _in_no_file(log: JobLog, chosen: list[int]) -> dict[str, Any] | None:
    """What of the totals is in no file's row; None: nothing."""
    columns = ["reads", "writes", "bytes_read", "bytes_written", "metadata_calls", *_TIMES]
    row = log.native.merge("all", chosen, ["no_file"], ["topmost"]).rows(None, columns)[0]
    calls = row.pop("reads") + row.pop("writes") + row.pop("metadata_calls")
    return {"calls": calls, **_without_times(row)} if calls else None


def _unseen_ends(counted: list[dict[str, Any]], run_seen: bool) -> dict[str, Any]:
    """No share of a life that may have been longer. `processes_at_least`: of how many that is so."""
    unseen = sum(not end_seen(row) for row in counted)
    shares: dict[str, Any] = {"io_share_of_process_time": None} if unseen else {}
    return {"processes_at_least": unseen, **shares} | ({} if run_seen else {"io_share_of_run_time": None})


def _through(log: JobLog, chosen: list[int]) -> list[dict[str, Any]]:
    """The totals by the layer that each file was used through, most time first."""
    columns = ["layer", "files", "bytes_read", "bytes_written", *_TIMES]
    rows = merge_topmost(log, "layer", chosen).rows(None, columns)
    return sorted(map(_without_times, rows), key=lambda row: (-row["time_ns"], row["layer"]))


def _other(log: JobLog, chosen: list[int]) -> list[dict[str, Any]]:
    """Records that are no files, by kind; and the MPI library's own files, which count as none."""
    columns = ["kind", "files", "reads", "writes", "bytes_read", "bytes_written", "metadata_calls", *_TIMES]
    rows = log.native.merge("kind", chosen, [], list(SYSTEM_LAYERS)).rows(None, columns)
    kept = [_without_times(row) for row in rows if row["kind"] not in TOTAL_KINDS]
    own = log.native.merge("all", chosen, FILE_KINDS, list(SYSTEM_LAYERS), "mpi").rows()[0]
    if own["files"] and not log.mpi_files:
        figures = {key: own[key] for key in columns if key not in ("kind", "files")}
        kept.append(_without_times({"kind": "mpi_files", "files": count_files(own), **figures}))
    return sorted(kept, key=lambda row: (-row["time_ns"], row["kind"]))


def _without_times(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in _TIMES} | {
        "time_ns": sum(row[name] for name in _TIMES)
    }


def _rows(
    log: JobLog, chosen: list[int], options: Options, processes: dict[int, dict[str, Any]]
) -> dict[str, Any]:
    merged = merge_topmost(log, options.by, chosen)
    first = data_first if options.by == "path" else _native.Frame.top
    numbers = first(merged, options.sort, options.rows)
    system = SystemRows(merge_files(log, options.by, chosen), options.by)
    rows, groups = system.below(merged, numbers), system.records(merged, numbers)
    sites = _sites(log, groups) if options.by == "path" and groups else []
    about = _about(log, merged, numbers, rows, chosen) if options.by == "path" else [{} for _ in numbers]
    common: dict[tuple[int, str], list[tuple[str, int, int, bool]]] = {}
    for group, direction, what, value, count, exact in log.native.common(groups):
        common.setdefault((group, direction), []).append((what, value, count, exact))
    points = {mount["mount"]: mount["point"] for mount in log.native.frame("mounts").rows()}
    result = []
    for place, (row, top) in enumerate(zip(rows, merged.rows(numbers), strict=True)):
        facts = _identity(row, options.by, processes, points)
        facts |= {
            "files": count_files(row),
            "directories": row["directories"],
            "processes": max(row["processes"], top["processes"]),
            "time_ns": sum(top[n] for n in _TIMES),
        }
        facts |= {"opens": row["opens"], "read": _direction(top, "read"), "write": _direction(top, "write")}
        facts["metadata"] = _metadata(top)
        facts["access"] = {way: access(row, way, common.get((place, way), [])) for way in ("read", "write")}
        facts["flags"] = [flag.name for flag in flags() if row["flags"] >> flag.bit & 1]
        facts["folded_files"] = row["folded_files"]
        facts["files_are"] = CERTAINTY[row["folded_certainty"]]
        facts["mapped_bytes"] = row["mapped_bytes"]
        if options.by == "path":
            facts["sites"] = sites[place]
        result.append(facts | about[place])
    return {
        "rows": result,
        "rows_in_all": len(merged),
        "rows_of": _rows_of(log, merged, chosen) if options.by == "path" else None,
    }


def _rows_of(log: JobLog, merged: _native.Frame, chosen: list[int]) -> dict[str, int]:
    """What the rows of all paths are; together they are all rows."""
    if chosen:  # a row of a process may be about several files that ranks share
        kinds = Counter(row["kind"] for row in merged.rows(None, ["kind"]))
        return {name: kinds[kind] for kind, name in ROW_KINDS.items()}
    whole = merge_files(log, "all", []).rows(None, ["directories", "rollups"])[0]
    return {"files": len(merged) - sum(whole.values()), **whole}


def _about(
    log: JobLog, merged: _native.Frame, numbers: list[int], rows: list[dict[str, Any]], chosen: list[int]
) -> list[dict[str, Any]]:
    """Of each of these files the interfaces, how evenly ranks used it, and what is known besides counts."""
    above = interfaces(log, chosen)
    evenness = file_ranks(log, merged, numbers)
    found = properties(log, {row["path"] for row in rows}, chosen)
    return [
        {
            "interfaces": layers_of_file(row, above),
            "ranks": ranks,
            "properties": found.get(row["path"], []),
        }
        for row, ranks in zip(rows, evenness, strict=True)
    ]


def _sites(log: JobLog, groups: list[list[int]]) -> list[list[dict[str, Any]]]:
    """For each group of records the code that opened it and did its slowest and largest operations."""
    found = call_sites(log, records=[record for group in groups for record in group])
    order = {what: number for number, what in enumerate(KINDS)}
    result = []
    for group in groups:
        sums: dict[int, list[int]] = {}
        for record in group:
            for index, time_ns, size in found.operations.get(record, []):
                total = sums.setdefault(index, [0, 0, 0])
                total[:] = total[0] + 1, total[1] + time_ns, total[2] + size
        sites = [
            found.sites[index] | dict(zip(("calls", "time_ns", "bytes"), total, strict=True))
            for index, total in sums.items()
        ]
        result.append(sorted(sites, key=lambda site: (order.get(site["what"], 9), -site["calls"])))
    return result


def _identity(
    row: dict[str, Any], by: str, processes: dict[int, dict[str, Any]], points: dict[int, str]
) -> dict[str, Any]:
    if by == "path":
        names = {key: row[key] for key in ("path", "final_path", "kind", "layers")}
        if not row["path"] and row["files"]:  # of one rank: files that it shares, known as a sum
            names |= dict.fromkeys(("path", "final_path"), "several files that ranks share")
        return names | {"mount": points.get(row["mount"], "")}
    if by == "directory":
        return {"path": row["directory"]}
    process = processes.get(row["process"], {})
    return {
        "process": hex_id(row["process"]),
        "pid": process.get("pid"),
        "executable": process.get("executable", ""),
        "arguments": process.get("arguments", []),
    }


def _sizes(log: JobLog, chosen: list[int], names: list[str]) -> dict[str, Any]:
    """Operations by size: `over` < size <= `to` bytes; the first bucket holds 0 and 1."""
    whole = size_buckets(log, chosen, list(SYSTEM_LAYERS))
    if set(names) <= {"posix"} or names == ["stdio"]:
        return {**whole, "by_layer": dict.fromkeys(names, whole)}
    return {**whole, "by_layer": {name: size_buckets(log, chosen, [name]) for name in names}}


def size_buckets(log: JobLog, chosen: list[int], layers: list[str]) -> dict[str, Any]:
    counted = log.native.histogram(chosen, FILE_KINDS, layers, whose(log))
    if not any(map(any, counted)):
        # Where datasets alone have the operations of their library: see with_datasets.
        counted = log.native.histogram(chosen, ["dataset"], layers)
    return {
        direction: [
            {"over": -1 if bucket == 0 else 1 << (bucket - 1), "to": 1 << bucket, "operations": count}
            for bucket, count in enumerate(counts)
            if count
        ]
        for direction, counts in zip(("read", "write"), counted, strict=True)
    }


def process_facts(log: JobLog, processes: list[dict[str, Any]], run_ns: int) -> list[dict[str, Any]]:
    calls = ("reads", "writes", "metadata_calls")
    columns = ["process", "bytes_read", "bytes_written", *calls, *_TIMES]
    library = library_times(log)
    done = {row["process"]: row for row in merge_topmost(log, "process", []).rows(None, columns)}
    mpi = dict.fromkeys(("mpi_ns", "mpi_calls", "mpi_bytes", "mpiio_ns"), 0) | not_in_source(log)
    nothing = dict.fromkeys(("bytes_read", "bytes_written", "calls", *_TIMES, "io_ns"), 0)
    not_known = dict.fromkeys(nothing)
    of_all = reduced(log)
    result = []
    for row in processes:
        number = row["process"]
        figures: dict[str, Any] = nothing
        if row["rank"] >= 0 and row["instance"] in of_all:
            figures = not_known
        elif (io := done.get(number)) is not None:
            figures = {name: io[name] for name in nothing if name in io}
            figures["calls"] = sum(io[name] for name in calls)
            figures["io_ns"] = sum(io[name] for name in _TIMES)
        result.append(
            {
                "process": hex_id(number),
                "parent": hex_id(row["parent"]) if row["parent"] else None,
                **{key: row[key] for key in _OF_PROCESS},
                "pid": row["pid"] or None,  # Darshan does not record it
                "run_ns": lifetime_ns(row, run_ns),
                "run_at_least": not end_seen(row),
                "captured": bool(row["captured"]),
                "reason": row["reason"],
                **figures,
                "instance": hex_id(row["instance"]) if row["instance"] else None,
                **mpi,
                **library.get(number, {}),
            }
        )
    return result


def mounts(log: JobLog, chosen: list[int]) -> list[dict[str, Any]]:
    """The mounts that files lie on, with what was done there; most time first."""
    described = {row["mount"]: row for row in log.native.frame("mounts").rows()}
    columns = ["mount", "directories", "bytes_read", "bytes_written", *_TIMES]
    result = []
    for row in merge_files(log, "mount", chosen).rows(None, [*columns, *COUNTED]):
        mount = described.get(row["mount"], {})
        place = {key: mount.get(key, "") for key in ("point", "type", "source", "options")}
        figures = {"files": count_files(row), **_without_times(row)}
        result.append(place | {key: figures[key] for key in figures if key not in ("mount", *COUNTED)})
    return sorted(result, key=lambda row: (-row["time_ns"], row["point"]))
