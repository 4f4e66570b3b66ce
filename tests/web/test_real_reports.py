"""Reports that `headrace report` made of jobs that really ran."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

HEADRACE = str(Path(sys.executable).with_name("headrace"))

PROGRAM = r"""
import os, sys
os.mkdir("out")
for number in range(40):
    with open(f"out/part_{number:03}.dat", "wb", buffering=0) as file:
        for _ in range(5):
            file.write(b"x" * 4097)
names = ["<script>window.injected=1<", "line\nbreak", "\u202egnp.exe", "\u05e9\u05dc\u05d5\u05dd", "y" * 250]
for name in names:
    open(os.path.join("out", name), "w").close()
open(b"out/\xff\xfe", "w").close()
os.rename("out/part_000.dat", "out/final.dat")
os.system("cat out/part_001.dat > /dev/null")
sys.exit(3)
"""


def captured(directory: Path, *command: str) -> Path:
    """The report of a command, run in the directory."""
    log, page = directory / "job.hr", directory / "job.html"
    subprocess.run([HEADRACE, "run", "-o", str(log), "--", *command], cwd=directory, timeout=120, check=False)
    subprocess.run([HEADRACE, "report", str(log), "-o", str(page)], timeout=120, check=True)
    return page


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return captured(tmp_path_factory.mktemp("job"), sys.executable, "-c", PROGRAM)


def test_the_page_shows_what_the_terminal_shows(job: Path, open_page: Any) -> None:
    log = str(job.with_suffix(".hr"))
    shown = json.loads(subprocess.check_output([HEADRACE, "show", "--json", log], timeout=120))
    page = open_page(job)
    expect(page.locator("#job")).to_contain_text("Exit status3")
    expect(page.locator("#figures .figure.write .below")).to_contain_text(
        f"{shown['totals']['write']['calls']:,} calls"
    )
    page.fill("#files input[type=search]", "out/part_")
    expect(page.locator("#files [role=status]")).to_contain_text("40 of ")
    page.fill("#files input[type=search]", "final.dat")
    expect(page.locator("#files tr.opens")).to_have_count(1)
    page.locator("#files .opener").click()
    details = page.locator("#files .details")
    expect(details).to_contain_text("renamed to")
    expect(details).to_contain_text("4,097 B")
    expect(details.locator(".flags")).to_contain_text("created")


def test_no_name_of_a_file_becomes_markup(job: Path, open_page: Any) -> None:
    page = open_page(job)
    for name in ("line\\nbreak", "\\u202egnp.exe", "\\xff\\xfe", "window.injected=1<", "\\u05e9\\u05dc"):
        page.fill("#files input[type=search]", name)
        expect(page.locator("#files [role=status]")).to_contain_text("1 of ")
        expect(page.locator("#files tr.opens .name")).to_contain_text(name)
    assert page.evaluate("window.injected") is None


def test_every_figure_of_a_real_report_has_a_definition(job: Path, open_page: Any) -> None:
    page = open_page(job)
    page.locator("#files .opener").first.click()
    terms = set(page.evaluate("[...document.querySelectorAll('[data-term]')].map(e => e.dataset.term)"))
    known = set(page.evaluate("[...document.querySelectorAll('.glossary dt code')].map(e => e.textContent)"))
    assert terms - {""} <= known


def test_a_job_without_io(tmp_path: Path, open_page: Any) -> None:
    page = open_page(captured(tmp_path, "true"))
    expect(page.locator("#missing")).to_be_attached()
    assert "NaN" not in page.inner_text("main")
