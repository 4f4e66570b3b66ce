"""SIGKILL at random moments: every operation that returned is in the log once."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Mix, check, run

THREADS = 4


def kill_at_random(program: Path, directory: Path, number: int, storm: bool) -> dict[str, object]:
    """Runs the mix until a random moment. `storm`: with so little memory that it folds again and again."""
    chance = random.Random(number)
    made = Mix(program, directory, rows=THREADS, files=400 if storm else 1000, dirs=chance.choice([1, 7]))
    memory = chance.choice(["128K", "160K"] if storm else ["192K", "1M", "4M"])
    command = made.command(
        threads=THREADS,
        operations=0,
        seed=number,
        size=chance.choice([16, 700, 5000]),
        open=2 if storm else 8,
        kill=chance.randrange(1, 250_000 if storm else 100_000),
    )
    captured = run(command, directory / "job.hr", ["--memory", memory])
    assert captured.status == 137, captured.stderr
    seen = check(made, captured)
    assert seen["uncertain"] <= THREADS
    assert seen["processes"][0]["ended"] == "killed"
    return seen


def kill_often(program: Path, directory: Path, first: int, count: int, storm: bool) -> None:
    folds = 0
    for number in range(first, first + count):
        place = directory / str(number)
        place.mkdir()
        try:
            folds += kill_at_random(program, place, number, storm)["folded"] != 0
        except AssertionError as error:
            raise AssertionError(f"kill {number}: {error}") from error
        for path in sorted(place.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    assert not storm or folds > count // 10


@pytest.mark.parametrize("storm", [False, True])
def test_kills(storm: bool, program: Callable[[str], Path], tmp_path: Path) -> None:
    kill_often(program("mix"), tmp_path, 0, 25, storm)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("storm", [False, True])
def test_a_thousand_kills(storm: bool, program: Callable[[str], Path], tmp_path: Path) -> None:
    kill_often(program("mix"), tmp_path, 1000, 500, storm)
