"""The check of messages of `headrace trace verify`: whether what was sent was received."""

from __future__ import annotations

from typing import Any

from headrace.analysis.rank_lists import rank_list
from headrace.analysis.trace_check import Check
from headrace.logs import JobLog

Facts = dict[str, Any]

_WRONG = ("messages_not_received", "messages_not_sent", "channels_of_other_size")
_MORE = (
    "messages_before_sent",
    "messages_before_sent_unaligned",
    "of_no_rank",
    "messages_missed",
    "messages_elsewhere",
)


def finalized_ranks(log: JobLog | None) -> set[int]:
    """Ranks that came through MPI_Finalize, as the job log has it; also where the trace has no calls."""
    if log is None:
        return set()
    import pyarrow.compute as pc

    rows = log.table("profiles").filter(pc.field("function") == "MPI_Finalize").to_pylist()
    processes = {row["process"] for row in rows if row["calls"]}
    return {row["rank"] for row in log.processes.to_pylist() if row["process"] in processes} - {-1}


def messages_check(found: Facts, lost: int) -> Check:
    """`found`: of native.check(); `lost`: calls and events that are lost."""
    # Messages of a rank that was killed or aborted may be under way, and MPI_Finalize alone waits for them.
    wrong, excused = sum(found[key] for key in _WRONG), found["messages_of_unfinalized"]
    ranks = found["unfinalized"] if excused else []
    amounts: Facts = {key: found[key] for key in ("messages_matched", *_WRONG, *_MORE)}
    if not any(amounts.values()):
        return Check("messages", True, "there are none", amounts)
    amounts |= {"messages_of_unfinalized": excused, "unfinalized_ranks": rank_list(ranks) if ranks else None}
    says = "; ".join([_matched(found), *_others(found)])
    if wrong and lost:
        return Check("messages", None, says + "; events are lost, so this tells nothing", amounts)
    if wrong and found["messages_missed"]:
        return Check("messages", None, says + ", so this tells nothing", amounts)
    if excused:
        says += f"; {excused:,} of them {_unfinalized(found)}"
    return Check("messages", None if 0 < wrong == excused else not wrong, says, amounts)


def _matched(found: Facts) -> str:
    says = f"{found['messages_matched']:,} matched"
    if any(found[key] for key in _WRONG):
        says += f", {found['messages_not_received']:,} without a receive"
        says += f", {found['messages_not_sent']:,} without a send"
        says += f", {found['channels_of_other_size']:,} pairs of ranks and tag with other bytes"
    return says


def _others(found: Facts) -> list[str]:
    says = []
    if found["messages_before_sent"]:
        says.append(f"{found['messages_before_sent']:,} arrive before they are sent: clocks differ")
    if found["messages_before_sent_unaligned"] > found["messages_before_sent"]:
        says.append(f"{found['messages_before_sent_unaligned']:,} would, had clocks not been compared")
    if found["of_no_rank"]:
        says.append(f"{found['of_no_rank']:,} of processes without a rank")
    if found["messages_elsewhere"]:
        says.append(f"{found['messages_elsewhere']:,} more with ranks of another MPI_COMM_WORLD")
    if found["messages_missed"]:
        says.append(f"{found['messages_missed']:,} ends were not recorded")
    return says


def _unfinalized(found: Facts) -> str:
    """Whose messages need not have arrived."""
    if not found["knows_finalize"]:
        return "need not have arrived: no rank is known to have come through MPI_Finalize"
    if not found["unfinalized"]:
        return "are with ranks that are not in the trace"
    ranks = found["unfinalized"]
    which = f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {rank_list(ranks)}"
    return f"need not have arrived: {which} ended without MPI_Finalize (killed or aborted, say)"
