"""Jobs of the plan as records of a batch scheduler: its own text, and rows of a catalog."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.facility.plan import Job

__all__ = ["SCHEDULERS", "lines", "row"]

_SACCT = "JobID|JobName|User|Account|Partition|Submit|Start|End|State|ExitCode|AllocNodes|AllocCPUS|NTasks"


def row(job: Job, scheduler: str, cores_per_node: int) -> dict[str, Any]:
    """The row of `scheduler_jobs`. What the scheduler's text does not have is null."""
    known = {
        "scheduler": scheduler,
        "job": str(job.number),
        "user": job.user,
        "account": job.project,
        "queue": "prod",
        "submit": job.submit,
        "start": job.start,
        "end": job.end,
        "state": job.state,
        "nodes": job.nodes,
        "cores": job.nodes * cores_per_node,
    }
    known["exit_status"] = 0 if job.state == "completed" else 1
    known["name"] = job.program
    if scheduler == "cobalt":
        known["command"] = f"/soft/{job.program} in.dat"
    return known


def lines(jobs: Iterable[Job], scheduler: str, cores_per_node: int) -> Iterable[str]:
    """The records of jobs in the form that the scheduler's own tools have, by id; times are UTC."""
    return SCHEDULERS[scheduler](jobs, cores_per_node)


def _stamp(micros: int, form: str) -> str:
    return datetime.fromtimestamp(micros // 1_000_000, timezone.utc).strftime(form)


def _slurm(jobs: Iterable[Job], cores_per_node: int) -> Iterable[str]:
    """As `sacct -X -P` prints it (sacct(1), --parsable2), but that times have their zone, which is UTC."""
    yield _SACCT
    for job in jobs:
        times = (_stamp(t, "%Y-%m-%dT%H:%M:%SZ") for t in (job.submit, job.start, job.end))
        state, code = ("COMPLETED", "0:0") if job.state == "completed" else ("FAILED", "1:0")
        words = [str(job.number), job.program, job.user, job.project, "prod", *times, state, code]
        yield "|".join([*words, str(job.nodes), str(job.nodes * cores_per_node), ""])


def _accounting(jobs: Iterable[Job], facts: Any) -> Iterable[str]:
    for job in jobs:
        status = 0 if job.state == "completed" else 1
        values = " ".join(f"{key}={value}" for key, value in facts(job).items())
        when = _stamp(job.end, "%m/%d/%Y %H:%M:%S")
        yield f"{when};E;{job.number};{values} Exit_status={status}"


def _cobalt(jobs: Iterable[Job], cores_per_node: int) -> Iterable[str]:
    """The same of Cobalt, Intrepid's scheduler: it took the form over, and tells executable and place."""

    def facts(job: Job) -> dict[str, Any]:
        submit, start, end = (when // 1_000_000 for when in (job.submit, job.start, job.end))
        return {
            "Resource_List.ncpus": job.nodes * cores_per_node,
            "Resource_List.nodect": job.nodes,
            "account": job.project,
            "args": "in.dat",
            "ctime": submit,
            "end": end,
            "etime": submit,
            "exe": f"/soft/{job.program}",
            "group": "users",
            "jobname": job.program,
            "qtime": submit,
            "queue": "prod",
            "resources_used.location": f"R{job.number % 40:02d}-{job.nodes}",
            "resources_used.nodect": job.nodes,
            "start": start,
            "user": job.user,
        }

    return _accounting(jobs, facts)


def _pbs(jobs: Iterable[Job], cores_per_node: int) -> Iterable[str]:
    """Ends of jobs as in the accounting files of PBS ("PBS Professional Reference Guide", accounting log)."""

    def facts(job: Job) -> dict[str, Any]:
        return {
            "user": job.user,
            "group": "users",
            "account": job.project,
            "jobname": job.program,
            "queue": "prod",
            "ctime": job.submit // 1_000_000,
            "qtime": job.submit // 1_000_000,
            "etime": job.submit // 1_000_000,
            "start": job.start // 1_000_000,
            "end": job.end // 1_000_000,
            "Resource_List.nodect": job.nodes,
            "Resource_List.ncpus": job.nodes * cores_per_node,
        }

    return _accounting(jobs, facts)


SCHEDULERS = {"slurm": _slurm, "pbs": _pbs, "cobalt": _cobalt}
