"""A Chromium, and pages opened in it that must stay silent: no message, no request but the page itself."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import samples
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A machine that does much else may need it; nothing here is judged by its speed.
PATIENCE_MS = 60_000
BUILT = "main[data-ready]:not(:has(.body:not([data-built])))"

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert program, "no Chromium: scripts/setup test installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The path of a sample of tests/web/samples.py as a report, made once."""
    directory = tmp_path_factory.mktemp("reports")

    def find(name: str) -> Path:
        path = directory / f"{name}.html"
        return path if path.exists() else samples.write(name, directory)

    return find


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Open]:
    """Opens a report and waits until all of it is built. The test fails at its end on any complaint."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_it(path: Path, phone: bool = False, **options: Any) -> Page:
        size = {"width": 360, "height": 740} if phone else {"width": 1280, "height": 900}
        options = {"viewport": size, "has_touch": phone, **options}
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        url = path.as_uri()
        page.on("request", lambda request: request.url == url or complaints.append(f"request: {request.url}"))
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"exception: {error}"))
        page.goto(url)
        page.wait_for_selector(BUILT)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []
