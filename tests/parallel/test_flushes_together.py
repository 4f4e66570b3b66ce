"""Ranks store their events together (--trace-flush sync)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import COMMAND
from headrace.analysis import traces
from parallel_tools import skip_unless_it_launches_two_programs, skip_unless_it_spawns

Compiled = Callable[[str, str], Path]
ROUNDS, CALLS = 24, 400


def run(place: Path, options: list[str], *launch: str | Path) -> traces.Trace:
    command = [COMMAND, "run", "-q", "--trace", *options, "-o", place / "job.hr", "--", *launch]
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "HEADRACE_REDUCE_PATIENCE": "20"},
    )
    assert done.returncode == 0, done.stderr.decode()
    return traces.Trace(place / "job.trace.hr")


def doings(trace: traces.Trace) -> dict[str, list[int]]:
    """Of what tracing did, how often each rank did it."""
    found: dict[str, list[int]] = {}
    for rank in range(4):
        chosen = [n for n, row in enumerate(trace.locations) if row["rank"] == rank]
        for event in trace.events(locations=chosen):
            if event["kind"] == "leave" and event["layer"] == "headrace":
                found.setdefault(event["name"], [0] * 4)[rank] += 1
    return found


def verify(trace: traces.Trace) -> None:
    done = subprocess.run([COMMAND, "trace", "verify", trace.path], capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


@pytest.mark.parametrize("how", ["world", "same", "threads"])
def test_all_flush_when_one_has_little_room(mpi: str, compiled: Compiled, tmp_path: Path, how: str) -> None:
    program = [compiled(mpi, "c/meetings.c"), tmp_path, ROUNDS, CALLS, how]
    options = ["--trace-memory", "1M", "--trace-flush", "sync:2"]
    trace = run(tmp_path, options, f"mpirun.{mpi}", "-np", "4", *map(str, program))
    found = doings(trace)
    assert found["threshold check"] == [ROUNDS // 2] * 4, "at every second one, of those over all ranks alone"
    assert found["flush"] == found["barrier after flush"], "all or none"
    assert len(set(found["flush"])) == 1 and found["flush"][0] > 0, "also ranks that have room"
    assert "flushes_alone" not in trace.facts
    verify(trace)


def test_ranks_with_other_levels_of_threads(mpi: str, compiled: Compiled, tmp_path: Path) -> None:
    """Some cannot count what others could, so none does."""
    program = [compiled(mpi, "c/meetings.c"), tmp_path, ROUNDS, CALLS, "levels"]
    options = ["--trace-memory", "1M", "--trace-flush", "sync:2"]
    trace = run(tmp_path, options, f"mpirun.{mpi}", "-np", "4", *map(str, program))
    assert "flushes_alone" not in trace.facts
    assert "threshold check" not in doings(trace)
    verify(trace)


def test_as_many_ranks_that_are_others(mpi: str, compiled: Compiled, tmp_path: Path) -> None:
    """A communicator may have as many ranks as the world, and not be over it."""
    program = [f"mpirun.{mpi}", "-np", "2", str(compiled(mpi, "c/spawned_pair.c"))]
    skip_unless_it_spawns(*program)
    options = ["--trace-memory", "1M", "--trace-flush", "sync:2"]
    trace = run(tmp_path, options, *program)
    calls = [
        event for event in trace.events() if event["name"] == "MPI_Allreduce" and event["kind"] == "leave"
    ]
    assert len(calls) == 48
    assert "threshold check" not in doings(trace)
    verify(trace)


def test_a_full_rank_need_not_wait(mpi: str, compiled: Compiled, tmp_path: Path) -> None:
    program = [compiled(mpi, "c/meetings.c"), tmp_path, 8, 6000, "world"]
    options = ["--trace-memory", "1M", "--trace-flush", "sync:8:100"]
    found = doings(trace := run(tmp_path, options, f"mpirun.{mpi}", "-np", "4", *map(str, program)))
    assert found["threshold check"] == [1] * 4
    assert found["flush"][3] > found["flush"][0] > 0
    verify(trace)


def test_limits_end_the_flushes_not_the_program(mpi: str, compiled: Compiled, tmp_path: Path) -> None:
    program = [compiled(mpi, "c/meetings.c"), tmp_path, ROUNDS, CALLS, "world"]
    options = ["--trace-memory", "1M", "--trace-flush", "sync:2", "--trace-flushes", "1"]
    found = doings(run(tmp_path, options, f"mpirun.{mpi}", "-np", "4", *map(str, program)))
    assert found["flush"] == [1] * 4
    assert found["threshold check"][0] > 5
    assert found["barrier after flush"][0] <= 1 + 4, "who can make no room does not ask again"


@pytest.mark.parametrize("others", ["HEADRACE=off", "HEADRACE_TRACE=0", "HEADRACE_TRACE_FLUSH=sync:3"])
def test_ranks_that_are_not_like_the_others(
    mpi: str, compiled: Compiled, tmp_path: Path, others: str
) -> None:
    """Nobody waits for them: each flushes by itself, and the trace says why."""
    program = list(map(str, [compiled(mpi, "c/meetings.c"), tmp_path, 8, 6000, "world"]))
    launcher = [COMMAND, "run", "-q", "--trace", "--trace-memory", "1M"]
    if others.startswith("HEADRACE_TRACE_FLUSH"):
        launcher_of_others = [*launcher, "--trace-flush", "sync:3"]
    else:
        launcher_of_others = ["env", others]
    skip_unless_it_launches_two_programs(mpi)
    command = [f"mpirun.{mpi}", "-np", "2"]
    command += [*launcher, "--trace-flush", "sync:2", "-o", str(tmp_path / "job.hr"), "--", *program]
    if others.startswith("HEADRACE_TRACE_FLUSH"):
        command += [":", "-np", "2", *launcher_of_others, "-o", str(tmp_path / "job.hr"), "--", *program]
    else:
        command += [":", "-np", "2", *launcher_of_others, *program]
    environment = dict(os.environ)
    done = subprocess.run(command, capture_output=True, timeout=60, check=False, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    trace = traces.Trace(tmp_path / "job.trace.hr")
    assert trace.facts["flushes_alone"] in (
        "not all ranks of this node are traced in this way",
        "ranks have different settings",
    )
    found = doings(trace)
    assert "threshold check" not in found and sum(found["flush"]) > 0
