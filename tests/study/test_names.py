"""What a study calls things, with pseudonyms and with several labels."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from headrace import catalog
from headrace._errors import UsageError
from headrace.commands.study import command
from headrace.study import Pseudonyms, Settings, Study, build
from headrace.study.facts import facts
from made_catalog import Row, bin_, captured, hours, sample, scan, site, write


def rows(study: Study, name: str) -> list[dict[str, Any]]:
    return next(each for each in study.figures() if each.id == name).data.to_pylist()


def hidden(path: Path, tables: dict[str, list[Row]], names: Pseudonyms | None = None, **more: Any) -> Study:
    return build(catalog.open(write(path, tables)), Settings(pseudonyms=names or Pseudonyms(), **more))


def test_a_file_system_has_one_pseudonym(tmp_path: Path) -> None:
    """Devices and scans were numbered apart, so that one was another in the next figure."""
    tables = site()
    tables["devices"] = [
        {"host": "*", "device": device, "server": None, "file_system": name}
        for device, name in (("sda", "home"), ("sdb", "scratch"))
    ]
    tables["samples"] = [sample(0, 1, 1), sample(0, 10, 10, "sdb")]
    for each in tables["scans"]:
        each["file_system"] = "scratch"
    study = hidden(tmp_path / "at", tables)
    moved = {row["file_system"]: row["bytes_read"] for row in rows(study, "throughput_totals")}
    (grown,) = {row["file_system"] for row in rows(study, "growth")}
    assert moved[grown] == 10
    assert sorted(moved) == ["all", "file system 1", "file system 2"]


def test_two_periods_call_a_program_the_same(tmp_path: Path) -> None:
    """/apps/a of one period and /apps/b of the other were both program 1, and so were jobs."""
    names = Pseudonyms()
    tables = site()
    found = []
    for period in ({"end": hours(1.5)}, {"start": hours(1.5)}):
        study = hidden(tmp_path / f"at{len(found)}", tables, names, min_processes=1, min_bytes=1, **period)
        found.append({(row["job"], row["processes"]) for row in rows(study, "ladder")})
    first, second = ({job for job, _ in each} for each in found)
    assert first & second == set()
    again = hidden(tmp_path / "again", tables, Pseudonyms(), min_processes=1, min_bytes=1)
    assert {(row["job"], row["processes"]) for row in rows(again, "ladder")} == found[0] | found[1]


def test_files_of_no_project_are_none(tmp_path: Path) -> None:
    """They got a number, and were told apart as the project with most files."""
    tables = site()
    tables["scan_histograms"].append(
        bin_(2, "size", 0, 1 << 20, 390, 1) | {"owned_by": "project", "owner": ""}
    )
    study = hidden(tmp_path / "at", tables)
    populations = {row["population"] for row in rows(study, "file_sizes")}
    plain = {row["population"] for row in rows(build(catalog.open(tmp_path / "at")), "file_sizes")}
    assert plain == {"all files", "without Weather"}
    (number,) = {row["project"] for row in rows(study, "top_projects")} - {"Project 1"}
    assert populations == {"all files", f"without {number}"}


def test_words_of_others_are_no_reasons(tmp_path: Path) -> None:
    tables = site()
    tables["sample_gaps"] = [
        {"host": "oss1", "device": "", "start": hours(1), "end": hours(2), "reason": "Xada pulled the plug"},
    ]
    assert "Xada" not in json.dumps(facts(hidden(tmp_path / "at", tables)))


def test_a_wrong_project_tells_no_other_names(tmp_path: Path) -> None:
    write(tmp_path / "at", site())
    wrong = ["--at", str(tmp_path / "at"), "--project", "nobody"]
    with pytest.raises(UsageError, match="Weather"):
        CliRunner().invoke(command, wrong, catch_exceptions=False, standalone_mode=False)
    with pytest.raises(UsageError) as told:
        CliRunner().invoke(command, [*wrong, "--pseudonyms"], catch_exceptions=False, standalone_mode=False)
    assert "Weather" not in str(told.value)


def test_a_project_of_two_labels_has_the_last_one_everywhere(tmp_path: Path) -> None:
    tables = site()
    tables["projects"] = [{**tables["projects"][0], "label": label} for label in ("Zold", "Anew")]
    text = json.dumps(facts(build(catalog.open(write(tmp_path / "at", tables)))))
    assert "Anew" in text
    assert "Zold" not in text


def test_very_many_projects_have_names(tmp_path: Path) -> None:
    """A name was a part of one question each: 20,000 took minutes."""
    tables = site()
    for number in range(20_000):
        tables["scheduler_jobs"].append(
            dict(tables["scheduler_jobs"][0], job=f"x{number}", account=f"a{number}")
        )
    study = build(catalog.open(write(tmp_path / "at", tables)))
    assert {row["what"]: row["total"] for row in rows(study, "coverage")}["projects"] == 20_003


def test_a_page_is_not_named_by_letters_that_turn_it(tmp_path: Path) -> None:
    tables = site()
    tables["site"][0]["value"] = "here\u202eereht"
    write(tmp_path / "at", tables)
    done = CliRunner().invoke(command, ["--at", str(tmp_path / "at"), "-o", str(tmp_path / "a.html")])
    assert done.exit_code == 0
    head = (tmp_path / "a.html").read_text(encoding="utf-8").partition("</title>")[0]
    assert "\u202e" not in head
    assert "here&#65533;ereht" in head


def test_a_file_system_may_be_called_all(tmp_path: Path) -> None:
    tables = site()
    for each in tables["scans"]:
        each["file_system"] = "all"
    later = scan(5, hours(0) + timedelta(days=30), 7, 7, file_system="other")
    tables["scans"] += [scan(4, hours(0), 2, 2, file_system="other"), later]
    study = build(catalog.open(write(tmp_path / "at", tables)))
    growth = next(each for each in study.figures() if each.id == "growth")
    assert growth.numbers["files at the end"] == 407


def test_projects_behind_the_first_are_added_up(tmp_path: Path) -> None:
    tables = site()
    captured(tables, "9", bytes_read=5)
    study = build(catalog.open(write(tmp_path / "at", tables)), Settings(top=1))
    found: dict[tuple[str, str], int] = {}
    for row in rows(study, "project_activity"):
        key = row["project"], row["direction"]
        found[key] = found.get(key, 0) + row["bytes"]
    others = ("all others", "written")
    assert found == {("Weather", "written"): 2 << 30, ("Weather", "read"): 5, others: 2 << 30}
