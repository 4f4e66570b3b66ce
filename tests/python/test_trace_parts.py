"""What part of a trace the commands are about: ranks, processes, ranges of time, and what is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import headrace as run
from headrace import _native
from headrace._errors import UsageError
from headrace.analysis.rank_lists import chosen_ranks, parse_ranks
from headrace.analysis.traces import Trace
from headrace.commands._text import NONE
from made_traces import ENTER, LEAVE, STEP, event, two_ranks, write

COMMANDS = ("cat", "stats", "overview", "export")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return two_ranks(tmp_path / "job.trace.hr")


def command(name: str, trace: Path, *options: str) -> Any:
    more = ("--to", "perfetto", "-o", trace.with_name("out"), "--force") if name == "export" else ()
    return run("trace", name, trace, *more, *options)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_range_that_ends_before_it_begins_is_refused(trace: Path, name: str) -> None:
    found = command(name, trace, "--from", "2", "--until", "1")
    assert (found.returncode, "--from 2 is after --until 1" in found.stderr) == (2, True), found.stderr


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(
    "options",
    [("--from", "2"), ("--until", "0.5"), ("--until", "0"), ("--rank", "1", "--from", "1.1")],
)
def test_where_nothing_is_there_is_a_hint(trace: Path, name: str, options: tuple[str, ...]) -> None:
    found = command(name, trace, *options)
    assert found.returncode == 0, found.stderr
    first = "1.00006" if "--rank" in options else "1"
    says = f"no event is in this range: they are from {first} s to 1.00006 s of the job"
    assert found.stderr == f"headrace: {trace}: {says}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_where_something_is_there_is_none(trace: Path, name: str) -> None:
    for options in ((), ("--from", "1", "--until", "1.00003")):
        assert "range" not in command(name, trace, *options).stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_trace_without_events_says_so(tmp_path: Path, name: str) -> None:
    path = tmp_path / "job.trace.hr"
    _native.write_trace(bytes(path), [], [], facts={"trace_of": "job.hr"})
    found = command(name, path)
    assert (found.returncode, found.stderr) == (0, f"headrace: {path}: there are no events\n")


def many_ranks(path: Path, ranks: int) -> Path:
    data = event(5, ENTER, STEP) + event(9, LEAVE, STEP)
    return write(path, [(rank + 1, 1, rank, "n", 100 + rank, 0, data) for rank in range(ranks)])


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("3", {3}),
        ("0-2", {0, 1, 2}),
        ("0-1, 4,12-13", {0, 1, 4, 12, 13}),
        ("0-14:5", {0, 5, 10}),
        ("2,2-3", {2, 3}),
        ("14-9999999999", {14, 15}),
    ],
)
def test_ranks_are_chosen_by_lists(tmp_path: Path, text: str, ranks: set[int]) -> None:
    assert chosen_ranks(parse_ranks(text), range(16), "x") == ranks
    trace = Trace(many_ranks(tmp_path / "job.trace.hr", 16))
    assert {trace.locations[each]["rank"] for each in trace.choose(text)} == ranks


@pytest.mark.parametrize(
    "text", ["", "-1", "x", "3-1", "0-4:0", "1;2", "1,", "0-", "1.5", "\u0663", "9" * 11]
)
def test_what_is_no_list_of_ranks_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as told:
        parse_ranks(text)
    assert str(told.value) == f"--rank {text}: is no list of ranks; write 3, 0-7, 0-7,12 or 0-62:2"


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_take_lists_of_ranks(trace: Path, name: str) -> None:
    assert command(name, trace, "--rank", "0-1").returncode == 0
    found = command(name, trace, "--rank", "3-1")
    assert (found.returncode, "is no list of ranks" in found.stderr) == (2, True), found.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [("0-1,7", "has no rank 7"), ("2-5", "has no ranks 2-5"), ("0,2-8:3", "has no ranks 2-8:3")],
)
def test_ranks_that_are_not_there_are_named(trace: Path, text: str, says: str) -> None:
    found = command("cat", trace, "--rank", text)
    assert (found.returncode, f"{trace}: {says}; it has ranks 0-1" in found.stderr) == (2, True), found.stderr


def test_stats_of_many_ranks_are_bounded(tmp_path: Path) -> None:
    trace = many_ranks(tmp_path / "job.trace.hr", 50)
    shown = run("trace", "stats", "--by", "rank", trace).stdout.splitlines()
    assert shown[-1] == "  … and 10 more ranks with less time in MPI and I/O: --json has all"
    assert len(json.loads(run("trace", "stats", "--by", "rank", "--json", trace).stdout)["ranks"]) == 50


def test_stats_by_rank_of_chosen_calls(trace: Path) -> None:
    def rows(*options: str) -> list[tuple[int, ...]]:
        found = json.loads(run("trace", "stats", "--by", "rank", "--json", trace, *options).stdout)["ranks"]
        keys = ("rank", "calls", "errors", "bytes_read", "bytes_written", "io_ns")
        return [tuple(row[key] for key in keys) for row in found]

    assert rows() == [(0, 5, 1, 0, 4096, 22_000), (1, 0, 0, 0, 0, 0)]
    assert rows("--function", "write", "--errors") == [(0, 1, 1, 0, 0, 22_000), (1, 0, 0, 0, 0, 0)]
    shown = run("trace", "stats", "--by", "rank", trace, "--errors").stdout.splitlines()
    assert [line.split() for line in shown[-3:]] == [
        ["rank", "calls", "errors", "read", "written"],
        ["0", "1", "1", NONE, NONE],
        ["1", *[NONE] * 4],
    ]


def test_no_line_was_asked_for(trace: Path) -> None:
    assert run("trace", "cat", trace, "--limit", "0").stderr == ""


def test_stats_of_a_part(trace: Path) -> None:
    def stats(*options: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(run("trace", "stats", trace, "--json", *options).stdout)
        return found

    assert stats("--rank", "1")["kinds"]["receive"] == 1
    assert (stats("--rank", "1")["events"], stats("--process", "501")["events"]) == (1, 12)
    part = stats("--rank", "0", "--from", "1.000012", "--until", "1.000030")
    (wrote, *_) = [row for row in part["functions"] if row["name"] == "write"]
    assert (wrote["calls"], wrote["bytes"], wrote["time_ns"]) == (1, 4096, 10_000)
    assert (part["class_ns"]["write"], sum(part["class_ns"].values())) == (10_000, 18_000)
    assert (part["lost_events"], part["bytes_per_event"]) == (0, trace.stat().st_size / 13)


def test_ids_of_processes_are_texts_that_options_take(trace: Path) -> None:
    seen = json.loads(run("trace", "overview", trace, "--json", "--columns", "3").stdout)
    listed = json.loads(run("trace", "info", trace, "--json", "--locations").stdout)["location_list"]
    told = [json.loads(line) for line in run("trace", "cat", trace, "--json").stdout.splitlines()]
    ids = ["000000000000000b", "000000000000000c"]
    assert [row["locations"][0]["process"] for row in seen["rows"]] == ids
    assert [row["process"] for row in listed] == ids
    assert sorted({row["process"] for row in told}) == ids
    assert Trace(trace).choose(process=ids[1]) == Trace(trace).choose(process=12) == [1]


def test_choosing_in_python(trace: Path) -> None:
    opened = Trace(trace)
    assert (opened.choose(1), opened.choose(), opened.choose(process=501)) == ([1], [0, 1], [0])
    with pytest.raises(UsageError, match="has no process 9; it has pid 501"):
        opened.choose(0, "9")
    assert opened.stats(locations=[1])["events"] == 1


def test_locations_are_listed(trace: Path) -> None:
    shown = run("trace", "info", trace, "--locations").stdout.splitlines()
    head = next(number for number, line in enumerate(shown) if line.startswith("  location "))
    assert [line.split()[:5] for line in shown[head + 1 :]] == [
        ["rank", "0", "000000000000000b", "501", "n1"],
        ["rank", "1", "000000000000000c", "502", "n1"],
    ]
    (first, _) = json.loads(run("trace", "info", trace, "--json", "--locations").stdout)["location_list"]
    assert (first["name"], first["rank"], first["thread"], first["events"]) == ("rank 0", 0, 1, 12)
    assert (first["begin_at_ns"], first["end_at_ns"]) == (1_000_000_000, 1_000_060_000)
    assert "location_list" not in json.loads(run("trace", "info", trace, "--json").stdout)
