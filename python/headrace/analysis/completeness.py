"""Whether a log has all ranks of the programs that it tells of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_NAMED = 8  # missing ranks; more are counted
_UNFINISHED = "has not finished"  # what a launcher says of itself until it has


def of_all_ranks(facts: dict[str, Any], processes: list[dict[str, Any]]) -> str | None:
    """The fact `complete`, or why it is not so although every writer of the log says that it is.

    Names the ranks that are missing, and says what to do about it.
    """
    complete: str | None = facts.get("complete")
    if not complete or "darshan_job_id" in facts:  # which has records of the ranks that used files
        return complete
    missing = [
        f"ranks {len(found)} of {ranks} in the log; missing: {_names(ranks, found)}"
        for _, ranks, found in _incomplete(processes)
    ]
    if complete != "yes":
        missing.insert(0, complete.removeprefix("no: "))
    elif not missing:
        return complete
    if any(_UNFINISHED in reason for reason in missing):
        missing.append("if it was killed, run `headrace collect` on its node")
    elif complete == "yes":
        missing.append("they ran without `headrace run`, or ended before MPI_Init")
    return "no: " + "; ".join(missing)


def missing_ranks(facts: dict[str, Any], processes: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Of each run of a program that lacks ranks: how many, and which."""
    if "darshan_job_id" in facts:
        return
    for executable, ranks, found in _incomplete(processes):
        name = executable.rpartition("/")[2] or executable
        yield ranks - len(found), f"of {name}, which had {ranks}: {_names(ranks, found)}"


def _incomplete(processes: list[dict[str, Any]]) -> list[tuple[str, int, set[int]]]:
    """Runs of parallel programs with ranks that are not in the log: program, ranks, those in the log."""
    found: dict[int, tuple[str, int, set[int]]] = {}
    for row in processes:
        if row["rank"] < 0:
            continue
        name, ranks, numbers = found.get(row["instance"], (row["executable"], 0, set()))
        found[row["instance"]] = name, max(ranks, row["ranks"]), numbers | {row["rank"]}
    return [run for run in found.values() if len(run[2]) < run[1]]


def _names(ranks: int, found: set[int]) -> str:
    absent = [rank for rank in range(min(ranks, len(found) + _NAMED)) if rank not in found][:_NAMED]
    more = ranks - len(found) - len(absent)
    return ", ".join(map(str, absent)) + (f" and {more} more" if more > 0 else "")
