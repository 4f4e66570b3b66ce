"""A made facility, from its files to the study of it: the study says what is true, and nothing else."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.facility.truth import KEYS, NOT_TOLD, PLACE
from headrace.study.build import FIGURES, build
from headrace.study.facts import facts
from headrace.study.settings import Settings

Row = dict[str, Any]
Figures = dict[str, list[Row]]
MADE = ["--jobs", "300", "--seed", "11", "--shrink", "64", "--servers", "2", "--minutes", "3000"]
MANY = ["--jobs", "6000", "--seed", "5", "--shrink", "128", "--servers", "3", "--scheduler", "cobalt"]

# What a study says besides the truth, and why the truth does not: {figure: columns}.
BESIDES = {
    "interfaces": {"size"},  # least_processes in words
    "strategies": {"size"},
    "access_sizes": {"size"},  # bucket in words
    "detectors": {"meaning"},  # words
    "growth": {"file_system"},  # there is one
    "ages": {"file_system"},
    "ladder": {"job"},  # of jobs that are as fast, any
}


def headrace(*words: str | Path) -> str:
    line = [sys.executable, "-P", "-m", "headrace", *map(str, words)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("truth")
    made = directory / "made"
    headrace("bench", "facility", *MADE, "-o", made)
    parts = [made / part for part in ("logs", "scheduler", "samples", "scans", "site.toml")]
    headrace("catalog", "--at", directory / "files", "add", *parts)
    headrace("bench", "facility", *MADE, "--direct", directory / "direct")
    known = headrace("bench", "facility", *MANY, "--direct", directory / "many", "--json")
    (directory / "many.json").write_text(known)
    return directory


def truth_of(place: Path, way: str) -> Figures:
    file = place / "many.json" if way == "many" else place / "made" / "truth.json"
    known: Figures = json.loads(file.read_text())
    return known


def study_of(place: Path, way: str) -> dict[str, Any]:
    asked = truth_of(place, way)["settings"]["study"]
    return facts(build(catalog.open(place / way), Settings(**asked)))


@pytest.fixture(scope="module", params=["files", "direct", "many"])
def both(request: pytest.FixtureRequest, place: Path) -> tuple[Figures, Figures]:
    """What the study says and what is true."""
    study = study_of(place, request.param)
    told = {figure["id"]: figure["rows"] for section in study["sections"] for figure in section["figures"]}
    return told, truth_of(place, request.param)


def keyed(figure: str, rows: list[Row]) -> Iterator[tuple[str, Row]]:
    """Rows by the key that the truth has for them."""
    places: dict[tuple[str, ...], int] = {}
    for row in rows:
        known = tuple(str(row[column]) for column in KEYS[figure] if column != PLACE)
        places[known] = places.get(known, 0) + 1
        yield "/".join([*known, *([str(places[known])] if PLACE in KEYS[figure] else [])]), row


def test_every_figure_has_a_truth_or_a_reason() -> None:
    assert set(KEYS) | set(NOT_TOLD) >= set(FIGURES)
    assert not set(KEYS) & set(NOT_TOLD)
    assert not set(KEYS) - set(FIGURES)


@pytest.mark.parametrize("figure", KEYS)
def test_a_figure_says_what_is_true(figure: str, both: tuple[Figures, Figures]) -> None:
    """The same rows; counts, bytes and words exactly, and what was divided but for the last digits."""
    told, truth = both
    rows = list(keyed(figure, [row for row in told[figure] if not empty(row)]))
    keys = [key for key, _ in rows]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(truth[figure])
    for key, row in rows:
        known = truth[figure][key]
        assert set(row) == set(known) | set(KEYS[figure]) - {PLACE} | BESIDES.get(figure, set()), figure
        for column, value in known.items():
            assert same(row[column], value), (key, column, row[column], value)


def empty(row: Row) -> bool:
    """In lines over time: where a gap begins."""
    return "bytes_per_s" in row and row["bytes_per_s"] is None


def same(told: Any, known: Any) -> bool:
    if isinstance(told, float) and known is not None:
        return math.isclose(told, known, rel_tol=1e-9)
    return bool(told == known)


def test_two_ways_into_a_catalog(place: Path) -> None:
    """What `catalog add` reads from logs, records, samples and scans is what their maker meant."""
    files, direct = (
        [f for s in study_of(place, way)["sections"] for f in s["figures"]] for way in ("files", "direct")
    )
    for one, other in zip(files, direct, strict=True):
        assert one["id"] == other["id"]
        assert len(one["rows"]) == len(other["rows"]), one["id"]
        for row, meant in zip(one["rows"], other["rows"], strict=True):
            for column, value in meant.items():
                assert column in BESIDES.get(one["id"], ()) or same(row[column], value), (one["id"], column)
