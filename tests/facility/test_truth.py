"""A made facility, from its files to the study of it: the study says what is known to be true."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.study.build import build
from headrace.study.facts import facts
from headrace.study.settings import Settings

Row = dict[str, Any]
MADE = ["--jobs", "300", "--seed", "11", "--shrink", "64", "--servers", "2", "--minutes", "3000"]
ALL = Settings(min_processes=16, min_bytes=1 << 20, top=100)  # the facility is 64 times as small as its model
NAMES = {"POSIX": "posix", "stdio": "stdio", "MPI-IO": "mpiio", "HDF5": "hdf5", "PnetCDF": "pnetcdf"}


def headrace(*words: str | Path) -> None:
    line = [sys.executable, "-P", "-m", "headrace", *map(str, words)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("truth")
    made = directory / "made"
    headrace("bench", "facility", *MADE, "-o", made)
    parts = [made / part for part in ("logs", "scheduler", "samples", "scans", "site.toml")]
    headrace("catalog", "--at", directory / "files", "add", *parts)
    headrace("bench", "facility", *MADE, "--direct", directory / "direct")
    return directory


@pytest.fixture(scope="module")
def truth(place: Path) -> dict[str, Any]:
    known: dict[str, Any] = json.loads((place / "made" / "truth.json").read_text())
    return known


Figures = dict[str, list[Row]]


@pytest.fixture(scope="module", params=["files", "direct"])
def figures(request: pytest.FixtureRequest, place: Path) -> Figures:
    study = facts(build(catalog.open(place / request.param), ALL))
    return {figure["id"]: figure["rows"] for section in study["sections"] for figure in section["figures"]}


def by(rows: list[Row], *columns: str) -> dict[Any, Row]:
    keyed = {tuple(row[column] for column in columns): row for row in rows}
    assert len(keyed) == len(rows)
    return {key[0] if len(columns) == 1 else key: row for key, row in keyed.items()}


def assert_agrees(told: Row, known: Row) -> None:
    """Counts and bytes exactly; what was divided, but for the last digits."""
    assert known
    for column, value in known.items():
        if isinstance(value, float):
            assert math.isclose(told[column], value, rel_tol=1e-9), (column, told[column], value)
        else:
            assert told[column] == value, column


def test_coverage(figures: Figures, truth: dict[str, Any]) -> None:
    told = by(figures["coverage"], "what")
    for what, known in truth["coverage"].items():
        assert_agrees(told[what], known)
    projects = by(figures["project_coverage"], "project")
    assert set(truth["project_coverage"]) <= set(projects)
    for project, known in truth["project_coverage"].items():
        assert_agrees(projects[project], known)


def test_bytes_of_projects(figures: Figures, truth: dict[str, Any]) -> None:
    told = by(figures["top_projects"], "project", "direction")
    for project, known in truth["top_projects"].items():
        for direction, moved in known.items():
            assert told.get((project, direction), {"bytes": 0})["bytes"] == moved, (project, direction)
    assert sum(row["bytes"] for row in told.values()) == sum(
        moved for known in truth["top_projects"].values() for moved in known.values()
    )


def test_interfaces_and_strategies(figures: Figures, truth: dict[str, Any]) -> None:
    for row in figures["interface_use"]:
        known = truth["interface_use"].get(NAMES[row["interface"]], {"jobs": 0, "bytes": 0})
        assert_agrees(row, known)
    words = {"unique": "unique", "partial": "partially shared", "shared": "shared"}
    for kind, known in truth["strategies"].items():
        rows = [
            row for row in figures["strategies"] if row["strategy"] == words[kind] and row["by"] == "bytes"
        ]
        assert sum(row["bytes"] for row in rows) == known["bytes"], kind


def test_files(figures: Figures, truth: dict[str, Any]) -> None:
    overwritten = by(figures["overwritten"], "project")
    for project, known in truth["overwritten"].items():
        assert_agrees(overwritten[project], known)
    counts = figures["file_counts"]
    assert sum(row["instances"] for row in counts) == truth["file_counts"]["instances"]
    assert by(counts, "category")["no files"]["instances"] == truth["file_counts"]["none"]
    grown = by(figures["growth"], "who")
    for who, known in truth["growth"].items():
        assert_agrees(grown[who], known)


def test_devices(figures: Figures, truth: dict[str, Any]) -> None:
    assert_agrees(by(figures["throughput_totals"], "file_system")["all"], truth["throughput_totals"])
    below = by(figures["burstiness"], "share_of_peak")
    third = truth["burstiness"]["share_below_third"]
    assert below[0.33]["share_of_time"] <= third <= below[0.335]["share_of_time"]  # a bin is 0.005 wide


def test_two_ways_into_a_catalog(place: Path) -> None:
    """What `catalog add` reads from logs, records, samples and scans is what their maker meant."""
    ways = [facts(build(catalog.open(place / way), ALL)) for way in ("files", "direct")]
    files, direct = ([f for s in way["sections"] for f in s["figures"]] for way in ways)
    assert [figure["id"] for figure in files] == [figure["id"] for figure in direct]
    for one, other in zip(files, direct, strict=True):
        if one["id"] == "detected_jobs":  # jobs that moved as much have no order
            continue
        assert len(one["rows"]) == len(other["rows"]), one["id"]
        for row, meant in zip(one["rows"], other["rows"], strict=True):
            for column, value in meant.items():
                if isinstance(value, float):
                    assert math.isclose(row[column], value, rel_tol=1e-9), (one["id"], column)
                else:
                    assert row[column] == value, (one["id"], column)
