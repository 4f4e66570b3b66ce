"""The MPI library's own files, and I/O behind the calls that began it, on the page of a report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from made_logs import MIB, LogMaker

HEADRACE = str(Path(sys.executable).with_name("headrace"))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    maker = LogMaker()
    maker.process(1, rank=0, ranks=1, instance=7)
    maker.file(1, "/scratch/dump.h5", opens=1, writes=2, bytes_written=MIB, write_ns=1_000_000)
    maker.file(1, "/scratch/dump.h5", layer="mpiio", writes=2, writes_nonblocking=2, bytes_written=MIB)
    maker.file(1, "/scratch", "directory", stats=1, meta_ns=5)
    for segment in range(30):
        maker.file(
            1, f"/dev/shm/vader_segment.n1.0.1.{segment}", writes=1, bytes_written=1, write_ns=9_000_000
        )
    at = {"start_at_ns": 0, "width_ns": 1_000_000}
    maker.add("series", process=1, direction="write", bytes=MIB + 30, operations=32, **at)
    maker.add(
        "profiles",
        process=1,
        function="aio_return",
        layer="posix",
        calls=2,
        bytes=MIB,
        time_ns=400,
        own_ns=400,
    )
    return maker.write(tmp_path_factory.mktemp("own") / "a.hr")


def page_of(log: Path, *options: str) -> Path:
    target = log.with_name(f"report{''.join(options)}.html")
    subprocess.run([HEADRACE, "report", log, "-o", target, *options], timeout=120, check=True)
    return target


def test_they_stand_apart(log: Path, open_page: Any) -> None:
    page = open_page(page_of(log))
    expect(page.locator("#files [role=status]")).to_have_text("2 paths: 1 file, 1 directory")
    own = page.locator(
        "#files .captioned", has_text="The MPI library\N{RIGHT SINGLE QUOTATION MARK}s own files"
    )
    expect(own).to_contain_text("30 files, 0 directories, 270 ms")
    expect(own).to_contain_text("vader_segment.n1")
    besides = page.get_by_role("table", name="Besides files")
    expect(besides).to_contain_text("the MPI library\N{RIGHT SINGLE QUOTATION MARK}s own files")
    expect(besides).to_contain_text("270 ms")
    included = "these included: the MPI library\N{RIGHT SINGLE QUOTATION MARK}s own files."
    expect(page.locator("#over-time")).to_contain_text(included)


def test_they_count_where_that_is_asked_for(log: Path, open_page: Any) -> None:
    page = open_page(page_of(log, "--mpi-files"))
    expect(page.locator("#files [role=status]")).to_have_text("32 paths: 31 files, 1 directory")
    expect(page.locator("#files")).to_contain_text(
        "are counted among the program\N{RIGHT SINGLE QUOTATION MARK}s"
    )
    assert page.get_by_role("table", name="Besides files").count() == 0


def test_what_rates_of_asynchronous_calls_are_worth_is_said(log: Path, open_page: Any) -> None:
    page = open_page(page_of(log))
    expect(page.locator("#time")).to_contain_text(
        "Asynchronous I/O (aio), 1 MiB: these calls only begin it and fetch its result"
    )
    expect(page.locator("#time")).to_contain_text(
        "Nonblocking MPI-IO, 2 calls: their time is what starting them"
    )
