"""Phases of C programs: what is counted in them, and what becomes of careless ones."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from phase_logs import Phased


def test_phases_nest_and_every_instance_has_its_figures(phased: Callable[..., Phased]) -> None:
    done = phased("nested")
    assert done.status == 0
    dump = done.phase("step/dump")
    assert (dump["instances"], dump["cut"], dump["bytes_written"]) == (3, 0, 60 * 65536)
    assert done.calls("step/dump") == {"write": (60, 60 * 65536)}
    step = done.phase("step")
    assert step["bytes_written"] == 60 * 65536 + 3 * 2001
    for number in (1, 2, 3):
        one = done.phase("step/dump", number)
        assert (one["bytes_written"], one["ended"]) == (number * 10 * 65536, "end")
        assert one["start_at_ns"] < one["end_at_ns"] and one["write_ns"] <= one["time_ns"]
        assert done.sizes("step", number) == {1: 1, 960: 2, 65536: 10 * number}
    times = [done.phase("step/dump", number)["time_ns"] for number in (1, 2, 3)]
    assert (dump["least_ns"], dump["most_ns"]) == (min(times), max(times))
    assert dump["slowest"] == times.index(max(times)) + 1
    mean = sum(times) / 3
    assert math.isclose(dump["variance_ns2"], sum((t - mean) ** 2 for t in times) / 3, rel_tol=1e-3)
    assert done.sizes("") == {10: 3, 1: 3, 96: 1, 960: 6, 65536: 60}


def test_the_series_of_an_instance_has_all_its_bytes(phased: Callable[..., Phased]) -> None:
    done = phased("nested")
    for phase, number in (("step", 1), ("step", 3), ("step/dump", 2)):
        bins = done.rows("phase_series", phase=phase, instance=number, direction="write")
        one = done.phase(phase, number)
        assert sum(row["bytes"] for row in bins) == one["bytes_written"]
        assert len(bins) <= 64
        assert min(row["start_at_ns"] for row in bins) >= one["start_at_ns"]
        last = max(bins, key=lambda row: row["start_at_ns"])
        assert last["start_at_ns"] <= one["end_at_ns"]


def test_a_phase_counts_what_all_threads_do(phased: Callable[..., Phased]) -> None:
    done = phased("threads")
    assert done.phase("parallel")["bytes_written"] == 50 * 4096
    own = done.phase("own", 1)
    assert (own["bytes_written"], own["ended"], own["cut"]) == (25 * 4096, "thread", 1)
    assert done.gaps()["ends of phases"] == 1


def test_careless_ends_are_said(phased: Callable[..., Phased]) -> None:
    done = phased("careless")
    assert [done.phase(path, 1)["ended"] for path in ("a", "a/b", "a/b/c")] == ["end", "outer", "outer"]
    assert done.phase("a", 2)["ended"] == "end"
    left = done.phase("left", 1)
    assert (left["ended"], left["cut"], left["bytes_written"]) == ("process", 1, 24)
    assert done.phase("left")["instances"] == 1
    assert done.gaps()["ends of phases"] == 2


def test_a_killed_process_leaves_its_open_phases(phased: Callable[..., Phased]) -> None:
    done = phased("killed")
    assert done.status == -signal.SIGKILL
    assert done.phase("done")["bytes_written"] == 2048
    outer, inner = done.phase("outer", 1), done.phase("outer/inner", 1)
    assert (outer["bytes_written"], inner["bytes_written"]) == (3000, 2000)
    assert outer["ended"] == inner["ended"] == "process"
    assert done.calls("outer/inner") == {"write": (2, 2000)}
    assert done.phase("outer")["bytes_written"] == 3000
    written = {
        row["phase"]: sum(
            r["bytes"] for r in done.rows("phase_series", phase=row["phase"], direction="write", instance=1)
        )
        for row in done.rows("phases", instance=1)
    }
    assert written == {"done": 2048, "outer": 3000, "outer/inner": 2000}


def test_a_forked_child_is_in_no_phase(phased: Callable[..., Phased]) -> None:
    done = phased("forked")
    parent, child = done.phase("parent"), done.phase("child")
    assert parent["process"] != child["process"]
    assert (parent["bytes_written"], child["bytes_written"]) == (100, 300)
    assert done.gaps()["ends of phases"] == 1


def test_a_hundred_thousand_instances_stay_small(phased: Callable[..., Phased]) -> None:
    count = 100_000
    done = phased("many", count)
    whole = done.phase("short")
    assert (whole["instances"], whole["bytes_written"]) == (count, count)
    kept = [row["instance"] for row in done.rows("phases", phase="short") if row["instance"]]
    assert {count // 2, whole["slowest"]} <= set(kept)  # the worst ones
    assert 100 <= len(kept) <= 256
    steps = [1 << shift for shift in range(20) if sum(n % (1 << shift) == 1 for n in kept) >= len(kept) - 4]
    assert max(steps) >= count // 256  # every n-th besides the four slowest
    assert done.gaps()["instances of phases"] == count - len(kept)
    assert done.path.stat().st_size < 200_000


def test_too_many_phases_are_counted_as_lost(phased: Callable[..., Phased]) -> None:
    done = phased("names")
    assert len(done.rows("phases", instance=0)) == 256
    # 144 further names, and of those that nest without end all but the first, since no path is left for them.
    assert done.gaps()["phases"] >= 144
    assert "ends of phases" not in done.gaps()


def test_what_is_inside_a_lost_phase_is_lost_with_it(phased: Callable[..., Phased]) -> None:
    done = phased("lost")
    known = done.phase("known")
    assert (known["instances"], known["cut"], known["bytes_written"]) == (2, 0, 3)


def test_a_long_name_is_cut_between_characters(phased: Callable[..., Phased]) -> None:
    done = phased("long")
    assert {row["phase"] for row in done.rows("phases")} == {"ä" * 127}


def test_bytes_that_wait_in_a_buffer_belong_to_their_phase(phased: Callable[..., Phased]) -> None:
    done = phased("streams")
    assert done.phase("text")["bytes_written"] == 50
    assert done.sizes("text") == {1: 30, 20: 1}


@pytest.mark.parametrize("by", ["option", "environment", "configuration"])
def test_capture_phases_records_nothing_outside(
    phased: Callable[..., Phased], by: str, tmp_path: Path
) -> None:
    more: dict[str, dict[str, str]] = {}
    options: tuple[str, ...] = ()
    if by == "option":
        options = ("--capture", "phases")
    elif by == "environment":
        more = {"env": {**os.environ, "HEADRACE_CAPTURE": "phases"}}
    else:
        (tmp_path / "headrace.conf").write_text("capture = phases\n")
        options = ("--config", str(tmp_path / "headrace.conf"))
    done = phased("outside", options=options, **more)
    assert done.status == 0
    files = {row["path"].rsplit("/", 1)[1]: row for row in done.rows("files") if "/" in row["path"]}
    assert "never" not in files
    data = files["data"]
    assert (data["writes"], data["bytes_written"], data["opens"]) == (6, 6 * 4096, 0)
    stream = files["stream"]
    assert (stream["writes"], stream["bytes_written"]) == (6, 33)
    assert done.phase("dump")["bytes_written"] == 6 * 4096 + 33
    assert {(row["function"], row["calls"]) for row in done.rows("profiles")} >= {("write", 6), ("fwrite", 3)}
    assert "outside phases" in done.rows("processes")[0]["reason"]


def test_phases_of_several_threads_pause_and_go_on(phased: Callable[..., Phased]) -> None:
    done = phased("crossing", options=("--capture", "phases"))
    # Of two threads that end and begin at once, a call may come before the descriptor is looked at again.
    assert done.phase("left")["bytes_written"] == 25 * 4096
    for name in ("one", "two"):
        assert done.phase(name)["instances"] == 200
        assert done.phase(name)["bytes_written"] >= 190 * 10
    (data,) = (row for row in done.rows("files") if row["path"].endswith("/data"))
    assert data["bytes_written"] <= 25 * 4096 + 400 * 10


def test_without_phases_capture_phases_records_nothing(phased: Callable[..., Phased]) -> None:
    done = phased("unmarked", options=("--capture", "phases"))
    assert done.rows("files") == [] and done.rows("profiles") == [] and done.rows("phases") == []
