"""`headrace diff -o`: the page has the facts and every file that changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import headrace
from made_logs import large, simulation
from report_reader import read_report
from test_diff import facts, writer


def page(tmp_path: Path, *logs: Path | str) -> Path:
    target = tmp_path / "changes.html"
    run = headrace("diff", *logs, "-o", target)
    if run.returncode == 5:
        pytest.skip("the page of reports was not built")
    assert run.returncode == 0, run.stderr
    return target


def test_the_page_has_the_facts_and_the_files(tmp_path: Path) -> None:
    a, b = (
        writer(tmp_path / "a.hr", base="/one"),
        writer(tmp_path / "b.hr", base="/two", ns=1_000_000, files=3),
    )
    found = read_report(page(tmp_path, a, b))
    assert found["kind"] == "diff"
    expected = facts(a, b)
    for key in ("totals", "functions", "sizes", "unequal", "same", "sides"):
        assert found["facts"][key] == expected[key]
    assert found["facts"]["files_left_out"] == 0
    files = found["tables"]["files"]
    assert files["path"] == [row["path"] for row in expected["files"]["rows"]]
    assert files["matched"] == ["directory", "directory", ""]
    assert files["present_0"] == [1, 1, 0]
    assert files["time_ns_0"] == [9_000_000, 9_000_000, 0]
    assert files["time_ns_1"] == [1_000_000] * 3


def test_the_same_log_twice_makes_a_page_without_files(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    found = read_report(page(tmp_path, log, log))
    assert found["facts"]["same"]
    assert found["tables"]["files"]["path"] == []


def test_many_files(tmp_path: Path) -> None:
    a, b = large(tmp_path / "a.hr", files=5000), large(tmp_path / "b.hr", files=5000, seed=2)
    files = read_report(page(tmp_path, a, b))["tables"]["files"]
    assert len(set(files["path"])) == len(files["path"]) > 4000
    changes = [abs(one - other) for one, other in zip(files["time_ns_0"], files["time_ns_1"], strict=True)]
    assert changes == sorted(changes, reverse=True)


def test_a_file_that_is_no_report_stays(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    (tmp_path / "notes.txt").write_text("mine")
    run = headrace("diff", log, log, "-o", tmp_path / "notes.txt")
    assert run.returncode in (4, 5)
    assert (tmp_path / "notes.txt").read_text() == "mine"
