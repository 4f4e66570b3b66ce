"""The plan of a made-up facility: which jobs there were, and what each of them did.

Everything is a function of preset, number of jobs and seed: no clock and no hash of Python's takes part.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from headrace.facility.groups import Run, make_runs
from headrace.facility.preset import micros
from headrace.facility.settings import Settings

__all__ = ["Job", "Plan", "make_plan"]

_HOUR = 3_600_000_000  # µs


@dataclass
class Job:
    """One job of the scheduler's; `runs` of captured ones are what their log has, else None. Times in µs."""

    number: int
    project: str
    user: str
    submit: int
    start: int
    end: int
    nodes: int
    processes: int
    state: str
    program: str
    runs: list[Run] | None


@dataclass
class Plan:
    settings: Settings
    preset: dict[str, Any]
    shares: list[tuple[str, dict[str, Any], int, int]] = field(
        default_factory=list
    )  # project, its preset, jobs, captured
    # Core hours of a job of a project, on average: with a log, and without.
    hours: dict[str, tuple[float, float]] = field(default_factory=dict)

    def jobs(self) -> Iterator[Job]:
        """All jobs, project by project. The same each time it is asked for."""
        number = 100_000
        for project, about, jobs, captured in self.shares:
            kinds = _kinds(about["programs"], captured)
            for index in range(jobs):
                number += 1
                draw = random.Random((self.settings.seed << 24) ^ number)
                yield _job(
                    self, draw, number, project, about, kinds[index] if index < captured else None, index
                )


def make_plan(preset: dict[str, Any], settings: Settings) -> Plan:
    """Raises UsageError where the settings are impossible."""
    settings.check()
    plan = Plan(settings, preset)
    count = preset["other_projects"]
    listed = [(p["name"], p, p["jobs"], p["captured"]) for p in preset["projects"]]
    rest = preset["jobs"] - sum(p["jobs"] for p in preset["projects"])
    caught = preset["captured"] - sum(p["captured"] for p in preset["projects"])
    with_logs = preset["other_projects_captured"]
    for i in range(count):
        jobs = rest * (i + 1) // count - rest * i // count
        logs = caught * (i + 1) // with_logs - caught * i // with_logs if i < with_logs else 0
        listed.append((f"Project{i + 11:02d}", preset["others"], jobs, min(logs, jobs)))
    leasts = [max(1, sum(q.get("least", 0) for q in p[1]["programs"])) for p in listed]
    jobs_of = _scaled([p[2] for p in listed], leasts, settings.jobs)
    for (name, about, jobs, captured), scaled in zip(listed, jobs_of, strict=True):
        least = 1 if captured else 0
        least = max(least, sum(p.get("least", 0) for p in about["programs"])) if captured else 0
        share = min(scaled, max(least, round(captured * scaled / jobs)))
        plan.shares.append((name, about, scaled, share))
        of_all = (about["jobs"], about["captured"]) if "jobs" in about else (rest, caught)
        plan.hours[name] = _hours(about, *of_all)
    return plan


def _hours(about: dict[str, Any], jobs: int, captured: int) -> tuple[float, float]:
    covered = about["core_hours_captured"] if captured else 0.0
    left = about["core_hours"] - covered
    return covered * 1e6 / max(captured, 1), left * 1e6 / max(jobs - captured, 1)


def _scaled(counts: list[int], leasts: list[int], total: int) -> list[int]:
    """The same shares of another total by largest remainders, none below its least."""
    whole = sum(counts)
    exact = [count * total / whole for count in counts]
    scaled = [max(least, int(value)) for value, least in zip(exact, leasts, strict=True)]
    order = sorted(range(len(counts)), key=lambda i: (int(exact[i]) - exact[i], i))
    place = 0
    while sum(scaled) < total:
        scaled[order[place % len(order)]] += 1
        place += 1
    while sum(scaled) > total:
        scaled[max(range(len(scaled)), key=lambda i: scaled[i])] -= 1
    return scaled


def _kinds(programs: list[dict[str, Any]], captured: int) -> list[tuple[dict[str, Any], int]]:
    """The program of each captured job, and which of its jobs it is: the least of each, then by shares."""
    counts = [program.get("least", 0) for program in programs]
    whole = sum(program["jobs"] for program in programs)
    while sum(counts) < captured:
        short = max(
            range(len(programs)), key=lambda i: (programs[i]["jobs"] / whole * captured - counts[i], -i)
        )
        counts[short] += 1
    kinds = [(program, i) for program, count in zip(programs, counts, strict=True) for i in range(count)]
    return kinds[:captured]


def _job(
    plan: Plan,
    draw: random.Random,
    number: int,
    project: str,
    about: dict[str, Any],
    kind: tuple[dict[str, Any], int] | None,
    index: int,
) -> Job:
    preset, settings = plan.preset, plan.settings
    program, place = kind if kind else (about["programs"][index % len(about["programs"])], index)
    nodes, processes, rate = _size(preset, settings, draw, program, place)
    hours = plan.hours[project][0 if kind else 1]
    wanted = hours / (nodes * settings.shrink * preset["cores_per_node"]) * _HOUR * draw.uniform(0.7, 1.3)
    span = int(min(max(wanted, 120e6), 24 * _HOUR))
    runs = make_runs(draw, program, settings, preset, nodes, processes, rate, number, place) if kind else None
    needed = sum(run.busy_us + 2_000_000 for run in runs) if runs else 0
    span = (max(span, needed * 11 // 10) // 1_000_000 + 1) * 1_000_000
    first, last = micros(preset["start"]), micros(about.get("tapers_off", preset["end"]))
    if last < micros(preset["end"]) and draw.random() < 0.05:
        last = micros(preset["end"])  # the activity tapers off and does not end
    start = first + draw.randrange(max((last - first - span) // 1_000_000, 1)) * 1_000_000
    for i, run in enumerate(runs or []):
        run.take_place(*(span * at // len(runs or []) // 1000 * 1000 for at in (i, i + 1)))
    state = "failed" if draw.random() < 0.04 else "completed"
    user = f"u{sum(map(ord, project)) % 900 + 100}{'abc'[draw.randrange(3)]}"
    submit = start - draw.randrange(0, 40 * 3600) * 1_000_000
    return Job(
        number,
        project,
        user,
        submit,
        start,
        start + span,
        nodes,
        processes,
        state,
        program["name"],
        runs,
    )


def _size(
    preset: dict[str, Any], settings: Settings, draw: random.Random, program: dict[str, Any], place: int
) -> tuple[int, int, float]:
    """Nodes of the partition, processes and MiB/s per node of a job."""
    per_node = preset["processes_per_node"]
    if "ladder" in program:
        rungs = program["ladder"]
        rung = rungs[place] if place < len(rungs) else draw.choices(rungs, [r[1] for r in rungs])[0]
        nodes, processes, rate = rung[0], rung[0] * per_node, rung[2]
    else:
        sizes = program["processes"]
        processes = (
            sizes[place % len(sizes)] if place < len(sizes) else draw.choice(sizes[: max(3, len(sizes) - 1)])
        )
        nodes, rate = -(-processes // per_node), float(program["rate"])
    nodes = next((n for n in preset["partitions"] if n >= nodes), nodes)
    if not program.get("alike") and "ladder" not in program:
        rate *= draw.lognormvariate(0, 0.35)
    return max(1, nodes // settings.shrink), max(2, processes // settings.shrink), rate
