"""What a report shows of ranks besides `parallel`: each rank over time, shared files, object servers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace import _native
from headrace.analysis.changes import signed
from headrace.analysis.parallel import file_ranks
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
    keys = sorted({(row["instance"], row["rank"]) for row in processes if row["rank"] >= 0})
    if not keys or run_ns <= 0 or spans < 1:
        return None
    per_line = -(-len(keys) // MOST_LINES)
    place = {key: number // per_line for number, key in enumerate(keys)}
    lines = -(-len(keys) // per_line)
    owners = [row for row in processes if row["rank"] >= 0]
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


def servers(log: JobLog, by_path: _native.Frame, known: dict[str, list[Facts]]) -> list[Facts]:
    """Object servers by the files that lie on them: a file on several counts at each, so sums overlap.

    `slowest` are the ranks that took longest in one of these files. Most time first.
    """
    targets: dict[str, list[str]] = {}
    for path, facts in known.items():
        for fact in facts:
            if fact["key"] == "lustre.osts":
                targets[path] = sorted({part.strip() for part in fact["value"].split(",")} - {""})
                break
    if not targets:
        return []
    columns = ["path", "bytes_read", "bytes_written", "read_ns", "write_ns", "meta_ns"]
    paths = [row["path"] for row in by_path.rows(None, ["path"])]
    numbers = [number for number, path in enumerate(paths) if path in targets]
    found: dict[str, Facts] = {}
    for row, ranks in zip(by_path.rows(numbers, columns), file_ranks(log, by_path, numbers), strict=True):
        for target in targets[row["path"]]:
            entry = found.setdefault(
                target, {"server": target, "files": 0, "bytes": 0, "io_ns": 0, "ranks": {}}
            )
            entry["files"] += 1
            entry["bytes"] += row["bytes_read"] + row["bytes_written"]
            entry["io_ns"] += sum(signed(row[key]) for key in ("read_ns", "write_ns", "meta_ns"))
            if ranks and ranks["slowest"] and ranks["time_ns"]["most"] is not None:
                slow, time = ranks["slowest"], ranks["time_ns"]["most"]
                key = (slow["rank"], slow["host"])
                entry["ranks"][key] = max(entry["ranks"].get(key, 0), time)
    for entry in found.values():
        ordered = sorted(entry.pop("ranks").items(), key=lambda item: (-item[1], item[0]))[:3]
        entry["slowest"] = [{"rank": rank, "host": host, "time_ns": time} for (rank, host), time in ordered]
    return sorted(found.values(), key=lambda entry: (-entry["io_ns"], entry["server"]))


def known_properties(known: dict[str, list[Facts]], paths: list[str]) -> tuple[list[Facts], int]:
    """Properties by row of the report's table of files, and how many are left out."""
    facts = [{"file": row, **fact} for row, path in enumerate(paths) for fact in known.get(path, [])]
    return facts[:MOST_PROPERTIES], max(0, len(facts) - MOST_PROPERTIES)
