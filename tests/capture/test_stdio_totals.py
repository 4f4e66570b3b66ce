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
    **options: object,
) -> tuple[Mix, Captured]:
    made = Mix(program("stream_mix"), directory, rows=threads, files=threads * STREAMS)
    command = made.command(threads=threads, streams=STREAMS, **options)
    return made, capture(command)


@pytest.mark.parametrize("end", ["close", "return", "exit", "_exit", "exec"])
@pytest.mark.parametrize("seed", range(6))
def test_one_thread(
    end: str, seed: int, program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    made, captured = run_mix(program, capture, tmp_path, seed=seed, operations=300, end=end)
    assert captured.status == 0, captured.stderr
    check(made, captured)


@pytest.mark.parametrize("shared", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_threads(
    shared: int, seed: int, program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    """Inlined calls show in the view of one thread, so threads that share a stream use none."""
    made, captured = run_mix(
        program, capture, tmp_path, threads=4, seed=seed, shared=shared, operations=150, end="close"
    )
    assert captured.status == 0, captured.stderr
    check(made, captured)


@pytest.mark.parametrize("end", ["exit", "_exit"])
def test_fork_counts_what_waits_once(
    end: str, program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    (tmp_path / "read").write_bytes(b"x" * 10_000)
    captured = capture([program("stream_fork"), end], cwd=tmp_path)
    assert captured.status == 0, captured.stderr
    parent, child = (row["process"] for row in captured.rows("processes"))
    counts = {
        (row["process"], row["path"].rsplit("/", 1)[1]): (row["reads"], row["writes"])
        for row in captured.files()
        if row["path"].endswith(("/written", "/read"))
    }
    assert counts == {
        (parent, "written"): (0, 127),
        (parent, "read"): (53, 0),
        (child, "written"): (0, 15),
        (child, "read"): (34, 0),
    }
    system = sum(row["system_bytes_written"] for row in captured.files("/written"))
    assert system == (tmp_path / "written").stat().st_size


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
