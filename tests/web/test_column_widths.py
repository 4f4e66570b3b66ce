"""Columns of tables are as wide as what they hold asks for, whatever that is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import studies
from playwright.sync_api import Page, expect

HEADRACE = str(Path(sys.executable).with_name("headrace"))

NAMES = [
    "checkpoint-of-the-run-{:05}-with-a-long-name-that-says-much.dat",
    "out/Cell_D_{:05}",
    "\u65e5\u672c\u8a9e\u306e\u540d\u524d-{:05}-\u304c\u3042\u308a\u307e\u3059-\u3068\u3066\u3082\u9577\u3044.bin",
]
WRITER = """
import os, sys
for name in sys.argv[1:]:
    for each in range(12):
        path = os.path.join("a/quite/deep/directory/of/some/simulation", name.format(each))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb", buffering=0) as file:
            for size in range(1, 20):
                file.write(b"x" * (3000 + 701 * size))
"""

# Cells whose text is cut, in rows with more than 60 pixels without text; and figures that are cut at all.
CUT = """() => {
  const found = [];
  for (const cell of document.querySelectorAll(".grid td, .grid th")) {
    const parts = [cell, ...cell.querySelectorAll("*")];
    const isCut = (part) =>
      getComputedStyle(part).textOverflow === "ellipsis" && part.scrollWidth > part.clientWidth + 1;
    if (!parts.some(isCut)) continue;
    const range = document.createRange();
    const room = [...cell.parentElement.children].reduce((sum, each) => {
      range.selectNodeContents(each);
      return sum + Math.max(0, each.getBoundingClientRect().width - range.getBoundingClientRect().width - 20);
    }, 0);
    if (room > 60 || !cell.classList.contains("left")) found.push(cell.textContent.slice(0, 80));
  }
  return found;
}"""


TWICE_DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def look_at_all(page: Page) -> None:
    """Sections are built when they come into view."""
    height = page.evaluate("document.documentElement.scrollHeight")
    for top in range(0, height, 600):
        page.evaluate(f"scrollTo(0, {top})")
        page.evaluate(TWICE_DRAWN)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, report: Any) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("widths")
    command = [HEADRACE, "run", "-q", "-o", "job.hr", "--", sys.executable, "-c", WRITER, *NAMES]
    subprocess.run(command, cwd=directory, timeout=120, check=True)
    subprocess.run([HEADRACE, "report", "job.hr", "-o", "job.html"], cwd=directory, timeout=120, check=True)
    return {
        "job": directory / "job.html",
        "typical": report("typical"),
        "study": studies.write("typical", directory),
        "compared": studies.write("compared", directory),
    }


@pytest.mark.parametrize("which", ["job", "typical", "study", "compared"])
@pytest.mark.parametrize("phone", [False, True])
def test_nothing_is_cut_where_there_is_room(
    open_page: Any, pages: dict[str, Path], which: str, phone: bool
) -> None:
    page = open_page(pages[which], phone=phone)
    look_at_all(page)
    assert page.evaluate(CUT) == []


def test_names_of_a_series_differ_on_a_phone(open_page: Any, pages: dict[str, Path]) -> None:
    page = open_page(pages["job"], phone=True)
    for name in NAMES:
        page.fill("#files input[type=search]", Path(name).name.split("{")[0])
        expect(page.locator("#files [role=status]")).to_contain_text("12 of ")
        shown = page.locator("#files tr.opens .name").evaluate_all(
            "names => names.map(name => [...name.childNodes]"
            ".map(part => part.className === 'gap' ? '\u2026' : part.textContent).join(''))"
        )
        assert len(shown) == 12
        assert len(set(shown)) == 12, shown


def test_a_longer_cell_below_widens_its_column(open_page: Any, report: Any) -> None:
    """Of a table with very many rows, the first and some others are measured; scrolling shows more."""
    page = open_page(report("huge"))
    page.evaluate("document.querySelector('#files .scroller').scrollTop = 1e5")
    look_at_all(page)
    assert page.evaluate(CUT) == []
