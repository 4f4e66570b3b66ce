"""The frame in which a notebook shows a report: it works there, and reaches nothing outside."""

from __future__ import annotations

from pathlib import Path

import headrace
from made_logs import simulation
from playwright.sync_api import Browser


def test_it_works_in_a_frame_without_rights(tmp_path: Path, chromium: Browser) -> None:
    report = headrace.report(simulation(tmp_path / "a.hr"))
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><meta charset=utf-8><title>outer</title>{report._repr_html_()}")
    page = chromium.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(notebook.as_uri())
    frame = page.frame_locator("iframe")
    frame.get_by_text("mesh.h5").first.wait_for(timeout=30_000)
    assert problems == []
    assert page.title() == "outer"
    page.close()
