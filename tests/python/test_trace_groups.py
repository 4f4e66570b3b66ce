"""Whose time `headrace trace stats` tells: the program's, the MPI library's, and that of what started it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commands import headrace as run
from headrace import _native
from made_traces import ENTER, LEAVE, damage, event

REFERENCES = [
    ("region", "mpi", "MPI_Init", "collective"),
    ("region", "thread", "thread", "program"),
    ("region", "region", "solve", "program"),
]
INIT, THREAD, SOLVE = range(3)


def span(begin: int, end: int, what: int) -> bytes:
    return event(begin, ENTER, what) + event(end, LEAVE, what)


def job(path: Path, ranks: int = 2) -> Path:
    """Each rank has a thread that MPI began and one of its own; and there is a launcher."""
    locations: list[tuple[int, int, int, str, int, int, object]] = []
    for rank in range(ranks):
        place = (rank + 1, rank, "n", 500 + rank, 0)
        for thread, events in [
            (1, span(100, 200, INIT) + span(300, 400, SOLVE)),
            (2, span(150, 5_000, THREAD)),
            (3, span(320, 340, THREAD)),
        ]:
            locations.append((place[0], thread, *place[1:], events))
    locations.append((9, 1, -1, "n", 90, 0, span(0, 9_000, SOLVE)))
    _native.write_trace(bytes(path), locations, REFERENCES, job=7)
    return path


def facts(path: Path, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("trace", "stats", "--json", path, *options).stdout)
    return found


def test_groups_have_their_own_figures(tmp_path: Path) -> None:
    found = facts(job(tmp_path / "job.trace.hr"))
    groups = {group["group"]: group for group in found["groups"]}
    assert {name: group["locations"] for name, group in groups.items()} == {
        "main": 2, "threads": 2, "mpi_threads": 2, "no_rank": 1,
    }  # fmt: skip
    assert sum(groups["mpi_threads"]["class_ns"].values()) == 2 * 4_850
    assert groups["main"]["class_ns"] == {**groups["main"]["class_ns"], "collective": 200, "program": 400}
    own = [groups[name]["class_ns"] for name in ("main", "threads") if name in groups]
    assert sum(found["class_ns"].values()) == sum(sum(each.values()) for each in own)
    assert sum(group["events"] for group in groups.values()) == found["events"]
    (solved,) = [row for row in found["functions"] if row["name"] == "solve"]
    assert (solved["calls"], solved["time_ns"]) == (3, 9_200)


def test_the_program_comes_first(tmp_path: Path) -> None:
    shown = run("trace", "stats", job(tmp_path / "job.trace.hr")).stdout
    assert "2 main threads, 2 others of the program, 2 of the MPI library, 1 without a rank" in shown
    own, _, others = shown.partition("Functions of the MPI library's threads, and of what has no rank")
    assert "MPI_Init" in own and "MPI_Init" not in others
    assert "thread    thread" in others


def test_of_one_rank_no_other_is_read(tmp_path: Path) -> None:
    """What is damaged in another rank's first thread is not lost to this one."""
    path = job(tmp_path / "job.trace.hr")
    damage(path)  # the first chunk: rank 0's
    found = facts(path, "--rank", "1")
    assert (found["lost_chunks"], found["damage"]) == (0, [])
    assert [group["group"] for group in found["groups"]] == ["main", "threads", "mpi_threads"]
    assert facts(path, "--rank", "0")["lost_chunks"] == 1


def test_without_ranks_nothing_is_set_apart(tmp_path: Path) -> None:
    found = facts(job(tmp_path / "job.trace.hr", ranks=0))
    assert [group["group"] for group in found["groups"]] == ["main"]
    assert "Functions of" not in run("trace", "stats", tmp_path / "job.trace.hr").stdout


def test_an_overview_keeps_groups_apart(tmp_path: Path) -> None:
    """What others wait is not part of what the program does; lines that have both say so."""
    path = job(tmp_path / "job.trace.hr")
    groups = {group["group"]: group["class_ns"] for group in facts(path)["groups"]}
    seen = json.loads(run("trace", "overview", "--json", "--columns", "10", "--rows", "20", path).stdout)
    found = {group["group"]: group for group in seen["groups"]}
    assert {name: each["locations"] for name, each in found.items()} == {
        "main": 2, "threads": 2, "mpi_threads": 2, "no_rank": 1,
    }  # fmt: skip
    assert {name: each["class_ns"] for name, each in found.items()} == groups
    drawn = run("trace", "overview", "--columns", "40", "--rows", "20", path).stdout
    head = drawn.split("\n\n")[1].splitlines()[0]
    assert head.split() == ["main", "others", "of", "MPI", "no", "rank"]
    (mixed,) = json.loads(run("trace", "overview", "--json", "--columns", "10", "--rows", "1", path).stdout)[
        "groups"
    ]
    assert (mixed["group"], mixed["locations"]) == ("mixed", 7)
