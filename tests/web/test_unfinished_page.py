"""Who hung where, on the page of a report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from made_logs import LogMaker

HEADRACE = str(Path(sys.executable).with_name("headrace"))
SECOND = 10**9


def page_of(maker: LogMaker, directory: Path) -> Path:
    log, target = maker.write(directory / "a.hr"), directory / "a.html"
    subprocess.run([HEADRACE, "report", log, "-o", target], timeout=120, check=True)
    return target


def test_who_hung_stands_above_all(open_page: Any, tmp_path: Path) -> None:
    maker = LogMaker()
    for rank in (0, 1):
        maker.process(rank + 1, rank=rank, ranks=2, instance=7, pid=100 + rank, ended="killed")
    during = {"start_at_ns": SECOND, "seen_at_ns": 8 * SECOND}
    maker.add("unfinished", process=1, thread=1, depth=0, function="MPI_Recv", layer="mpi", **during)
    call = {"process": 2, "thread": 1, "path": maker.name("/tmp/<pipe>"), **during}
    maker.add("unfinished", **call, depth=0, function="fread", layer="stdio")
    maker.add("unfinished", **call, depth=1, function="read", layer="posix")
    maker.add("unfinished", process=2, thread=3, depth=0, function="flock", layer="posix", start_at_ns=SECOND)
    page = open_page(page_of(maker, tmp_path))
    expect(page.locator("#job")).to_contain_text("3 threads never came back from their calls: who hung where")
    table = page.get_by_role("table", name="Calls that never came back")
    expect(table).to_contain_text("MPI_Recv")
    expect(table).to_contain_text("fread of /tmp/<pipe> (inside it: read of /tmp/<pipe>)")
    expect(table).to_contain_text("7 s")
    expect(table).to_contain_text("not recorded")
    expect(table).to_contain_text("was killed")
    page.get_by_role("link", name="who hung where").click()
    expect(page.locator("#unfinished")).to_be_in_viewport()


def test_nothing_is_said_where_all_came_back(open_page: Any, tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    page = open_page(page_of(maker, tmp_path))
    expect(page.locator("#job")).not_to_contain_text("never came back")
    expect(page.locator("#unfinished")).to_have_count(0)
