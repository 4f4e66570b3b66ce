"""Races and endings that once broke a captured program, or its log."""

from __future__ import annotations

import pytest
from tracing import Compile, Tracer

MODES = [
    "double_close",
    "cancelled",
    "fork_and_system",
    "setenv_and_system",
    "small_stack",
    "numbered",
    "no_descriptor",
]


@pytest.mark.parametrize("mode", MODES)
def test_a_race_changes_nothing_to_be_seen(build: Compile, tracer: Tracer, mode: str) -> None:
    """With little memory, so that records fold all the time."""
    captured = tracer.compare([build("races"), mode], env={"HEADRACE_MEMORY": "128K"})
    assert captured.output.endswith(b"done\n")
    if mode == "double_close":
        assert captured.file_writes["after"] == 1  # the log survived
    if mode == "cancelled":
        assert captured.operations >= 3001


def test_a_child_that_can_leave_no_spool_is_told_of(build: Compile, tracer: Tracer) -> None:
    captured = tracer.run([build("races"), "no_descriptor"], capture=True)
    assert captured.gaps.get("processes") == 1
