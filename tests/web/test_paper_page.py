"""The page of `headrace bench paper`: a verdict, pictures with intervals, and figures of ranks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from headrace.papers import paper
from headrace.papers.matrix import runs_of
from playwright.sync_api import expect

HEADRACE = str(Path(sys.executable).with_name("headrace"))
STUDY = """
title = "Dumps of two sizes"
source = "A. Author, 2015"
[fitted]
jaguar = "The profile jaguar is fitted to the first row."
[[measures]]
name = "rate"
key = "rate"
unit = "MiB/s"
[[measures]]
name = "time"
key = "time"
unit = "s"
less = true
[[tables]]
name = "one"
title = "One table"
size = "4 ranks"
ranks = 4
words = ["dump", "--emulate", "jaguar"]
measures = ["rate", "time"]
[[tables.cases]]
name = "a first case whose name is long"
words = []
published = { rate = 1.0 }
[[tables.cases]]
name = "another"
words = ["--block", "1M"]
published = { rate = 300.0 }
[[tables.figures]]
name = "Figure 2"
title = "time of each rank from dump to dump"
kind = "lines"
key = "collecting_seconds"
[[tables.figures]]
name = "Figure 3"
title = "time of leaders"
kind = "histogram"
key = "supervising_seconds"
"""


def page_of(tmp_path: Path, noise: float, repetitions: int = 3) -> Path:
    study, results, page = tmp_path / "study.toml", tmp_path / "results", tmp_path / "page.html"
    study.write_text(STUDY)
    lines = []
    for run in runs_of(paper.read(str(study)), repetitions):
        factor = (1 if run.case.words == () else 250) * (1 + noise * run.repetition)
        dumps = [{"seconds": [None, 0.001 * factor, 0.002 * dump]} for dump in (1, 2, 3)]
        figures = {
            "rate": factor,
            "time": 1 / factor,
            "collecting_seconds": dumps,
            "supervising_seconds": dumps,
        }
        kept = {"key": run.key, "repetition": run.repetition, "outcome": "done", "figures": figures}
        lines.append(json.dumps({**kept, "full": False, "options": []}) + "\n")
    results.mkdir()
    (results / "runs.jsonl").write_text("".join(lines))
    words = [HEADRACE, "bench", "paper", str(study), "--results", str(results), "--show", "-o", str(page)]
    subprocess.run(words, check=True, timeout=60)
    return page


def test_a_page_says_what_it_comes_to(tmp_path: Path, open_page: Any) -> None:
    page = open_page(page_of(tmp_path, 0.01))
    expect(page.locator("#job .finding")).to_have_text("Of 1 published ratio: 1 within a factor of 2.")
    body = page.locator("#table-0")
    expect(body).to_contain_text("3 runs of each case")
    expect(body).to_contain_text("The profile jaguar is fitted to the first row.")
    expect(body.locator("h4")).to_have_count(2)
    # Times of 1 and 300 are decades apart.
    first = "rate: times as good as “a first case whose name is long”"
    picture = f"{first}, here and as published, on a logarithmic scale"
    expect(page.get_by_role("img", name=picture)).to_be_visible()
    expect(page.get_by_role("img", name="Figure 2: 2 ranks over 3 dumps")).to_be_visible()
    expect(page.get_by_role("img", name="Figure 3: ranks by time, for each case")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text("too noisy")


def test_noise_has_a_word(tmp_path: Path, open_page: Any) -> None:
    page = open_page(page_of(tmp_path, 1.0), phone=True)
    expect(page.get_by_role("table").first).to_contain_text("too noisy to say")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut on a phone"


def test_what_was_not_run_has_no_mark(tmp_path: Path, open_page: Any) -> None:
    page = open_page(page_of(tmp_path, 0, repetitions=0))
    expect(page.locator("#table-0")).to_contain_text("Here: not run.")
    picture = page.get_by_role("img", name="rate: times as good as").locator("..")
    page.mouse.move(0, 0)
    picture.hover(position={"x": 400, "y": 30})
    expect(picture.locator(".tip")).to_contain_text("herenot known")
    expect(page.locator("h4 + .note")).to_have_text(["Not run.", "Not run."])
