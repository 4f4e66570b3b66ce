"""Traces of ranks on several machines whose clocks differ: one machine, with other names and clocks."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from capture_tools import COMMAND, Captured
from headrace.analysis.traces import Trace
from headrace.commands._terminal import terminal
from headrace.commands._trace_clocks import clock_lines
from parallel_tools import skip_unless_it_launches_two_programs

Compiled = Callable[[str, str], Path]
Parallel = Callable[..., Captured]
HERE = Path(__file__).parent
AHEAD_NS, PPM = 20_000_000, 300


@pytest.fixture(scope="module")
def other_clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if subprocess.run(["unshare", "--uts", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine lets nobody give a process another host name (unshare --uts)")
    out = tmp_path_factory.mktemp("clock") / "other_clock.so"
    source = HERE / "c" / "other_clock.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-o", out, source], check=True)
    return out


class Machines:
    """Two ranks on `first`, two on `second`, whose clock is ahead and runs faster."""

    def __init__(self, mpi: str, place: Path, program: Path, clock: Path, **more: str) -> None:
        self.trace = place / "job.trace.hr"
        setting = f"{AHEAD_NS} {PPM} {time.clock_gettime_ns(time.CLOCK_MONOTONIC)}"
        run = [COMMAND, "run", "-q", "--trace", "-o", str(place / "job.hr"), "--", str(program)]
        skip_unless_it_launches_two_programs(mpi)
        command = [f"mpirun.{mpi}"]
        for name, preload in (
            ("first", ""),
            (":", ""),
            ("second", f"LD_PRELOAD={clock} OTHER_CLOCK='{setting}'"),
        ):
            if name == ":":
                command.append(name)
                continue
            script = f'echo {name} > /proc/sys/kernel/hostname; {preload} exec "$@"'
            command += ["-np", "2", "unshare", "--uts", "sh", "-c", script, name, *run]
        settings = {"HEADRACE_CLOCK": "monotonic", "HEADRACE_TRACE_CLOCKS": "always", **more}
        done = subprocess.run(
            command,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")

    def info(self) -> str:
        done = subprocess.run(
            [COMMAND, "trace", "info", self.trace], capture_output=True, text=True, check=True
        )
        return done.stdout

    def clocks(self) -> dict[str, Any]:
        command = [COMMAND, "trace", "info", "--json", self.trace]
        facts: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        clocks: dict[str, Any] = facts["clocks"]
        return clocks

    def synchronisations(self) -> int:
        return sum(
            row["calls"] for row in Trace(self.trace).functions() if row["name"] == "clock synchronisation"
        )


def test_messages_arrive_after_they_were_sent(
    mpi: str, compiled: Compiled, other_clock: Path, tmp_path: Path
) -> None:
    machines = Machines(mpi, tmp_path, compiled(mpi, "c/back_and_forth.c"), other_clock)
    clocks = machines.clocks()
    first, second = clocks["nodes"]
    assert (first["host"], first["is_reference"], first["processes"]) == ("first", True, 2)
    assert (second["host"], second["is_reference"], second["processes"]) == ("second", False, 2)
    assert [each["when"] for each in second["measured"]] == ["MPI_Init", "MPI_Finalize"]
    begin, end = second["measured"]
    passed = end["at_ns"] - begin["at_ns"]
    slack = begin["error_ns"] + end["error_ns"]
    # Its calendar clock is ahead, so what it did seems late; by less if that clock gave the job its start.
    assert -AHEAD_NS - slack - 3_000_000 < begin["added_ns"] < 0
    assert abs(end["added_ns"] - begin["added_ns"] + passed * PPM / 1e6) <= slack + 1000
    assert abs(second["drift"] * 1e6 + PPM) < slack / passed * 1e6 + 5
    assert machines.synchronisations() == 8
    assert clocks["before_sent"] < clocks["before_sent_unaligned"]
    assert clocks["before_sent_unaligned"] > 50

    def late(trace: Trace) -> int:
        found = trace.messages().to_pylist()
        assert len(found) == 400
        # Clocks are right to the error that is told, which on a busy machine is more than a message takes.
        return sum(row["received_at_ns"] + slack + 1000 < row["sent_at_ns"] for row in found)

    assert late(Trace(machines.trace)) == 0
    one = tmp_path / "one.trace.hr"
    subprocess.run([COMMAND, "trace", "unify", "-o", one, machines.trace], capture_output=True, check=True)
    assert late(Trace(one)) == 0
    said = machines.info()
    assert "Clocks of 2 nodes" in said
    assert "by calendar clocks it would be" in said
    done = subprocess.run([COMMAND, "trace", "verify", one], capture_output=True, text=True, check=False)
    assert "would, had clocks not been compared" in done.stdout


def test_nodes_that_were_not_compared_are_told(
    mpi: str, compiled: Compiled, other_clock: Path, tmp_path: Path
) -> None:
    program = compiled(mpi, "c/back_and_forth.c")
    machines = Machines(mpi, tmp_path, program, other_clock, HEADRACE_TRACE_CLOCKS="never")
    assert machines.synchronisations() == 0
    assert "those of the 2 nodes were not compared" in " ".join(machines.info().split())


def test_on_one_node_nothing_is_measured(compiled: Compiled, mpi: str, parallel: Parallel) -> None:
    captured = parallel(3, [compiled(mpi, "c/back_and_forth.c")], "--trace")
    trace = Trace(captured.path.with_name("job.trace.hr"))
    assert [row["name"] for row in trace.functions() if row["name"] == "clock synchronisation"] == []
    assert [len(node["measured"]) for node in trace.native.clocks()] == [0]


def test_a_rank_that_does_not_come_to_the_end(compiled: Compiled, mpi: str, parallel: Parallel) -> None:
    """All ranks of one launcher: measured at the start, though all is one node."""
    os.environ["HEADRACE_TRACE_CLOCKS"] = "always"
    try:
        captured = parallel(3, [compiled(mpi, "c/back_and_forth.c"), "dies"], "--trace")
    finally:
        del os.environ["HEADRACE_TRACE_CLOCKS"]
    trace = Trace(captured.path.with_name("job.trace.hr"))
    found = [row["calls"] for row in trace.functions() if row["name"] == "clock synchronisation"]
    assert found == [3]


def test_what_is_said_of_clocks_that_went_wrong() -> None:
    measured = {"when": "MPI_Init", "at_ns": 5, "added_ns": -3_000_000, "error_ns": 1500}
    good = {"jumped_ns": 0, "suspended_ns": 0, "calendar_step_ns": 0, "stray_ns": 0, "drift": 0.0}
    bad = {
        "jumped_ns": 5 * 10**9,
        "suspended_ns": 7 * 10**9,
        "calendar_step_ns": -(10**9),
        "stray_ns": 2_000_000,
    }
    nodes = [
        {"host": "a", "is_reference": True, "measured": [], **good},
        {"host": "b", "is_reference": False, "measured": [measured], **good, **bad},
        {"host": "c", "is_reference": False, "measured": [], **good},
    ]
    lines = clock_lines({"nodes": nodes, "before_sent": 1, "before_sent_unaligned": 9}, terminal())
    said = " ".join(" ".join(lines).split())
    assert "b -3 ms ± 1.5 µs measured in MPI_Init alone" in said
    assert "c by its calendar clock: it was not compared" in said
    assert "1 message arrives before it was sent; by calendar clocks it would be 9." in said
    assert "The clock of b jumped by +5 s" in said
    assert "b was suspended for 7 s" in said
    assert "The calendar clock of b was set by -1 s" in said
    assert "The processor's counter of b was off by +2 ms" in said
