"""Why ranks were slow, on made logs of which it is known; and whether runs differ."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import headrace
import pytest
from headrace._errors import UsageError
from headrace.analysis.phase_compare import compare, mann_whitney
from headrace.analysis.phase_facts import phase_facts
from headrace.analysis.phase_features import adaptive_bins
from headrace.analysis.rank_lists import rank_list
from hypothesis import given
from hypothesis import strategies as st
from made_logs import LogMaker
from made_phases import dumps


def told(*words: object) -> str:
    """What the command prints."""
    command = [sys.executable, "-m", "headrace", "phases", *map(str, words)]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "999"}
    )
    return done.stdout


def test_group_leaders_are_found_with_what_goes_with_them(tmp_path: Path) -> None:
    with headrace.open(dumps(tmp_path / "a.hr")) as log:
        facts = phase_facts(log, instance=3)
    explained = facts["explained"]
    slow = explained["slow"]
    assert (slow["ranks"], slow["who"]) == (32, "0-496:16")
    assert slow["most_time_in"][0] == "posix:write"
    assert slow["usual_size"] == (16384, 18431, 1.0)
    assert set(slow["also_groups_by"]) == {"messages", "bandwidth", "sizes"}
    assert slow["bytes_written"] == 32 * 64 * 16384
    assert [group["ranks"] for group in explained["groups"]] == [32, 480]
    assert all(each["agreement"] > 0.75 for each in explained["crossings"])
    text = told(tmp_path / "a.hr", "--instance", 3)
    assert "32 ranks (0-496:16) are slow" in text and "requests are of about 16 KiB" in text
    assert "480 ranks (1-15, 17-31" in text and "waiting in MPI_Barrier" in text


def test_a_slow_node_and_io_nodes_without_slow_ranks_are_named(tmp_path: Path) -> None:
    with headrace.open(dumps(tmp_path / "a.hr", slow_node=7, group=1000)) as log:
        slow = phase_facts(log)["explained"]["slow"]
    assert (slow["ranks"], slow["alone_on"]) == (16, ["n7"])
    assert slow["io_nodes_without"] == [f"io{number}" for number in range(8) if number != 1]
    text = told(tmp_path / "a.hr")
    assert "16 ranks (112-127) are slow" in text and "They are all that ran on n7." in text


def test_ranks_that_are_alike_are_not_called_slow(tmp_path: Path) -> None:
    with headrace.open(dumps(tmp_path / "a.hr", group=1)) as log:
        explained = phase_facts(log)["explained"]
    assert explained["slow"] is None
    assert "No rank stands out" in told(tmp_path / "a.hr")


def test_phases_over_the_ranks(tmp_path: Path) -> None:
    with headrace.open(dumps(tmp_path / "a.hr", ranks=40, instances=3)) as log:
        (phase,) = phase_facts(log)["phases"]
    assert (phase["instances"], phase["members"], phase["missing"]) == (3, 40, 0)
    assert [each["instance"] for each in phase["each"]] == [1, 2, 3]
    assert phase["longest"]["instance"] == 3
    assert phase["each"][0]["time_ns"]["least"] <= phase["each"][0]["time_ns"]["most"]


def test_runs_with_other_times_are_told_apart(tmp_path: Path) -> None:
    logs = [
        dumps(tmp_path / f"{name}.hr", ranks=8, instances=12, factor=factor, seed=seed)
        for name, factor, seed in (("a", 1.0, 1), ("b", 1.0, 2), ("slow", 1.6, 3))
    ]
    facts = []
    for path in logs:
        with headrace.open(path) as log:
            facts.append(phase_facts(log))
    tests = {tuple(test["runs"]): test for test in compare(facts, "dump")["tests"]}
    assert tests[0, 1]["p"] > 0.05
    assert tests[0, 2]["p"] < 0.01 and tests[0, 2]["longer"] < 0.2
    text = told(*logs)
    assert "no difference can be told from chance" in text and "times as fast" in text


def test_mann_whitney_keeps_its_promise() -> None:
    chance = random.Random(5)
    ps = [
        mann_whitney([chance.gauss(0, 1) for _ in range(12)], [chance.gauss(0, 1) for _ in range(9)])["p"]
        for _ in range(2000)
    ]
    assert 0.03 < sum(p < 0.05 for p in ps) / len(ps) < 0.06
    assert mann_whitney([1, 2, 3], [4, 5, 6])["p"] is None  # too few to say
    assert mann_whitney([5] * 6, [5] * 6)["p"] is None
    # By hand: 1.5 of 25 pairs; mean 12.5, variance 25/12 (11 - 6/90) for the tie; (11 - 0.5) / 4.773 = 2.20.
    found = mann_whitney([1, 2, 3, 4, 5], [4, 6, 7, 8, 9])
    assert (found["longer"], found["p"]) == (1.5 / 25, pytest.approx(0.0278, abs=1e-4))


@given(st.sets(st.integers(0, 300)))
def test_rank_lists_say_every_rank_once(ranks: set[int]) -> None:
    found: list[int] = []
    for part in filter(None, rank_list(ranks, 1000).split(", ")):
        limits, _, stride = part.partition(":")
        first, _, last = limits.partition("-")
        found += range(int(first), int(last or first) + 1, int(stride or 1))
    assert found == sorted(ranks)


def test_rank_lists_are_short() -> None:
    assert rank_list([0, 16, 32, 48]) == "0-48:16"
    assert rank_list([0, 1, 2, 5, 9]) == "0-2, 5, 9"
    assert rank_list([*range(8), *range(16, 113, 16)]) == "0-7, 16-112:16"
    assert rank_list(range(0, 40, 2), most=1) == "0-38:2"
    assert rank_list([1, 4, 6, 13, 25, 26, 40], most=2) == "1, 4, … and 5 more"


@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 99)), min_size=1, max_size=80))
def test_adaptive_bins_cover_all_and_do_not_overlap(counts: list[tuple[int, int]]) -> None:
    rows = [{"least": low * 10, "most": low * 10 + 9, "count": count} for low, count in counts]
    bins = adaptive_bins(rows, 7)
    assert len(bins) <= 7
    assert all(before[1] < after[0] for before, after in pairwise(bins))
    assert all(any(low <= row["least"] <= high for low, high in bins) for row in rows)


def test_mistakes_are_told_with_the_next_step(tmp_path: Path) -> None:
    unmarked = LogMaker()
    unmarked.process(1)
    with (
        headrace.open(unmarked.write(tmp_path / "none.hr")) as log,
        pytest.raises(UsageError, match="mark phases"),
    ):
        phase_facts(log)
    with headrace.open(dumps(tmp_path / "a.hr", ranks=8)) as log:
        with pytest.raises(UsageError, match="no phase dunp; there are dump"):
            phase_facts(log, "dunp")
        with pytest.raises(UsageError, match="instance 9 of dump is not kept whole; those are 1, 2, 3, 4"):
            phase_facts(log, "dump", 9)


def test_json_has_all_that_is_said(tmp_path: Path) -> None:
    path = dumps(tmp_path / "a.hr", ranks=64)
    facts = json.loads(told(path, "--json"))
    assert facts["members"] == 64 and facts["explained"]["slow"]["who"] == "0-48:16"
    assert len(facts["explained"]["representatives"][0]["written"]) == 16
    both = json.loads(told(path, path, "--json"))
    assert len(both["runs"]) == 2 and both["comparison"]["phase"] == "dump"
