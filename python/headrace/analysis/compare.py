"""The facts that `headrace diff` prints: what changed between runs. Keys and units: docs/diff.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headrace.analysis import summary
from headrace.analysis.calls import finest_spans
from headrace.analysis.changed_files import Matched, changed_files
from headrace.analysis.changes import chance_apart, figure, keyed, side_name, signed
from headrace.analysis.unequal import unequal
from headrace.logs import JobLog

Facts = dict[str, Any]


@dataclass(frozen=True)
class Options:
    rows: int = 10  # of the table of files
    by: str = "path"  # "path" or "directory"
    sort: str = "time"  # change of "time", "bytes" or "calls"; or "path"
    bins: int = 60  # of the bandwidth over time


def compare(sides: Sequence[Sequence[JobLog]], options: Options | None = None) -> tuple[Facts, Matched]:
    """All facts about `sides`, each one run or its repetitions; the first is what others are compared with.

    With them come all files, of which the facts have only those that changed most. Raises LogError.
    """
    options = options or Options()
    shown = summary.Options(rows=0, by="process", bins=1)
    summaries = [[summary.summarize(log, shown) for log in runs] for runs in sides]
    totals = _totals(summaries)
    matched = Matched(sides, summaries, options.by)
    facts: Facts = {
        "format": 1,
        "sides": [_side(place, runs) for place, runs in enumerate(summaries)],
        "unequal": unequal(summaries, sides),
        "totals": totals,
        "functions": _functions(sides),
        "mounts": _mounts(summaries),
        "programs": _programs(summaries),
        "by": options.by,
        "sort": options.sort,
        "files": changed_files(matched, summaries, options.by, options.sort, options.rows),
        "sizes": _sizes(summaries),
        "bandwidth": _bandwidth(sides, summaries, options.bins),
        "chance_apart": _chance(summaries),
    }
    facts["same"] = _same(facts)
    return facts, matched


def _side(place: int, runs: list[Facts]) -> Facts:
    return {
        "name": side_name(place),
        "runs": [{key: run[key] for key in ("log", "job", "totals", "other", "damage")} for run in runs],
    }


def _totals(summaries: list[list[Facts]]) -> list[Facts]:
    """The figures of whole runs, those of most weight first."""

    def row(key: str, unit: str, get: Any) -> Facts:
        return figure(key, unit, [[signed(get(run)) for run in runs] for runs in summaries])

    rows = [
        row("run_ns", "ns", lambda run: run["job"]["run_ns"]),
        row("io_ns", "ns", lambda run: run["totals"]["io_ns"]),
    ]
    for part in ("read", "write", "metadata"):
        for key, unit in (("time_ns", "ns"), ("bytes", "bytes"), ("calls", "count"), ("errors", "count")):
            if part == "metadata" and key == "bytes":
                continue
            # What a run does not record cannot be compared with what another one does.
            if all(run["totals"][part][key] is not None for runs in summaries for run in runs):
                rows.append(row(f"{part}.{key}", unit, lambda run, p=part, k=key: run["totals"][p][k]))
    rows += [
        row("other_ns", "ns", lambda run: _other_ns(run, False)),
        row("mpi_files_ns", "ns", lambda run: _other_ns(run, True)),
        row("files", "count", lambda run: run["totals"]["files"]),
        row("directories", "count", lambda run: run["totals"]["directories"]),
        row("processes", "count", lambda run: run["job"]["process_ids"]),
        row("process_ns", "ns", lambda run: run["totals"]["process_ns"]),
    ]
    images = [process for runs in summaries for run in runs for process in run["processes"]]
    if all(process["io_ns"] is not None for process in images):
        rows.append(
            row(
                "slowest_process_io_ns",
                "ns",
                lambda run: max((process["io_ns"] for process in run["processes"]), default=0),
            )
        )
    if all(run["parallel"] for runs in summaries for run in runs):
        # What stays comparable when the number of ranks is another one.
        rows += [
            row("ranks", "count", lambda run: run["parallel"]["ranks"]),
            row("rank_io_ns", "ns", lambda run: _rank_io(run["parallel"])),
        ]
        if all(run["parallel"]["mpi_ns"] for runs in summaries for run in runs):
            rows.append(row("rank_mpi_ns", "ns", lambda run: run["parallel"]["mpi_ns"]["mean"]))
        if all(run["parallel"]["io_ns"] for runs in summaries for run in runs):
            rows.append(row("slowest_rank_io_ns", "ns", lambda run: run["parallel"]["io_ns"]["most"]))
    return rows


def _other_ns(run: Facts, own: bool) -> int:
    """Time in the MPI library's own files, or in all else that does not count as the program's files."""
    return sum(signed(other["time_ns"]) for other in run["other"] if (other["kind"] == "mpi_files") == own)


def _rank_io(parallel: Facts) -> float:
    """Mean over ranks; records that stand for all of them included."""
    mean: float = parallel["performance"]["io_ns"] / parallel["ranks"]
    return mean


def _functions(sides: Sequence[Sequence[JobLog]]) -> list[Facts]:
    rows = [[log.native.functions().rows() for log in runs] for runs in sides]
    joined = keyed(rows, lambda row: row["function"], ("time_ns", "bytes", "calls", "errors"))
    return [{"function": row.pop("key"), **row} for row in joined]


def _mounts(summaries: list[list[Facts]]) -> list[Facts]:
    rows = [[run["mounts"] for run in runs] for runs in summaries]
    figures = ("time_ns", "bytes_read", "bytes_written", "files")
    result = []
    for row in keyed(rows, lambda row: (row["point"], row["type"]), figures):
        point, kind = row.pop("key")
        result.append({"point": point, "type": kind, **row})
    return result


def _programs(summaries: list[list[Facts]]) -> list[Facts]:
    """Process images by the program they ran; a program below the working directory is named from there."""

    def rows(run: Facts) -> list[Facts]:
        base = str(run["job"]["working_directory"] or "")
        below = base + "/" if len(base) > 1 else None
        result = []
        for process in run["processes"]:
            if process["io_ns"] is None:
                continue  # of no process alone
            path = process["executable"]
            name = "./" + path[len(below) :] if below and path.startswith(below) else path
            result.append({**process, "name": name, "images": 1})
        return result

    figures = ("io_ns", "run_ns", "bytes_read", "bytes_written", "images")
    joined = keyed([[rows(run) for run in runs] for runs in summaries], lambda row: row["name"], figures)
    return [{"executable": row.pop("key"), **row} for row in joined]


def _sizes(summaries: list[list[Facts]]) -> Facts:
    """Operations by size, a row a bucket that any side has; means over the runs of a side."""
    result: Facts = {}
    for direction in ("read", "write"):
        rows = [[run["sizes"][direction] for run in runs] for runs in summaries]
        buckets = keyed(rows, lambda row: (row["over"], row["to"]), ("operations",))
        result[direction] = [
            {
                "over": row["key"][0],
                "to": row["key"][1],
                "operations": [side["operations"] if side else 0 for side in row["sides"]],
            }
            for row in sorted(buckets, key=lambda row: row["key"][1])
        ]
    return result


def _bandwidth(sides: Sequence[Sequence[JobLog]], summaries: list[list[Facts]], bins: int) -> Facts:
    """Bytes over time on one scale for all: that of the longest run."""
    longest = max(max(0, run["job"]["run_ns"]) for runs in summaries for run in runs)
    bins = finest_spans((log for runs in sides for log in runs), longest, bins)
    lines = []
    for runs in sides:
        sums = [[0.0] * bins, [0.0] * bins]
        for log in runs:
            for direction, values in enumerate(log.native.rate(bins, 0, longest)[:2]):
                for place, value in enumerate(values):
                    sums[direction][place] += value / len(runs)
        read, written = ([round(value) for value in values] for values in sums)
        lines.append({"bytes_read": read, "bytes_written": written})
    return {"begin_at_ns": 0, "span_ns": longest / bins, "sides": lines}


def _chance(summaries: list[list[Facts]]) -> list[float | None]:
    first = len(summaries[0])
    later = [
        chance_apart(first, len(runs)) if first > 1 and len(runs) > 1 else None for runs in summaries[1:]
    ]
    return [None, *later]


def _same(facts: Facts) -> bool:
    """Whether nothing that is compared differs."""
    changed = [change["amount"] for row in facts["totals"] for change in row["changes"][1:]]
    for table in ("functions", "mounts", "programs"):
        for row in facts[table]:
            changed += [
                value for change in row["changes"][1:] for key, value in change.items() if key != "share"
            ]
    files = facts["files"]
    alone = [match["only_in_base"] + match["only_in_side"] for match in files["matched"][1:]]
    sizes = [row["operations"] for rows in facts["sizes"].values() for row in rows]
    uneven = any(len(set(operations)) > 1 for operations in sizes)
    return not any(changed) and not any(alone) and not files["rows_in_all"] and not uneven
