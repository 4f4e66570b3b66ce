"""`headrace scaling`, and what `headrace diff` says of jobs of other sizes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import headrace as run
from made_logs import START_NS, LogMaker, parallel, simulation


def job(
    path: Path, ranks: int, wall: int, io: int = 100, mpi: int = 300, layer: bool = True, each: int = 10
) -> Path:
    """Times in nanoseconds of each rank, which writes `each` bytes; MPI-IO takes 10 of its own."""
    maker = LogMaker(end_utc_ns=str(START_NS + wall))
    for rank in range(ranks):
        maker.process(rank + 1, rank=rank, ranks=ranks, instance=3, end_at_ns=wall, host=f"node{rank // 2}")
        maker.file(rank + 1, "/x", layer="posix", writes=1, bytes_written=each, write_ns=io)
        maker.file(rank + 1, "/x", layer="mpiio", writes=1, bytes_written=each, write_ns=io + 10)
        row = {"process": rank + 1, "calls": 1, "errors": 0, "bytes": 10, "max_ns": 1}
        named = "mpi" if layer else "posix"
        maker.add("profiles", function="MPI_Send", layer=named, time_ns=mpi, own_ns=mpi, **row)
        maker.add("profiles", function="MPI_File_write", layer="mpiio", time_ns=io + 10, own_ns=10, **row)
    return maker.write(path)


def scaling(*arguments: Any) -> dict[str, Any]:
    found = run("scaling", *arguments, "--json")
    assert found.returncode == 0, found.stderr
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def test_parts_speed_up_and_efficiency(tmp_path: Path) -> None:
    runs = ((8, 600), (2, 2000), (4, 1000))
    logs = [job(tmp_path / f"{ranks}.hr", ranks, wall, each=80 // ranks) for ranks, wall in runs]
    found = scaling(*logs)
    assert [row["ranks"] for row in found["runs"]] == [2, 4, 8]
    assert [row["nodes"] for row in found["runs"]] == [1, 2, 4]
    assert [row["time_ns"]["compute"] for row in found["runs"]] == [1590, 590, 190]
    assert found["runs"][0]["shares"] == {"compute": 0.795, "mpi": 0.15, "libraries": 0.005, "io": 0.05}
    assert [row["speed_up"] for row in found["runs"]] == pytest.approx([1, 2, 2000 / 600])
    assert [row["efficiency"] for row in found["runs"]] == pytest.approx([1, 1, 2000 / 600 / 4])
    assert found["notes"] == []
    weak = scaling("--weak", *logs)["runs"]
    assert [row["efficiency"] for row in weak] == pytest.approx([1, 2, 2000 / 600])
    assert [row["speed_up"] for row in weak] == pytest.approx([1, 4, 2000 / 600 * 4])
    text = run("scaling", *logs).stdout
    assert "strong scaling" in text
    assert "I/O (posix, stdio)" in text


@pytest.mark.parametrize(
    ("each", "weak", "work", "note"),
    [
        ((40, 20, 10), False, "same", ""),
        ((40, 20, 10), True, "same", "without --weak"),
        ((1 << 20, 1 << 20, 1 << 20), False, "grew", "2 MiB to 8 MiB: compare the runs with --weak"),
        ((1 << 20, 1 << 20, 1 << 20), True, "grew", ""),
        ((10, 20, 10), False, "differs", "The runs moved different amounts"),
        ((10, 20, 10), True, "differs", "The runs moved different amounts"),
        ((0, 10, 10), False, None, ""),
    ],
)
def test_work_is_what_the_bytes_say(
    tmp_path: Path, each: tuple[int, ...], weak: bool, work: str | None, note: str
) -> None:
    logs = [
        job(tmp_path / f"{ranks}.hr", ranks, 1000, each=size)
        for ranks, size in zip((2, 4, 8), each, strict=True)
    ]
    found = scaling(*(["--weak"] if weak else []), *logs)
    assert found["work"] == work
    assert len(found["notes"]) == bool(note)
    assert note in " ".join(found["notes"])


def test_communication_inside_of_a_library_counts_once(tmp_path: Path) -> None:
    """HDF5 takes 500 ns: 300 in MPI, 150 in the system, 50 by itself."""
    maker = LogMaker()
    maker.process(1, rank=0, ranks=1, instance=7, end_at_ns=1000)
    maker.file(1, "/x", layer="hdf5", writes=1, write_ns=500)
    maker.file(1, "/x", writes=1, write_ns=150)
    row = {"process": 1, "calls": 1, "errors": 0, "bytes": 0, "max_ns": 1}
    maker.add("profiles", function="H5Dwrite", layer="hdf5", time_ns=500, own_ns=50, **row)
    maker.add("profiles", function="MPI_Allreduce", layer="mpi", time_ns=300, own_ns=300, **row)
    one = maker.write(tmp_path / "a.hr")
    parts = scaling(one, one)["runs"][0]["time_ns"]
    assert parts == {"compute": 500, "mpi": 300, "libraries": 50, "io": 150}


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    threads = job(tmp_path / "threads.hr", 2, 300, io=200, mpi=200)
    silent = job(tmp_path / "silent.hr", 4, 1000, layer=False)
    maker = LogMaker(complete="no: 1 process still running")
    maker.process(1)
    maker.file(1, "/x", writes=1, write_ns=500_000_000)
    serial = maker.write(tmp_path / "serial.hr")
    found = scaling(serial, threads, silent)
    assert [row["has_ranks"] for row in found["runs"]] == [False, True, True]
    assert found["runs"][0]["ranks"] == 1
    assert found["runs"][0]["shares"]["io"] == 0.25
    assert found["runs"][1]["shares"]["compute"] is None
    assert found["runs"][2]["shares"] == {"compute": 0.89, "mpi": None, "libraries": 0.01, "io": 0.1}
    assert found["runs"][2]["time_ns"]["mpi"] is None
    notes = " ".join(found["notes"])
    assert "1: the log is not complete" in notes
    assert "1: no ranks" in notes
    assert "3: no communication was captured" in notes
    assert "2: calls of several threads" in notes
    text = run("scaling", serial, threads, silent).stdout
    assert "no ranks: all its processes count as one" in " ".join(text.split())
    rows = [" ".join(line.split()) for line in text.splitlines()[2:5]]
    assert "75 % 0.0 % 0.0 % 25 %" in rows[0]
    assert "67 % 3.3 % 67 %" in rows[1]
    assert "89 % \N{EN DASH} 1.0 % 10 %" in rows[2], "communication is there, and nobody knows how much"


def test_one_log_is_a_mistake(tmp_path: Path) -> None:
    found = run("scaling", simulation(tmp_path / "a.hr"))
    assert found.returncode == 2
    assert "two logs or more" in found.stderr


def test_diff_of_jobs_of_other_sizes_says_what_is_comparable(tmp_path: Path) -> None:
    small, large = parallel(tmp_path / "8.hr"), parallel(tmp_path / "16.hr", ranks=16)
    found = json.loads(run("diff", small, large, "--json").stdout)
    unequal = {row["what"]: row["text"] for row in found["unequal"]}
    assert unequal["ranks"].startswith("numbers of ranks differ: A: 8; B: 16. Times and calls")
    totals = {row["key"]: row["values"] for row in found["totals"]}
    assert totals["ranks"] == [8, 16]
    assert totals["rank_io_ns"][0] == pytest.approx(522_100_000 / 8)
    assert "mean I/O time of a rank" in run("diff", small, large).stdout
    same = json.loads(run("diff", small, small, "--json").stdout)
    assert not [row for row in same["unequal"] if row["what"] in ("ranks", "library")]


def test_diff_says_which_libraries_only_one_side_has(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1, rank=0, ranks=1, instance=3)
    maker.file(1, "/x", layer="posix", writes=1)
    found = json.loads(
        run("diff", job(tmp_path / "a.hr", 1, 100), maker.write(tmp_path / "b.hr"), "--json").stdout
    )
    texts = [row["text"] for row in found["unequal"] if row["what"] == "library"]
    assert texts == ["no calls of mpiio in B: it was not used there, or not captured"]
