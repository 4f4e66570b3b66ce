"""Each figure of a small catalog has the values that a person works out from its rows (made_catalog.site)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.study import Figure, Settings, Study, build
from made_catalog import MIB, START, Row, captured, hours, log, sample, site, write


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return build(catalog.open(write(tmp_path_factory.mktemp("study") / "at", site())))


def figure(study: Study, name: str) -> Figure:
    return next(each for each in study.figures() if each.id == name)


def rows(study: Study, name: str) -> list[dict[str, Any]]:
    return figure(study, name).data.to_pylist()


def by(study: Study, name: str, key: str) -> dict[Any, dict[str, Any]]:
    return {row[key]: row for row in rows(study, name)}


def test_coverage_counts_jobs_core_hours_and_projects(study: Study) -> None:
    found = by(study, "coverage", "what")
    assert (found["jobs"]["total"], found["jobs"]["covered"]) == (4, 2)
    # 1,024 cores an hour, three times, and 2,048 for two hours.
    assert (found["core hours"]["total"], found["core hours"]["covered"]) == (7168, 5120)
    assert (found["projects"]["total"], found["projects"]["covered"]) == (3, 2)
    assert "1 log of which no scheduler's job is known" in figure(study, "coverage").filter


def test_each_job_without_a_log_has_one_reason(study: Study) -> None:
    found = by(study, "coverage_reasons", "reason")
    assert {reason: row["jobs"] for reason, row in found.items()} == {
        "failed or was ended": 1,
        "no job of the project has a log": 1,
    }


def test_projects_have_their_coverage_and_interfaces(study: Study) -> None:
    found = by(study, "project_coverage", "project")
    assert list(found) == ["sea", "Weather", "no project", "fire"]
    assert (found["Weather"]["jobs"], found["Weather"]["jobs_covered"]) == (2, 1)
    assert found["sea"]["interfaces"] == "POSIX, MPI-IO"
    assert found["fire"]["bytes"] is None  # not known, which is not nothing


def test_interfaces_and_strategies_by_size(study: Study) -> None:
    for name, column, expected in (
        ("interfaces", "interface", {(1, "none"), (1024, "POSIX"), (2048, "MPI-IO")}),
        ("strategies", "strategy", {(1, "none"), (1024, "unique"), (2048, "shared")}),
    ):
        found = [row for row in rows(study, name) if row["by"] == "jobs"]
        assert {(row["least_processes"], row[column]) for row in found} == expected
        assert all(row["share"] == 1 and row["jobs"] == 1 for row in found)
        moved = {
            (row["least_processes"], row["by"]): row["bytes"]
            for row in rows(study, name)
            if row["by"] != "jobs"
        }
        assert moved == {(1024, "bytes written"): 1024 * MIB, (2048, "bytes written"): 2048 * MIB}


def test_a_job_with_several_logs_counts_once(tmp_path: Path) -> None:
    """Darshan makes a log for each program that a job runs; the largest program says how large the job is."""
    tables = site()
    small = {"processes": 64, "uses_posix": False, "uses_mpiio": True, "bytes_posix": 0}
    tables["logs"].append(log(9, scheduler="slurm", scheduler_job="1", start=hours(1.5), **small))
    tables["files"].append(
        {"log": 9, "interface": "mpiio", "sharing": "shared", "bytes_read": 0, "bytes_written": MIB}
    )
    made = build(catalog.open(write(tmp_path / "at", tables)))
    found = [row for row in rows(made, "interfaces") if row["least_processes"] == 1024]
    assert [(row["by"], row["interface"], row["jobs"], row["bytes"]) for row in found] == [
        ("jobs", "MPI-IO", 1, None),
        ("bytes written", "POSIX", None, 1024 * MIB),
        ("bytes written", "MPI-IO", None, MIB),
    ]
    assert by(made, "interface_use", "interface")["MPI-IO"]["jobs"] == 2
    assert by(made, "interface_use", "interface")["MPI-IO"]["share_of_jobs"] == 2 / 3


def test_top_projects_come_first(study: Study) -> None:
    found = [row for row in rows(study, "top_projects") if row["direction"] == "written"]
    assert [(row["project"], row["bytes"]) for row in found] == [("sea", 2048 * MIB), ("Weather", 1024 * MIB)]


def test_files_against_processes(study: Study) -> None:
    found = {(row["processes"], row["files"]) for row in rows(study, "files_by_processes")}
    assert found == {(1024, 1024), (2048, 1)}
    shares = {row["category"]: row["instances"] for row in rows(study, "file_counts")}
    assert shares == {"no files": 1, "N:1, 10 or fewer": 1, "N:N, one or more per process": 1}


def test_throughput_has_rates_gaps_and_bands(study: Study) -> None:
    written = [row for row in rows(study, "throughput") if row["direction"] == "written"]
    rates = [(row["start"] - START, row["bytes_per_s"]) for row in written]
    minutes = [(timedelta(minutes=each), rate) for each, rate in ((0, 0), (1, 0), (2, 10 * MIB))]
    assert rates == [*minutes, (timedelta(minutes=3), None), (timedelta(minutes=9), 1 * MIB)]
    bands = figure(study, "throughput").options["bands"]
    assert [(band["kind"], band["start"]) for band in bands] == [("maintenance", "2026-03-01T01:00:00Z")]


def test_totals_do_not_count_gaps_as_time(study: Study) -> None:
    whole = by(study, "throughput_totals", "file_system")["all"]
    assert (whole["bytes_read"], whole["bytes_written"]) == (60 * MIB, 660 * MIB)
    assert (whole["days"], whole["mean"], whole["peak"]) == (4 / 1440, 3 * MIB, 10 * MIB)
    assert whole["read_share"] == 60 / 720
    assert whole["written_per_day"] == pytest.approx(660 * MIB * 360)


def with_samples(path: Path, samples: list[Row]) -> Study:
    tables = site()
    tables["samples"] = samples
    return build(catalog.open(write(path / "at", tables)))


def test_samples_of_several_lengths_count_by_their_time(tmp_path: Path) -> None:
    """1 MiB/s for twenty minutes, as samples of ten minutes, of one and of a minute and a half."""

    def one(begin: float, length: float) -> Row:
        lasts = {"start": START + timedelta(minutes=begin), "end": START + timedelta(minutes=begin + length)}
        return sample(0, int(60 * MIB * length), 0) | lasts

    minutes = [one(begin, 1) for begin in range(10, 17)]
    made = with_samples(tmp_path, [one(0, 10), *minutes, one(17, 1.5), one(18.5, 1.5)])
    read = [row["bytes_per_s"] for row in rows(made, "throughput") if row["direction"] == "read"]
    assert read == [MIB] * 20
    whole = by(made, "throughput_totals", "file_system")["all"]
    assert (whole["bytes_read"], whole["peak"], whole["mean"]) == (1200 * MIB, MIB, MIB)


def test_bytes_are_not_lost_where_samples_are_split(tmp_path: Path) -> None:
    lasts = {"start": START + timedelta(seconds=7), "end": START + timedelta(seconds=607)}
    made = with_samples(tmp_path, [sample(30, 1, 1), sample(31, 1, 1), sample(0, 1_000_003, 77) | lasts])
    whole = by(made, "throughput_totals", "file_system")["all"]
    assert (whole["bytes_read"], whole["bytes_written"]) == (1_000_005, 79)


def test_bytes_of_targets_and_of_their_devices_count_once(tmp_path: Path) -> None:
    target = sample(0, 60 * MIB, 0, "lus-OST0000") | {"kind": "lustre_ost"}
    other = sample(0, 60 * MIB, 0) | {"host": "oss2"}  # a server without targets
    made = with_samples(tmp_path, [sample(0, 60 * MIB, 0), target, other])
    assert by(made, "throughput_totals", "file_system")["all"]["bytes_read"] == 120 * MIB


def test_what_is_not_known_has_no_class(tmp_path: Path) -> None:
    tables = site()
    tables["logs"][0] |= {"processes": None, "bytes_unique": 0}
    tables["files"][0]["folded"] = 3
    found = rows(build(catalog.open(write(tmp_path / "at", tables))), "strategies")
    assert [(row["size"], row["by"], row["strategy"]) for row in found if row["least_processes"] == 0] == [
        ("not known", "jobs", "not known"),
        ("not known", "bytes written", "not known"),
    ]


def test_burstiness_and_quiet_times(study: Study) -> None:
    curve = {round(row["share_of_peak"], 3): row["share_of_time"] for row in rows(study, "burstiness")}
    assert (curve[0.05], curve[0.33], curve[1.0]) == (0.25, 0.75, 1.0)
    quiet = rows(study, "idle")
    assert [(row["start"], row["end"]) for row in quiet] == [(hours(1 / 60), hours(2 / 60))]


def test_file_sizes_with_and_without_the_largest_project(study: Study) -> None:
    found = {(row["population"], row["below"]): row for row in rows(study, "file_sizes")}
    assert found["all files", MIB]["share_of_files"] == 0.75
    assert found["without Weather", MIB]["share_of_files"] == 20 / 120


def test_growth_is_told_for_all_and_for_one_project(study: Study) -> None:
    whole, part = rows(study, "growth")
    assert (whole["files_first"], whole["files_last"], whole["files_change"]) == (100, 400, 3.0)
    assert (whole["bytes_change"], whole["days"]) == (0.5, 30)
    assert whole["forecast"] is None  # at 10 files a day it is more than 200 years off
    assert (part["who"], part["files_first"], part["files_last"]) == ("Weather", 40, 280)


def test_the_forecast_is_a_straight_line(tmp_path: Path) -> None:
    tables = site()
    for scan, files in zip(tables["scans"], (400_000_000, 700_000_000), strict=True):
        scan["files"] = files
    forecast = rows(build(catalog.open(write(tmp_path / "at", tables))), "growth")[0]["forecast"]
    assert forecast == START + timedelta(days=60)


def test_ages_are_shares_of_bytes(study: Study) -> None:
    found = {row["older_than_days"]: row for row in rows(study, "ages")}
    assert (found[64]["share_of_bytes"], found[128]["share_of_bytes"]) == (0.8, 0.6)
    assert (found[64]["share_of_files"], found[128]["share_of_files"]) == (0.75, 0.5)


def test_overwritten_files_and_churn(study: Study) -> None:
    whole = by(study, "overwritten", "project")["all"]
    assert (whole["files_written"], whole["new"], whole["old"], whole["unknown"]) == (1025, 1024, 1, 0)
    left = rows(study, "churn")[0]
    assert (left["created_by_jobs"], left["written_by_jobs"], left["added"]) == (1024, 1025, 300)


def test_jobs_above_the_ceiling_are_no_part_of_the_box(study: Study) -> None:
    box = by(study, "performance", "project")
    assert set(box) == {"sea"}
    assert (box["sea"]["median"], box["sea"]["count"]) == (1.0, 1)
    assert figure(study, "performance").options["outliers"] == [{"x": "Weather", "y": 4.0}]
    above = rows(study, "outliers")
    assert [(row["job"], row["mib_per_s_per_node"], row["ceiling"]) for row in above] == [("1", 4.0, 3.0)]
    assert "2 of 3 with a log" in figure(study, "performance").filter


def test_characteristics_are_means_of_jobs_and_pooled(tmp_path: Path) -> None:
    tables = site()
    captured(tables, "9", slowest_ns=2 * 10**9, bytes_written=3072 * MIB, meta_ns=3 * 10**9)
    found = by(build(catalog.open(write(tmp_path / "at", tables))), "characteristics", "project")["Weather"]
    assert found["jobs"] == 2
    assert found["mib_per_s_per_node"] == (4.0 + 6.0) / 2
    assert found["pooled_mib_per_s_per_node"] == pytest.approx(4096 / (3 * 256))
    assert found["metadata_share"] == (1 / 2 + 3 / 4) / 2
    assert found["pooled_metadata_share"] == 4 / 6
    assert (found["sequential_share"], found["aligned_share"]) == (0.5, 0.75)
    assert (found["mib_per_process"], found["files_per_process"]) == (2.0, 1.0)


def test_access_sizes_leave_layers_above_posix_out(study: Study) -> None:
    found = [(row["size"], row["count"], row["share"]) for row in rows(study, "access_sizes")]
    assert found == [("≤ 4 KiB", 256, 0.25), ("≤ 1 MiB", 768, 0.75)]
    ladder = by(study, "ladder", "project")
    assert (ladder["Weather"]["key_size"], ladder["Weather"]["metadata_share"]) == ("≤ 1 MiB", 0.5)
    assert ladder["sea"]["key_size"] is None


def test_the_ladder_has_the_fastest_and_the_slowest(tmp_path: Path) -> None:
    tables = site()
    tables["logs"] = []
    for each in range(1, 21):
        captured(tables, f"1{each:02}", slowest_ns=each * 10**9)
    found = rows(build(catalog.open(write(tmp_path / "at", tables))), "ladder")
    assert len(found) == 6
    speeds = [row["mib_per_s_per_node"] for row in found]
    assert speeds == sorted(speeds, reverse=True)
    assert (speeds[0], speeds[-1]) == (4.0, 0.2)


@pytest.mark.parametrize("kind", ["strong", "weak", "neither"])
def test_scaling_is_recognized_by_bytes(tmp_path: Path, kind: str) -> None:
    tables = site()
    factor = {"strong": lambda _: 1, "weak": lambda each: each, "neither": lambda each: 1 / each**2}[kind]
    tables["logs"] = []
    for each in (1, 2, 4):
        moved = int(16384 * MIB * factor(each))
        captured(tables, str(100 + each), processes=1024 * each, bytes_written=moved)
        tables["scheduler_jobs"][-1]["nodes"] = 256 * each
    found = rows(build(catalog.open(write(tmp_path / "at", tables))), "scaling")
    assert [row["nodes"] for row in found] == [256, 512, 1024]
    assert {row["scaling"] for row in found} == {kind}


def test_devices_are_compared_with_jobs_by_day(study: Study) -> None:
    found = by(study, "devices_applications", "direction")
    assert found["written"]["ratio"] == 660 / 3072
    assert found["read"]["ratio"] is None  # no job read anything


def test_detectors_say_jobs_bytes_and_core_hours(study: Study) -> None:
    found = by(study, "detectors", "detector")
    seen = {name for name, row in found.items() if row["jobs"]}
    assert seen == {"rank 0 does all I/O", "MPI-IO without collectives"}
    rank0 = found["rank 0 does all I/O"]
    assert (rank0["jobs"], rank0["bytes"], rank0["core_hours"]) == (1, 2048 * MIB, 4096)


def test_jobs_that_are_nearly_the_same(tmp_path: Path) -> None:
    tables = site()
    tables["logs"] = []
    for each in range(12):
        captured(tables, str(100 + each))
    found = rows(build(catalog.open(write(tmp_path / "at", tables))), "identical")
    assert [(row["project"], row["jobs"], row["processes"]) for row in found] == [("Weather", 12, 1024)]


def test_large_jobs_are_those_of_the_settings(tmp_path: Path) -> None:
    place = catalog.open(write(tmp_path / "at", site()))
    found = by(build(place, Settings(min_processes=2048)), "characteristics", "project")
    assert set(found) == {"sea"}
    none = figure(build(place, Settings(min_bytes=1 << 50)), "performance")
    assert (none.data.num_rows, "--min-bytes" in none.missing) == (0, True)


def test_a_period_and_projects_leave_out_and_say_so(tmp_path: Path) -> None:
    place = catalog.open(write(tmp_path / "at", site()))
    first = build(place, Settings(end=hours(2)))
    assert by(first, "coverage", "what")["jobs"]["total"] == 1
    assert "2 logs of other periods" in figure(first, "interfaces").filter
    alone = build(place, Settings(projects=("Weather",)))
    assert {row["project"] for row in rows(alone, "top_projects")} == {"Weather"}
    assert by(alone, "coverage", "what")["jobs"]["total"] == 2
