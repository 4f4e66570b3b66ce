"""`headrace study` as people call it."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from click.testing import CliRunner
from headrace._errors import CatalogError, UsageError
from headrace.commands._study import period_of, size_of
from headrace.commands.study import command
from headrace.study.build import FIGURES
from made_catalog import MIB, site, write


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def facts(*arguments: str | Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(run(*arguments, "--json"))
    return told


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("command") / "at", site())


def test_findings_are_told_where_nothing_else_is_asked(place: Path) -> None:
    text = run("--at", place)
    assert text.startswith("Testbed, 2026-03-01 to 2026-03-31")
    assert "sea moved 2 GiB" in text


def test_a_page_is_written(place: Path, tmp_path: Path) -> None:
    page = tmp_path / "study.html"
    assert "open it in a browser" in run("--at", place, "-o", page)
    assert page.read_bytes().startswith(b"<!doctype html>")


def test_figures_are_written_one_by_one(place: Path, tmp_path: Path) -> None:
    run("--at", place, "--figures", tmp_path / "figures", "-o", tmp_path / "study.html")
    told = facts("--at", place)
    coverage = told["sections"][0]["figures"][0]
    stored = pyarrow.parquet.read_table(tmp_path / "figures" / f"{coverage['id']}.parquet").to_pylist()
    assert [row["what"] for row in stored] == [row["what"] for row in coverage["rows"]] != []


def test_json_has_every_figure_once(place: Path) -> None:
    told = facts("--at", place)
    assert [figure["id"] for section in told["sections"] for figure in section["figures"]] == list(FIGURES)


def test_two_periods_stand_side_by_side(place: Path) -> None:
    told = facts("--at", place, "--period", "..2026-03-01T02:00", "--compare-period", "2026-03-01T02:00..")
    rows = {row["number"]: row for row in told["sections"][0]["figures"][0]["rows"]}
    assert (rows["jobs"]["first"], rows["jobs"]["second"], rows["jobs"]["change"]) == (1, 3, 2)
    assert rows["bytes of jobs"]["second"] == 2048 * MIB
    assert told["compared"]["period"]["start"] == "2026-03-01T02:00:00Z"
    assert told["findings"][0]["figure"] == "comparison"
    assert {each["side"] for each in told["findings"]} == {"", told["side"], told["compared"]["side"]}


def test_two_sites_stand_side_by_side(place: Path, tmp_path: Path) -> None:
    tables = site()
    tables["site"][0]["value"] = "Elsewhere"
    told = facts("--at", place, "--compare", write(tmp_path / "other", tables))
    assert (told["site"], told["compared"]["site"]) == ("Testbed", "Elsewhere")
    assert {row["difference"] for row in told["sections"][0]["figures"][0]["rows"]} == {"no difference"}


def test_pseudonyms_are_the_same_on_both_sides(place: Path, tmp_path: Path) -> None:
    tables = site()
    tables["logs"][0]["bytes_written"] = 1 << 50  # another order of projects
    told = facts("--at", place, "--compare", write(tmp_path / "other", tables), "--pseudonyms")
    named = [
        {row["project"] for section in side["sections"] for each in section["figures"] for row in each["rows"]
         if each["id"] == "detected_jobs"}
        for side in (told, told["compared"])
    ]  # fmt: skip
    assert named[0] & {"Project 1"} == named[1] & {"Project 1"} == {"Project 1"}
    assert "Weather" not in json.dumps(told)


@pytest.mark.parametrize(
    ("text", "expected"), [("500MiB", 500 * MIB), ("1.5k", 1536), ("7", 7), ("2 TB", 2 << 40), ("3 B", 3)]
)
def test_sizes(text: str, expected: int) -> None:
    assert size_of(text) == expected


@pytest.mark.parametrize("text", ["", "MiB", "-1", "1e3", "5 parsecs", "99999999P", "9" * 400])
def test_wrong_sizes_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--min-bytes"):
        size_of(text)


def test_periods() -> None:
    day = datetime(2026, 3, 1, tzinfo=timezone.utc)
    assert period_of("--period", "2026-03-01..") == (day, None)
    assert period_of("--period", "..2026-03-01T02:00+02:00") == (None, day)
    assert period_of("--period", None) == (None, None)


@pytest.mark.parametrize(
    "text", ["2026", "2026-03-01", "yesterday..", "2026-03-02..2026-03-01", "..2026-13-01"]
)
def test_wrong_periods_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--period"):
        period_of("--period", text)


def test_wrong_requests_say_what_to_do(place: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    for arguments, error, words in (
        ([], UsageError, "for example"),
        (["--at", str(tmp_path / "none")], CatalogError, "there is no catalog"),
        (["--at", str(place), "--project", "nobody"], UsageError, "the catalog has 'sea'"),
        (["--at", str(place), "--without", "nobody"], UsageError, "no file of a scan"),
        (["--at", str(place), "-o", "-", "--json"], UsageError, "name a file for the page"),
    ):
        result = runner.invoke(command, arguments)
        assert isinstance(result.exception, error)
        assert words in str(result.exception)
