"""Jobs with several logs, their sizes and their nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.study import Settings, Study, build
from made_catalog import MIB, Row, captured, hours, log, site, write


def made(path: Path, tables: dict[str, list[Row]], settings: Settings | None = None) -> Study:
    return build(catalog.open(write(path / "at", tables)), settings)


def rows(study: Study, name: str) -> list[dict[str, Any]]:
    return next(each for each in study.figures() if each.id == name).data.to_pylist()


def test_a_job_counts_once_whatever_logs_it_has(tmp_path: Path) -> None:
    """Twelve logs were twelve jobs of a habit, and each took the core hours of all."""
    tables = site()
    captured(tables, "9", seeks=2000)
    for number in range(11):
        more = dict(tables["logs"][-1], log=2000 + number)
        tables["logs"].append(more)
    study = made(tmp_path, tables)
    found = {row["detector"]: row for row in rows(study, "detectors")}["a seek for each operation"]
    assert (found["jobs"], found["bytes"], found["core_hours"]) == (1, 12 * 1024 * MIB, 1024)
    assert rows(study, "identical") == []
    assert {row["project"]: row["jobs"] for row in rows(study, "characteristics")}["Weather"] == 2


@pytest.mark.parametrize(("overlap", "processes", "seconds"), [(0.5, 2048, 1), (1.0, 1024, 2)])
def test_logs_at_the_same_time_make_a_larger_job(
    tmp_path: Path, overlap: float, processes: int, seconds: int
) -> None:
    """Those that follow each other make a longer one: their times add up."""
    tables = site()
    tables["logs"] = []
    captured(tables, "9")
    tables["scheduler_jobs"][-1]["end"] = tables["logs"][0]["start"] + 3 * (hours(1) - hours(0))
    begin = tables["logs"][0]["start"] + overlap * (hours(1) - hours(0))
    tables["logs"].append(dict(tables["logs"][0], log=2, start=begin, end=begin + (hours(1) - hours(0))))
    found = rows(made(tmp_path, tables), "ladder")
    assert [(row["processes"], row["mib_per_s_per_node"]) for row in found] == [
        (processes, 2048 / 256 / seconds)
    ]


def test_nodes_are_those_that_the_job_had(tmp_path: Path) -> None:
    """Section II-D divides by the nodes allocated, of which a program may use a few."""
    tables = site()
    tables["logs"] = []
    captured(tables, "9", nodes=2)
    assert [row["nodes"] for row in rows(made(tmp_path, tables), "ladder")] == [256]


def test_io_time_is_a_share_of_the_jobs(tmp_path: Path) -> None:
    tables = site()
    tables["logs"] = []
    captured(tables, "9", slowest_ns=36 * 10**9)
    captured(tables, "10", slowest_ns=10**15)  # of an estimate: more than there was time
    study = made(tmp_path, tables)
    assert [row["io_share"] for row in rows(study, "ladder")] == [0.01, 1.0]
    assert rows(study, "characteristics")[0]["io_share"] == (0.01 + 1) / 2


def test_estimates_are_compared_with_what_is_known(tmp_path: Path) -> None:
    tables = site()
    tables["logs"] = []
    for number, estimated in enumerate((10**9, 10**9 * 1.02, 2 * 10**9, None)):
        captured(tables, f"9{number}", estimated_ns=estimated and int(estimated))
    captured(tables, "99", estimated_ns=10**9, slowest_exact=False)
    found = rows(made(tmp_path, tables), "estimates")
    assert [(row["strategy"], row["jobs"], row["known"]) for row in found] == [("unique", 3, 4.0)]
    assert found[0]["close"] == 2 / 3
    assert found[0]["difference"] == pytest.approx(-1 + 1 / 1.02)


DETECTED: dict[str, dict[str, Any]] = {
    "rank 0 does all I/O": {"io_ranks": 1024, "io_rank_last": 1023, "bytes_rank0": 1000 * MIB},
    "first ranks do all I/O": {"io_ranks": 512, "io_rank_last": 511, "bytes_rank0": 2 * MIB},
    "some ranks do all I/O": {"io_ranks": 64, "io_rank_last": 1008, "bytes_rank0": 16 * MIB},
    "a seek for each operation": {"seeks": 1000},
    "files both read and written": {"files_read_written": 200},
    "MPI-IO without collectives": {"mpiio_operations": 1024},
    "mostly metadata": {"meta_ns": 2 * 10**9},
    "small operations": {"writes": 1024 * 1024},
}
ALL_RANKS = {"io_ranks": 1024, "io_rank_last": 1023, "bytes_rank0": MIB}


@pytest.mark.parametrize("habit", DETECTED)
def test_each_habit_is_seen(tmp_path: Path, habit: str) -> None:
    tables = site()
    tables["logs"] = []
    captured(tables, "9", **(ALL_RANKS | DETECTED[habit]))
    found = {row["detector"] for row in rows(made(tmp_path, tables), "detectors") if row["jobs"]}
    assert found == {habit}


@pytest.mark.parametrize(
    "known",
    [
        {"io_ranks": 1023, "io_rank_last": 1022, "bytes_rank0": MIB},  # one of 1,024 ranks had nothing to do
        {
            "io_ranks": 4,
            "io_rank_last": 3,
            "bytes_rank0": 256 * MIB,
            "mpiio_operations": 9,
            "mpiio_collective": 9,
        },
        {
            "io_ranks": 1,
            "io_rank_last": 0,
            "bytes_rank0": 1024 * MIB,
            "mpiio_operations": 9,
            "mpiio_collective": 9,
        },
        {"io_ranks": None, "io_rank_last": None, "bytes_rank0": None},
    ],
    ids=["nearly all ranks", "aggregators of MPI-IO", "one aggregator", "not known"],
)
def test_what_is_no_habit(tmp_path: Path, known: dict[str, Any]) -> None:
    """MPI-IO's own aggregators were taken for a program's habit."""
    tables = site()
    tables["logs"] = []
    captured(tables, "9", **known)
    assert [row["detector"] for row in rows(made(tmp_path, tables), "detectors") if row["jobs"]] == []


def test_jobs_are_the_same_up_to_a_tenth(tmp_path: Path) -> None:
    """Steps of a tenth cut groups whose bytes lie around their bounds; a lone smaller job does not."""
    tables = site()
    tables["logs"] = []
    for each in range(18):
        captured(tables, f"1{each:02}", bytes_written=9_014_482_097 + (each % 3 - 1) * 1000)
    captured(tables, "200", bytes_written=8_300_000_000)
    captured(tables, "201", bytes_written=20_000_000_000)
    found = rows(made(tmp_path, tables), "identical")
    assert [row["jobs"] for row in found] == [19]
    for each in range(10):
        tables["logs"][each]["files"] = 5000
    found = rows(made(tmp_path / "files", tables), "identical")
    assert [row["jobs"] for row in found] == [10]


def test_the_class_of_a_job_is_not_the_sum_of_its_runs(tmp_path: Path) -> None:
    tables = site()
    again = dict(tables["logs"][0], log=8, start=hours(1.9))
    tables["logs"][0]["end"] = hours(1.5)
    tables["logs"].append(again)
    found = [row for row in rows(made(tmp_path, tables), "interfaces") if row["by"] == "jobs"]
    assert [row["least_processes"] for row in found] == [1, 1024, 2048]


def test_a_log_of_no_job_is_one(tmp_path: Path) -> None:
    tables = site()
    tables["logs"].append(log(9, scheduler="slurm", scheduler_job="77"))
    found = {row["project"]: row["jobs"] for row in rows(made(tmp_path, tables), "characteristics")}
    assert found == {"sea": 1, "Weather": 1, "no project": 1}
