"""Whether a trace has something of every process that the job log knows."""

from __future__ import annotations

from typing import Any

from headrace.analysis.processes import stand_ins
from headrace.analysis.rank_lists import rank_list
from headrace.analysis.traces import Trace, process_id
from headrace.logs import JobLog

_TOLD = 8  # missing processes without a rank

Facts = dict[str, Any]


def captured_processes(log: JobLog) -> list[Facts]:
    """Without what stands for ranks."""
    others = stand_ins(log)
    return [row for row in log.processes.to_pylist() if row["captured"] and row["process"] not in others]


def missing_streams(trace: Trace, log: JobLog) -> list[Facts]:
    """Captured processes of which the trace has nothing: process, rank (null: none), pid, host.

    One that was traced and did nothing has a row in the table `clocks`. In traces without that table
    nothing speaks for such a process, so those that did something count alone.
    """
    gathered = set(trace.native.clock_processes())
    there = gathered | {row["process"] for row in trace.locations}
    active = (
        None if gathered else {row["process"] for row in log.table("profiles").to_pylist() if row["calls"]}
    )
    return [
        {
            "process": process_id(row["process"]),
            "rank": row["rank"] if row["rank"] >= 0 else None,
            "pid": row["pid"],
            "host": row["host"],
        }
        for row in captured_processes(log)
        if row["process"] not in there and (active is None or row["process"] in active)
    ]


def streams_text(missing: list[Facts], processes: int) -> str:
    """What a person reads of them."""
    if not missing:
        return f"all of {processes:,} captured processes of the job log are in the trace"
    says = f"{len(missing):,} of {processes:,} captured processes have nothing in the trace"
    if ranks := sorted(row["rank"] for row in missing if row["rank"] is not None):
        says += f": ranks {rank_list(ranks)}"
    pids = [f"{row['pid']} on {row['host']}" for row in missing if row["rank"] is None]
    if pids:
        more = f" and {len(pids) - _TOLD:,} more" if len(pids) > _TOLD else ""
        says += f"{';' if ranks else ':'} pids {', '.join(pids[:_TOLD])}{more}"
    return says
