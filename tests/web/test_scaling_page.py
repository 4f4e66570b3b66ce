"""The page of `headrace scaling`: shares as a job grows, speed-up, and the table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from made_logs import LogMaker

HEADRACE = str(Path(sys.executable).with_name("headrace"))


def job(path: Path, ranks: int, waiting_ns: int | None, run_ns: int) -> Path:
    log = LogMaker(end_utc_ns=str(1_700_000_000_000_000_000 + run_ns), start_utc_ns="1700000000000000000")
    for rank in range(ranks):
        log.process(rank + 1, rank=rank, ranks=ranks, instance=3, host=f"n{rank // 2}", end_at_ns=run_ns)
        log.file(rank + 1, "/out", writes=1, bytes_written=1 << 20, write_ns=run_ns // 10)
        if waiting_ns is None:  # as of Darshan's logs
            continue
        log.add(
            "profiles", process=rank + 1, function="MPI_Barrier", layer="mpi", calls=1, time_ns=waiting_ns,
            own_ns=waiting_ns,
        )  # fmt: skip
    return log.write(path)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("scaling")
    logs = [
        job(directory / f"n{ranks}.hr", ranks, waiting, run)
        for ranks, waiting, run in ((2, 10**8, 10**9), (4, 10**8, 6 * 10**8), (8, 3 * 10**8, 5 * 10**8))
    ]
    made = {}
    for name, options in (("strong", []), ("weak", ["--weak"])):
        made[name] = directory / f"{name}.html"
        command = [HEADRACE, "scaling", *logs, *options, "-o", made[name]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        assert done.stdout.endswith("open it in a browser\n")
    return made


def test_strong_scaling(pages: dict[str, Path], open_page: Any) -> None:
    page = open_page(pages["strong"])
    expect(page.locator("h1")).to_contain_text("Scaling of ./simulate --steps 10")
    expect(page.locator("#job")).to_contain_text("3 runs, of 2 to 8 ranks.")
    grown = page.locator("#shares .finding")
    expect(grown).to_contain_text("Communication grows most: from 10 % of a rank")
    expect(grown).to_contain_text("with 2 ranks to 60 % with 8 ranks.")
    assert page.locator("#shares canvas, #speed-up canvas").count() == 2
    rows = page.get_by_role("table", name="Runs").locator("tbody tr")
    largest = rows.filter(has_text="n8.hr")
    expect(largest).to_contain_text("2.00")
    expect(largest).to_contain_text("50 %")
    painted = page.evaluate(
        """() => {
          const canvas = document.querySelector("#shares canvas");
          const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          const colours = new Set();
          for (let at = 0; at < data.length; at += 4) colours.add(`${data.slice(at, at + 3)}`);
          return ["59,125,106", "108,91,158", "194,84,10"].filter((one) => colours.has(one));
        }"""
    )
    assert len(painted) == 3, "compute, communication and I/O each have their colour"


def test_weak_scaling_in_the_dark_on_a_phone(pages: dict[str, Path], open_page: Any) -> None:
    page = open_page(pages["weak"], phone=True, color_scheme="dark")
    expect(page.locator("#job")).to_contain_text("an ideal run takes as long as the first")
    expect(page.locator("#speed-up h2")).to_have_text("Efficiency")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert "NaN" not in page.inner_text("main")


def test_no_other_file_is_replaced(tmp_path: Path) -> None:
    log, other = job(tmp_path / "a.hr", 2, 1, 10**9), tmp_path / "notes.txt"
    other.write_text("mine")
    done = subprocess.run(
        [HEADRACE, "scaling", log, log, "-o", other], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "--force" in done.stderr
    assert other.read_text() == "mine"


def test_communication_that_nobody_captured_is_no_number(tmp_path: Path, open_page: Any) -> None:
    logs = [job(tmp_path / f"n{ranks}.hr", ranks, None, 10**9) for ranks in (2, 4)]
    target = tmp_path / "silent.html"
    subprocess.run([HEADRACE, "scaling", *logs, "-o", target], timeout=120, check=True)
    page = open_page(target)
    expect(page.locator("#job")).to_contain_text("no communication was captured: it counts as computing")
    expect(page.locator("#shares .legend")).not_to_contain_text("communication")
    expect(page.locator("#shares .finding")).to_contain_text("how much communication takes is not known")
    row = page.get_by_role("table", name="Runs").locator("tbody tr").filter(has_text="n2.hr")
    cells = row.locator("td").all_inner_texts()
    headings = page.get_by_role("table", name="Runs").locator("thead th").all_inner_texts()
    assert dict(zip(headings, cells, strict=True))["MPI"] == "\N{EN DASH}"
