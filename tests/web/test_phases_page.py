"""The page of `headrace phases`: why ranks were slow in words, and the pictures that show it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from made_logs import MIB, LogMaker
from made_phases import dumps

HEADRACE = str(Path(sys.executable).with_name("headrace"))
HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J\u202eevil\n" + "very-long-" * 18


def run(*words: Any) -> str:
    done = subprocess.run(
        [HEADRACE, "phases", *words], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("phases")
    logs = {
        "fast": dumps(place / "fast.hr", ranks=96, instances=6, slow_node=5),
        "slow": dumps(place / "slow.hr", ranks=96, instances=6, factor=1.7, seed=2),
        "hostile": dumps(place / "hostile.hr", ranks=32, phase=HOSTILE),
    }
    for name, given in (("one", ["fast"]), ("two", ["fast", "slow"]), ("bad", ["hostile"])):
        logs[name] = place / f"{name}.html"
        assert "open it in a browser" in run(*(logs[each] for each in given), "-o", logs[name])
    return logs


def colours(page: Any, selector: str, wanted: list[str]) -> list[str]:
    """Which of the colours a canvas has."""
    found: list[str] = page.evaluate(
        """([selector, wanted]) => {
          const canvas = document.querySelector(selector);
          const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          const colours = new Set();
          for (let at = 0; at < data.length; at += 4) colours.add(`${data.slice(at, at + 3)}`);
          return wanted.filter((one) => colours.has(one));
        }""",
        [selector, wanted],
    )
    return found


def test_the_page_says_what_the_terminal_says(made: dict[str, Path], open_page: Any) -> None:
    page = open_page(made["one"])
    expect(page.locator("h1")).to_contain_text("Phases of ./simulate --steps 10")
    said = " ".join(page.locator("#why").inner_text().split())
    explained = run(made["fast"]).split("dump, all instances\n", 1)[1]
    sentences = " ".join(explained.split()).split(". ")
    assert len(sentences) > 2
    for sentence in sentences:
        assert sentence.strip(" .") in said
    for section in ("#why", "#phases", "#times", "#groups", "#bandwidth", "#crossings", "#outliers"):
        assert page.locator(section).count() == 1, section
    assert "NaN" not in page.inner_text("main")
    assert "undefined" not in page.inner_text("main")


def test_pictures_and_tables_of_one_run(made: dict[str, Path], open_page: Any) -> None:
    page = open_page(made["one"])
    facts = json.loads(run(made["fast"], "--json"))
    row = page.get_by_role("table", name="Phases").locator("tbody")
    expect(row).to_contain_text("dump")
    expect(row).to_contain_text(facts["phases"][0]["longest"]["member"])
    assert colours(page, "#times canvas", ["194,84,10"]), "slow ranks stand out"
    expect(page.locator("#times .legend")).to_contain_text(
        f"slow ranks ({facts['explained']['slow']['who']})"
    )
    expect(page.locator("#times .legend")).to_contain_text("longest of all 96")
    instances = page.get_by_role("table", name="Instances").locator("tbody")
    expect(instances).to_contain_text(facts["phases"][0]["each"][5]["slowest"])
    assert colours(page, "#groups canvas", ["194,84,10", "59,125,106"]) == ["194,84,10", "59,125,106"]
    shown = page.get_by_role("table", name="Groups", exact=True).locator("tbody")
    for group in facts["explained"]["groups"]:
        expect(shown).to_contain_text(group["who"])
    assert page.locator("#bandwidth canvas").count() >= 1
    names = page.locator("main [role=img]").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert len(names) > 2
    assert all(names)


def test_crossings_count_every_rank(made: dict[str, Path], open_page: Any) -> None:
    page = open_page(made["one"])
    tables = page.locator("#crossings .crossing")
    assert tables.count() >= 1
    for at in range(tables.count()):
        cells = tables.nth(at).locator("tbody td").all_inner_texts()
        assert sum(map(int, cells)) == 96
        expect(tables.nth(at)).to_contain_text("Agreement")


def test_runs_over_each_other(made: dict[str, Path], open_page: Any) -> None:
    page = open_page(made["two"])
    assert colours(page, "#runs canvas", ["11,108,184", "194,84,10"]) == ["11,108,184", "194,84,10"]
    legend = page.locator("#runs .legend")
    expect(legend).to_contain_text("fast.hr")
    expect(legend).to_contain_text("median")
    (verdict,) = page.locator("#runs .verdicts li").all_inner_texts()
    assert " ".join(verdict.split()) in " ".join(run(made["fast"], made["slow"]).split())
    assert page.locator("#why .why").count() == 2
    expect(page.locator("#times .legend")).to_contain_text("0-")
    before = page.get_by_role("table", name="Groups", exact=True).inner_text()
    page.get_by_role("group", name="Run shown below").get_by_role("button").nth(1).click()
    page.wait_for_selector("main:not(:has(.body:not([data-built])))")
    assert page.locator("#groups").count() == 1
    assert page.get_by_role("table", name="Groups", exact=True).inner_text() != before


def test_hostile_names_in_the_dark_on_a_phone(made: dict[str, Path], open_page: Any) -> None:
    page = open_page(made["bad"], phone=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("main img").count() == 0
    text = page.inner_text("main")
    assert "\\x1b[2J\\u202eevil\\n" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<img src=x onerror=alert(1)>" in text


def test_no_other_file_is_replaced(made: dict[str, Path], tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    words = [HEADRACE, "phases", made["fast"], "-o", other]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "--force" in done.stderr
    assert other.read_text() == "mine"
    subprocess.run([*words, "--force"], timeout=120, check=True)
    assert b"headrace-data" in other.read_bytes()


def test_phases_told_from_series(tmp_path: Path, open_page: Any) -> None:
    log = LogMaker()
    for rank in range(4):
        process = log.process(rank + 1, rank=rank, ranks=4, instance=9)
        for number in range(5):
            at = {"start_at_ns": 100_000_000 + 300_000_000 * number, "width_ns": 10_000_000}
            log.add("series", process=process, direction="write", **at, bytes=MIB << rank % 2, operations=1)
    run(log.write(tmp_path / "a.hr"), "-o", tmp_path / "a.html")
    page = open_page(tmp_path / "a.html")
    expect(page.locator("#detected .finding")).to_contain_text(
        "Detected from bytes read and written over time"
    )
    expect(page.locator("#detected")).to_contain_text("2 ranks (1, 3), like rank 1: 10 MiB written each.")
    assert page.locator("#over-time canvas").count() == 1
    bursts = page.get_by_role("table", name="Bursts").locator("tbody")
    expect(bursts).to_contain_text("6 MiB")
    assert "NaN" not in page.inner_text("main")
    assert "undefined" not in page.inner_text("main")
