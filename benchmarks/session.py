"""One session: which measures run, and which rows come out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import estimate
from benchmarks.log_opening import SkippedError, opening_ms
from benchmarks.measures import operation_measure, process_measure
from benchmarks.operations import GROWTHS, OPERATIONS
from benchmarks.report import Cell, Result, Row
from benchmarks.rounds import Series, alternate
from benchmarks.variants import BARE, HEADRACE, HEADRACE_RUN, Place, Variant

LOG_GOAL_MS = 100.0
EXIT_GOAL_MS = 0.5
TRUE_GOAL_MS = 0.5
TRUE_RUN_GOAL_MS = 5.0

SeriesByKey = dict[str, Series]


@dataclass(frozen=True)
class Session:
    names: tuple[str, ...]
    variants: dict[str, Variant]
    place: Place
    rounds: int


def _cells(series: Series, goal: float | None) -> list[Cell]:
    """What each variant adds; the goal is Headrace's."""
    return [Cell(v, series.added(v), goal if v == HEADRACE else None) for v in series.values if v != BARE]


def _operation_rows(results: dict[str, SeriesByKey]) -> Iterator[Row]:
    for operation in OPERATIONS:
        if operation.name in results:
            series = results[operation.name]
            cells = _cells(series[operation.figure], operation.goal_ns)
            yield Row(operation.name, operation.title, "ns CPU", series["fastest"].total(BARE), cells)
    for growth in GROWTHS:
        if growth.many in results and growth.one in results:
            grown = results[growth.many]["beyond-all"].minus(results[growth.one]["beyond-all"])
            yield Row(growth.name, growth.title, "ns CPU", None, _cells(grown, None))


def _time_row(name: str, title: str, series: Series, goal: float | None) -> Row:
    return Row(name, title, "ms", series.total(BARE), _cells(series, goal))


def _process_rows(results: dict[str, SeriesByKey]) -> Iterator[Row]:
    if "true" in results:
        wall = results["true"]["wall"]
        yield _time_row("true-wall", "start + exit of `true`, wall", wall, TRUE_GOAL_MS)
        yield _time_row("true-cpu", "start + exit of `true`, CPU", results["true"]["cpu"], None)
        if HEADRACE_RUN in wall.values:
            cell = Cell(HEADRACE_RUN, wall.total(HEADRACE_RUN), TRUE_RUN_GOAL_MS, total=True)
            yield Row("true-run", "`true` under `headrace run`, in all", "ms", wall.total(BARE), [cell])
    if "exit" in results:
        series = results["exit"]["exit"]
        yield _time_row("exit", "exit after a run of 1,001 files, wall", series, EXIT_GOAL_MS)


def _log_row(place: Place) -> Row:
    bin_directory = Path(__file__).resolve().parent.parent / ".venv" / "bin"
    values = opening_ms(bin_directory / "headrace", bin_directory / "python3", place)
    cell = Cell(HEADRACE, estimate(values), LOG_GOAL_MS, total=True)
    return Row("log", "a log of 100,000 file records to tables, wall", "ms", None, [cell])


def measure(session: Session, result: Result, tell: Callable[[str], None]) -> None:
    """Runs what the session names and fills ``result``."""
    names, variants, place = session.names, session.variants, session.place
    left: set[Path] = set()
    measures = [operation_measure(o, variants, place) for o in OPERATIONS if o.name in names]
    if "true" in names:
        measures.append(process_measure("true", ["true"], variants, place, left))
    if "exit" in names:
        program = [str(place.programs / "exit_after_run"), "{files}"]
        measures.append(process_measure("exit", program, variants, place, left))
    results = alternate(measures, session.rounds, tell)
    result.rows += [*_operation_rows(results), *_process_rows(results)]
    result.series = {n: {k: s.values for k, s in by_key.items()} for n, by_key in results.items()}
    if "log" in names:
        try:
            result.rows.append(_log_row(place))
        except SkippedError as reason:
            result.notes.append(f"skipped: a log of 100,000 file records: {reason}")
    if HEADRACE_RUN in variants:
        result.notes.append(f"left in shared memory by `headrace run`: {len(left)} files")
        result.notes += [f"left: {path}" for path in sorted(left)]
