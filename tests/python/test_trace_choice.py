"""Calls of a trace by file, function and error: `headrace trace cat` and `stats`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import headrace as run
from made_traces import BEGIN, END, OPEN, WRITE, event, two_ranks, write


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return two_ranks(tmp_path / "job.trace.hr")


def lines(trace: Path, *options: str) -> list[dict[str, Any]]:
    done = run("trace", "cat", "--json", *options, trace)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def stats(trace: Path, *options: str) -> dict[str, Any]:
    done = run("trace", "stats", "--json", *options, trace)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--file", "out"), ["open", "write", "write"]),
        (("--file", "/data/*"), ["open", "write", "write"]),
        (("--file", "data/*"), []),
        (("--function", "MPI_*"), ["MPI_Send", "MPI_Send"]),
        (("--function", "open", "--function", "step"), ["step", "open", "step"]),
        (("--file", "out", "--function", "w*"), ["write", "write"]),
        (("--errors",), ["write"]),
        (("--errors", "--function", "open"), []),
        (("--errors", "--limit", "0"), []),
        (("--file", "out", "--limit", "2"), ["open", "write"]),
    ],
)
def test_cat_of_calls_as_asked_for(trace: Path, options: tuple[str, ...], names: list[str]) -> None:
    assert [row["name"] for row in lines(trace, *options)] == names
    if "--limit" not in options:
        found = {row["name"]: row["calls"] for row in stats(trace, *options)["functions"]}
        assert found.keys() == set(names)


def test_nothing_is_told(trace: Path) -> None:
    for command in ("cat", "stats"):
        done = run("trace", command, "--file", "nowhere", trace)
        assert done.returncode == 0
        assert done.stderr == f"headrace: {trace}: no call is as asked for\n"


def test_few_of_very_many(tmp_path: Path) -> None:
    """What is passed over is gone through in pieces, and no line is missed between them."""
    data = b"".join(
        event(10 * i, BEGIN, WRITE, 1 + i % 2, 1, i) + event(10 * i + 5, END, WRITE, 1 + i % 2, 1)
        for i in range(150_000)
    )
    data += event(2_000_000, BEGIN, OPEN, 3, 0) + event(2_000_001, END, OPEN, 0, 0, 2)
    names = [(1, 1, "/a"), (1, 2, "/b"), (1, 3, "/c")]
    trace = write(tmp_path / "t.trace.hr", [(1, 1, 0, "n", 2, 0, data)], names)
    assert [(row["path"], row["error"]) for row in lines(trace, "--errors")] == [("/c", 2)]
    assert len(lines(trace, "--file", "a")) == 75_000
    found = stats(trace, "--by", "file")["files"]
    assert [(row["path"], row["calls"], row["bytes_written"], row["time_ns"]) for row in found] == [
        ("/a", 75_000, 75_000, 375_000),
        ("/b", 75_000, 75_000, 375_000),
        ("/c", 1, 0, 1),
    ]


def test_by_file(trace: Path) -> None:
    found = stats(trace, "--by", "file")
    (row,) = found["files"]
    assert row == {
        "path": "/data/out", "layer": "posix", "calls": 3, "unfinished": 0, "errors": 1, "bytes_read": 0,
        "bytes_written": 4096, "time_ns": 22_000, "longest_ns": 20_000,
    }  # fmt: skip
    assert found["groups"][0]["files"] == [row] and found["chosen"] is None
    assert "files" not in stats(trace)
    chosen = stats(trace, "--by", "file", "--errors")
    assert [(row["calls"], row["time_ns"]) for row in chosen["files"]] == [(1, 1_000)]
    assert chosen["chosen"] == {"files": [], "functions": [], "errors": True}
    printed = run("trace", "stats", "--by", "file", trace).stdout.splitlines()[-1].split()
    assert printed[:4] == ["/data/out", "posix", "3", "1"] and printed[-4:] == ["22", "µs", "20", "µs"]
