"""Totals of streams are exact to the byte and call, whatever the mix, and however the process ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from capture_tools import COUNTERS, FLAGS, Captured, Mix, check

BUFFER = 4096
STREAMS = 4


def run_mix(
    program: Callable[[str], Path],
    capture: Callable[..., Captured],
    directory: Path,
    threads: int = 1,
    processes: int = 1,
    **options: object,
) -> tuple[Mix, Captured]:
    made = Mix(program("stream_mix"), directory, rows=threads * processes, files=threads * STREAMS)
    command = made.command(threads=threads, processes=processes, streams=STREAMS, **options)
    return made, capture(command)


@pytest.mark.parametrize("end", ["close", "return", "exit", "_exit", "exec"])
@pytest.mark.parametrize("seed", range(6))
def test_one_thread(
    end: str, seed: int, program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    made, captured = run_mix(program, capture, tmp_path, seed=seed, operations=300, end=end)
    assert captured.status == 0, captured.stderr
    check(made, captured)


@pytest.mark.parametrize("seed", range(8))
def test_kill_loses_a_buffer_at_most(
    seed: int, program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    """What waits are calls of one byte that the buffer answered; all others are in the log."""
    made, captured = run_mix(program, capture, tmp_path, seed=seed, operations=200 + 13 * seed, end="kill")
    assert captured.status == 137, captured.stderr
    with captured.log as log:
        by_file, rest, _ = made.logged(log)
        assert not log.damage
        done, _ = made.tally.read({row["pid"] for row in log.processes.to_pylist()})
    missing = done - by_file
    assert not rest.any()
    assert (missing >= 0).all(), "invented"
    calls, size = missing[:, 2:4], missing[:, 4:6]
    assert (missing[:, :2] == 0).all(), "opens and closes never wait"
    assert (calls == size).all(), "only calls of one byte wait"
    assert (calls.sum(axis=1) <= BUFFER).all()


def test_bytes_in_files(
    program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    """Sums over both layers: what streams wrote shows once, though the C library wrote it to the system."""
    made, captured = run_mix(program, capture, tmp_path, seed=3, operations=300, end="close")
    with captured.log as log:
        by_file, _, _ = made.logged(log)
    done, _ = made.tally.read({row["pid"] for row in captured.rows("processes")})
    assert np.array_equal(by_file, done), dict(zip(COUNTERS, (by_file - done).sum(axis=0), strict=True))
    rows = [row for row in captured.files() if "/data/d0/f" in row["path"]]
    assert {row["layer"] for row in rows} == {"stdio"}
    for row in rows:
        assert row["system_bytes_written"] == row["bytes_written"]
    assert any(row["flags"] & FLAGS["lower_bound"] for row in rows)
