"""`headrace bench --api hdf5` where ranks share files: through MPI-IO, by a library built with their MPI."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from bench_tools import MPIS, Bench, flip_byte

SMALL = ["ior", "--api", "hdf5", "--block", "16K", "--transfer", "4K", "--segments", "2"]
# Of HDF5 1.10 and of 1.14, as Debian names them.
VERSION = next(n for n in (103, 310) if any(Path("/usr/lib").glob(f"*/libhdf5_serial.so.{n}")))
LIBRARIES = {"openmpi": f"libhdf5_openmpi.so.{VERSION}", "mpich": f"libhdf5_mpich.so.{VERSION}"}
SERIAL = f"libhdf5_serial.so.{VERSION}"
OTHER = {"openmpi": "mpich", "mpich": "openmpi"}


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(
    "how",
    [
        ["--random", "--reorder", "1"],
        ["--collective", "--sync"],
        ["--collective", "--collective-metadata", "--align", "4K", "--hint", "cb_nodes=1", "--latest"],
    ],
)
def test_ranks_share_a_file(tmp_path: Path, mpi: str, how: list[str]) -> None:
    import h5py

    bench = Bench(tmp_path, mpi, ranks=2)
    found = bench.figures(*SMALL, *how, "--keep", "--name", "kept")
    assert (found["ranks"], found["right"]) == (2, True)
    assert found["checks"][0]["checked_bytes"] == 2 * 2 * 16384
    with h5py.File(tmp_path / "kept" / "data") as file:
        assert file["data"].shape == (65536,)
        if "--align" in how:
            assert file["data"].id.get_offset() % 4096 == 0


@pytest.mark.parametrize("mpi", MPIS)
def test_ranks_share_an_array(tmp_path: Path, mpi: str) -> None:
    words = ["h5perf", "--shared", "--size", "16x1K", "--access", "8x512", "--chunk", "8x1K", "--collective"]
    found = Bench(tmp_path, mpi, ranks=2).figures(*words)
    assert found["right"] and found["settings"]["shared"]
    assert found["checks"][0]["checked_bytes"] == 2 * 16384


@pytest.mark.parametrize("mpi", MPIS)
def test_libraries_that_do_not_fit_are_refused(tmp_path: Path, mpi: str) -> None:
    bench = Bench(tmp_path, mpi, ranks=2)
    for library, fault in (
        (LIBRARIES[OTHER[mpi]], "is built with another MPI"),
        (SERIAL, "is built without MPI"),
    ):
        done = bench.run(*SMALL, "--hdf5", library)
        assert done.returncode == 3, done.stderr
        assert f"{library} {fault}" in done.stderr and f"needed: name {LIBRARIES[mpi]}" in done.stderr
    assert bench.left() == []
    # Where nothing is shared they do.
    assert bench.figures(*SMALL, "--per-process", "--hdf5", SERIAL)["right"]


def test_what_does_nothing_is_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "openmpi", ranks=2)
    words = [*SMALL, "--page-size", "64K", "--page-buffer", "128K", "--sieve", "off"]
    hints = [
        "--hint",
        "striping_factor=8",
        "--hint",
        "striping_unit=1048576",
        "--hint",
        "romio_ds_write=disable",
    ]
    bench.environment["OMPI_MCA_io"] = "ompio"
    remarks = "\n".join(bench.figures(*words, *hints)["remarks"])
    for said in (
        "--page-buffer does nothing",
        "--sieve does nothing",
        "MPI-IO by OMPIO",
        "romio_",
        "striping_factor",
        "striping_unit",
    ):
        assert said in remarks
    bench.environment["OMPI_MCA_io"] = "^ompio"
    remarks = "\n".join(bench.figures(*words, *hints)["remarks"])
    assert "MPI-IO by ROMIO" in remarks and "romio_" not in remarks
    assert "striping_factor" in remarks and "striping_unit" not in remarks
    done = bench.run(*SMALL, "--core")
    assert done.returncode == 2 and "--core keeps a file in the memory of one rank" in done.stderr


def test_a_page_buffer_needs_a_serial_library(tmp_path: Path) -> None:
    words = ["h5perf", "--size", "256K", "--page-size", "64K", "--page-buffer", "128K"]
    found = Bench(tmp_path).figures(*words, "--hdf5", LIBRARIES["openmpi"])
    assert found["right"] and "name a serial one with --hdf5" in "".join(found["remarks"])


def test_an_alignment_beside_pages_is_told(tmp_path: Path) -> None:
    words = ["h5perf", "--size", "256K", "--page-size", "64K", "--align", "64K"]
    assert "--align does nothing" in "".join(Bench(tmp_path).figures(*words)["remarks"])


def test_an_alignment_that_is_too_large_is_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    said = "no dataset is as large as --align"
    assert said in "".join(bench.figures(*SMALL, "--align", "1M")["remarks"])
    assert said not in "".join(bench.figures(*SMALL, "--align", "4K")["remarks"])


def test_wrong_data_is_found(tmp_path: Path) -> None:
    import h5py

    bench = Bench(tmp_path, "openmpi", ranks=2)
    bench.figures(*SMALL, "--write", "--name", "kept")
    read = [*SMALL, "--read", "--name", "kept"]
    path = tmp_path / "kept" / "data"
    with h5py.File(path, "r") as file:
        offset = file["data"].id.get_offset()
    flip_byte(path, offset + 30_001)
    done = bench.run(*read)
    assert done.returncode == 1 and "at 30001 " in done.stdout, (done.stdout, done.stderr)
    done = bench.run(*read, "--seed", "2")  # as if an older file were read
    assert done.returncode == 1 and "at 0 " in done.stdout, (done.stdout, done.stderr)
    os.truncate(path, offset + 65_000)  # HDF5 looks at the size itself
    done = bench.run(*read)
    assert done.returncode == 3 and "H5Fopen" in done.stderr and "truncated" in done.stderr, done.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_capture_sees_the_calls(tmp_path: Path, mpi: str) -> None:
    import headrace
    from bench_tools import COMMAND

    bench = Bench(tmp_path, mpi, ranks=2)
    log = tmp_path / "job.hr"
    bench.words = [COMMAND, "run", "-q", "-o", str(log), "--", *bench.words]
    bench.figures(*SMALL, "--collective", "--no-check")
    with headrace.open(log) as job:
        calls = {row["function"] for row in job.profiles.to_pylist()}
    assert {"H5Dwrite", "H5Dread", "MPI_File_write_at_all"} <= calls


WATCH = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static void note(char what) {
    static int file = -1;
    if (file < 0) file = open(getenv("WATCH_FILE"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (write(file, &what, 1) != 1) abort();
}
int MPI_File_close(void *file) {
    note('c');
    return ((int (*)(void *))dlsym(RTLD_NEXT, "MPI_File_close"))(file);
}
int MPI_T_init_thread(int required, int *provided) {
    note('T');
    return ((int (*)(int, int *))dlsym(RTLD_NEXT, "MPI_T_init_thread"))(required, provided);
}
"""


def test_nothing_is_asked_while_it_is_measured(tmp_path: Path) -> None:
    """Open MPI takes a quarter of a second to say which MPI-IO it has."""
    source, library, order = tmp_path / "watch.c", tmp_path / "watch.so", tmp_path / "order"
    source.write_text(WATCH)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
    bench = Bench(tmp_path, "openmpi", ranks=1)
    bench.environment |= {"LD_PRELOAD": str(library), "WATCH_FILE": str(order)}
    assert bench.figures("ior", "--api", "mpiio", "--block", "4K", "--transfer", "4K")["right"]
    assert re.fullmatch("c{3,}T+", order.read_text())
