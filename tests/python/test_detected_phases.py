"""Phases told from series, of made jobs of which it is known who wrote what and when."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import headrace
import pytest
from click.testing import CliRunner
from headrace._errors import UsageError
from headrace.analysis.detected_phases import detected_facts
from headrace.analysis.rank_features import rank_features
from headrace.commands._detected_words import how
from headrace.commands.phases import command
from made_logs import MIB, START_NS, LogMaker

MS = 1_000_000
BIN = 10 * MS


def made(path: Path, ranks: int = 32, staggered: bool = False) -> Path:
    """All read an input; then every 8th rank writes 5 dumps of 4 MiB, and one of 40 MiB at the end.

    `staggered`: each rank dumps at a time of its own, so that together they always write.
    """
    log = LogMaker(end_utc_ns=str(START_NS + 1600 * MS))
    for rank in range(ranks):
        process = log.process(rank + 1, rank=rank, ranks=ranks, instance=9)

        def add(way: str, at: int, size: int, process: int = process, rank: int = rank) -> None:
            start = 3 * MS + at * BIN + 1000 * rank  # ranks begin at times of their own
            row = {"direction": way, "start_at_ns": start, "width_ns": BIN, "bytes": size, "operations": 4}
            log.add("series", process=process, **row)

        if staggered:
            for number in range(5):
                add("write", number * 30 + rank * 30 // ranks, 4 * MIB)
            continue
        add("read", 2, MIB)
        for number in range(5):
            if rank % 8 == 0:
                add("write", 20 + number * 20, 2 * MIB)
                add("write", 21 + number * 20, 2 * MIB)
        if rank % 8 == 0:
            add("write", 140, 40 * MIB)
    return log.write(path)


def facts_of(path: Path, *which: Any) -> dict[str, Any]:
    with headrace.open(path) as log:
        facts: dict[str, Any] = detected_facts(log, *which)
    return facts


def told(*words: object) -> str:
    command = [sys.executable, "-m", "headrace", "phases", *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_phases_their_instances_and_who_took_part(tmp_path: Path) -> None:
    facts = facts_of(made(tmp_path / "a.hr"))["detected"]
    assert facts["width_ns"] == BIN
    assert [(each["kind"], each["instances"]) for each in facts["phases"]] == [
        ("read", 1),
        ("write", 5),
        ("write", 1),
    ]
    start, dumps, last = facts["phases"]
    assert start["bytes_read"] == 32 * MIB
    assert [each["bytes_written"] for each in dumps["each"]] == [16 * MIB] * 5
    assert (dumps["period_ns"], dumps["each"][0]["begin_at_ns"]) == (200 * MS, 203 * MS)
    assert {(each["members"], each["who"]) for each in dumps["each"]} == {(4, "0-24:8")}
    assert last["bytes_written"] == 160 * MIB
    assert facts["part_of_bytes"] == 1


def test_ranks_are_grouped_by_their_bytes(tmp_path: Path) -> None:
    path = made(tmp_path / "a.hr")
    groups = facts_of(path, "burst 2")["detected"]["explained"]["groups"]
    assert [(each["ranks"], each["who"]) for each in groups] == [(4, "0-24:8"), (28, groups[1]["who"])]
    assert groups[0]["bytes_written"] == pytest.approx(20 * MIB, rel=1e-3)
    one = facts_of(path, "burst 2", 3)["detected"]["explained"]
    assert (one["instance"], one["groups"][0]["bytes_written"]) == (3, pytest.approx(4 * MIB, rel=1e-3))
    assert "4 ranks (0-24:8), like rank" in told(path, "--phase", "burst 2")
    for wrong in (("burst 9",), ("burst 2", 6)):
        with pytest.raises(UsageError):
            facts_of(path, *wrong)


def test_ranks_with_bursts_at_times_of_their_own(tmp_path: Path) -> None:
    path = made(tmp_path / "a.hr", staggered=True)
    facts = facts_of(path)["detected"]
    assert (facts["phases"], facts["why_not"], facts["explained"]) == ([], "continuous", None)
    assert facts["each_rank"] == {
        "looked_at": 32,
        "with_bursts": 32,
        "bursts": 5,
        "bytes": pytest.approx(4 * MIB, rel=1e-3),
        "period_ns": 300 * MS,
    }
    words = told(path)
    assert "most of the time" in words and "Single ranks have bursts" in words


def test_logs_that_tell_nothing_over_time(tmp_path: Path) -> None:
    log = LogMaker()
    log.process(1)
    path = log.write(tmp_path / "a.hr")
    facts = json.loads(told(path, "--json"))
    assert facts["detected"]["why_not"] == "nothing"
    assert "Nothing is detected" in told(path)


def test_a_page(tmp_path: Path) -> None:
    told(made(tmp_path / "a.hr"), "-o", tmp_path / "a.html")
    assert (tmp_path / "a.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("end", "start", "width"),
    [(10**40, 0, BIN), (START_NS + 2**64 - 1, 0, BIN), (None, 2**64 - 50, 10), (None, 0, 2**62)],
)
def test_times_that_no_run_has(tmp_path: Path, end: int | None, start: int, width: int) -> None:
    log = LogMaker(**({"end_utc_ns": str(end)} if end else {}))
    log.process(1, rank=0, ranks=1)
    for at in range(4):
        row = {"direction": "write", "start_at_ns": min(start + at * width, 2**64 - 1), "width_ns": width}
        log.add("series", process=1, bytes=MIB, operations=1, **row)
    path = log.write(tmp_path / "a.hr")
    assert json.loads(told(path, "--json"))["detected"]["why_not"] in (None, "short", "continuous")


def test_sizes_that_no_request_has(tmp_path: Path) -> None:
    log = LogMaker()
    for rank in range(2):
        log.process(rank + 1, rank=rank, ranks=2, instance=9)
        for least, most in ((5, 1), (2**64 - 1, 0), (16, 31)):
            keys = {"process": rank + 1, "phase": log.name(""), "instance": 0, "layer": "posix"}
            log.add("phase_sizes", direction="write", least=least, most=most, count=3, **keys)
    with headrace.open(log.write(tmp_path / "a.hr")) as opened:
        assert rank_features(opened, "sizes").columns == ["write:16-31"]


def dumping(path: Path, kept: tuple[int, ...] = (), marked: bool = False, mpi: bool = False) -> Path:
    """Four dumps of 8 MiB by what rank 1 of two started; `mpi`: at first as much in the library's own files.

    `kept`: only these ranks have series of their own; another process has sums of what the others wrote.
    """
    log = LogMaker(end_utc_ns=str(START_NS + 1000 * MS))
    log.process(9, executable="/usr/bin/mpirun")
    for rank in range(2):
        log.process(rank + 1, parent=9, rank=rank, ranks=2, instance=7)
        if kept:
            log.add("clusters", process=rank + 1, phase=log.name(""), cluster=0, kept=int(rank in kept))
    writer = 3
    if kept:
        log.process(writer, rank=-1, ranks=2, instance=7)
    else:
        log.process(writer, parent=2, executable="/bin/dd")

    def add(process: int, at: int, size: int) -> None:
        row = {"direction": "write", "width_ns": BIN, "bytes": size, "operations": 1}
        log.add("series", process=process, start_at_ns=at * BIN, **row)

    add(9, 1, 100)
    for number in range(4):
        add(writer, 20 + 20 * number, 8 * MIB)
    if mpi:
        add(1, 5, 32 * MIB)
        used = {"first_write_at_ns": 5 * BIN + 1, "last_write_at_ns": 6 * BIN - 1}
        log.file(1, "/dev/shm/ucx_shm_posix_1183ebce", writes=3, bytes_written=32 * MIB, **used)
    if marked:
        log.add("phases", process=1, phase=log.name("dump"), instance=0, instances=1)
    return log.write(path)


def test_what_a_rank_starts_counts_for_it(tmp_path: Path) -> None:
    facts = facts_of(dumping(tmp_path / "a.hr"))["detected"]
    (phase,) = facts["phases"]
    assert (phase["instances"], phase["bytes_written"]) == (4, 32 * MIB)
    assert {(one["who"], one["others"]) for one in phase["each"]} == {("1", 0)}
    assert facts["part_of_bytes"] == pytest.approx(1 - 100 / (32 * MIB + 100), rel=1e-9)


def test_bursts_of_the_mpi_librarys_own_files_are_no_phases(tmp_path: Path) -> None:
    facts = facts_of(dumping(tmp_path / "a.hr", mpi=True))["detected"]
    assert [each["instances"] for each in facts["phases"]] == [4]
    assert (facts["mpi_files"]["bursts"], facts["mpi_files"]["bytes"]) == (1, 32 * MIB)
    assert facts["part_of_bytes"] == pytest.approx(1, rel=1e-4)
    assert "Left out: 32 MiB in 1 burst" in " ".join(how(facts, "rank"))


def test_sums_of_ranks_that_others_stand_for(tmp_path: Path) -> None:
    path = dumping(tmp_path / "a.hr", kept=(0,))
    facts = facts_of(path)
    (phase,) = facts["detected"]["phases"]
    assert (facts["stood_for"], facts["members"], len(facts["clusters"])) == (1, 1, 1)
    assert {(one["members"], one["others"]) for one in phase["each"]} == {(0, 8 * MIB)}
    words = told(path)
    assert "1 rank more is stood for by these" in words and "Kinds of ranks" in words
    assert "ranks that others stand for" in words and "all ranks" not in words


def test_means_of_groups_are_without_outliers(tmp_path: Path) -> None:
    log = LogMaker(end_utc_ns=str(START_NS + 600 * MS))
    for number in range(10):
        log.process(number + 1, pid=700 + number)
        size = 20 * MIB if number == 3 else 10
        row = {"direction": "write", "start_at_ns": 20 * BIN, "width_ns": BIN, "operations": 1}
        log.add("series", process=number + 1, bytes=size, **row)
    detected = facts_of(log.write(tmp_path / "a.hr"))["detected"]
    assert detected["explained"]["outliers"] == ["process 703"]
    assert [each["ranks"] for each in detected["explained"]["groups"]] == [9]
    assert detected["explained"]["groups"][0]["bytes_written"] < 400
    assert detected["phases"][0]["each"][0]["who"] == "703"


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    marked, unmarked = dumping(tmp_path / "a.hr", marked=True), dumping(tmp_path / "b.hr")
    for logs in ((marked, unmarked), (unmarked, marked)):
        with pytest.raises(UsageError, match=r"b\.hr: no phase is marked in this log, but in .*a\.hr"):
            CliRunner().invoke(command, [*map(str, logs)], catch_exceptions=False)
    with pytest.raises(UsageError, match="burst 1 was there 4 times"):
        facts_of(unmarked, "burst 1", 7)
