"""What the summary of a job log says of several programs: sizes, files that they share, and direct use."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from headrace import _native
from headrace.catalog.job_logs import summarize
from headrace.facility.groups import NUMBERS
from made_job_logs import SECOND, Span, write


def group(program: int, **numbers: int) -> list[int]:
    """A file of one rank that it writes 4 KiB to in a second."""
    about = dict.fromkeys(NUMBERS, 0) | {
        "program": program, "width": 1, "sets": 1, "per_set": 1, "opens": 1, "writes": 1, "write_size": 4096,
        "write_ns": SECOND, "write_end": 4096, "flags": 33, "first_open_at_ns": SECOND, "last_io_at_ns": 11 * SECOND,
    }  # fmt: skip
    return [(about | numbers)[name] for name in NUMBERS]


def summary(
    path: Path, spans: list[tuple[int, int, int]], files: list[tuple[str, list[str], list[int]]]
) -> dict[str, list[dict[str, Any]]]:
    """Of programs with ranks, begin and end, and files of them."""
    facts = {"command": json.dumps(["a"]), "start_utc_ns": str(1_767_265_200 * SECOND), "complete": "yes"}
    programs = [("/bin/a", [ranks, 1, 0, begin * SECOND, end * SECOND]) for ranks, begin, end in spans]
    _native.write_made_log(os.fsencode(path), 1, list(facts.items()), programs, files, "/scratch", "lustre")
    found = summarize([path], 1)
    assert found.bad == []
    return {name: table.to_pylist() for name, table in found.tables.items()}


@pytest.mark.parametrize("width", [1, 4], ids=["a rank's record", "one record of all ranks"])
def test_a_file_of_several_programs_is_one_of_each(tmp_path: Path, width: int) -> None:
    """It was a file of none of them, so that programs seemed to use no files at all."""
    files = [("/scratch/both.", ["posix"], group(program, width=width)) for program in (0, 1)]
    files.append(("/scratch/first.", ["posix"], group(0)))
    tables = summary(tmp_path / "a.hr", [(4, 0, 100), (4, 100, 200)], files)
    assert [row["files"] for row in tables["instances"]] == [2, 1]
    assert {row["path"]: row["instance"] for row in tables["files"]} == {
        "/scratch/both.0": -1,
        "/scratch/first.0": 0,
    }
    assert [row["bytes_written"] for row in tables["instances"]] == [4096 * width + 4096, 4096 * width]


@pytest.mark.parametrize(
    ("spans", "processes"),
    [
        ([(0, 100, 7), (100, 200, 7), (200, 300, 7)], 2),
        ([(0, 100, 7), (0, 100, 7), (0, 100, 7)], 6),
        ([(0, 100, 7), (50, 150, 7), (100, 200, 7)], 4),
        ([(0, 0, 7), (0, 0, 7)], 4),
    ],
)
def test_a_job_is_as_large_as_what_ran_at_a_time(tmp_path: Path, spans: list[Span], processes: int) -> None:
    """22 runs of a program one after another made one job of 22 times the processes."""
    found = summarize([write(tmp_path / "a.hr", spans)], 1)
    row = found.tables["logs"].to_pylist()[0]
    assert (row["processes"], row["ranks"]) == (processes, 2)


def test_an_estimate_knows_shared_files_by_their_times_alone(tmp_path: Path) -> None:
    one, all_of_them = ("/scratch/one.", ["posix"], group(0)), ("/scratch/all.", ["posix"], group(0, width=4))
    tables = summary(tmp_path / "a.hr", [(4, 0, 100)], [one, all_of_them])
    row = tables["logs"][0]
    assert (row["slowest_ns"], row["slowest_exact"]) == (2 * SECOND, True)
    assert row["estimated_ns"] == SECOND + 10 * SECOND
    some = ("/scratch/some.", ["posix"], group(0, width=2))
    assert summary(tmp_path / "b.hr", [(4, 0, 100)], [one, some])["logs"][0]["estimated_ns"] == 2 * SECOND
    several = summary(tmp_path / "c.hr", [(4, 0, 100), (4, 100, 200)], [one, all_of_them])
    assert several["logs"][0]["estimated_ns"] is None


def test_what_a_library_uses_is_not_used_directly(tmp_path: Path) -> None:
    """Every program with MPI-IO seemed to use POSIX as well."""
    files = [("/scratch/a.", ["posix", "mpiio"], group(0, width=4))]
    row = summary(tmp_path / "a.hr", [(4, 0, 100)], files)["logs"][0]
    assert [name for name, used in row.items() if name.startswith("uses_") and used] == ["uses_mpiio"]
    files.append(("/scratch/b.", ["stdio"], group(0)))
    row = summary(tmp_path / "b.hr", [(4, 0, 100)], files)["logs"][0]
    assert [name for name, used in row.items() if name.startswith("uses_") and used] == [
        "uses_stdio",
        "uses_mpiio",
    ]
