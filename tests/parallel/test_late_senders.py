"""`headrace trace messages` and `stats --by rank`, against what ranks measure themselves."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from capture_tools import COMMAND, Captured
from headrace.commands._text import NONE

Compiled = Callable[[str, str], Path]
Parallel = Callable[..., Captured]

APART_NS, BYTES = 50_000_000, 800


def printed(*words: str | Path) -> str:
    done = subprocess.run([COMMAND, "trace", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def facts(*words: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(*words, "--json"))
    return found


@pytest.fixture
def late(mpi: str, compiled: Compiled, parallel: Parallel) -> Captured:
    captured = parallel(3, [compiled(mpi, "c/late_senders.c")], "--trace")
    assert captured.status == 0, captured.stderr.decode()
    return captured


def test_who_waits_for_whom(late: Captured) -> None:
    trace = late.path.with_name("job.trace.hr")
    own = {rank: rest for rank, *rest in ([int(word) for word in line.split()] for line in late.text)}
    found = facts("messages", trace)
    pairs = {(row["from"], row["to"]): row for row in found["pairs"]}
    assert {ranks: (row["messages"], row["bytes"]) for ranks, row in pairs.items()} == {
        (0, 1): (3, 3 * BYTES),
        (0, 2): (1, BYTES),
        (1, 2): (1, BYTES),
    }
    # Not more than the receiver was in the call, and about what its sender slept.
    assert APART_NS < pairs[0, 1]["waited_ns"] <= own[1][1] * 1000
    assert pairs[0, 1]["late"] == 3
    assert APART_NS < pairs[0, 2]["waited_ns"] + pairs[1, 2]["waited_ns"] <= own[2][2] * 1000
    waits = {row["rank"]: row for row in found["waits"]}
    assert waits[1]["waited_ns"] == pairs[0, 1]["waited_ns"]
    assert waits[0]["waited_for_ns"] == pairs[0, 1]["waited_ns"] + pairs[0, 2]["waited_ns"]
    assert (found["before_sent"], found["without_call"], found["clock_error_ns"]) == (0, 0, None)

    together = {row["name"]: row for row in found["collectives"]["functions"]}
    assert (together["MPI_Barrier"]["operations"], together["MPI_Bcast"]["operations"]) == (2, 1)
    assert together["MPI_Barrier"]["waited_ns"] > APART_NS
    assert APART_NS / 10 < together["MPI_Bcast"]["longest_ns"] <= max(own[0][4], own[2][4]) * 1000
    assert (found["collectives"]["incomplete"], found["collectives"]["out_of_step"]) == (0, 0)

    shown = printed("messages", trace).splitlines()
    assert shown[0] == "5 messages, 3.91 KiB, between 3 pairs of 3 ranks"
    matrix = [line.split() for line in shown if line.startswith("  from \\ to")]
    assert matrix == [["from", "\\", "to", "0", "1", "2"]]
    assert ["0", NONE, "2.34", "KiB", "800", "B"] in [line.split() for line in shown]
    assert any(line.startswith("Late senders: ") for line in shown)
    assert any(line.startswith("Collective operations: ranks waited ") for line in shown)


def test_a_part_of_the_ranks(late: Captured) -> None:
    trace = late.path.with_name("job.trace.hr")
    chosen = facts("messages", trace, "--rank", "1-1")
    assert [(row["from"], row["to"]) for row in chosen["pairs"]] == [(0, 1), (1, 2)]
    assert [row["rank"] for row in chosen["collectives"]["ranks"]] == [1]
    by_rank = facts("stats", trace, "--by", "rank", "--rank", "0,2")["ranks"]
    assert [row["rank"] for row in by_rank] == [0, 2]


def test_stats_by_rank(late: Captured) -> None:
    trace = late.path.with_name("job.trace.hr")
    found = facts("stats", trace, "--by", "rank")
    rows = {row["rank"]: row for row in found["ranks"]}
    assert {
        rank: (row["traffic"]["sends"], row["traffic"]["bytes_sent"], row["traffic"]["receives"])
        for rank, row in rows.items()
    } == {0: (4, 4 * BYTES, 0), 1: (1, BYTES, 3), 2: (0, 0, 2)}
    main = next(group for group in found["groups"] if group["group"] == "main")
    sums = main["class_ns"]["messages"] + main["class_ns"]["collective"]
    assert sum(row["mpi_ns"] for row in rows.values()) >= sums > 0
    assert rows[1]["class_ns"]["messages"] > APART_NS
    shown = [line.split() for line in printed("stats", trace, "--by", "rank").splitlines()]
    assert "rank time MPI I/O sent bytes received bytes files" in map(" ".join, shown)
