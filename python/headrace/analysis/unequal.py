"""What makes runs unequal, so that a difference may have another cause than the one looked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.analysis.changes import side_name
from headrace.logs import JobLog

Facts = dict[str, Any]


def unequal(summaries: list[list[Facts]], sides: Sequence[Sequence[JobLog]]) -> list[Facts]:
    """Rows {what, text}: one for each thing that is not the same in all runs, or wrong with one of them."""
    names = run_names([len(runs) for runs in summaries])
    runs = list(zip(names, (run for side in summaries for run in side), strict=True))
    rows = [*_trouble(runs), *_differing(runs)]
    logs = list(zip(names, (log for side in sides for log in side), strict=True))
    return [*rows, *_ranks(runs), *_libraries(runs), *_without_stdio(logs)]


def run_names(repeats: Sequence[int]) -> list[str]:
    """What a run is called: A, or A1, A2, … where its side has several."""
    return [
        side_name(place) + (str(number + 1) if count > 1 else "")
        for place, count in enumerate(repeats)
        for number in range(count)
    ]


def _trouble(runs: list[tuple[str, Facts]]) -> list[Facts]:
    rows = []
    for name, run in runs:
        complete = run["job"]["complete"]
        if run["damage"]:
            text = f"the log of {name} is damaged: {run['log']['damaged_bytes']:,} bytes of it cannot be used"
            rows.append({"what": "damaged", "text": text + ", and its figures are too low"})
        elif complete != "yes":
            why = str(complete or "nobody says that it is").removeprefix("no: ")
            rows.append({"what": "incomplete", "text": f"the log of {name} is not complete: {why}"})
        missing = run["job"]["processes"] - run["job"]["processes_captured"]
        if missing:
            text = (
                f"{name} has {missing:,} of {run['job']['processes']:,} program images that were not captured"
            )
            rows.append({"what": "not captured", "text": text})
        if run["job"]["exit_status"] not in (0, None):
            rows.append({"what": "failed", "text": f"{name} ended with status {run['job']['exit_status']}"})
    return rows


def _differing(runs: list[tuple[str, Facts]]) -> list[Facts]:
    """What runs of the same thing have in common."""
    aspects: list[tuple[str, str, Callable[[Facts], Any]]] = [
        ("command", "commands differ", lambda run: run["job"]["command"]),
        ("processes", "numbers of processes differ", lambda run: f"{run['job']['process_ids']:,}"),
        ("host", "hosts differ", lambda run: run["job"]["host"] or "not known"),
        ("emulate", "file systems differ", lambda run: run["job"]["emulate"] or "the real one"),
        ("version", "versions of Headrace differ", lambda run: run["job"]["headrace_version"] or "not known"),
    ]
    rows = []
    for what, title, get in aspects:
        values: dict[str, list[str]] = {}
        for name, run in runs:
            values.setdefault(str(get(run)), []).append(name)
        if len(values) > 1:
            said = "; ".join(f"{', '.join(names)}: {value}" for value, names in values.items())
            # Commands may be long, and whoever reads this has them already.
            rows.append({"what": what, "text": title if what == "command" else f"{title}: {said}"})
    return rows


def _ranks(runs: list[tuple[str, Facts]]) -> list[Facts]:
    """Jobs of other sizes, and which of their figures can be compared all the same."""
    sizes: dict[int, list[str]] = {}
    for name, run in runs:
        sizes.setdefault(run["parallel"]["ranks"] if run["parallel"] else 0, []).append(name)
    if len(sizes) < 2:
        return []
    said = "; ".join(f"{', '.join(names)}: {count:,}" for count, names in sizes.items())
    text = f"numbers of ranks differ: {said}"
    if 0 not in sizes:
        text += (
            ". Times and calls of whole runs are sums over ranks, so compare them by rank (mean and slowest"
            " rank), and bytes and files where the work is the same; 'headrace scaling' shows shares of time"
        )
    return [{"what": "ranks", "text": text}]


def _libraries(runs: list[tuple[str, Facts]]) -> list[Facts]:
    """Libraries that only some runs have records of: not used, or not captured."""
    rows = []
    above = [{row["layer"] for row in run["layers"] if not row["adds_up"]} for _, run in runs]
    for layer in sorted(set().union(*above)):
        without = [name for (name, _), layers in zip(runs, above, strict=True) if layer not in layers]
        if without:
            text = f"no calls of {layer} in {', '.join(without)}: it was not used there, or not captured"
            rows.append({"what": "library", "text": text})
    return rows


def _without_stdio(logs: list[tuple[str, JobLog]]) -> list[Facts]:
    """Logs of versions that did not capture stdio have no layers: the same program shows less there."""
    have = [(name, _has_layers(log)) for name, log in logs]
    without = [name for name, has in have if not has]
    if not without or len(without) == len(have):
        return []
    text = f"no stdio in {', '.join(without)}: captured by a version that recorded system calls alone"
    return [{"what": "stdio", "text": text}]


def _has_layers(log: JobLog) -> bool:
    return "files" in log.native.tables() and "layer" in log.native.columns("files")
