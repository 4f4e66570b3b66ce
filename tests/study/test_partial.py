"""Catalogs that lack something, or hold what was meant to do harm: a study says so and goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from headrace import catalog
from headrace.reports.study import check
from headrace.study import Pseudonyms, Settings, build
from headrace.study.facts import facts
from made_catalog import site, write

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
