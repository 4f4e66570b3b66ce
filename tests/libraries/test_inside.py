"""Libraries that are linked into a program are said to be there, since nobody sees its calls of them."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured
from commands import headrace

HERE = Path(__file__).parent
_HDF5 = """
#include <hdf5.h>
int main(int count, char** arguments) {
  hid_t file = H5Fcreate(arguments[count - 1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  return H5Fclose(file) < 0;
}
"""
_MPI = """
#include <mpi.h>
int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  return MPI_Finalize();
}
"""
_PNETCDF = """
#include <mpi.h>
#include <pnetcdf.h>
int main(int count, char** arguments) {
  int file;
  MPI_Init(&count, &arguments);
  ncmpi_create(MPI_COMM_SELF, arguments[count - 1], NC_CLOBBER, MPI_INFO_NULL, &file);
  ncmpi_enddef(file);
  ncmpi_close(file);
  return MPI_Finalize();
}
"""
_RING = """
#include <fcntl.h>
#include <liburing.h>
int main(int count, char** arguments) {
  struct io_uring ring;
  struct io_uring_cqe* done;
  int fd = open(arguments[count - 1], O_CREAT | O_WRONLY, 0600);
  if (io_uring_queue_init(4, &ring, 0) != 0) return 77;
  io_uring_prep_write(io_uring_get_sqe(&ring), fd, "12345", 5, 0);
  return io_uring_submit(&ring) != 1 || io_uring_wait_cqe(&ring, &done) != 0 || done->res != 5;
}
"""


def _compiled(directory: Path, compiler: str, source: str, *options: object) -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    (directory / "p.c").write_text(source)
    command = [compiler, "-o", directory / "p", directory / "p.c", *options]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"{compiler} cannot link this library into a program here")
    return directory / "p"


def _static(package: str, library: str) -> Path:
    found = subprocess.run(
        ["pkg-config", "--variable=libdir", package], capture_output=True, text=True, check=False
    )
    places = [found.stdout.strip(), "/usr/lib/x86_64-linux-gnu"]
    there = [Path(place) / library for place in places if place and (Path(place) / library).exists()]
    if not there:
        pytest.skip(f"needs {library}")
    return there[0]


def _gaps(done: Captured) -> list[tuple[str, int]]:
    return [(row["what"], row["amount"]) for row in done.rows("gaps") if row["what"].startswith("calls of ")]


@pytest.mark.parametrize("stripped", [False, True])
def test_hdf5_inside(capture: Callable[..., Captured], tmp_path: Path, stripped: bool) -> None:
    program = _compiled(tmp_path, "h5cc", _HDF5, *(["-s"] if stripped else []))
    if b"libhdf5" in subprocess.run(["ldd", program], capture_output=True, check=True).stdout:
        pytest.skip("this h5cc links the shared library")
    done = capture([program, tmp_path / "x.h5"])
    assert _gaps(done) == [("calls of HDF5", 1)]
    shown = headrace("show", tmp_path / "job.hr").stdout
    assert "log complete, but not captured: 1 process (calls of HDF5)" in shown
    assert "link the shared library" in shown


@pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of x86-64 is looked at")
@pytest.mark.parametrize("stripped", [False, True])
def test_liburing_inside(capture: Callable[..., Captured], tmp_path: Path, stripped: bool) -> None:
    library = _static("liburing", "liburing.a")
    done = capture([_compiled(tmp_path, "cc", _RING, library, *(["-s"] if stripped else [])), tmp_path / "x"])
    if done.status == 77:
        pytest.skip("the kernel allows no io_uring here")
    assert (tmp_path / "x").read_bytes() == b"12345"
    assert _gaps(done) == [("calls of io_uring", 1)]
    shown = " ".join(headrace("show", tmp_path / "job.hr").stdout.split())
    assert "log complete, but not captured: 1 process (calls of io_uring)" in shown
    reason = "if the program uses it, what is read and written so is in no figure"
    assert f"{reason}. To have it: link the shared library" in shown


@pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of x86-64 is looked at")
def test_liburing_inside_a_shared_library(capture: Callable[..., Captured], tmp_path: Path) -> None:
    library = _static("liburing", "liburing.a")
    (tmp_path / "engine.c").write_text(_RING.replace("int main", "int run"))
    engine = ["cc", "-shared", "-fPIC", "-o", "libengine.so", "engine.c", library]
    if subprocess.run(engine, cwd=tmp_path, capture_output=True, check=False).returncode != 0:
        pytest.skip("this liburing.a cannot be linked into a shared library")
    main = "int run(int, char**);\nint main(int count, char** arguments) { return run(count, arguments); }\n"
    program = _compiled(tmp_path, "cc", main, tmp_path / "libengine.so", f"-Wl,-rpath,{tmp_path}")
    done = capture([program, tmp_path / "x"])
    if done.status == 77:
        pytest.skip("the kernel allows no io_uring here")
    assert (tmp_path / "x").read_bytes() == b"12345"
    assert _gaps(done) == [("calls of io_uring", 1)]


def test_liburing_outside(capture: Callable[..., Captured], tmp_path: Path) -> None:
    done = capture([_compiled(tmp_path, "cc", _RING, "-luring"), tmp_path / "x"])
    assert _gaps(done) == []


def test_hdf5_outside(capture: Callable[..., Captured], tmp_path: Path) -> None:
    done = capture([_compiled(tmp_path, "h5cc", _HDF5, "-shlib"), tmp_path / "x.h5"])
    assert _gaps(done) == []
    assert any(row["layer"] == "hdf5" for row in done.rows("profiles"))


def test_mpi_inside(capture: Callable[..., Captured], tmp_path: Path) -> None:
    library = _static("mpich", "libmpich.a")
    flags = subprocess.run(
        ["mpicc.mpich", "-show"], capture_output=True, text=True, check=True
    ).stdout.split()
    include = [flag for flag in flags if flag.startswith("-I")]
    needed = [f"lib{name}.so.*" for name in ("hwloc", "ucp", "ucs", "fabric")]
    present = [found for name in needed for found in sorted(library.parent.glob(name))[:1]]
    done = capture([_compiled(tmp_path, "cc", _MPI, *include, library, *present, "-lm")])
    assert _gaps(done) == [("calls of MPI", 1)]


def test_pnetcdf_inside(capture: Callable[..., Captured], tmp_path: Path) -> None:
    library = _static("pnetcdf", "libpnetcdf.a")
    done = capture([_compiled(tmp_path, "mpicc", _PNETCDF, library, "-lm"), tmp_path / "x.nc"])
    assert set(_gaps(done)) == {("calls of PnetCDF", 1)}
