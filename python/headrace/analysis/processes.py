"""The process tree of a job."""

from __future__ import annotations

from typing import Any

from headrace.logs import JobLog, refuse_traces

_COLUMNS = [
    *("process", "parent", "pid", "rank", "ranks", "instance", "host", "executable", "arguments"),
    *("start_at_ns", "end_at_ns", "ended", "exit_status", "captured", "reason"),
    *("uncertain_operations", "unattributed_operations", "unattributed_bytes"),
    *("spawned_ranks", "spawned"),
]


def process_rows(log: JobLog) -> list[dict[str, Any]]:
    """All process images, parents before children, siblings by start; `depth` is the distance to the root.

    A parent that is not in the log, or a circle of parents in a damaged one, makes a root. What stands for
    ranks is no process. Raises LogForeignError for a trace, which has no processes.
    """
    refuse_traces(log)
    rows = log.native.frame("processes").rows(None, _COLUMNS)
    standing = _standing(rows)
    log.once("stand_ins", lambda: standing)
    if standing:
        rows = [row for row in rows if row["process"] not in standing]
    rows.sort(key=lambda row: (row["start_at_ns"], row["pid"]))
    known = {row["process"] for row in rows}
    if known.isdisjoint(row["parent"] for row in rows):  # as of a Darshan log, which may have very many
        for row in rows:
            row["depth"] = 0
        return rows
    children: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        is_root = row["parent"] not in known or row["parent"] == row["process"]
        children.setdefault(0 if is_root else row["parent"], []).append(row)
    ordered: list[dict[str, Any]] = []
    seen: set[int] = set()
    for root in [*children.get(0, []), *rows]:  # the second part only matters for circles
        waiting = [(root, 0)]
        while waiting:
            row, depth = waiting.pop()
            if row["process"] in seen:
                continue
            seen.add(row["process"])
            ordered.append(row | {"depth": depth})
            waiting += [(child, depth + 1) for child in reversed(children.get(row["process"], []))]
    return ordered


def stand_ins(log: JobLog) -> dict[int, int]:
    """Ids of what stands for ranks of a program in the table `files`, and the instance of that program."""

    def find() -> dict[int, int]:
        return _standing(log.native.frame("processes").rows(None, ["process", "rank", "ranks", "instance"]))

    return log.once("stand_ins", find)


def _standing(rows: list[dict[str, Any]]) -> dict[int, int]:
    """Ids of rows for ranks that share one record of a file, and the instance of their program."""
    return {row["process"]: row["instance"] for row in rows if row["rank"] < 0 < row["ranks"]}


def exec_links(rows: list[dict[str, Any]]) -> dict[Any, Any]:
    """For each image that an exec put in the place of another one: the id of that other one.

    An exec keeps the pid, and the image before it ended so. Rows of `process_rows`, or those of the summary.
    """
    by_id = {row["process"]: row for row in rows if row["ended"] == "exec"}
    links = {}
    for row in rows if by_id else ():
        before = by_id.get(row["parent"])
        if before is None or before is row:
            continue
        if (before["pid"], before["host"]) == (row["pid"], row["host"]):
            links[row["process"]] = before["process"]
    return links


def find_processes(rows: list[dict[str, Any]], wanted: str) -> list[int]:
    """Ids of the images with this pid (an exec keeps it), or the one with this 16-digit hexadecimal id."""
    if len(wanted) == 16:
        try:
            number = int(wanted, 16)
        except ValueError:
            return []
        return [row["process"] for row in rows if row["process"] == number]
    return [row["process"] for row in rows if str(row["pid"]) == wanted]


def lifetime_ns(row: dict[str, Any], run_ns: int) -> int:
    """How long an image lived; one whose end is not known lived until the job's end."""
    end: int = row["end_at_ns"] or run_ns
    return max(0, end - int(row["start_at_ns"]))


def end_seen(row: dict[str, Any]) -> bool:
    """False: a signal ended it and nobody saw when: `lifetime_ns` is then a lower bound."""
    return not (row["ended"] == "killed" and row["exit_status"] < 0)


def run_is_seen(facts: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
    """Whether how long the job ran is known: its launcher tells, or the process that ended last."""
    if facts.get("exit_status") is not None or not rows:
        return True
    last = max(rows, key=lambda row: max(row["start_at_ns"], row["end_at_ns"]))
    return all(map(end_seen, rows)) or (end_seen(last) and last["ended"] not in ("exec", "unknown"))
