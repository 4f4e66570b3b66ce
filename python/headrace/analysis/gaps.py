"""What a job log does not have, with its amount and why."""

from __future__ import annotations

from typing import Any

from headrace.analysis.completeness import missing_ranks
from headrace.analysis.losses import is_loss, remedy
from headrace.logs import JobLog

# Of logs of before, in which these are in no total, the first two.
_IN_NO_FILE = ("reads and writes", "other calls", "operations without a file")


def not_captured(log: JobLog, processes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows {what, amount, unit, reason, processes, loss, remedy}, losses first.

    `processes`: in how many of them it happened. `loss`: figures lack it; else they lack detail alone.
    `remedy`: what to do so that the next run has it, None where nothing is known.

    Each fact once: from the table `gaps`, from processes that were not captured or are incomplete, and from
    operations that a kill left uncertain or that belong to no file, and ranks that are not in the log.
    """
    told = {(process["process"], process["reason"]) for process in processes if process["reason"]}
    gaps = list(log.native.frame("gaps").rows())
    counted = {gap["process"] for gap in gaps if gap["what"] in _IN_NO_FILE}
    sums: dict[tuple[str, str, str], dict[str, Any]] = {}

    def add(what: str, amount: int, unit: str, reason: str) -> None:
        row = sums.setdefault(
            (what, unit, reason),
            {
                "what": what,
                "amount": 0,
                "unit": unit,
                "reason": reason,
                "processes": 0,
                "loss": is_loss(what),
                "remedy": remedy(what, reason),
            },
        )
        row["amount"] += amount
        row["processes"] += 1

    for process in processes:
        if not process["captured"]:
            add("processes not captured", 1, "count", process["reason"] or "reason not known")
        elif process["reason"]:
            add("processes captured in part", 1, "count", process["reason"])
        if process["uncertain_operations"]:
            reason = "the process was killed inside an update; sums may lack these operations"
            add("uncertain operations", process["uncertain_operations"], "count", reason)
        if process["unattributed_operations"] and process["process"] not in counted:
            reason = f"counted in the process and in no file; {process['unattributed_bytes']} bytes"
            add("operations without a file", process["unattributed_operations"], "count", reason)
    for ranks, which in missing_ranks(log.job, processes):
        add("ranks not in the log", ranks, "count", which)
    for gap in gaps:
        if (gap["process"], gap["reason"]) in told:
            continue  # what its row in `processes` says already
        add(gap["what"], gap["amount"], gap["unit"], gap["reason"])
    for (what, unit, reason), row in list(sums.items()):
        calls = what in _IN_NO_FILE and unit == "calls"
        moved = sums.pop((what, "bytes", reason), None) if calls else None
        if moved:  # by the same calls
            row["reason"] += f"; {moved['amount']} bytes"
    return sorted(
        sums.values(), key=lambda row: (not row["loss"], -row["processes"], row["what"], row["reason"])
    )
