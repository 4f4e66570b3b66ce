"""Object servers against ranks: which servers the slow ranks' files lie on, and whether that explains them.

A file on several servers counts at each of them by an equal part of its bytes and time, so that sums are
those of the job. Only files whose servers are known count.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

from headrace import _native
from headrace.analysis.changes import signed
from headrace.analysis.parallel import file_ranks
from headrace.analysis.properties import properties
from headrace.analysis.ranks import ranges
from headrace.logs import JobLog
from headrace.text import significant

Facts = dict[str, Any]
Key = tuple[int, int]  # instance and rank

SLOW = 1.5  # times the median time of a rank
MORE = 2.0  # times the share of the others' time, for a server to stand out
LEAST = 0.1  # of the slow ranks' time, by which that share must be above the others'
MOST_LAYOUTS = 512  # different sets of servers; each takes a look at all records
MANY = 3  # slow ranks that a server has and no others: fewer may be chance
_GROUPS = ("slow_ns", "slow_bytes", "other_ns", "other_bytes")


def job_servers(
    log: JobLog, by_path: _native.Frame, processes: list[Facts]
) -> tuple[list[Facts], Facts | None]:
    """`servers` of all files, without a look at them when the log knows nothing of any."""
    if not log.native.columns("properties") or not len(log.native.frame("properties")):
        return [], None
    return servers(log, by_path, properties(log, None, []), processes)


def targets_of(known: dict[str, list[Facts]]) -> dict[str, tuple[str, ...]]:
    """By path: the servers that a file lies on, of those where they are known."""
    found = {}
    for path, facts in known.items():
        for fact in facts:
            if fact["key"] == "lustre.osts":
                parts = {part.strip() for part in fact["value"].split(",")} - {""}
                found[path] = tuple(sorted(parts, key=_number))
                break
    return {path: targets for path, targets in found.items() if targets}


def _number(text: str) -> tuple[int, str]:
    return (int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 1 << 62, text)


def servers(
    log: JobLog, by_path: _native.Frame, known: dict[str, list[Facts]], processes: list[Facts]
) -> tuple[list[Facts], Facts | None]:
    """A row a server, most time first, and how slow ranks compare with others; nothing where none is known.

    `slowest` of a row are the ranks that took longest in one of its files.
    """
    targets = targets_of(known)
    if not targets:
        return [], None
    columns = ["path", "kind", "bytes_read", "bytes_written", "read_ns", "write_ns", "meta_ns"]
    rows = by_path.rows(None, columns)
    numbers = [n for n, row in enumerate(rows) if row["path"] in targets and row["kind"] == "file"]
    found: dict[str, Facts] = {}
    for number, ranks in zip(numbers, file_ranks(log, by_path, numbers), strict=True):
        row = rows[number]
        _add_file(found, row, targets[row["path"]], ranks)
    for entry in found.values():
        slowest = sorted(entry.pop("ranks").items(), key=lambda item: (-item[1], item[0]))[:3]
        entry["slowest"] = [{"rank": rank, "host": host, "time_ns": time} for (rank, host), time in slowest]
    against = _against(log, by_path, processes, found, _layouts(rows, numbers, targets))
    return sorted(found.values(), key=lambda entry: (-entry["io_ns"], _number(entry["server"]))), against


def _add_file(found: dict[str, Facts], row: Facts, targets: tuple[str, ...], ranks: Facts | None) -> None:
    for target in targets:
        entry = found.setdefault(
            target,
            {
                "server": target,
                "files": 0,
                "bytes": 0.0,
                "io_ns": 0.0,
                "ranks": {},
                **dict.fromkeys(_GROUPS, 0.0),
            },
        )
        entry["files"] += 1
        entry["bytes"] += (row["bytes_read"] + row["bytes_written"]) / len(targets)
        entry["io_ns"] += _time(row) / len(targets)
        if ranks and ranks["slowest"] and ranks["time_ns"]["most"] is not None:
            slow, time = ranks["slowest"], ranks["time_ns"]["most"]
            key = (slow["rank"], slow["host"])
            entry["ranks"][key] = max(entry["ranks"].get(key, 0), time)


def _time(row: Facts) -> int:
    return sum(signed(row[key]) for key in ("read_ns", "write_ns", "meta_ns"))


def _layouts(
    rows: list[Facts], numbers: list[int], targets: dict[str, tuple[str, ...]]
) -> dict[tuple[str, ...], list[int]]:
    """Files by the servers they lie on: the sets with most time, if there are very many."""
    sets: dict[tuple[str, ...], list[int]] = {}
    for number in numbers:
        sets.setdefault(targets[rows[number]["path"]], []).append(number)
    if len(sets) > MOST_LAYOUTS:
        ordered = sorted(sets.items(), key=lambda item: -sum(_time(rows[number]) for number in item[1]))
        sets = dict(ordered[:MOST_LAYOUTS])
    return sets


def _against(
    log: JobLog,
    by_path: _native.Frame,
    processes: list[Facts],
    found: dict[str, Facts],
    layouts: dict[tuple[str, ...], list[int]],
) -> Facts | None:
    """Adds what slow ranks and others did at each server. None of a job whose ranks are not known."""
    owner: dict[int, Key] = {
        row["process"]: (row["instance"], row["rank"]) for row in processes if row["rank"] >= 0
    }
    if not owner:
        return None
    done: dict[tuple[str, ...], dict[Key, list[int]]] = {}
    total: dict[Key, int] = {}
    untold = 0
    for targets, numbers in layouts.items():
        for row in log.native.process_sums(by_path, numbers, every=True).rows():
            time = signed(row["time_ns"])
            key = owner.get(row["process"])
            if key is None:
                untold += time
                continue
            figures = done.setdefault(targets, {}).setdefault(key, [0, 0])
            figures[0] += time
            figures[1] += row["bytes_read"] + row["bytes_written"]
            total[key] = total.get(key, 0) + time
    # What has one record for all ranks is of nobody, so that what is left says nothing of who was slow.
    used = {key: time for key, time in total.items() if time > 0} if not untold else {}
    median = statistics.median(used.values()) if used else 0
    slow = {key for key, time in used.items() if time >= SLOW * median} if len(used) > 1 else set()
    at: dict[str, dict[str, set[Key]]] = {name: {"slow": set(), "other": set()} for name in found}
    for targets, each in done.items() if not untold else ():
        for key, (time, moved) in each.items():
            group = "slow" if key in slow else "other"
            for target in targets:
                if moved or time:
                    at[target][group].add(key)
                found[target][f"{group}_ns"] += time / len(targets)
                found[target][f"{group}_bytes"] += moved / len(targets)
    sums = {name: sum(entry[name] for entry in found.values()) for name in _GROUPS}
    for name, entry in found.items():
        for group in ("slow", "other"):
            entry[f"{group}_ranks"] = len(at[name][group])
            entry[f"{group}_share"] = _share(entry[f"{group}_ns"], sums[f"{group}_ns"])
    facts: Facts = {
        "ranks": len(used),
        "slow_ranks": ranges(rank for _, rank in slow),
        "slow": len(slow),
        "median_ns": median,
        "most_ns": max(used.values(), default=0),
        "untold_ns": untold,
        "standing_out": [],
        **sums,
    }
    facts["standing_out"] = [entry["server"] for entry in _standing_out(found.values())]
    facts["sentence"] = _sentence(facts, found)
    return facts


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _standing_out(rows: Iterable[Facts]) -> list[Facts]:
    """Servers that have much more of the slow ranks' time than of the others', the most first."""

    def excess(row: Facts) -> float:
        slow, other = row["slow_share"], row["other_share"]
        return slow - other if slow is not None and other is not None else 0.0

    rows = [row for row in rows if excess(row) >= LEAST and row["slow_share"] >= MORE * row["other_share"]]
    return sorted(rows, key=lambda row: -excess(row))[:3]


def _sentence(facts: Facts, found: dict[str, Facts]) -> str:
    """What the figure says, or that it says nothing."""
    if facts["untold_ns"] or not facts["ranks"]:
        return "How long each rank took in these files is not known: files have one record for all ranks."
    if facts["ranks"] == 1:
        return "One rank alone used these files, so there is nothing to compare it with."
    if not facts["slow"]:
        ratio = facts["most_ns"] / facts["median_ns"]
        times = significant(ratio)
        return f"No rank is slow in these files: the slowest took {times} times as long as the median."
    slow = "rank" if facts["slow"] == 1 else "ranks"
    who = (
        f"{facts['slow']:,} of {facts['ranks']:,} ranks took at least {SLOW} times as long as the median in"
        " these files."
    )
    if not facts["standing_out"]:
        return f"{who} Nothing stands out: {_nothing(found)}"
    told = [_standing(found[name], facts, slow) for name in facts["standing_out"]]
    return " ".join([who, *told])


def _nothing(found: dict[str, Facts]) -> str:
    differences = {name: abs(row["slow_share"] - row["other_share"]) for name, row in found.items()}
    name = max(differences, key=lambda each: differences[each])
    return (
        "they spent their time on the servers as the others did"
        f" (the largest difference is {_percent(differences[name])} of the time, on server {name})."
    )


def _standing(row: Facts, facts: Facts, slow: str) -> str:
    text = (
        f"{_percent(row['slow_share'])} of the time of the slow {slow} went to files on server"
        f" {row['server']}, and {_percent(row['other_share'])} of the others' time."
    )
    moved = facts["slow_bytes"] + facts["other_bytes"]
    if moved > 0:
        text += (
            f" That server took {_percent((row['slow_bytes'] + row['other_bytes']) / moved)} of the bytes."
        )
    if not row["other_ranks"] and row["slow_ranks"] >= MANY:
        return text + f" All {row['slow_ranks']:,} ranks with files there are slow: the server explains them."
    if not row["other_ranks"]:
        return text + " No other rank has files there, so the job cannot tell a slow server from slow ranks."
    if row["other_bytes"] <= 0:
        return text
    there = row["other_ns"] / row["other_bytes"]
    rest = facts["other_bytes"] - row["other_bytes"]
    if rest <= 0:
        return text
    elsewhere = (facts["other_ns"] - row["other_ns"]) / rest
    if there >= SLOW * elsewhere:
        return text + (
            f" The other ranks, too, needed {significant(there / elsewhere, 2)} times as long for a byte"
            " there as elsewhere."
        )
    return text + " The other ranks did not need longer for a byte there than elsewhere."


def _percent(share: float) -> str:
    return "less than 1 %" if 0 < share < 0.01 else f"{share * 100:.0f} %"
