"""The plainest form of what ranks do when a parallel program ends: their records of a file become one row."""

from __future__ import annotations

import statistics
from typing import Any

from headrace import _native
from made_logs import LogMaker, name_id

Row = dict[str, Any]

RULES = {counter["name"]: (counter["merge"], counter.get("with", "")) for counter in _native.counters()}
METADATA = (
    *(
        "opens",
        "closes",
        "duplicates",
        "seeks",
        "stats",
        "syncs",
        "truncates",
        "allocates",
        "advises",
        "maps",
    ),
    *(
        "locks",
        "renames",
        "unlinks",
        "links",
        "makes",
        "directory_reads",
        "attributes",
        "controls",
        "flushes",
    ),
)
SUMS = ("reads", "writes", "bytes_read", "bytes_written", "read_ns", "write_ns", "meta_ns")


def merged(rows: list[Row]) -> Row:
    """Counters of several records, by the rules of counters.def."""
    result: Row = {}
    for name, (rule, decider) in RULES.items():
        values = [row.get(name, 0) for row in rows]
        if rule == "sum":
            result[name] = sum(values)
        elif rule in ("max", "last"):
            result[name] = max(values)
        elif rule == "first":
            result[name] = min((value for value in values if value), default=0)
        elif rule == "bits":
            result[name] = 0
            for value in values:
                result[name] |= value
        else:
            best = max(row.get(decider, 0) for row in rows)
            result[name] = max(row.get(name, 0) for row in rows if row.get(decider, 0) == best)
    return result


def who(ranks: list[int]) -> str:
    parts: list[list[int]] = []
    for rank in ranks:
        if parts and rank == parts[-1][1] + 1:
            parts[-1][1] = rank
        else:
            parts.append([rank, rank])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def io_bytes(row: Row) -> int:
    return int(row.get("bytes_read", 0) + row.get("bytes_written", 0))


def io_ns(row: Row) -> int:
    return int(sum(row.get(key, 0) for key in ("read_ns", "write_ns", "meta_ns")))


def reduced(log: LogMaker, sharing: dict[int, tuple[int, int, int]], bound: int | None = None) -> LogMaker:
    """The same job. `sharing`: (instance, rank, ranks) of each process image that takes part.

    Records that two ranks or more have become one; each rank keeps its part in at most `bound` of them.
    """
    result = LogMaker(**log.job)
    result.names = dict(log.names)
    result.rows = {table: list(rows) for table, rows in log.rows.items() if table not in ("files", "sizes")}
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in log.rows.get("files", []):
        instance = sharing[row["process"]][0] if row["process"] in sharing else ("own", row["process"])
        key = (instance, row["path"], row["kind"], row.get("layer", "posix"))
        groups.setdefault(key, []).append(row)
    became: dict[int, int] = {}
    parts: dict[int, list[tuple[int, Row]]] = {}
    for (instance, path, kind, layer), rows in groups.items():
        if len(rows) < 2:
            result.rows.setdefault("files", []).extend(rows)
            continue
        stand_in = name_id(f"stand-in {instance}")
        record = name_id(f"{instance} {path} {kind} {layer}")
        identity = {key: rows[0][key] for key in ("path", "final_path", "kind", "layer", "mount")}
        result.add("files", process=stand_in, record=record, **identity, **merged(rows))
        result.add("shared", record=record, **differences(rows, sharing))
        for row in rows:
            became[row["record"]] = record
            parts.setdefault(row["process"], []).append((record, row))
    for instance, ranks in {(instance, ranks) for instance, _, ranks in sharing.values()}:
        result.process(
            name_id(f"stand-in {instance}"),
            rank=-1,
            ranks=ranks,
            instance=instance,
            captured=0,
            reason="no process",
        )
    for process, rows in parts.items():
        add_shares(result, process, rows, bound)
    sizes: dict[tuple[Any, ...], int] = {}
    for row in log.rows.get("sizes", []):
        key = (became.get(row["record"], row["record"]), row["direction"], row["bucket"])
        sizes[key] = sizes.get(key, 0) + row["count"]
    for (record, direction, bucket), count in sizes.items():
        result.add("sizes", record=record, direction=direction, bucket=bucket, count=count)
    return result


def differences(rows: list[Row], sharing: dict[int, tuple[int, int, int]]) -> Row:
    """A row of the table `shared`."""
    rows = sorted(rows, key=lambda row: sharing[row["process"]][1])
    rank = {id(row): sharing[row["process"]][1] for row in rows}
    moved, times = [io_bytes(row) for row in rows], [io_ns(row) for row in rows]
    opened = sorted(
        (row["first_open_at_ns"], row.get("size_at_open", 0), row.get("flags", 0))
        for row in rows
        if row.get("first_open_at_ns")
    )
    return {
        "ranks": len(rows),
        "who": who([rank[id(row)] for row in rows]),
        "bytes_least": min(moved),
        "bytes_most": max(moved),
        "bytes_mean": float(statistics.fmean(moved)),
        "bytes_variance": float(statistics.pvariance(moved)),
        "time_least_ns": min(times),
        "time_most_ns": max(times),
        "time_mean_ns": float(statistics.fmean(times)),
        "time_variance_ns2": float(statistics.pvariance(times)),
        "fastest_rank": rank[id(min(rows, key=io_ns))],
        "slowest_rank": rank[id(max(rows, key=io_ns))],
        "opened_size": opened[0][1] if opened else 0,
        "opened_flags": opened[0][2] if opened else 0,
    }


def add_shares(log: LogMaker, process: int, rows: list[tuple[int, Row]], bound: int | None) -> None:
    """Those of most time by themselves, the others as one of each layer and kind."""
    ordered = sorted(rows, key=lambda each: -io_ns(each[1]))
    kept = ordered if bound is None else ordered[:bound]
    for record, row in kept:
        log.add("shares", process=process, record=record, **share([row]))
    rest: dict[tuple[str, str], list[Row]] = {}
    for _, row in ordered[len(kept) :]:
        rest.setdefault((row["layer"], row["kind"]), []).append(row)
    for several in rest.values():
        log.add("shares", process=process, record=0, **share(several))


def share(rows: list[Row]) -> Row:
    return {
        "layer": rows[0]["layer"],
        "kind": rows[0]["kind"],
        "files": len(rows),
        "calls": sum(row.get(name, 0) for row in rows for name in METADATA),
        **{name: sum(row.get(name, 0) for row in rows) for name in SUMS},
    }
