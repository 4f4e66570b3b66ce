"""`headrace bench --api pnetcdf`: files of CDF-5, by a PnetCDF that is built with the ranks' MPI."""

from __future__ import annotations

import ctypes.util
import os
from pathlib import Path

import pytest
from bench_tools import COMMAND, Bench, flip_byte

MPI = "openmpi"  # what Debian builds it with
SMALL = ["ior", "--api", "pnetcdf", "--block", "16K", "--transfer", "4K", "--segments", "2"]
FLASH = ["flash", "--api", "pnetcdf", "--blocks", "2", "--cells", "4x4x8", "--variables", "2"]

pytestmark = pytest.mark.skipif(ctypes.util.find_library("pnetcdf") is None, reason="needs PnetCDF")


@pytest.mark.parametrize(
    "how",
    [
        ["--random", "--reorder", "1", "--sync"],
        ["--collective", "--hint", "nc_header_align_size=4096"],
        ["--per-process"],
    ],
)
def test_ranks_write_and_read(tmp_path: Path, how: list[str]) -> None:
    bench = Bench(tmp_path, MPI, ranks=2)
    found = bench.figures(*SMALL, *how)
    assert found["right"] and found["checks"][0]["checked_bytes"] == 2 * 2 * 16384
    assert found["remarks"][0].startswith("PnetCDF ")
    assert bench.left() == []


def test_files_are_cdf_5(tmp_path: Path) -> None:
    import netCDF4

    words = [*FLASH, "--collective", "--split", "2", "--align", "4K", "--keep", "--name", "kept"]
    assert Bench(tmp_path, MPI, ranks=3).figures(*words)["right"]
    path = tmp_path / "kept" / "chk_0.s1"
    assert path.read_bytes()[:4] == b"CDF\5"
    with netCDF4.Dataset(path) as file:
        assert file["dens"].shape == (4, 4, 4, 8) and str(file["dens"].dtype) == "float64"
        assert file["gid"].shape == (4, 15) and len(file.variables) == 8


def test_boxes_of_an_array(tmp_path: Path) -> None:
    words = ["h5perf", "--api", "pnetcdf", "--shared", "--size", "4x16x256", "--access", "1x8x128"]
    assert Bench(tmp_path, MPI, ranks=2).figures(*words, "--collective")["right"]


def test_wrong_data_is_found(tmp_path: Path) -> None:
    bench = Bench(tmp_path, MPI, ranks=2)
    bench.figures(*SMALL, "--write", "--name", "kept")
    read = [*SMALL, "--read", "--name", "kept"]
    path = tmp_path / "kept" / "data"
    size = path.stat().st_size
    flip_byte(path, size - 65536 + 30_001)
    done = bench.run(*read)
    assert done.returncode == 1 and "at 30001 " in done.stdout, (done.stdout, done.stderr)
    done = bench.run(*read, "--seed", "2")  # as if an older file were read
    assert done.returncode == 1 and "at 0 " in done.stdout, (done.stdout, done.stderr)
    os.truncate(path, size - 100)
    done = bench.run(*read)
    assert done.returncode == 1 and "WRONG DATA" in done.stdout, (done.stdout, done.stderr)


def test_capture_sees_the_calls(tmp_path: Path) -> None:
    import headrace

    bench = Bench(tmp_path, MPI, ranks=2)
    log = tmp_path / "job.hr"
    bench.words = [COMMAND, "run", "-q", "-o", str(log), "--", *bench.words]
    bench.figures(*SMALL, "--collective", "--no-check")
    with headrace.open(log) as job:
        calls = {row["function"] for row in job.profiles.to_pylist()}
    assert {"ncmpi_put_vara_all", "ncmpi_get_vara_all", "MPI_File_write_at_all"} <= calls


def test_one_of_another_mpi_is_refused(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "mpich", ranks=2)
    done = bench.run(*SMALL)
    assert done.returncode != 0 and "a PnetCDF built with MPICH" in done.stderr, done.stderr
    assert "--pnetcdf" in done.stderr and bench.left() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--api", "pnetcdf"], "--api pnetcdf needs an MPI: start it with mpirun"),
        (["--api", "mpiio", "--align", "1M"], "--align is of --api hdf5 and pnetcdf"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, words: list[str], said: str) -> None:
    done = Bench(tmp_path).run("ior", *words)
    assert done.returncode in (2, 3) and said in done.stderr


def test_a_library_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = Bench(tmp_path, MPI, ranks=1).run(*SMALL, "--pnetcdf", "/nothing/libpnetcdf.so")
    assert done.returncode == 3 and "--pnetcdf: /nothing/libpnetcdf.so" in done.stderr, done.stderr
