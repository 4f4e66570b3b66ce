"""The part of a job's page that says what else went on, in Chromium."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from headrace.commands.report import command
from live_tools import make_log
from made_catalog import MIB, START, job, log, sample, write
from playwright.sync_api import Page, expect

BEGIN = START + timedelta(minutes=30)
HOSTILE = "<img src=x onerror=alert(1)>\u202e"
Row = dict[str, Any]


def minutes(number: float) -> Any:
    return START + timedelta(minutes=number)


def tables() -> dict[str, list[Row]]:
    rows = [
        sample(minute, 50 * MIB, (600 if 30 <= minute < 35 else 60) * MIB, host=host)
        for host in ("oss1", "oss2")
        for minute in range(120)
        if host == "oss1" or minute != 33
    ]
    of_78: Row = {"scheduler": "slurm", "scheduler_job": "78", "start": minutes(35), "end": minutes(45)}
    file: Row = {"log": 2, "instance": 0, "path": "/lus/2", "mount": "/lus", "file_system": "lustre"}
    file |= {"first_open": minutes(36), "last_io": minutes(39), "bytes_read": 0, "bytes_written": 300 * MIB}
    return {
        "samples": rows,
        "devices": [{"host": "oss*", "device": "*", "server": None, "file_system": "lus"}],
        "scheduler_jobs": [
            job("78", start=minutes(35), end=minutes(45)),
            job("79", start=minutes(20), end=None, user=HOSTILE, account=HOSTILE),
        ],
        "logs": [log(2, **of_78, bytes_written=300 * MIB)],
        "files": [file],
        "calendar": [{"start": minutes(38), "end": minutes(60), "kind": "maintenance", "text": HOSTILE}],
        "sample_gaps": [
            {"host": "oss2", "device": "", "start": minutes(33), "end": minutes(34), "reason": "missed"}
        ],
    }


def report(place: Path, rows: dict[str, list[Row]], *options: str) -> Path:
    """The page that `headrace report --catalog` writes."""
    path = make_log(place / "own.hr", BEGIN, 600, 1200 * MIB, job="77")
    catalog = write(place / "catalog", rows)
    command.main([str(path), "--catalog", str(catalog), *options], standalone_mode=False)
    return path.with_suffix(".html")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(tmp_path_factory.mktemp("meanwhile"), tables())


def section(page: Page) -> Any:
    return page.locator("#meanwhile")


def test_sentences_picture_and_tables(page_file: Path, open_page: Any) -> None:
    page = open_page(page_file)
    expect(page.locator("nav").get_by_role("link", name="Meanwhile")).to_have_count(1)
    expect(section(page)).to_contain_text("While this job ran, lus moved")
    expect(section(page).locator("ul.missing")).to_contain_text(
        "sda of oss2 was not recorded for 60 s of 10 min (missed)."
    )
    expect(section(page).locator("#meanwhile-picture canvas")).to_have_count(2)
    expect(section(page).locator("#meanwhile-picture .legend")).to_contain_text("this job, on average")
    table = section(page).get_by_role("table", name="Other jobs")
    expect(table).to_contain_text("300 MiB")
    expect(table).to_contain_text("/lus")
    expect(section(page).get_by_role("table", name="Servers meanwhile")).to_contain_text("oss2")
    section(page).get_by_text("Gaps of the samples (2)").click()
    expect(section(page)).to_contain_text(
        "oss2: missed, from 3 min 00 s after its start to 4 min 00 s after its start"
    )
    assert "NaN" not in section(page).inner_text() and "undefined" not in section(page).inner_text()


def test_names_are_text(page_file: Path, open_page: Any) -> None:
    page = open_page(page_file)
    assert page.locator("main img, main script").count() == 0
    expect(section(page)).to_contain_text("<img src=x onerror=alert(1)>\\u202e")


def test_both_plots_are_zoomed_together(page_file: Path, open_page: Any) -> None:
    page = open_page(page_file)
    picture = section(page).locator("#meanwhile-picture")
    before = [picture.locator("canvas").nth(place).screenshot() for place in (0, 1)]
    picture.get_by_role("button", name="Zoom in").click()
    page.wait_for_timeout(300)
    after = [picture.locator("canvas").nth(place).screenshot() for place in (0, 1)]
    assert before[0] != after[0] and before[1] != after[1]
    picture.get_by_role("button", name="Read", exact=True).click()
    expect(picture.locator("canvas")).to_have_count(2)


def test_dark_on_a_phone(page_file: Path, open_page: Any) -> None:
    page = open_page(page_file, phone=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_nothing_is_known(tmp_path: Path, open_page: Any) -> None:
    page = open_page(report(tmp_path, {}))
    expect(section(page)).to_contain_text("The catalog has no samples of devices")
    assert section(page).locator("canvas, table, .card").count() == 0


def test_tokens_in_place_of_names(tmp_path: Path, open_page: Any) -> None:
    page = open_page(report(tmp_path, tables(), "--anonymize"))
    text = section(page).inner_text()
    for name in ("oss", "lus ", "78", "img", "sky", "ada"):
        assert name not in text, name
    assert "file system 1" in text
