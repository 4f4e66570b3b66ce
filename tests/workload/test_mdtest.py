"""`headrace bench mdtest`: directories and files are made, looked at, read and removed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from bench_tools import MPIS, Bench

STEPS = ["create", "stat", "remove"]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("words", [[], ["--unique"], ["--bytes", "100", "--shift", "1", "--api", "stdio"]])
def test_rates_of_phases(tmp_path: Path, mpi: str, words: list[str]) -> None:
    bench = Bench(tmp_path, mpi)
    found = bench.figures(
        "mdtest", "--files", "20", "--directories", "10", "--depth", "2", "--branch", "3", *words
    )
    assert found["right"] and found["settings"]["tree"] == 13
    phases = {phase["name"]: phase for phase in found["phases"]}
    assert list(phases) == [
        "tree_create",
        *(f"directory_{step}" for step in STEPS),
        "file_create",
        "file_stat",
        "file_read",
        "file_remove",
        "tree_remove",
    ]
    assert phases["tree_create"]["calls"]["make_directory"]["calls"] == (
        4 * 13 if "--unique" in words else 13
    )
    assert phases["directory_remove"]["calls"]["remove_directory"]["calls"] == 40
    assert (
        phases["file_stat"]["calls"]["stat"]["calls"]
        == phases["file_remove"]["calls"]["remove"]["calls"]
        == 80
    )
    rate = 80 / phases["file_create"]["seconds"]
    assert found["file_create_per_second"] == pytest.approx(rate, rel=1e-3)
    assert all(found[f"{name}_per_second"] > 0 for name in phases)
    if "--bytes" in words:
        assert found["checks"][0]["checked_bytes"] == 80 * 100
    assert bench.left() == []


def files_of(top: Path) -> list[Path]:
    """The files of a tree whose directories come and go meanwhile, which Path.rglob does not stand."""
    walked = os.walk(top)
    return sorted(
        Path(place, name) for place, _, names in walked for name in names if name.startswith("file.")
    )


def test_the_tree_is_as_asked_for(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    words = [
        "mdtest",
        "--per-directory",
        "2",
        "--depth",
        "1",
        "--branch",
        "2",
        "--bytes",
        "10",
        "--emulate",
        "20ms",
    ]
    with subprocess.Popen(bench.command(*words), env=bench.environment, stdout=subprocess.DEVNULL) as running:
        while len(files := files_of(tmp_path)) < 6:
            assert running.poll() is None
            time.sleep(0.002)
        assert running.wait(timeout=60) == 0
    places = [str(path.relative_to(next(p for p in path.parents if p.parent == tmp_path))) for path in files]
    assert places == [
        "tree.0/1/file.0.2",
        "tree.0/1/file.0.3",
        "tree.0/2/file.0.4",
        "tree.0/2/file.0.5",
        "tree.0/file.0.0",
        "tree.0/file.0.1",
    ]
    assert bench.left() == []


def test_an_interrupted_run_removes_its_own(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "openmpi", ranks=2)
    (tmp_path / "tree.0").mkdir()
    words = ["mdtest", "--files", "100000", "--depth", "2", "--branch", "2", "--directories", "5", "-q"]
    bench.interrupt(words, lambda: any(tmp_path.glob("headrace-bench-*/tree.0/file.*")), signal.SIGTERM, 60)
    assert bench.left() == ["tree.0"]


def test_more_files_than_there_is_room_for_are_refused(small_tmpfs: Callable[[str], Path]) -> None:
    bench = Bench(small_tmpfs("2M"))
    done = bench.run("mdtest", "--files", "4000000")
    assert done.returncode == 4 and "choose fewer" in done.stderr, done.stderr
    assert bench.left() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--files", "0"], "leave nothing to do"),
        (["--depth", "30", "--branch", "3"], "a tree of more than"),
        (["--shift", "1"], "--shift is less than the number of ranks"),
        (["--api", "mpiio"], "posix or stdio"),
        (["--bytes", "8E"], "--bytes"),
        (["--files", "4000000000"], "directories and files"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run("mdtest", *words)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert bench.left() == []
