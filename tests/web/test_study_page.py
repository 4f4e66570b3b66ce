"""The page of a study: figures of every kind, hostile names, two sites, keys, and very many points."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
import studies
from headrace.reports.study import payload
from headrace.study.figure import Section, Study
from playwright.sync_api import Page, expect


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Any:
    directory = tmp_path_factory.mktemp("studies")
    return lambda name: studies.write(name, directory)


def figure(page: Page, name: str) -> Any:
    return page.locator(f"#figure-{name}")


def test_every_kind_is_drawn_and_explains_itself(study: Any, open_page: Any) -> None:
    page = open_page(study("typical"))
    expect(page.locator("h1")).to_have_text("I/O of Intrepid")
    expect(page.locator("#study")).to_contain_text("2026-01-05 to 2026-02-02 UTC, 28 days.")
    for name in ("interfaces", "throughput", "file_sizes", "files_against_processes", "performance"):
        assert figure(page, name).locator("canvas").count() >= 1, name
    assert figure(page, "access_sizes").locator("figcaption").count() == 5
    for each in page.locator(".study-figure").all():
        summary = each.locator("details.definition > summary")
        expect(summary).to_have_text("Definition and filter")
        assert not each.locator("details.definition").get_attribute("open")
    expect(figure(page, "performance").locator(".counterpart")).to_have_text("Figure 10")
    expect(figure(page, "age")).to_contain_text("No scan is in the catalog")
    expect(figure(page, "throughput").locator(".legend")).to_contain_text("maintenance")
    marks = figure(page, "throughput").locator(".legend i.band").all()
    colours = {mark.evaluate("mark => getComputedStyle(mark).backgroundColor") for mark in marks}
    assert len(colours) == len(marks) >= 2, "each kind of the calendar has its own colour"
    assert figure(page, "throughput").locator(".uplot").count() == 2, "reads and writes hide nothing"
    cut = "all => all.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent)"
    assert not figure(page, "top_projects").locator("td:not(.left)").evaluate_all(cut)
    row = figure(page, "top_projects").locator("tbody tr").filter(has_text="EarthScience")
    for text in ("812", "3 PiB", "38 %", "2.33 GiB/s", "1 h 00 min", "2026-01-05 00:00:00 UTC", "yes"):
        expect(row).to_contain_text(text)
    assert "NaN" not in page.inner_text("main")


def test_findings_come_by_weight_and_lead_to_their_figures(study: Any, open_page: Any) -> None:
    page = open_page(study("typical"))
    found = page.locator(".findings li")
    expect(found.first).to_contain_text("EarthScience moved 3 PiB")
    found.first.get_by_role("link", name="Projects that moved the most").click()
    assert page.url.endswith("#figure-top_projects")
    assert figure(page, "top_projects").bounding_box()["y"] < 500


def test_names_are_text_whatever_they_say(study: Any, open_page: Any) -> None:
    page = open_page(study("typical"))
    assert page.title() == "Headrace: I/O of Intrepid"
    assert page.locator("main script, main img").count() == 0
    expect(figure(page, "access_sizes")).to_contain_text(studies.HOSTILE)
    for summary in page.locator("details > summary").all():
        summary.click()
    assert page.locator("main script, main img").count() == 0
    assert page.title() == "Headrace: I/O of Intrepid"


def test_data_is_shown_and_saved(study: Any, open_page: Any) -> None:
    page = open_page(study("typical"), accept_downloads=True)
    shown = figure(page, "throughput")
    shown.get_by_text("Show the data").press("Enter")
    expect(shown.get_by_role("table")).to_be_visible()
    with page.expect_download() as waiting:
        shown.get_by_role("button", name="Save as CSV").click()
    text = Path(waiting.value.path()).read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    made = studies.throughput_figure().data
    assert len(rows) == made.num_rows
    assert rows[0]["time"] == "2026-01-05T00:00:00.000Z"
    assert float(rows[0]["rate"]) == made.column("rate")[0].as_py()
    assert rows[200]["rate"] == "", "what is not known is no number"


def test_keys_and_the_legend(study: Any, open_page: Any) -> None:
    page = open_page(study("typical"))
    legend = figure(page, "file_sizes").get_by_role("button", name="all files", exact=True)
    legend.focus()
    page.keyboard.press("Space")
    expect(legend).to_have_attribute("aria-pressed", "false")
    zoom = figure(page, "throughput").get_by_role("button", name="Zoom in")
    zoom.focus()
    page.keyboard.press("Enter")
    for picture in page.get_by_role("img").all():
        assert picture.get_attribute("aria-label")


def test_two_sites(study: Any, open_page: Any) -> None:
    page = open_page(study("compared"))
    expect(page.locator("h1")).to_have_text("I/O of Intrepid and Mira")
    sizes = figure(page, "file_sizes")
    expect(sizes.locator(".legend")).to_contain_text("all files · Mira")
    marks = sizes.locator(".legend i").all()
    assert len({mark.get_attribute("style") for mark in marks}) == 2, "a colour a side, also of several lines"
    sizes.get_by_role("button", name="Side by side").click()
    assert sizes.locator(".beside > figure").count() == 2
    assert figure(page, "interfaces").locator(".beside > figure").count() == 2
    # Mira has no such figure.
    assert figure(page, "files_against_processes").locator(".u-wrap, .uplot").count() >= 1
    expect(figure(page, "top_projects").get_by_role("table")).to_have_count(2)


def test_tiles_and_findings_of_two_sites_say_whose_they_are(study: Any, open_page: Any) -> None:
    page = open_page(study("compared"))
    jobs = page.locator(".tiles .figure").first
    for text in ("Jobs", "Intrepid", "2,401", "Mira", "4,802", "+2,401 (+100 %)"):
        expect(jobs).to_contain_text(text)
    expect(page.locator(".tiles .figure").last).to_contain_text("not recorded")
    expect(page.locator(".tiles .side")).to_have_count(6)
    findings = page.locator(".findings li")
    expect(findings.nth(0)).to_contain_text("Intrepid: EarthScience")
    expect(findings.nth(1)).to_contain_text("Mira: EarthScience")
    colours = {
        (mark.inner_text(), mark.locator("i").evaluate("mark => getComputedStyle(mark).backgroundColor"))
        for mark in page.locator(".side").all()
    }
    assert len(colours) == len({colour for _, colour in colours}) == 2, "one colour a side throughout"


def test_dark_on_a_phone(study: Any, open_page: Any) -> None:
    page = open_page(study("typical"), phone=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_nothing_known(study: Any, open_page: Any) -> None:
    page = open_page(study("empty"))
    expect(page.locator("#study")).to_contain_text("Nothing in the catalog says when")
    expect(figure(page, "age")).to_contain_text("No scan is in the catalog")


def test_forty_figures_and_a_hundred_thousand_points(study: Any, open_page: Any) -> None:
    page = open_page(study("large"))
    assert page.locator(".study-figure").count() == 40
    box = figure(page, "figure_3").locator(".u-over").bounding_box()
    figure(page, "figure_3").scroll_into_view_if_needed()
    box = figure(page, "figure_3").locator(".u-over").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 20)
    expect(figure(page, "figure_3").locator(".heat-tip").first).to_be_visible()


def test_a_figure_that_cannot_be_drawn_is_told_when_it_is_made() -> None:
    made = studies.lines_figure()
    made.encoding["y"] = "nothing"
    with pytest.raises(ValueError, match="no column 'nothing'"):
        payload(Study("it", "", "", [Section("a", "A", "", [made])]))
    made = studies.lines_figure()
    with pytest.raises(ValueError, match="two of that id"):
        payload(Study("it", "", "", [Section("a", "A", "", [made, made])]))
