"""`headrace trace messages` of known traces: its text stays short, and says what makes waits uncertain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commands import headrace as run
from headrace.commands._text import NONE
from made_traces import COLLECTIVE, ENTER, LEAVE, MPI_SEND, RECEIVE, SEND, WORLD, event, two_ranks, write

NO_ROOT = (1 << 32) - 1


def ring(path: Path, ranks: int) -> Path:
    """Each rank sends to the next one at 50 + its number, which waits for it from 10 on."""
    locations = []
    for rank in range(ranks):
        data = event(10, ENTER, MPI_SEND) + event(50 + rank, SEND, WORLD, (rank + 1) % ranks, 1000, 3)
        data += event(500, RECEIVE, WORLD, (rank - 1) % ranks, 1000, 3) + event(501, LEAVE, MPI_SEND)
        locations.append((rank + 1, 1, rank, "n", 100 + rank, 0, data))
    return write(path, locations)


def shown(trace: Path, *options: str) -> list[str]:
    done = run("trace", "messages", trace, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def facts(trace: Path, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads("\n".join(shown(trace, "--json", *options)))
    return found


def test_few_ranks_are_a_square(tmp_path: Path) -> None:
    lines = shown(ring(tmp_path / "job.trace.hr", 3))
    assert lines[0] == "3 messages, 2.93 KiB, between 3 pairs of 3 ranks"
    assert [line.split() for line in lines[2:6]] == [
        ["from", "\\", "to", "0", "1", "2"],
        ["0", NONE, "1000", "B", NONE],
        ["1", NONE, NONE, "1000", "B"],
        ["2", "1000", "B", NONE, NONE],
    ]
    assert ["2", "0", "1", "1000", "B", "1", "42", "ns", "42", "ns"] in [line.split() for line in lines]


def test_many_ranks_are_bounded(tmp_path: Path) -> None:
    trace = ring(tmp_path / "job.trace.hr", 300)
    lines = shown(trace)
    assert len(lines) < 60
    assert "  … and 280 more: --json has all" in lines
    assert "  … and 280 more ranks: --json has all" in lines
    assert not any("from \\ to" in line for line in lines)
    found = facts(trace)
    assert len(found["pairs"]) == len(found["waits"]) == 300
    assert found["sums"]["waited_ns"] == sum(40 + rank for rank in range(300))
    chosen = facts(trace, "--rank", "7")
    assert [(row["from"], row["to"]) for row in chosen["pairs"]] == [(6, 7), (7, 8)]
    assert chosen["waits"] == [{"rank": 7, "waited_ns": 46, "waited_for_ns": 47}]


def test_what_is_uncertain_is_told(tmp_path: Path) -> None:
    """A receive in no call before its sending, and an operation that a rank left before the other came."""
    two = [
        (ENTER, 100, MPI_SEND),
        (COLLECTIVE, 110, WORLD),
        (LEAVE, 111, MPI_SEND),
    ]
    locations = []
    for rank, later in enumerate((0, 300)):
        data = b"".join(
            event(at + later, kind, what, NO_ROOT if kind == COLLECTIVE else 0) for kind, at, what in two
        )
        if rank == 0:
            data += event(200, SEND, WORLD, 1, 8, 1)
        else:
            data = event(150, RECEIVE, WORLD, 0, 8, 1) + data
        locations.append((rank + 1, 1, rank, "n", 100 + rank, 0, data))
    trace = write(tmp_path / "job.trace.hr", locations)
    found = facts(trace)
    assert (found["before_sent"], found["without_call"]) == (1, 1)
    assert found["collectives"]["out_of_step"] == 1
    assert found["sums"]["waited_ns"] == 0
    told = " ".join(" ".join(shown(trace)).split())
    assert "1 message came before being sent: clocks differ" in told
    assert "1 message without the call that received them" in told
    assert "1 collective operation left out: a rank left before the last came" in told


def test_nothing_to_tell(tmp_path: Path) -> None:
    done = run("trace", "messages", two_ranks(tmp_path / "job.trace.hr"), "--until", "0.5")
    assert done.stdout == "0 messages, 0 B, between 0 pairs of 2 ranks\n"
    assert "no event is in this range" in done.stderr
