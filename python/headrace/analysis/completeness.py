"""Whether a log has all ranks of the programs that it tells of."""

from __future__ import annotations

from typing import Any

_NAMED = 8  # missing ranks; more are counted


def of_all_ranks(facts: dict[str, Any], processes: list[dict[str, Any]]) -> str | None:
    """The fact `complete`, or why it is not so although every writer of the log says that it is."""
    complete: str | None = facts.get("complete")
    if complete != "yes" or "darshan_job_id" in facts:  # which has records of the ranks that used files
        return complete
    reasons = [_missing(ranks, found) for ranks, found in _worlds(processes) if len(found) < ranks]
    return "no: " + "; ".join(reasons) if reasons else complete


def _worlds(processes: list[dict[str, Any]]) -> list[tuple[int, set[int]]]:
    """Of each run of a parallel program how many ranks it had, and which of them are in the log."""
    found: dict[int, tuple[int, set[int]]] = {}
    for row in processes:
        if row["rank"] < 0:
            continue
        ranks, numbers = found.setdefault(row["instance"], (0, set()))
        found[row["instance"]] = max(ranks, row["ranks"]), numbers | {row["rank"]}
    return list(found.values())


def _missing(ranks: int, found: set[int]) -> str:
    text = f"ranks {len(found)} of {ranks} in the log; missing: "
    absent = [rank for rank in range(min(ranks, len(found) + _NAMED)) if rank not in found][:_NAMED]
    more = ranks - len(found) - len(absent)
    return text + ", ".join(map(str, absent)) + (f" and {more} more" if more > 0 else "")
