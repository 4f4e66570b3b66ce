"""Parts of figures that the small catalog of the other tests does not reach."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.reports.study import payload
from headrace.study import Figure, Settings, Study, build
from headrace.study.figures import file_counts
from made_catalog import MIB, START, Row, bin_, captured, hours, job, log, scan, site, write


def made(path: Path, tables: dict[str, list[Row]], settings: Settings | None = None) -> Study:
    return build(catalog.open(write(path / "at", tables)), settings)


def figure(study: Study, name: str) -> Figure:
    return next(each for each in study.figures() if each.id == name)


def rows(study: Study, name: str) -> list[dict[str, Any]]:
    return figure(study, name).data.to_pylist()


@pytest.mark.parametrize("zone", [-6, 5.75])
def test_records_in_another_time_zone_are_a_finding(tmp_path: Path, zone: float) -> None:
    tables = site()
    tables["scheduler_jobs"] = [
        job(str(number), start=hours(50 * number + zone), end=hours(50 * number + zone + 1))
        for number in range(1, 6)
    ]
    tables["logs"] = []
    for number in range(1, 6):
        times = {"start": hours(50 * number), "end": hours(50 * number + 1)}
        tables["logs"].append(log(number, scheduler="slurm", scheduler_job=str(number), **times))
    study = made(tmp_path, tables)
    found = figure(study, "coverage")
    way = "later" if zone < 0 else "earlier"
    assert f"5 logs have the same id as a job of the scheduler, at another time: {abs(zone):g} h {way}" in (
        found.findings[1].text
    )
    assert [row["reason"] for row in rows(study, "coverage_reasons")] == [
        "a log of the same id is of another time"
    ]


def test_every_reason_why_a_job_has_no_log(tmp_path: Path) -> None:
    tables = site()
    tables["site"].append({"key": "deployed", "value": "2026-03-01T03:00:00Z"})
    late = {"start": hours(5), "end": hours(6)}
    tables["scheduler_jobs"] += [
        job("10", start=hours(2), end=hours(3)),  # before capture was there
        job("11", start=hours(5), end=None, state="running"),
        job("12", **late, state="cancelled"),
        job("13", start=hours(5), end=hours(5) + timedelta(seconds=59)),
        job("14", start=hours(5), end=hours(5) + timedelta(seconds=60)),
        job("15", **late, state="done"),  # as LSF says it
        job("16", **late, state="timeout"),
    ]
    found = {row["reason"]: row["jobs"] for row in rows(made(tmp_path, tables), "coverage_reasons")}
    assert found == {
        "ran before capture was deployed": 1,
        "still ran when the records were made": 1,
        "no job of the project has a log": 1,
        "cancelled": 1,
        "shorter than a minute": 1,
        "failed or was ended": 2,
        "no log, though other jobs of the project have one": 2,
    }


def test_jobs_of_no_project_are_no_project(tmp_path: Path) -> None:
    tables = site()
    tables["scheduler_jobs"].append(job("10", account=None, start=hours(5), end=hours(6)))
    found = {row["what"]: row["total"] for row in rows(made(tmp_path, tables), "coverage")}
    assert (found["jobs"], found["projects"]) == (5, 3)


def test_records_of_a_scheduler_without_a_name_are_records(tmp_path: Path) -> None:
    tables = site()
    for row in tables["scheduler_jobs"]:
        row["scheduler"] = ""
    found = {row["what"]: row["total"] for row in rows(made(tmp_path, tables), "coverage")}
    assert found["jobs"] == 4


def test_ages_of_reading_stand_beside_those_of_writing(tmp_path: Path) -> None:
    tables = site()
    tables["scan_histograms"] += [
        bin_(2, "accessed_age", 0, 64 * 86400, 300, 1200 * MIB),
        bin_(2, "accessed_age", 64 * 86400, None, 100, 300 * MIB),
    ]
    found = {(row["age"], row["older_than_days"]): row for row in rows(made(tmp_path, tables), "ages")}
    assert found["accessed", 64]["share_of_bytes"] == 0.2
    assert found["modified", 64]["share_of_bytes"] == 0.8


def test_a_ceiling_holds_from_its_nodes_on(tmp_path: Path) -> None:
    tables = site()
    tables["ceilings"].append({"name": "all nodes", "mib_per_s_per_node": 0.5, "nodes_least": 512})
    study = made(tmp_path, tables)
    above = {row["job"]: row["limit"] for row in rows(study, "outliers")}
    assert above == {"1": "network", "2": "all nodes"}
    labels = [guide["label"] for guide in figure(study, "performance").options["guides"]]
    assert labels == ["network", "all nodes (from 512 nodes on)"]


def test_each_interface_has_its_jobs(tmp_path: Path) -> None:
    tables = site()
    tables["logs"] = []
    for number, name in enumerate(("posix", "stdio", "mpiio", "hdf5", "pnetcdf")):
        uses = {f"uses_{each}": each == name for each in ("posix", "stdio", "mpiio", "hdf5", "pnetcdf")}
        moved = {"bytes_posix": 0, f"bytes_{name}": 1024 * MIB}
        captured(tables, f"9{number}", **uses, **moved)
    found = {row["interface"]: row["jobs"] for row in rows(made(tmp_path, tables), "interface_use")}
    assert found == dict.fromkeys(("POSIX", "stdio", "MPI-IO", "HDF5", "PnetCDF"), 1)
    largest = {row["interface"] for row in rows(made(tmp_path, tables), "interfaces") if row["by"] == "jobs"}
    assert largest == {"POSIX", "stdio", "MPI-IO", "HDF5", "PnetCDF"}


def test_file_systems_grow_together(tmp_path: Path) -> None:
    tables = site()
    later = START + timedelta(days=30)
    tables["scans"] += [
        scan(3, START, 50, 10, file_system="home"),
        scan(4, later, 60, 30, file_system="home"),
    ]
    study = made(tmp_path, tables)
    both = next(row for row in rows(study, "growth") if row["file_system"] == "all" and row["who"] == "all")
    assert (both["files_first"], both["files_last"]) == (150, 460)
    assert (both["bytes_first"], both["bytes_last"]) == (1000 * MIB + 10, 1500 * MIB + 30)
    assert figure(study, "growth").numbers["files at the end"] == 460


def test_a_scan_with_a_directory_that_could_not_be_read_counts(tmp_path: Path) -> None:
    """It was left out beside a complete one, and growth then took two scans."""
    tables = site()
    tables["scans"][0] |= {"complete": False, "unreadable": 1}
    study = made(tmp_path, tables)
    assert len(rows(study, "growth")) == 2
    assert "1 of 1 scans are not complete" not in figure(study, "file_sizes").filter


def test_bins_of_two_programs_lie_over_each_other(tmp_path: Path) -> None:
    """fsstats has one bin below 2 KiB: what ended there stood twice, and a project was taken off twice."""
    tables = site()
    tables["scans"].append(scan(3, START, 7, 700, file_system="home"))
    tables["scan_histograms"] += [
        bin_(2, "size", 1024, 2048, 30, 3000),
        bin_(2, "size", 1024, 2048, 10, 1000, "sky"),
        bin_(3, "size", 0, 2048, 7, 700),
    ]
    found = [row for row in rows(made(tmp_path, tables), "file_sizes") if row["below"] == 2048]
    assert [(row["population"], row["files"], row["bytes"]) for row in found] == [
        ("all files", 37, 3700),
        ("without Weather", 27, 2700),
    ]


def test_points_beyond_counting_are_rounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_counts, "_POINTS", 3)
    tables = site()
    tables["instances"] = [
        {"log": 1, "instance": each, "processes": 1000 + each, "files": 10}
        | dict.fromkeys(("bytes_read", "bytes_written", "slowest_ns"), 0)
        for each in range(10)
    ]
    tables["instances"].append(tables["instances"][0] | {"instance": 10, "processes": None})
    found = rows(made(tmp_path, tables), "files_by_processes")
    assert [(row["processes"], row["files"], row["instances"]) for row in found] == [(1000, 10, 10)]


def test_runs_of_which_nobody_knows_files_are_in_no_category(tmp_path: Path) -> None:
    tables = site()
    tables["instances"][0]["files"] = None
    found = {row["category"]: row["instances"] for row in rows(made(tmp_path, tables), "file_counts")}
    assert found == {"no files": 1, "N:1, 10 or fewer": 1}


def test_logs_that_do_not_know_what_they_created_are_said(tmp_path: Path) -> None:
    tables = site()
    captured(tables, "9", creates=None)
    study = made(tmp_path, tables)
    assert "1 of 4 logs do not say what was created" in figure(study, "churn").filter
    assert "at least 1,024 files" in figure(study, "churn").words[0]


def test_what_logs_do_not_record_is_no_figure_of_table_iv(tmp_path: Path) -> None:
    tables = site()
    for each in tables["logs"]:
        each |= {"unaligned": None, "creates": None, "files_new": None, "files_old": None}
    study = made(tmp_path, tables)
    found = figure(study, "characteristics")
    assert found.data.num_rows
    for name in found.not_recorded:
        assert set(found.data[name].to_pylist()) == {None}, name
    facts, _ = payload(study)
    sections = [each for section in facts["sections"] for each in section["figures"]]
    columns = next(each["columns"] for each in sections if each["id"] == "characteristics")
    said = {column["name"]: column.get("empty") for column in columns}
    assert said["aligned_share"] == said["pooled_aligned_share"] == "not recorded"
    assert said["mib_per_process"] is None


def test_the_files_of_a_single_scan_are_a_headline(tmp_path: Path) -> None:
    tables = {"scans": [scan(1, hours(1), 300, 7 * MIB), scan(2, hours(2), 20, MIB, file_system="home")]}
    tables["scan_histograms"] = [bin_(1, "size", 0, MIB, 300, 7 * MIB), bin_(2, "size", 0, MIB, 20, MIB)]
    study = made(tmp_path, tables)
    (files,) = [each for each in study.headlines if each.label == "Files"]
    assert (files.text, files.below, files.figure) == ("320", "with 8 MiB", "file_sizes")
    assert not figure(study, "growth").data.num_rows


def test_logs_alone_say_how_many_jobs_there_are(tmp_path: Path) -> None:
    of = {"format": "darshan", "scheduler_job": "7"}
    study = made(tmp_path, {"logs": [log(1, **of), log(2, **of), log(3, scheduler_job="8")]})
    assert "It has 3 logs of 2 jobs." in figure(study, "coverage").missing
    (jobs,) = [each for each in study.headlines if each.label == "Jobs with a log"]
    assert (jobs.text, jobs.below) == ("2", "how many ran is not recorded")


def test_users_are_told_apart_where_there_are_no_projects(tmp_path: Path) -> None:
    logs = [log(1, user="1001"), log(2, user="1001"), log(3, user="1002"), log(4)]
    study = made(tmp_path, {"logs": logs})
    moved = {
        row["project"]: row["bytes"] for row in rows(study, "top_projects") if row["direction"] == "written"
    }
    assert moved == {"user 1001": 2048 * MIB, "user 1002": 1024 * MIB, "no project": 1024 * MIB}
    assert any(note.startswith("No job has a project") for note in study.notes)
    chosen = made(tmp_path / "one", {"logs": logs}, Settings(projects=("user 1002",)))
    assert {row["project"] for row in rows(chosen, "top_projects")} == {"user 1002"}
    assert not any("No job has a project" in note for note in made(tmp_path / "site", site()).notes)


def test_the_metric_names_how_darshans_logs_are_estimated(tmp_path: Path) -> None:
    tables = site()
    for each in tables["logs"]:
        each |= {"slowest_exact": False, "format": "darshan"}
    study = made(tmp_path, tables)
    assert "the slowest process in each shared file" in {
        row["how"].removeprefix("estimated: ") for row in rows(study, "metric")
    }
    assert "as Darshan's logs say it" in figure(study, "metric").definition


def test_core_hours_that_nobody_records_are_no_figure(tmp_path: Path) -> None:
    tables = site()
    tables["scheduler_jobs"] = [job(str(number), cores=None, nodes=None) for number in range(3)]
    tables["site"] = []
    study = made(tmp_path, tables)
    hours_row = next(row for row in rows(study, "coverage") if row["what"] == "core hours")
    assert hours_row == {"what": "core hours", "total": None, "covered": None, "share": None}


def test_growth_of_all_is_not_held_against_one_project(tmp_path: Path) -> None:
    study = made(tmp_path, site(), Settings(projects=("Weather",)))
    assert "all projects" in figure(study, "churn").missing


def test_scaling_is_not_praised(tmp_path: Path) -> None:
    tables = site()
    tables["logs"] = []
    for each in (1, 2, 4):
        captured(tables, f"9{each}", processes=1024 * each, slowest_ns=10**9 * each**4)
        tables["scheduler_jobs"][-1]["nodes"] = 256 * each
    words = figure(made(tmp_path, tables), "scaling").words
    assert words == [
        "Weather, the same bytes on more nodes: 4 MiB/s per node with 256 nodes, 0.00391 with 1,024."
    ]


UNKNOWN = {
    "a log without a start": lambda tables: tables["logs"][0].update(start=None, scheduler_job=None),
    "a scan without bytes": lambda tables: [row.update(bytes=None) for row in tables["scan_histograms"]],
    "a scan of the last years": lambda tables: tables["scans"][1].update(
        start=START.replace(year=9990), end=START.replace(year=9990), files=400_000_000
    ),
    "nine exbibytes": lambda tables: tables["logs"].extend(
        dict(tables["logs"][0], log=100 + each, bytes_read=1 << 60) for each in range(9)
    ),
    "a job of no time": lambda tables: tables["scheduler_jobs"][0].update(
        end=tables["scheduler_jobs"][0]["start"]
    ),
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_is_not_known_ends_no_study(tmp_path: Path, what: str) -> None:
    tables = site()
    UNKNOWN[what](tables)
    study = made(tmp_path, tables)
    assert len(study.figures()) > 30
    if what == "a log without a start":
        assert "1 that do not say when they began" in figure(study, "project_activity").filter
    if what == "nine exbibytes":
        found = {(row["project"], row["direction"]): row["bytes"] for row in rows(study, "top_projects")}
        assert found["Weather", "read"] == 2**63 - 1
