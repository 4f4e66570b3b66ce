"""The page of `headrace diff -o` in a browser."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from test_diff import HOSTILE, writer

Open = Callable[..., Page]
HEADRACE = str(Path(sys.executable).with_name("headrace"))


def changes(directory: Path, *logs: Path | str) -> Path:
    page = directory / "changes.html"
    subprocess.run([HEADRACE, "diff", *map(str, logs), "-o", str(page)], check=True, timeout=120)
    return page


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    a, b = writer(tmp_path / "a.hr"), writer(tmp_path / "b.hr", size=8192, calls=128, ns=1_000_000, files=40)
    return changes(tmp_path, a, b)


def test_figures_files_and_plots_are_there(pair: Path, open_page: Open) -> None:
    page = open_page(pair)
    expect(page.locator("h1")).to_contain_text("Changes of ./simulate --steps 10")
    expect(page.locator("#totals")).to_contain_text("Write time")
    page.locator("#sizes").scroll_into_view_if_needed()
    expect(page.locator("#sizes canvas").first).to_be_visible()
    expect(page.locator("#job")).to_contain_text("proves nothing about times")


def test_the_verdict_is_that_of_the_terminal(pair: Path, open_page: Open) -> None:
    logs = [str(pair.with_name(name)) for name in ("a.hr", "b.hr")]
    shown = subprocess.run([HEADRACE, "diff", *logs], capture_output=True, text=True, check=True, timeout=120)
    verdict = open_page(pair).locator("#job .verdict").inner_text()
    assert verdict.startswith("B ran ")
    assert "most of it in writing" in verdict
    assert verdict in " ".join(shown.stdout.split())


def test_files_sort_and_filter(pair: Path, open_page: Open) -> None:
    page = open_page(pair)
    page.locator("#files").scroll_into_view_if_needed()
    first = page.locator("#files tbody tr:not(.space)").first
    expect(first).to_contain_text("out.")
    page.get_by_role("searchbox", name="Filter files by name").fill("out.39")
    expect(page.locator("#files")).to_contain_text("1 of 40 paths")
    expect(page.locator("#files")).to_contain_text("one side")
    page.get_by_role("searchbox", name="Filter files by name").fill("")
    page.locator("#files").get_by_role("button", name="Calls", exact=True).first.click()
    expect(first).to_contain_text("1,92")


def test_dark_and_phone(pair: Path, open_page: Open) -> None:
    page = open_page(pair, phone=True, color_scheme="dark")
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0


def test_hostile_names_stay_text(tmp_path: Path, open_page: Open) -> None:
    from made_logs import LogMaker

    def job(path: Path, ns: int) -> Path:
        log = LogMaker(command='["<script>window.injected=1</script>"]', host="<img src=x onerror=alert(1)>")
        log.process(1)
        for name in HOSTILE:
            log.file(1, name, writes=1, write_ns=ns)
        return log.write(path)

    page = open_page(changes(tmp_path, job(tmp_path / "a.hr", 10), job(tmp_path / "b.hr", 20)))
    expect(page.locator("h1")).to_contain_text("<script>")
    assert page.evaluate("window.injected") is None
    assert page.locator("main img").count() == 0
