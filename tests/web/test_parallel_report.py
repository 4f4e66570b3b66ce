"""Reports of parallel jobs: ranks over time, who shared which file, and libraries layer by layer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from made_logs import START_NS, LogMaker, parallel

HEADRACE = str(Path(sys.executable).with_name("headrace"))


def report_of(log: Path) -> Path:
    page = log.with_suffix(".html")
    subprocess.run([HEADRACE, "report", str(log), "-o", str(page)], timeout=120, check=True)
    return page


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report_of(parallel(tmp_path_factory.mktemp("parallel") / "job.hr"))


def test_ranks_are_shown(job: Path, open_page: Any) -> None:
    page = open_page(job)
    section = page.locator("#ranks")
    expect(section.locator(".small-figures")).to_contain_text("8on 2 nodes")
    expect(section.locator(".small-figures")).to_contain_text("657 MiB/s")
    ranks = section.get_by_role("table", name="Ranks", exact=True)
    expect(ranks.locator("tbody")).to_contain_text("97.5 ms")
    expect(section.get_by_role("table", name="Shared files")).to_contain_text("0-3")
    expect(section.get_by_role("table", name="Shared files")).to_contain_text("partially shared")
    expect(section.get_by_role("table", name="Object servers")).to_contain_text("5 (50.5 ms)")
    assert "NaN" not in page.inner_text("main")


def test_the_picture_of_ranks_says_what_is_under_the_pointer(job: Path, open_page: Any) -> None:
    page = open_page(job)
    canvas = page.locator("#ranks .heat-picture canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    # Line 2 of 8, span 1 of 8: rank 2 wrote 4 MiB in a quarter of a second.
    canvas.hover(position={"x": box["width"] * 1.5 / 8, "y": box["height"] * 2.5 / 8})
    expect(page.locator(".heat-tip")).to_contain_text("rank 2")
    expect(page.locator(".heat-tip")).to_contain_text("16 MiB/s")
    painted = page.evaluate(
        """() => {
          const canvas = document.querySelector("#ranks .heat-picture canvas");
          const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          return [canvas.width, canvas.height, data[3], data[7] > 0];
        }"""
    )
    assert painted == [8, 8, 0, True], "nothing happened in the first span, something in the second"
    page.locator("#ranks .choice button", has_text="Calls").click()
    canvas.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".heat-tip")).to_contain_text("12 calls/s")


def test_libraries_layer_by_layer(job: Path, open_page: Any) -> None:
    page = open_page(job)
    rows = page.locator("#libraries").get_by_role("table", name="Layer by layer").locator("tbody tr")
    expect(rows.filter(has_text="HDF5")).to_contain_text("8 MiB")
    expect(rows.filter(has_text="posix")).to_contain_text("4 MiB")
    expect(page.locator("#libraries")).to_contain_text("/rho")
    expect(page.locator("#time")).to_contain_text("posix and stdio add up")
    expect(page.locator("#figures .figure.write")).to_contain_text("64.1 MiB"), "libraries are not added"


def test_details_of_a_shared_file(job: Path, open_page: Any) -> None:
    page = open_page(job)
    page.fill("#files input[type=search]", "dump.h5")
    expect(page.locator("#files [role=status]")).to_contain_text("1 of ")
    page.locator("#files .opener").first.click()
    details = page.locator("#files .details")
    expect(details).to_contain_text("8 of 8")
    expect(details).to_contain_text("47 ms to 47 ms")
    expect(details).to_contain_text("rank 0 on node0")
    expect(details).to_contain_text("asked 2, used 2")
    expect(details).to_contain_text("lustre.osts")
    expect(details).to_contain_text("/rho: hdf5.chunk")


def test_every_figure_of_ranks_has_a_definition(job: Path, open_page: Any) -> None:
    page = open_page(job)
    terms = set(page.evaluate("[...document.querySelectorAll('[data-term]')].map(e => e.dataset.term)"))
    known = set(page.evaluate("[...document.querySelectorAll('.glossary dt code')].map(e => e.textContent)"))
    assert terms - {""} <= known


def test_a_phone_needs_no_sideways_scrolling(job: Path, open_page: Any) -> None:
    page = open_page(job, phone=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_ten_thousand_ranks(tmp_path: Path, open_page: Any) -> None:
    maker = LogMaker(end_utc_ns=str(START_NS + 10**9))
    for rank in range(10_000):
        maker.process(
            rank + 1, rank=rank, ranks=10_000, instance=7, host=f"node{rank // 64}", end_at_ns=10**9
        )
        maker.file(rank + 1, "/out", layer="posix", writes=1, bytes_written=100 + rank, write_ns=1000 + rank)
        for span in range(4):
            at = {"start_at_ns": span * 250_000_000, "width_ns": 250_000_000}
            maker.add("series", process=rank + 1, direction="write", bytes=rank, operations=1, **at)
    page_file = report_of(maker.write(tmp_path / "a.hr"))
    assert page_file.stat().st_size < 2_000_000
    page = open_page(page_file)
    expect(page.locator("#ranks")).to_contain_text("A line is the mean of 10 ranks.")
    assert page.evaluate("document.querySelector('#ranks canvas').height") == 1000
    expect(page.locator("#ranks").get_by_role("table", name="Shared files")).to_contain_text("0-9999")


def test_what_serves_nodes(job: Path, open_page: Any) -> None:
    section = open_page(job).locator("#ranks")
    served = section.get_by_role("table", name="I/O nodes", exact=True).locator("tbody tr")
    expect(served.filter(has_text="ion0")).to_contain_text("32 MiB")
    expect(served.filter(has_text="ion1")).to_contain_text("32 MiB")
    expect(section.get_by_role("table", name="Switches", exact=True)).to_contain_text("s1")
    expect(section.get_by_role("table", name="Nodes", exact=True)).to_contain_text("ion1")


def test_object_servers_against_slow_ranks(job: Path, open_page: Any, tmp_path: Path) -> None:
    even = open_page(job).locator("#servers-against-ranks")
    expect(even.locator(".finding")).to_have_text(
        "No rank is slow in these files: the slowest took 1.16 times as long as the median."
    )
    log = LogMaker()
    for rank in range(12):
        log.process(rank + 1, rank=rank, ranks=12, instance=7, host=f"n{rank}", end_at_ns=10**9)
        slow = rank % 4 == 2
        own = log.file(
            rank + 1, f"/scratch/r{rank}", writes=1, bytes_written=8, write_ns=9 * 10**8 if slow else 10**8
        )
        log.add("properties", process=rank + 1, record=own, key="lustre.osts", value=str(rank % 4))
    page = open_page(report_of(log.write(tmp_path / "slow.hr")), phone=True)
    shown = page.locator("#servers-against-ranks")
    expect(shown.locator(".finding")).to_contain_text("server 2, and 0 % of the others' time")
    expect(shown.locator(".finding")).to_contain_text("All 3 ranks with files there are slow")
    expect(shown).to_contain_text("Slow: rank 2, 6, 10")
    expect(page.get_by_role("table", name="Object servers", exact=True)).to_contain_text("100 %")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
