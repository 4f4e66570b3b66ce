"""Jobs of the plan as job logs (docs/formats/job-log.md)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from headrace import _native
from headrace.facility.groups import NUMBERS

if TYPE_CHECKING:
    from headrace.facility.plan import Job

__all__ = ["write_log"]


def write_log(path: str, job: Job, scheduler: str, preset: dict[str, Any], seed: int) -> None:
    """Writes the log of a captured job; the same arguments give the same bytes."""
    facts = [
        ("format_version", "1"),
        ("headrace_version", _native.version),
        ("command", json.dumps([f"/soft/{job.program}"])),
        ("host", "login1"),
        ("user_id", "1000"),
        ("start_utc_ns", str(job.start * 1000)),
        ("scheduler", scheduler),
        ("scheduler_job", str(job.number)),
        ("job_identity", f"{seed}-{job.number}"),
        ("end_utc_ns", str(job.end * 1000)),
        ("exit_status", "0" if job.state == "completed" else "1"),
        ("complete", "yes"),
    ]
    per_node = preset["processes_per_node"]
    runs = job.runs or []
    programs = [(r.executable, [r.ranks, per_node, 0, r.start_us * 1000, r.end_us * 1000]) for r in runs]
    files = [(g.prefix, g.layers, [g[name] for name in NUMBERS]) for r in runs for g in r.groups]
    identity = (seed * 2_654_435_761 + job.number) % 2**63 + 1
    mount = preset["mount"], preset["mount_type"]
    _native.write_made_log(os.fsencode(path), identity, facts, programs, files, *mount)
