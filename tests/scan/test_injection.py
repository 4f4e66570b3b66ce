"""Names that are HTML, SQL, CSV, formulas or orders to a terminal stay names."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest
from headrace import catalog, scans
from headrace.catalog.add import add

Headrace = Callable[..., subprocess.CompletedProcess[str]]
EVIL = (
    "=cmd('x'),=cmd('y');=cmd('z'),\"</script><img src=x onerror=alert(1)>'; DROP TABLE scans; --"
    "\n\x1b[31m\u202e"
)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Without "/", which no name has."""
    directory = tmp_path / EVIL.replace("/", "\\")
    directory.mkdir()
    for i in range(3):
        (directory / (directory.name + str(i))).write_text("x" * i)
    (directory / "link").symlink_to(EVIL)
    return directory


@pytest.fixture
def scanned(top: Path, tmp_path: Path, headrace: Headrace) -> Path:
    rule = {"project": EVIL, "user": "", "group": "", "path": str(top)}
    with (tmp_path / "map.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rule))
        writer.writeheader()
        writer.writerow(rule)
    words = [top, "-o", tmp_path / "s.hr", "--projects", tmp_path / "map.csv", "--file-system", EVIL]
    headrace(*words, "--files", tmp_path / "rows.parquet")
    return tmp_path / "s.hr"


def is_plain(text: str) -> bool:
    return all(character.isprintable() or character == "\n" for character in text)


def test_in_the_terminal(scanned: Path, tmp_path: Path, headrace: Headrace) -> None:
    found = scans.load(scanned)
    assert found.sums("project", EVIL) == (3, 3)
    assert is_plain(headrace("show", scanned).stdout)
    assert is_plain(headrace("show", scanned, "--of", f"project:{EVIL}").stdout)
    later = scans.load(scanned)
    later.facts["start_utc_ns"] = str(later.number("start_utc_ns") + 86400 * 10**9)
    later.save(str(tmp_path / "later.hr"))
    assert is_plain(headrace("diff", scanned, tmp_path / "later.hr").stdout)


def test_as_json_csv_and_parquet(scanned: Path, top: Path, tmp_path: Path, headrace: Headrace) -> None:
    facts = json.loads(headrace("show", scanned, "--json").stdout)
    assert (facts["roots"], facts["file_system"]) == ([str(top)], EVIL)
    text = headrace("csv", scanned).stdout
    assert not any(cell.startswith(("=", "+", "@")) for row in csv.reader(text.splitlines()) for cell in row)
    rows = pyarrow.parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    paths = {os.fsencode(path) for path in (top, *top.iterdir())}
    assert {row["path_bytes"] or row["path"].encode() for row in rows} == paths


def test_in_a_catalog(scanned: Path, top: Path, tmp_path: Path) -> None:
    assert add(tmp_path / "catalog", [scanned]).bad == []
    with catalog.open(tmp_path / "catalog").connect() as connection:
        assert connection.execute("SELECT root, file_system, files FROM scans").fetchall() == [
            (str(top), EVIL, 3)
        ]
        owners = connection.execute(
            "SELECT DISTINCT owner FROM scan_histograms WHERE owned_by = 'project'"
        ).fetchall()
        assert owners == [(EVIL,)]
