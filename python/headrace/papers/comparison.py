"""What runs gave, beside what was published: the facts that text, JSON and pages show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from headrace.papers.figures import drawn
from headrace.papers.intervals import Estimate, mean, times
from headrace.papers.matrix import Run, runs_of
from headrace.papers.paper import Case, Measure, Paper, Table
from headrace.papers.verdict import is_noisy, of_paper, of_table, ran

__all__ = ["compare", "repetitions"]

Results = Mapping[str, Mapping[str, Any]]


def repetitions(results: Results) -> int:
    """How often the case that was run most often was."""
    return 1 + max((result["repetition"] for result in results.values()), default=-1)


def compare(paper: Paper, results: Results, most: int | None = None) -> dict[str, Any]:
    """The whole comparison; keys in docs/bench/papers.md. What has not been run has no figures. `most`: of
    the repetitions that there are, the first so many."""
    made = repetitions(results)
    repeats = made if most is None else min(made, most)
    keys = {run.key for run in runs_of(paper, repeats)}
    used = [result for key, result in results.items() if key in keys]
    machines = {json.dumps(result["machine"]): result["machine"] for result in used if "machine" in result}
    mpis = {result["figures"].get("mpi", "") for result in used if result["outcome"] == "done"} - {""}
    tables = [_table(table, paper, repeats, results) for table in paper.tables]
    return {
        "name": paper.name,
        "title": paper.title,
        "source": paper.source,
        "notes": list(paper.notes),
        "full": paper.manner.full,
        "options": list(paper.manner.options),
        "repeats": max(
            (_tried(run.table, run.case, repeats, results) for run in runs_of(paper, 1)), default=0
        ),
        "machines": list(machines.values()),
        "mpis": sorted(mpis),
        "verdict": of_paper(tables),
        "tables": tables,
    }


def _table(table: Table, paper: Paper, repeats: int, results: Results) -> dict[str, Any]:
    facts = {"name": table.name, "title": table.title, "size": table.size, "ranks": table.ranks}
    runs = {case.name: _done(table, case, repeats, results) for case in table.cases}
    first = table.cases[0]
    tried = [_tried(table, case, repeats, results) for case in table.cases]
    cases = [
        {
            "name": case.name,
            "words": [*table.words, *case.words],
            "runs": len(runs[case.name]),
            "outcome": _outcome(table, case, repeats, results),
            "remarks": _remarks(runs[case.name]),
            "measures": [_measure(each, case, first, runs) for each in table.measures],
        }
        for case in table.cases
    ]
    made = {**facts, "tried": [min(tried), max(tried)], "fitted": paper.fitted_to(table), "cases": cases}
    made["figures"] = [drawn(figure, runs) for figure in table.figures]
    return {**made, "here": ran(made, paper.manner.words), "verdict": of_table(made)}


def _tried(table: Table, case: Case, repeats: int, results: Results) -> int:
    """How often it was run, also in vain."""
    return sum(Run(table, case, repetition).key in results for repetition in range(repeats))


def _done(table: Table, case: Case, repeats: int, results: Results) -> dict[int, Mapping[str, Any]]:
    found = {}
    for repetition in range(repeats):
        result = results.get(Run(table, case, repetition).key)
        if result is not None and result["outcome"] == "done":
            found[repetition] = result["figures"]
    return found


def _outcome(table: Table, case: Case, repeats: int, results: Results) -> str:
    """ "done", "not run", or why there are no figures."""
    said = [results.get(Run(table, case, repetition).key) for repetition in range(repeats)]
    outcomes = [result["outcome"] for result in said if result is not None]
    return next((each for each in outcomes if each != "done"), outcomes[0] if outcomes else "not run")


def _remarks(runs: Mapping[int, Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(remark for run in runs.values() for remark in run.get("remarks", [])))


def _measure(
    measure: Measure, case: Case, first: Case, runs: Mapping[str, Mapping[int, Mapping[str, Any]]]
) -> dict[str, Any]:
    own, base = runs[case.name], runs[first.name]
    values = [value for figures in own.values() if (value := measure.of(figures)) is not None]
    both = [(measure.of(own[each]), measure.of(base[each])) for each in own if each in base]
    pairs = [(one, other) for one, other in both if one is not None and other is not None]
    if measure.less:
        pairs = [(other, one) for one, other in pairs]
    ratio = times([one for one, _ in pairs], [other for _, other in pairs]) if case is not first else None
    return {
        "name": measure.name,
        "unit": measure.unit,
        "less_is_better": measure.less,
        "here": _facts(mean(values)) if values else None,
        "times": _facts(ratio),
        "published": case.published.get(measure.name),
        "published_times": _published_times(measure, case, first),
    }


def _published_times(measure: Measure, case: Case, first: Case) -> float | None:
    if measure.name in case.times:
        return case.times[measure.name]
    one, other = case.published.get(measure.name), first.published.get(measure.name)
    if case is first or not isinstance(one, (int, float)) or not isinstance(other, (int, float)):
        return None
    better, worse = (other, one) if measure.less else (one, other)
    return better / worse if worse > 0 else None


def _facts(estimate: Estimate | None) -> dict[str, float | bool | None] | None:
    """`noisy`: the interval is wider than the value."""
    if estimate is None:
        return None
    facts = asdict(estimate)
    return {**facts, "noisy": is_noisy(facts)}
