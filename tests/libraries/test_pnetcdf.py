"""PnetCDF under capture: exact counts of files and variables."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured
from library_tools import PARALLEL, expect, launcher, profiles, properties

Capture = Callable[..., Captured]
MPI = "openmpi"  # what Debian builds it with


@pytest.mark.parametrize("ranks", [2, 4])
def test_counts(built: Callable[..., Path], capture: Capture, tmp_path: Path, ranks: int) -> None:
    command = [launcher(MPI), "-n", str(ranks), str(built("pnetcdf", "pnetcdf", PARALLEL[MPI][1]))]
    subprocess.run([*command, tmp_path / "bare.nc"], check=True, timeout=120)
    seen = capture([*command, str(tmp_path / "seen.nc")])
    assert (seen.status, seen.stdout) == (0, b"")
    assert (tmp_path / "seen.nc").read_bytes() == (tmp_path / "bare.nc").read_bytes()
    rows = seen.files("seen.nc:rows", kind="dataset", layer="pnetcdf")
    assert len(rows) == ranks
    for row in rows:
        expect(row, writes=5, bytes_written=3200 + 3200 + 1600 + 240 + 3200, writes_collective=4)
        expect(row, writes_nonblocking=1, writes_noncontiguous=2)
        expect(row, reads=1, bytes_read=32, reads_collective=0, reads_noncontiguous=1)
        known = properties(seen, row["record"])
        expect(known, **{"pnetcdf.dimensions": f"{4 * ranks}x100", "pnetcdf.type_size": "8"})
    for row in seen.files("seen.nc:counts", kind="dataset"):
        expect(row, writes=1, bytes_written=40, writes_nonblocking=1)
        expect(row, reads=1, bytes_read=400, reads_collective=1)
    for row in seen.files("seen.nc", layer="pnetcdf"):
        expect(row, opens=2, closes=2, opens_collective=2, syncs=1, writes=6, bytes_written=11480)
        expect(row, reads=2, bytes_read=432)
    hints = {
        row["value"] for row in seen.rows("properties") if row["key"] == "hint_asked.nc_header_align_size"
    }
    assert hints == {"512"}


def test_waits_count_as_the_files(built: Callable[..., Path], capture: Capture, tmp_path: Path) -> None:
    program = str(built("pnetcdf_later", "pnetcdf", PARALLEL[MPI][1]))
    seen = capture([launcher(MPI), "-n", "2", program, str(tmp_path / "seen.nc")])
    assert seen.status == 0, seen.stderr
    measured = {int(rank): (int(wrote), int(read)) for rank, wrote, read in map(str.split, seen.text)}
    ranks = {row["process"]: row["rank"] for row in seen.rows("processes") if row["rank"] >= 0}
    rows = seen.files("seen.nc", layer="pnetcdf")
    assert sorted(ranks[row["process"]] for row in rows) == [0, 1]
    for row in rows:
        expect(row, writes_nonblocking=8, reads_nonblocking=8, bytes_written=16 << 20)
        wrote, read = measured[ranks[row["process"]]]
        # Not more than the program saw; what it does between the calls is little.
        assert 0.7 * wrote <= row["write_ns"] <= 1.01 * wrote
        assert 0.7 * read <= row["read_ns"] <= 1.01 * read


def test_waits_for_some_count_by_direction(
    built: Callable[..., Path], capture: Capture, tmp_path: Path
) -> None:
    """Whatever else still waits, was cancelled, or was started between."""
    program = str(built("pnetcdf_some", "pnetcdf", PARALLEL[MPI][1]))
    seen = capture([launcher(MPI), "-n", "1", program, str(tmp_path / "seen.nc")])
    assert seen.status == 0, seen.stderr
    wrote, read = (int(word) for word in seen.text[0].split())
    row = seen.file("seen.nc", layer="pnetcdf")
    expect(row, writes_nonblocking=4, reads_nonblocking=3, bytes_written=32 << 20)
    assert 0.7 * wrote <= row["write_ns"] <= 1.05 * wrote
    assert 0.7 * read <= row["read_ns"] <= 1.05 * read


def test_functions(built: Callable[..., Path], capture: Capture, tmp_path: Path) -> None:
    """Functions for types of memory count as the one without."""
    program = str(built("pnetcdf", "pnetcdf", PARALLEL[MPI][1]))
    seen = capture([launcher(MPI), "-n", "2", program, str(tmp_path / "seen.nc")])
    functions = profiles(seen, "pnetcdf")
    expect(functions["ncmpi_put_vara_all"], calls=4, errors=0, bytes=2 * 6400)
    expect(functions["ncmpi_iput_vara"], calls=4, bytes=2 * 3240)
    expect(functions["ncmpi_get_vara"], calls=4, errors=2, bytes=2 * 32)
    expect(functions["ncmpi_wait_all"], calls=2)
    expect(functions["ncmpi_close"], calls=4, errors=0)
