"""The page of `headrace phases` (docs/phases.md): facts alone, no tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headrace.analysis.definitions import definitions
from headrace.analysis.processes import process_rows
from headrace.analysis.rank_lists import rank_list
from headrace.analysis.summary import overview, tell_damage
from headrace.logs import JobLog

Facts = dict[str, Any]

_MOST_PICTURES = 50  # phases whose ranks are drawn instance by instance
_MOST_OUTLIERS = 2000


def about(log: JobLog) -> Facts:
    """What ran, and where. To be called when all else of the log was read."""
    processes = process_rows(log)
    facts = overview(log, processes, [], 0)
    tell_damage(log, facts)
    job = facts["job"]
    hosts = {row["host"] for row in processes if row["captured"]} - {""}
    return {key: job[key] for key in ("command", "complete", "start_utc_ns", "run_ns")} | {
        "nodes": len(hosts)
    }


def page_facts(
    runs: list[Facts], jobs: list[Facts], said: Sequence[Mapping[str, Any]], comparison: Facts | None
) -> Facts:
    """Of each run its facts (phase_facts), its job (`about`) and the sentences that explain it."""
    return {
        "runs": [
            _detected(run, job, words)
            if run["detected"]
            else {**run, "job": job, "phases": _phases(run), "explained": {**_explained(run), "said": words}}
            for run, job, words in zip(runs, jobs, said, strict=True)
        ],
        "comparison": comparison,
        "definitions": definitions(),
    }


def _detected(run: Facts, job: Facts, words: Mapping[str, Any]) -> Facts:
    """Without what is said of every single rank."""
    detected = {key: value for key, value in run["detected"].items() if key != "explained"}
    return {**run, "job": job, "detected": {**detected, "said": words}}


def title(jobs: list[Facts]) -> str:
    """What a browser calls the page."""
    command = jobs[0]["command"]
    words = " ".join(command) if isinstance(command, list) else str(command or "")
    return f"Headrace: phases of {words[:200] or 'a job'}"


def _phases(run: Facts) -> list[Facts]:
    """Times of ranks as lines of numbers, and those only of the phases that take longest."""
    explained = run["explained"]["phase"]
    longest = sorted(run["phases"], key=lambda phase: (phase["phase"] != explained, -phase["spent_ns"]))
    drawn = {phase["phase"] for phase in longest[:_MOST_PICTURES]}
    return [_with_lines(phase, phase["phase"] in drawn) for phase in run["phases"]]


def _with_lines(phase: Facts, drawn: bool) -> Facts:
    names: dict[str, None] = {}
    for each in phase["each"] if drawn else []:
        names.update(dict.fromkeys(each["times_ns"]))
    return {
        **phase,
        "each": [{key: value for key, value in each.items() if key != "times_ns"} for each in phase["each"]],
        "lines": [
            {"member": name, "times_ns": [each["times_ns"].get(name) for each in phase["each"]]}
            for name in sorted(names, key=_order)
        ],
    }


def _order(name: str) -> tuple[str, int]:
    word, _, digits = name.rpartition(" ")
    return word, int(digits) if digits.isdecimal() else 0


def _explained(run: Facts) -> Facts:
    """Clusters as lists of ranks: a page of very many ranks stays small."""
    explained = run["explained"]
    numbers = [_order(name)[1] for name in explained["names"]]
    clusterings = [
        {**{key: each[key] for key in ("by", "k", "sizes", "medoids")}, "who": _who(each, numbers)}
        for each in explained["clusterings"]
    ]
    outliers = sorted(explained["outliers"], key=lambda each: (each["by"] == "bandwidth", each["slow"]))
    return {
        **{key: value for key, value in explained.items() if key != "names"},
        "clusterings": clusterings,
        "outliers": outliers[:_MOST_OUTLIERS],
        "outliers_left_out": max(0, len(outliers) - _MOST_OUTLIERS),
    }


def _who(clustering: Facts, numbers: list[int]) -> list[str]:
    """The ranks of each cluster."""
    found: list[list[int]] = [[] for _ in range(clustering["k"])]
    for number, at in zip(numbers, clustering["assigned"], strict=True):
        found[at].append(number)
    return [rank_list(each) for each in found]
