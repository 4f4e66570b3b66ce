"""Catalogs that lack something, or hold what was meant to do harm: a study says so and goes on."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace._errors import UsageError
from headrace.reports.study import check
from headrace.study import Pseudonyms, Settings, build
from headrace.study.facts import facts
from headrace.study.figure import Figure
from made_catalog import hours, site, write

EVIL = "</script><script>alert('\\'; DROP TABLE logs; --\n\"x\")</script>"
SOURCES = {
    "logs": ("logs", "instances", "access_sizes"),
    "records": ("scheduler_jobs",),
    "samples": ("samples", "sample_gaps", "devices", "calendar"),
    "scans": ("scans", "scan_histograms"),
}


def test_an_empty_catalog_has_no_figure_and_no_number(tmp_path: Path) -> None:
    study = build(catalog.open(write(tmp_path / "at", {})))
    check(study)
    for figure in study.figures():
        assert figure.data.num_rows == 0
        assert figure.missing, figure.id
        assert not figure.numbers
        assert figure.definition
        assert figure.filter
    assert (study.findings, study.headlines) == ([], [])


@pytest.mark.parametrize("lacking", SOURCES)
def test_what_is_missing_is_said_and_the_rest_is_there(tmp_path: Path, lacking: str) -> None:
    tables = {name: rows for name, rows in site().items() if name not in SOURCES[lacking]}
    study = build(catalog.open(write(tmp_path / "at", tables)))
    check(study)
    figures = {figure.id: figure for figure in study.figures()}
    concerned = {
        "logs": "top_projects",
        "records": "coverage",
        "samples": "throughput",
        "scans": "file_sizes",
    }
    for source, name in concerned.items():
        assert bool(figures[name].missing) == (source == lacking), name
    assert "headrace catalog add" in figures[concerned[lacking]].missing


def test_every_figure_is_listed_in_the_documentation(tmp_path: Path) -> None:
    study = build(catalog.open(write(tmp_path / "at", site())))
    text = (Path(__file__).parents[2] / "docs" / "study.md").read_text(encoding="utf-8")
    for figure in study.figures():
        line = next(line for line in text.splitlines() if line.startswith(f"| `{figure.id}` |"))
        for column in figure.data.column_names:
            assert f"`{column.removeprefix('pooled_')}`" in line, (figure.id, column)


def test_names_are_never_a_part_of_the_language(tmp_path: Path) -> None:
    tables = site()
    tables["projects"][0]["label"] = EVIL
    tables["site"][0]["value"] = EVIL
    for log in tables["logs"]:
        log |= {"executable": EVIL, "source": EVIL, "complete": False, "why_incomplete": EVIL}
    tables["unread"] = [{"path": EVIL, "why": EVIL, "partly": True}]
    place = catalog.open(write(tmp_path / "at", tables))
    for settings in (Settings(), Settings(projects=(EVIL,)), Settings(without=EVIL)):
        study = build(place, settings)
        check(study)
        projects = {
            row["project"]
            for figure in study.figures()
            if figure.id == "top_projects"
            for row in figure.data.to_pylist()
        }
        assert EVIL in projects
        json.dumps(facts(study), allow_nan=False)


def test_pseudonyms_leave_no_name(tmp_path: Path) -> None:
    tables = site()
    names = [
        "Xweather",
        "Xsea",
        "Xfire",
        "Xtestbed",
        "Xada",
        "/Xapps",
        "/Xlogs",
        "Xlus",
        "Xjob",
        "Xnetwork",
        "Xoss",
        "Xhall",
    ]
    tables["projects"][0]["label"] = "Xweather"
    tables["site"][0]["value"] = "Xtestbed"
    tables["ceilings"][0] |= {"name": "Xnetwork", "text": "Xnetwork"}
    tables["calendar"][0]["text"] = "Xhall"
    tables["devices"][0]["file_system"] = "Xlus"
    for record in tables["scheduler_jobs"]:
        record |= {"job": "Xjob" + record["job"], "user": "Xada"}
        record["account"] = {"sea": "Xsea", "fire": "Xfire"}.get(record["account"], record["account"])
    for log in tables["logs"]:
        log |= {"executable": "/Xapps/" + str(log["log"]), "source": f"/Xlogs/{log['log']}", "user": "Xada"}
        log |= {"complete": False, "why_incomplete": "cannot read /Xlogs"}
        log["scheduler_job"] = log["scheduler_job"] and "Xjob" + log["scheduler_job"]
    tables["unread"] = [{"path": "/Xlogs/x", "why": "cannot read /Xlogs/x", "partly": False}]
    for scan in tables["scans"]:
        scan["file_system"] = "Xlus"
    for record in [*tables["samples"], *tables["sample_gaps"]]:
        record["host"] = "Xoss"
    place = catalog.open(write(tmp_path / "at", tables))
    told = json.dumps(facts(build(place, Settings())))
    assert all(name in told for name in names if name not in ("Xada", "Xoss"))
    hidden = build(place, Settings(pseudonyms=Pseudonyms(), without="Xweather"))
    text = json.dumps(facts(hidden)) + repr(hidden)
    assert [name for name in names if name in text] == []
    assert "Project 1" in text


def figures_of(
    root: Path, tables: dict[str, list[dict[str, Any]]], settings: Settings | None = None
) -> dict[str, Figure]:
    study = build(catalog.open(write(root, tables)), settings)
    check(study)
    json.dumps(facts(study), allow_nan=False)
    return {figure.id: figure for figure in study.figures()}


def test_core_hours_that_nobody_recorded_are_said(tmp_path: Path) -> None:
    tables = site()
    for row in tables["scheduler_jobs"]:
        row |= {"cores": None, "nodes": None}
    tables["site"] = [row for row in tables["site"] if row["key"] != "cores_per_node"]
    coverage = figures_of(tmp_path / "at", tables)["coverage"]
    assert "share of core hours covered" not in coverage.numbers
    assert any("core hours" in text and "not recorded" in text for text in coverage.words)


def test_limits_that_are_no_numbers_are_left_out(tmp_path: Path) -> None:
    tables = site()
    tables["ceilings"] += [
        {"name": str(value), "mib_per_s_per_node": value} for value in (math.inf, math.nan)
    ]
    figures_of(tmp_path / "at", tables)


def test_a_scan_that_did_not_end_says_nothing_of_growth(tmp_path: Path) -> None:
    tables = site()
    before = figures_of(tmp_path / "before", tables)["growth"].data
    last = max(tables["scans"], key=lambda row: row["start"])
    tables["scans"].append(last | {"scan": 2**62, "complete": False, "files": 1, "bytes": 1})
    assert figures_of(tmp_path / "at", tables)["growth"].data.equals(before)


def _damage(part: Path, content: bytes | None) -> None:
    part.chmod(0o644)
    if content is None:
        part.unlink()
    else:
        part.write_bytes(content)


@pytest.mark.parametrize("how", ["missing", "cut", "other bytes"])
def test_a_study_goes_on_without_a_part_that_is_damaged(tmp_path: Path, how: str) -> None:
    root = write(tmp_path / "at", site())
    opened = catalog.open(root)
    whole = build(opened)
    part = next((Path(root) / "logs").glob("**/*.parquet"))
    content = part.read_bytes()
    _damage(
        part,
        {"missing": None, "cut": content[:-7], "other bytes": b"PAR1" + bytes(len(content) - 8) + b"PAR1"}[
            how
        ],
    )
    study = build(opened)
    check(study)
    assert str(part.relative_to(root)) in study.notes[0] and "verify --drop" in study.notes[0]
    assert study.notes[1:] != whole.notes and "rows of logs" in study.notes[0]
    figures, before = ({figure.id: figure for figure in each.figures()} for each in (study, whole))
    assert figures["throughput"].data.equals(before["throughput"].data)
    assert figures["top_projects"].missing and not before["top_projects"].missing
    hidden = build(opened, Settings(pseudonyms=Pseudonyms()))
    assert part.name not in hidden.notes[0] and str(root) not in hidden.notes[0]


def test_a_study_of_a_catalog_that_nobody_can_read_says_so(tmp_path: Path) -> None:
    root = write(tmp_path / "at", site())
    opened = catalog.open(root)
    for path in Path(root).glob("**/*.parquet"):
        _damage(path, None)
    study = build(opened)
    assert all(figure.data.num_rows == 0 for figure in study.figures())
    assert study.notes[0].startswith("Not counted: ")


def test_kinds_of_the_calendar_are_no_place_for_names(tmp_path: Path) -> None:
    tables = site()
    tables["calendar"] = [
        {"start": hours(1), "end": hours(2), "kind": "ada's secret", "text": "of ada"},
    ]
    figure = figures_of(tmp_path / "at", tables, Settings(pseudonyms=Pseudonyms()))["throughput"]
    assert "ada" not in json.dumps(figure.options)
    assert "note" in json.dumps(figure.options)


def test_devices_are_not_compared_with_some_projects_alone(tmp_path: Path) -> None:
    project = str(site()["projects"][0]["label"])
    figure = figures_of(tmp_path / "at", site(), Settings(projects=(project,)))["devices_applications"]
    assert "all projects" in figure.missing


@pytest.mark.parametrize(
    ("table", "column"),
    [("scans", "start"), ("scans", "files"), ("sample_gaps", "end"), ("samples", "end"), ("logs", "log")],
)
def test_rows_of_no_time_are_refused(tmp_path: Path, table: str, column: str) -> None:
    tables = site()
    tables[table][-1][column] = None
    with pytest.raises(UsageError, match=f"table {table}: row {len(tables[table])} has no {column}"):
        write(tmp_path / "at", tables)


def test_a_run_whose_files_are_not_known_is_left_out(tmp_path: Path) -> None:
    tables = site()
    before = figures_of(tmp_path / "before", tables)["files_by_processes"].data
    tables["instances"].append(tables["instances"][0] | {"files": None})
    assert figures_of(tmp_path / "at", tables)["files_by_processes"].data.equals(before)


def test_jobs_of_no_project_are_no_project_of_that_name(tmp_path: Path) -> None:
    tables = {name: rows for name, rows in site().items() if name in SOURCES["logs"]}
    study = build(catalog.open(write(tmp_path / "at", tables)))
    assert any(each.text.startswith("Jobs of no known project moved") for each in study.findings)
    assert any(note.endswith("figures without data; each says why.") for note in study.notes)


def test_a_period_of_which_there_is_nothing_says_what_there_is(tmp_path: Path) -> None:
    study = build(catalog.open(write(tmp_path / "at", site())), Settings(start=hours(24 * 3650)))
    check(study)
    assert any(
        note.startswith("Nothing of the catalog is of this period: it has 2026-03") for note in study.notes
    )
    assert study.end == "" or study.end >= study.start
    inside = build(catalog.open(tmp_path / "at"), Settings(start=hours(1)))
    assert not any(note.startswith("Nothing") for note in inside.notes)


def test_files_that_could_not_be_read_are_listed_behind_incomplete_logs(tmp_path: Path) -> None:
    tables = site()
    tables["logs"][0] |= {"complete": False, "why_incomplete": "the end is missing"}
    tables["unread"] = [
        {"path": "/logs/b", "why": "no log", "partly": False},
        {"path": "/records", "why": "line 3", "partly": True},
    ]
    figure = figures_of(tmp_path / "at", tables)["damaged_logs"]
    assert figure.data.to_pylist() == [
        {"source": tables["logs"][0]["source"], "why": "the end is missing"},
        {"source": "/logs/b", "why": "not read: no log"},
        {"source": "/records", "why": "read in part: line 3"},
    ]
    assert "2 files could not be read, 1 of them only in part" in figure.filter
    assert figure.words == ["2 files could not be read in whole: figures lack what is in them."]
