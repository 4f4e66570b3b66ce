"""Trees that change while they are walked: what stays is counted, and nothing that is not there."""

from __future__ import annotations

import itertools
import multiprocessing
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.synchronize import Event
from pathlib import Path

import pyarrow.parquet
import pytest
from headrace import scans

Headrace = Callable[..., object]
STAY = 400  # files of 3 bytes that nobody touches; all others of the tree have 1 byte
OUTSIDE = 1 << 20  # size of files that links in the tree lead to


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "tree"
    for i in range(20):
        (top / f"stay{i}" / "below").mkdir(parents=True)
        for j in range(STAY // 20):
            (top / f"stay{i}" / "below" / f"f{j}").write_text("123")
    (tmp_path / "outside" / "below").mkdir(parents=True)
    for i in range(20):
        (tmp_path / "outside" / "below" / f"secret{i}").write_bytes(b"x" * OUTSIDE)
    return top


def make(directory: Path) -> None:
    (directory / "below").mkdir(parents=True)
    for i in range(30):
        (directory / f"f{i}").write_text("1")
        (directory / "below" / f"f{i}").write_text("1")


def change(top: Path, over: Event, number: int) -> None:
    """Files and directories come, go and move; directories become links that lead out, or files."""
    chance = random.Random(number)
    name, other = top / f"change{number}", top / f"moved{number}"
    while not over.is_set():
        with suppress(OSError):
            make(name)
            for i in chance.sample(range(30), 10):
                (name / f"f{i}").unlink()
                (name / "below" / f"f{i}").rename(name / f"new{i}")
            name.rename(other)
            name.symlink_to(top.parent / "outside")
            shutil.rmtree(other / "below")
            (other / "below").symlink_to(top.parent / "outside" / "below")
            name.unlink()
            name.write_text("1")
            name.unlink()
            shutil.rmtree(other)


@contextmanager
def changing(top: Path) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    over = context.Event()
    running = [context.Process(target=change, args=(top, over, i)) for i in range(2)]
    for one in running:
        one.start()
    try:
        yield
    finally:
        over.set()
        for one in running:
            one.join()


def test_what_stays_is_counted_and_no_link_leads_out(tree: Path, tmp_path: Path, headrace: Headrace) -> None:
    rows = tmp_path / "rows.parquet"
    with changing(tree):
        for options in itertools.islice(itertools.cycle([(), ("--checkpoint", "0"), ("--threads", "1")]), 3):
            headrace(tree, "-o", tmp_path / "s.hr", "--files", rows, *options)
            found = scans.load(tmp_path / "s.hr")
            assert found.histogram("size").get(2) == (STAY, 3 * STAY, 3 * STAY, 0.0)
            assert found.number("largest") == 3
            assert found.problems == []
            assert found.complete
            table = pyarrow.parquet.read_table(rows).to_pylist()
            assert not any("secret" in row["path"] for row in table)
            assert sum("/stay" in row["path"] and row["type"] == "file" for row in table) == STAY


def test_a_directory_that_became_a_link_is_one(tree: Path, tmp_path: Path, headrace: Headrace) -> None:
    (tree / "stay0").rename(tmp_path / "away")
    (tree / "stay0").symlink_to(tmp_path / "away")
    headrace(tree, "-o", tmp_path / "s.hr")
    found = scans.load(tmp_path / "s.hr")
    assert (found.number("symlinks"), found.number("files")) == (1, STAY - STAY // 20)
