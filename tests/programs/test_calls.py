"""Results, errno, offsets, signals and jumps of single calls, in C programs that print what they see."""

from __future__ import annotations

from conftest import Compile
from tracing import Tracer


def test_results_and_errno_of_failing_and_successful_calls(build: Compile, tracer: Tracer) -> None:
    done = tracer.compare([build("errors")])
    assert done.status == 0, done.output[-500:]
