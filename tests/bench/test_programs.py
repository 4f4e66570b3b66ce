"""The measured programs compile and say what the driver reads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tracing import LAUNCHER, LIBRARY

from benchmarks.build import compile_programs
from benchmarks.measures import operation_measure, process_measure
from benchmarks.operations import OPERATIONS, Operation
from benchmarks.output import batches, process_times
from benchmarks.variants import HEADRACE, HEADRACE_RUN, Place, RunError, Variant, run


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_programs(tmp_path_factory.mktemp("programs"))


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_each_operation_costs_something(operation: Operation, programs: Path, tmp_path: Path) -> None:
    place = [str(tmp_path)] if operation.needs_directory else []
    text = run([str(programs / operation.program), *place, *operation.arguments], {}, tmp_path)
    assert all(b.cost > 0 and b.reference > 0 for b in batches(text))


def test_processes_are_timed_and_their_exit_too(programs: Path, tmp_path: Path) -> None:
    timer = [str(programs / "process_times"), "3"]
    alive = process_times(run([*timer, "NAME=0.05", "--", "sh", "-c", 'sleep "$NAME"'], {}, tmp_path))
    assert len(alive) == 3
    assert all(t.wall_ns > 50e6 and t.exit_ns is None for t in alive)
    ended = process_times(run([*timer, "--", str(programs / "exit_after_run"), str(tmp_path)], {}, tmp_path))
    assert all(t.exit_ns is not None and 0 < t.exit_ns < t.wall_ns for t in ended)


def test_a_failing_command_is_not_measured(programs: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="wait status 256"):
        run([str(programs / "process_times"), "1", "--", "false"], {}, tmp_path)


def test_a_library_that_cannot_be_preloaded_is_not_measured(programs: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"cannot be preloaded"):
        run([str(programs / "excluded_write")], {"LD_PRELOAD": "/nonexistent.so"}, tmp_path)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_each_operation_is_shown_to_be_recorded(operation: Operation, programs: Path, tmp_path: Path) -> None:
    place = Place(programs, tmp_path / "place")
    measure = operation_measure(operation, {HEADRACE: _library(LIBRARY)}, place)
    assert measure.sample(HEADRACE)["fastest"] > 0


def test_a_library_that_records_nothing_has_no_figures(programs: Path, tmp_path: Path) -> None:
    """The library that programs are linked with has all functions and records nothing."""
    place, variants = (
        Place(programs, tmp_path / "place"),
        {HEADRACE: _library(LIBRARY.parent / "link" / LIBRARY.name)},
    )
    with pytest.raises(RunError, match="left no records of what was timed"):
        operation_measure(OPERATIONS[0], variants, place).sample(HEADRACE)
    with pytest.raises(RunError, match="left no records of what was timed"):
        process_measure("true", ["true"], variants, place, set()).sample(HEADRACE)


def test_processes_are_shown_to_be_recorded(programs: Path, tmp_path: Path) -> None:
    place = Place(programs, tmp_path / "place")
    launched = Variant(HEADRACE_RUN, prefix=(str(LAUNCHER), "run", "--"))
    variants = {HEADRACE: _library(LIBRARY), HEADRACE_RUN: launched}
    for name in variants:
        assert process_measure("true", ["true"], variants, place, set()).sample(name)["wall"] > 0


def _library(path: Path) -> Variant:
    return Variant(HEADRACE, path, settings={"HEADRACE_SPOOL": "{scratch}"})


def test_many_files_are_written_once_each(programs: Path, tmp_path: Path) -> None:
    subprocess.run([programs / "many_files", tmp_path, "2001"], check=True, timeout=60)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["part-0", "part-1", "part-2"]
    assert not any(p.is_file() for p in tmp_path.rglob("*"))
