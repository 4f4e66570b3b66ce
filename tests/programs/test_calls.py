"""Results, errno, signals and jumps of single calls, in C programs that print what they see."""

from __future__ import annotations

import pytest
from tracing import Compile, Tracer


def test_results_and_errno_of_failing_and_successful_calls(build: Compile, tracer: Tracer) -> None:
    done = tracer.compare([build("errors")])
    assert done.status == 0, done.output[-500:]


@pytest.mark.parametrize("how", ["", "io", "stack"])
def test_jumps_out_of_handlers_that_interrupt_io(build: Compile, tracer: Tracer, how: str) -> None:
    done = tracer.run(
        [build("jumps", "cc", "-D_GNU_SOURCE"), *([how] if how else [])], capture=True, timeout=60
    )
    assert (done.status, done.output) == (0, b"jumped 1 times\n")
    assert done.file_writes["after"] == 1000  # counting goes on, by file


def test_what_a_program_finds_around_itself(build: Compile, tracer: Tracer) -> None:
    program = build("surroundings", "cc", "-D_GNU_SOURCE")
    assert tracer.compare(["env", "-i", "A=1", "HEADRACE_X=2", program, "limits"]).status == 0
    tracer.compare(["env", "-i", "LD_PRELOAD=libm.so.6", "A=1", program])
    tracer.compare([program])
