"""How long a job ran."""

from __future__ import annotations

from typing import Any


def run_time_ns(facts: dict[str, Any], last_at_ns: int, most_ns: int | None = None) -> int:
    """From the job's facts, or to `last_at_ns`, the last sign of life of its processes.

    A launcher that lived through the job wrote when it ended, and how. Where nobody did, the log's end is the
    moment at which it was gathered, which may be days later. `most_ns`: no job takes longer.
    """
    start, end = facts.get("start_utc_ns"), facts.get("end_utc_ns")
    gathered_later = facts.get("exit_status") is None and facts.get("complete") == "yes" and last_at_ns > 0
    if gathered_later or not isinstance(start, int) or not isinstance(end, int):
        return last_at_ns
    told = end - start >= 0 and (most_ns is None or end - start <= most_ns)
    return end - start if told else last_at_ns
