"""Growth between two scans beside what the jobs of a catalog created meanwhile."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from headrace import catalog
from headrace.catalog.schema import arrow_schema
from headrace.commands._scan_churn import churn, sentence
from headrace.scans.scan import Bin, Key, Scan

Headrace = Callable[..., subprocess.CompletedProcess[str]]
START = datetime(2026, 3, 1, tzinfo=timezone.utc)
ROOT = "/scratch/o'brien; DROP TABLE files; --"


def days(number: float) -> datetime:
    return START + timedelta(days=number)


def scan(day: float, files: int) -> Scan:
    start = str(int(days(day).timestamp()) * 10**9)
    facts = {"format_version": "1", "root": ROOT, "host": "h", "complete": "yes", "files": str(files)}
    made = Scan({**facts, "start_utc_ns": start, "end_utc_ns": start})
    made.bins[Key("size", "all", "", 5)] = Bin(files, files * 16, files * 16, 0.0)
    return made


def table(name: str, rows: list[dict[str, Any]]) -> dict[str, pyarrow.Table]:
    return {name: pyarrow.Table.from_pylist(rows, schema=arrow_schema(name))}


def file(path: str, day: float, **known: Any) -> dict[str, Any]:
    return {
        "log": 1,
        "instance": 0,
        "path": path,
        "created": True,
        "first_open": days(day),
        "folded": 0,
        **known,
    }


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Of a month, of which the scans see the first ten days. Job 1 began before, job 3 after them."""
    logs = [
        {"log": i, "start": days(day), "end": days(day + 1), "creates": creates}
        for i, day, creates in ((1, -1, 100), (2, 3, 60), (3, 11, 100), (4, 5, 7))
    ]
    inside = [file(f"{ROOT}/out/{i}", 3 + i / 100, log=2) for i in range(40)]
    others = [
        file(ROOT + "2/x", 3),  # beside the root
        file("/mnt/alias/x", 4, mount=ROOT),  # the same file system by another name
        file(f"{ROOT}/read", 4, created=False),
        file(f"{ROOT}/unknown", 4, created=None),
        file(f"{ROOT}/before", -0.5),
        file(f"{ROOT}/after", 10),
        file(f"{ROOT}/first", 0),
    ]
    catalog.write_tables(tmp_path / "catalog", table("logs", logs), "made")
    catalog.write_tables(tmp_path / "catalog", table("files", inside + others), "made")
    return tmp_path / "catalog"


def test_what_jobs_created_below_the_root(made: Path, tmp_path: Path, headrace: Headrace) -> None:
    scan(0, 1000).save(str(tmp_path / "a.hr"))
    scan(10, 1012).save(str(tmp_path / "b.hr"))
    words = ["diff", tmp_path / "a.hr", tmp_path / "b.hr", "--at", made]
    found = json.loads(headrace(*words, "--json").stdout)["churn"]
    assert found == {
        "jobs": 2, "created": 42, "elsewhere": 25, "change": 12, "removed_at_least": 30,
        "share_removed": 30 / 42,
    }  # fmt: skip
    text = headrace(*words).stdout
    assert "2 captured jobs created 42 files here while 12 more are there" in text
    assert "at least 30 files (71 % as many) were removed. 25 were created elsewhere." in text


def test_without_logs_of_that_time_it_is_not_recorded(made: Path, tmp_path: Path, headrace: Headrace) -> None:
    scan(20, 1000).save(str(tmp_path / "a.hr"))
    scan(30, 900).save(str(tmp_path / "b.hr"))
    words = ["diff", tmp_path / "a.hr", tmp_path / "b.hr", "--at", made]
    assert "not recorded: the catalog has no job logs between the two scans" in headrace(*words).stdout
    found = json.loads(headrace(*words, "--json").stdout)["churn"]
    assert (found["jobs"], found["created"], found["removed_at_least"]) == (0, None, None)
    assert json.loads(headrace(*words[:3], "--json").stdout)["churn"] is None


def test_no_catalog(tmp_path: Path, headrace: Headrace) -> None:
    scan(0, 1).save(str(tmp_path / "a.hr"))
    scan(1, 1).save(str(tmp_path / "b.hr"))
    words = ["diff", tmp_path / "a.hr", tmp_path / "b.hr", "--at", tmp_path / "none"]
    assert "there is no catalog" in headrace(*words, status=3).stderr
    assert "give one of them" in headrace(*words, "--created", "5", status=2).stderr


def test_a_damaged_catalog_is_told(made: Path, tmp_path: Path, headrace: Headrace) -> None:
    scan(0, 1000).save(str(tmp_path / "a.hr"))
    scan(10, 1012).save(str(tmp_path / "b.hr"))
    for part in (made / "files").glob("**/*.parquet"):
        part.write_bytes(b"PAR1" + bytes(part.stat().st_size - 8) + b"PAR1")
    said = headrace("diff", tmp_path / "a.hr", tmp_path / "b.hr", "--at", made, status=3).stderr
    assert "verify" in said and "Traceback" not in said


def test_how_many_are_gone() -> None:
    def by(created: int, change: int) -> dict[str, Any]:
        return churn({"jobs": None, "created": created, "elsewhere": None}, change)

    assert (by(100, 20)["removed_at_least"], by(100, 20)["share_removed"]) == (80, 0.8)
    assert (by(0, 20)["removed_at_least"], by(0, 20)["share_removed"]) == (0, None)
    assert sentence(by(0, 20)) == "Jobs created 0 files here while 20 more are there: 20 are of others."
    assert sentence(by(5, -20)).endswith(
        "while 20 fewer are there: at least 25 files (500 % as many) were removed."
    )
    assert sentence(by(5, 5)) == "Jobs created 5 files here while 5 more are there."
