"""What a jump out of a signal handler cuts short is counted."""

from __future__ import annotations

from pathlib import Path

from headrace.analysis.traces import Trace
from trace_tools import HERE, Traced, compile_program


def test_jumps_out_of_signal_handlers(tmp_path: Path) -> None:
    program = compile_program("cc -std=gnu11 -O1", [HERE / "c" / "jumps.c"], tmp_path / "jumps")
    traced = Traced(tmp_path, [program, tmp_path / "out", "3000"])
    (writes,) = [row for row in Trace(traced.trace).functions() if row["name"] == "pwrite"]
    cut_short = traced.accounts().get("jumped", 0)
    assert int(traced.stdout) - cut_short <= writes["calls"] <= int(traced.stdout) + 3001
    assert cut_short > 0, "a jump out of one of 3,000 such moments"
    traced.verify()
    assert "a jump out of a signal handler" in traced.command("info")
