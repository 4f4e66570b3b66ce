"""A comparison says of each number and finding whose it is, and by how much the sides differ."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from headrace import catalog
from headrace.commands.study import command
from headrace.study import Settings, Study, build
from headrace.study.compare import compare
from headrace.study.words import change
from made_catalog import START, hours, log, site, write


def study(path: Path, name: str = "Testbed", settings: Settings | None = None, **tables: Any) -> Study:
    rows = site() | tables
    rows["site"][0]["value"] = name
    return build(catalog.open(write(path, rows)), settings)


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Elsewhere has another job of sky, with its log, and no samples of devices."""
    place = tmp_path_factory.mktemp("compare")
    known = site()
    more = [*known["logs"], log(9, scheduler="slurm", scheduler_job="4", start=hours(5.5))]
    other = study(place / "other", "Elsewhere", logs=more, samples=[], devices=[])
    return compare(study(place / "one"), other)


def rows(compared: Study) -> dict[str, dict[str, Any]]:
    return {row["number"]: row for row in compared.figures()[0].data.to_pylist()}


@pytest.mark.parametrize(
    ("first", "second", "unit", "expected"),
    [
        (4, 5, "count", "+1 (+25 %)"),
        (2 << 30, 1 << 30, "bytes", "-1 GiB (-50 %)"),
        (0.5, 0.75, "share", "+25 points (+50 %)"),
        (0.2, 0.1, "share", "-10 points (-50 %)"),
        (0, 3, "count", "+3"),
        (7, 7, "bytes/s", "no difference"),
        (1 << 40, (1 << 40) - 5, "bytes", "less than 0.1 % less"),
        (0.5, 0.50001, "share", "less than 0.1 % more"),
    ],
)
def test_differences_are_told_in_amounts_and_per_cent(
    first: float, second: float, unit: str, expected: str
) -> None:
    assert change(first, second, unit) == expected


def test_each_finding_says_its_side(sites: Study) -> None:
    assert (sites.side, sites.compared and sites.compared.side) == ("Testbed", "Elsewhere")
    of_both = [each for each in sites.findings if not each.side]
    assert {each.figure for each in of_both} == {"comparison"}
    assert sites.findings[: len(of_both)] == of_both
    busiest = [each for each in sites.findings if each.figure == "top_projects"]
    assert [(each.side, each.text.split(" moved")[0]) for each in busiest] == [
        ("Testbed", "sea"),
        ("Elsewhere", "Weather"),
    ]
    places = [place for place, each in enumerate(sites.findings) if each.figure == "top_projects"]
    assert places[1] == places[0] + 1, "the same of both stands together"
    assert "of devices" not in " ".join(each.text for each in sites.findings if each.side == "Elsewhere")


def test_numbers_of_both_have_their_difference(sites: Study) -> None:
    found = rows(sites)
    covered = found["share of jobs covered"]
    assert (covered["first_told"], covered["second_told"]) == ("50 %", "75 %")
    assert covered["difference"] == "+25 points (+50 %)"
    assert covered["change"] == 0.5
    assert found["bytes of jobs"]["difference"] == "+1 GiB (+33 %)"
    table = sites.figures()[0]
    assert (table.titles["first_told"], table.titles["second_told"]) == ("Testbed", "Elsewhere")
    assert (
        "Share of jobs covered: 50 % (Testbed), 75 % (Elsewhere), which is +25 points (+50 %)." in table.words
    )


def test_what_one_side_has_not_is_not_recorded(sites: Study) -> None:
    moved = rows(sites)["bytes of devices"]
    assert (moved["first_told"], moved["second_told"]) == ("720 MiB", "not recorded")
    assert (moved["second"], moved["change"], moved["difference"]) == (None, None, "not recorded")


def test_tiles_have_the_difference_of_what_both_have(sites: Study) -> None:
    assert sites.compared
    told = {each.label: each.difference for each in sites.compared.headlines}
    assert told["Jobs"] == "no difference"
    assert told["Moved by jobs"] == "+1 GiB (+33 %)"
    assert "Moved by devices" not in told
    assert not any(each.difference for each in sites.headlines)


def test_periods_of_one_site_are_the_names(tmp_path: Path) -> None:
    early = study(tmp_path / "at", settings=Settings(end=START + timedelta(hours=2)))
    late = study(tmp_path / "late", settings=Settings(start=START + timedelta(hours=2)))
    both = compare(early, late)
    assert both.compared
    assert (both.side, both.compared.side) == ("2026-03-01 to 2026-03-01", "2026-03-01 to 2026-03-31")


def test_sides_that_nothing_tells_apart_are_numbered(tmp_path: Path) -> None:
    both = compare(study(tmp_path / "one"), study(tmp_path / "two"))
    assert both.compared
    assert (both.side, both.compared.side) == ("Testbed, first", "Testbed, second")


def test_the_terminal_has_both_sides(tmp_path: Path) -> None:
    for name in ("Testbed", "Elsewhere"):
        tables = site()
        tables["site"][0]["value"] = name
        write(tmp_path / name, tables)
    asked = ["--at", str(tmp_path / "Testbed"), "--compare", str(tmp_path / "Elsewhere")]
    text = CliRunner().invoke(command, asked, catch_exceptions=False).output
    assert text.startswith("Testbed, 2026-03-01 to 2026-03-31 and Elsewhere, 2026-03-01 to 2026-03-31")
    assert "Testbed: Jobs: 4" in text
    assert "Elsewhere: Jobs: 4 (50 % of them with a log); no difference" in text
    assert "* Elsewhere: sea moved 2 GiB" in text
