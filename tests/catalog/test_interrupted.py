"""Adders that are killed, and several at a time: the same rows, each once."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from headrace import catalog
from headrace.catalog import checks
from headrace.catalog.add import add
from made_job_logs import write

TABLES = ("logs", "instances", "files", "access_sizes", "scheduler_jobs", "sources")
SACCT = "JobIDRaw|User|Account|Start|End|State\n{0}|ann|a1|1767265200|1767268800|COMPLETED\n"
# An adder that kills itself when it has opened, linked or removed so many files below the catalog, or made so
# many directories there. It tells how many that were in all.
KILLED = """
import os, signal, sys
from pathlib import Path
from headrace.catalog import add as adding

left = int(sys.argv[1])
adding._LOGS_AT_ONCE, adding._SOURCES = 4, 8

def counted(event, about):
    global left
    if event in ("open", "os.link", "os.remove", "os.mkdir") and str(about[0]).startswith(sys.argv[2]):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(counted)
adding.add(sys.argv[2], [Path(sys.argv[3])], 1)
print(int(sys.argv[1]) - left)
"""


def tree_of(path: Path, logs: int) -> Path:
    path.mkdir()
    for number in range(logs):
        write(path / f"{number}.hr", [(0, 100, 7)] * (1 + number % 3), number + 1)
        (path / f"{number}.txt").write_text(SACCT.format(number))
    return path


def rows(root: Path) -> dict[str, list[str]]:
    """All rows, but when and under which number they were added."""
    found = {}
    for name in TABLES:
        table = catalog.open(root).table(name)
        table = table.drop_columns([column for column in ("added", "place") if column in table.column_names])
        found[name] = sorted(re.sub(r"0x\w+", "", str(row)) for row in table.to_pylist())
    return found


def killed_after(events: int, root: Path, tree: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", KILLED, str(events), str(root), str(tree)]
    return subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False, timeout=120)


@pytest.mark.parametrize("seed", range(3))
def test_an_adder_that_is_killed_anywhere_is_taken_up_again(tmp_path: Path, seed: int) -> None:
    tree = tree_of(tmp_path / "tree", 30)
    events = int(killed_after(1 << 60, tmp_path / "whole", tree).stdout)
    root = tmp_path / "killed"
    ends, parts, made = [], 0, 0
    for place in sorted(random.Random(seed).sample(range(1, events + 1), 5)):
        ends.append(killed_after(place, root, tree).returncode)
        if (root / "commits").is_dir() and (root / "catalog.json").exists():
            assert checks.problems(catalog.open(root)) == []
        if ends[-1] == -9:
            parts += len(list(root.glob("*/**/*.parquet")))
            made += len(list(root.glob("commits/0*.json")))
    assert -9 in ends
    assert set(ends) <= {-9, 0}
    assert parts and made, "it was killed before it had written anything"
    report = add(root, [tree])
    assert report.bad == []
    assert rows(root) == rows(tmp_path / "whole")
    assert checks.problems(catalog.open(root)) == []


def test_several_adders_of_one_tree_at_a_time(tmp_path: Path) -> None:
    tree = tree_of(tmp_path / "tree", 30)
    add(tmp_path / "whole", [tree])
    root = tmp_path / "many"
    command = [sys.executable, "-c", KILLED, "1000000000", str(root), str(tree)]
    adders = [subprocess.Popen(command) for _ in range(3)]
    assert [adder.wait(120) for adder in adders] == [0, 0, 0]
    assert rows(root) == rows(tmp_path / "whole")
    assert checks.leftovers(catalog.open(root), repair=False) == (0, 0)


def test_memory_does_not_grow_with_the_logs(tmp_path: Path) -> None:
    """Four times as many logs take no more than what is in memory at once, which is bounded."""
    program = """
import resource, sys
from pathlib import Path
from headrace.catalog import add as adding
import headrace.catalog.compact as compacting
adding._LOGS_AT_ONCE, adding._ROWS = 4, 10_000
compacting._SMALL_ROWS, compacting._MOST_ROWS = 5_000, 20_000
report = adding.add(sys.argv[1], [Path(sys.argv[2])], 1)
print(report.added, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    whole = tmp_path / "tree"
    whole.mkdir()
    for number in range(64):
        write(whole / f"{number}.hr", [(0, 100, 7)], number + 1, files=1500)
    used = []
    for number, paths in enumerate((list(whole.iterdir())[:16], list(whole.iterdir()))):
        tree = tmp_path / f"tree-{number}"
        tree.mkdir()
        for path in paths:
            (tree / path.name).write_bytes(path.read_bytes())
        command = [sys.executable, "-c", program, tmp_path / f"c{number}", tree]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.split()
        assert int(said[0]) == len(paths)
        used.append(int(said[1]))
    assert used[1] < used[0] + (80 << 10)  # KiB; 150 MiB more if all were kept
