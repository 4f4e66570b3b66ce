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
    remedies = ["they ran without `headrace run`, or ended before MPI_Init"] if missing else []
    if spawned := missing_spawned(processes):
        missing.append(f"{spawned} ranks that MPI_Comm_spawn started are not in the log")
        remedies = ["put `headrace run` before the MPI launcher"]
    if complete != "yes":
        missing.insert(0, complete.removeprefix("no: "))
        remedies = []
    if any(_UNFINISHED in reason for reason in missing):
        remedies = ["if it was killed, run `headrace collect` on its node"]
    if not missing:
        return complete
    missing += remedies
    return "no: " + "; ".join(missing)


def missing_ranks(facts: dict[str, Any], processes: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Of each run of a program that lacks ranks: how many, and which."""
    if "darshan_job_id" in facts:
        return
    for executable, ranks, found in _incomplete(processes):
        name = executable.rpartition("/")[2] or executable
        yield ranks - len(found), f"of {name}, which had {ranks}: {_names(ranks, found)}"
    if spawned := missing_spawned(processes):
        yield spawned, "started by MPI_Comm_spawn, behind the launcher that started the others"


def missing_spawned(processes: list[dict[str, Any]]) -> int:
    """How many ranks that MPI_Comm_spawn started are not in the log at all."""
    started: int = sum(row["spawned_ranks"] for row in processes)
    there: dict[int, int] = {}
    for row in processes:
        if row["spawned"]:  # those of it that lack are told by the others
            there[row["instance"]] = max(there.get(row["instance"], 0), row["ranks"])
    return max(0, started - sum(there.values()))


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
