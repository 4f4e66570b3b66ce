"""What a report shows of ranks besides `parallel`: each over time, shared files, what is known of files."""

from __future__ import annotations

from typing import Any

from headrace import _native
from headrace.analysis.changes import signed
from headrace.analysis.end_clusters import stood_for
from headrace.analysis.parallel import file_ranks
from headrace.analysis.ranks import ranges
from headrace.logs import JobLog

Facts = dict[str, Any]

MOST_LINES = 1_000  # of the picture; more ranks share lines
MOST_SPANS = 200
MOST_SHARED = 100
MOST_PROPERTIES = 20_000
_MEASURES = ("read", "written", "calls")


def heat(
    log: JobLog, processes: list[Facts], run_ns: int, spans: int
) -> tuple[Facts, dict[str, bytes]] | None:
    """What each rank did in each span: facts, and columns of `lines` times `spans` 16-bit steps.

    Lines are in the order of `rank_rows`. Where there are more ranks than lines, a line is the mean of
    `ranks_per_line` neighbours (of what is left, the last one).
    """
    others = stood_for(log)  # of which the log has no lines
    processes = [row for row in processes if row["rank"] >= 0 and row["process"] not in others]
    keys = sorted({(row["instance"], row["rank"]) for row in processes})
    if not keys or run_ns <= 0 or spans < 1:
        return None
    per_line = -(-len(keys) // MOST_LINES)
    place = {key: number // per_line for number, key in enumerate(keys)}
    lines = -(-len(keys) // per_line)
    owners = processes
    values = log.native.rate_lines(
        [row["process"] for row in owners],
        [place[row["instance"], row["rank"]] for row in owners],
        lines,
        spans,
        min(run_ns, (1 << 64) - 1),
    )
    if not any(step for _, step in values):
        return None
    facts = {
        "lines": lines,
        "spans": spans,
        "span_ns": run_ns / spans,
        "ranks_per_line": per_line,
        "ranks_in_last_line": len(keys) - (lines - 1) * per_line,
        "first_ranks": [rank for _, rank in keys[::per_line]],
        "last_ranks": [keys[min(at + per_line, len(keys)) - 1][1] for at in range(0, len(keys), per_line)],
        "steps": {name: step for name, (_, step) in zip(_MEASURES, values, strict=True)},
    }
    return facts, {name: data for name, (data, _) in zip(_MEASURES, values, strict=True)}


def shared_files(log: JobLog, by_path: _native.Frame, processes: list[Facts]) -> list[Facts]:
    """The files with most time that more than one rank used: how evenly, and which ranks read and wrote."""
    evenness = log.native.rank_statistics(by_path).rows(None, ["ranks", "reduced"])
    ordered = by_path.top("time", len(by_path))
    kinds = by_path.rows(None, ["path", "kind"])
    directories = {row["path"] for row in kinds if row["kind"] == "directory"}
    shared = [number for number in ordered if evenness[number]["ranks"] > 1]
    numbers = [number for number in shared if kinds[number]["path"] not in directories][:MOST_SHARED]
    ranks = {row["process"]: row["rank"] for row in processes if row["rank"] >= 0}
    rows = by_path.rows(numbers, ["path", "read_ns", "write_ns", "meta_ns"])
    result = []
    for number, row, facts in zip(numbers, rows, file_ranks(log, by_path, numbers), strict=True):
        sums = log.native.process_sums(by_path, [number], every=True).rows()
        used = [each for each in sums if each["process"] in ranks]
        others = bool(evenness[number]["reduced"])
        result.append(
            {
                "path": row["path"],
                "io_ns": sum(signed(row[key]) for key in ("read_ns", "write_ns", "meta_ns")),
                **(facts or {}),
                "readers": ranges(
                    (ranks[each["process"]] for each in used if each["bytes_read"]), others=others
                ),
                "writers": ranges(
                    (ranks[each["process"]] for each in used if each["bytes_written"]), others=others
                ),
            }
        )
    return result


def known_properties(known: dict[str, list[Facts]], paths: list[str]) -> tuple[list[Facts], int]:
    """Properties by row of the report's table of files, and how many are left out."""
    facts = [{"file": row, **fact} for row, path in enumerate(paths) for fact in known.get(path, [])]
    return facts[:MOST_PROPERTIES], max(0, len(facts) - MOST_PROPERTIES)
