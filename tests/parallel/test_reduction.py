"""Figures of ranks are reduced at MPI_Finalize: nothing lost, nothing twice, and what comes later as well."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from capture_tools import COMMAND, Captured

Compiled = Callable[[str, str], Path]
Parallel = Callable[..., Captured]

SUMS = ["opens", "closes", "reads", "writes", "bytes_read", "bytes_written", "writes_collective"]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduces also programs that are too small for it to be worth while."""
    monkeypatch.setenv("HEADRACE_REDUCE", "always")


def sums(captured: Captured, directory: Path) -> dict[tuple[str, str, str], dict[str, int]]:
    """Counters of the program's own files, by path, kind and layer."""
    result: dict[tuple[str, str, str], dict[str, int]] = {}
    for row in captured.rows("files"):
        if not row["path"].startswith(str(directory)) or row["path"].endswith("pointers"):
            continue  # how often ROMIO asks its file of shared pointers depends on which rank comes first
        into = result.setdefault((row["path"], row["kind"], row["layer"]), dict.fromkeys(SUMS, 0))
        for name in SUMS:
            into[name] += row[name]
    return result


def reduced_rows(captured: Captured) -> list[dict[str, Any]]:
    standing = {row["process"] for row in captured.rows("processes") if row["rank"] < 0 and row["ranks"] > 0}
    return [row for row in captured.rows("files") if row["process"] in standing]


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_sums_are_the_same(
    mpi: str,
    compiled: Compiled,
    parallel: Parallel,
    tmp_path: Path,
    ranks: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = compiled(mpi, "c/mpi_calls.c")
    directory = tmp_path / "data"
    found = {}
    for mode in ("never", "always"):
        directory.mkdir()
        monkeypatch.setenv("HEADRACE_REDUCE", mode)
        captured = parallel(ranks, [program, directory])
        assert captured.status == 0, captured.stderr.decode()
        found[mode] = sums(captured, directory)
        for file in directory.iterdir():
            file.unlink()
        directory.rmdir()
    assert found["always"] == found["never"]
    rows = [row for row in reduced_rows(captured) if row["path"].startswith(str(directory))]
    assert {row["layer"] for row in rows} == {"posix", "mpiio"}
    told = {row["record"]: row for row in captured.rows("shared")}
    for row in rows:
        assert told[row["record"]]["ranks"] == ranks
        assert told[row["record"]]["who"] == f"0-{ranks - 1}"
        shares = [share for share in captured.rows("shares") if share["record"] == row["record"]]
        assert len(shares) == ranks
        for name in ("bytes_read", "bytes_written", "reads", "writes", "write_ns"):
            assert sum(share[name] for share in shares) == row[name]
    assert sorted(row["rank"] for row in captured.rows("processes") if row["rank"] >= 0) == list(range(ranks))
    assert {row["ended"] for row in captured.rows("processes") if row["rank"] >= 0} == {"exit"}
    with captured.log as log:
        assert log.job["complete"] == "yes"


@pytest.mark.usefixtures("always")
def test_what_comes_after_finalize_is_counted(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path
) -> None:
    captured = parallel(4, [compiled(mpi, "c/endings.c"), "after", tmp_path / "shared"])
    assert captured.status == 0, captured.stderr.decode()
    assert reduced_rows(captured)
    late = captured.files("/shared.late")
    assert sum(row["bytes_written"] for row in late) == 8
    assert sum(row["opens"] for row in late) == 4
    shared = captured.files("/shared", layer="mpiio")
    assert sum(row["bytes_written"] for row in shared) == 4000
    assert sum(row["opens"] for row in shared) == sum(row["closes"] for row in shared) == 4


@pytest.mark.usefixtures("always")
def test_programs_with_sanitizers_end_as_they_would(
    mpi: str, parallel: Parallel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "sanitized"
    source = Path(__file__).parent / "c" / "endings.c"
    options = ["-pthread", "-fsanitize=address", "-static-libasan"]
    subprocess.run([f"mpicc.{mpi}", *options, "-o", str(program), str(source)], check=True)
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")
    captured = parallel(2, [program, "after", tmp_path / "shared"])
    assert captured.status == 0, captured.stderr.decode()
    assert sum(row["bytes_written"] for row in captured.files("/shared", layer="mpiio")) == 2000


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("way", ["abort", "kill", "exit"])
def test_without_finalize_the_spools_have_it(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path, way: str
) -> None:
    captured = parallel(4, [compiled(mpi, "c/endings.c"), way, tmp_path / "shared"])
    # A launcher may end before the ranks that it kills: what is left of them is collected in the background.
    deadline = time.monotonic() + 20
    while len(captured.files("/shared", layer="mpiio")) < 4 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not reduced_rows(captured)
    rows = captured.files("/shared", layer="mpiio")
    assert [row["bytes_written"] for row in rows] == [1000] * 4


def test_a_full_disk_loses_nothing(
    mpi: str, compiled: Compiled, small_tmpfs: Callable[[str], Path], parallel: Parallel, tmp_path: Path,
    always: None, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The disk is full when the ranks write at MPI_Finalize: the program ends well, all is elsewhere."""
    program = compiled(mpi, "c/mpi_calls.c")
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    data.mkdir()
    elsewhere.mkdir()
    whole = sums(parallel(3, [program, data]), data)
    shutil.rmtree(data)
    data.mkdir()
    full = small_tmpfs("64K")
    (full / "filler").write_bytes(b"x" * 57_000)
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    command = [COMMAND, "run", "-o", full / "job.hr", "--", f"mpirun.{mpi}", "-np", "3", program, data]
    environment = dict(os.environ)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert "No space left" in done.stderr
    (rest,) = elsewhere.glob("*.hr")
    told = re.search(r"`headrace (collect \S+ \S+) -o FILE` joins them", done.stderr)
    joined = rest
    if told is not None:
        joined = tmp_path / "joined.hr"
        subprocess.run([COMMAND, *told.group(1).split(), "-o", joined], check=True, capture_output=True)
    assert sums(Captured(0, b"", b"", joined), data) == whole


def test_a_rank_without_descriptors_keeps_nobody_waiting(
    mpi: str, compiled: Compiled, parallel: Parallel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADRACE_REDUCE_PATIENCE", "20")
    assert parallel(3, [compiled(mpi, "c/no_descriptors.c")]).status == 0


def test_few_rows_stay_one_a_rank(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path) -> None:
    captured = parallel(4, [compiled(mpi, "c/mpi_calls.c"), tmp_path])
    assert captured.status == 0
    assert not reduced_rows(captured)
    assert not captured.rows("shared")


@pytest.mark.usefixtures("always")
def test_no_reduction_of_names_that_must_not_be_told(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path
) -> None:
    captured = parallel(2, [compiled(mpi, "c/mpi_calls.c"), tmp_path], "--anonymize")
    assert captured.status == 0
    assert not captured.rows("shared")
    assert str(tmp_path).encode() not in (tmp_path / "job.hr").read_bytes()


@pytest.mark.usefixtures("always")
def test_nothing_is_left_behind(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spools = tmp_path / "spools"
    spools.mkdir()
    monkeypatch.setenv("HEADRACE_SPOOL", str(spools))
    captured = parallel(3, [compiled(mpi, "c/mpi_calls.c"), tmp_path])
    assert captured.status == 0
    assert captured.rows("shared")
    assert not list(spools.iterdir())
