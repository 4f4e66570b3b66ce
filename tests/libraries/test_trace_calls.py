"""What traces have of calls of HDF5 and PnetCDF: file or dataset, and bytes."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from capture_tools import COMMAND, Captured
from library_tools import PARALLEL, launcher, profiles
from test_hdf5 import python_program

Built = Callable[..., Path]
Capture = Callable[..., Captured]


def operations(seen: Captured, layer: str) -> list[dict[str, Any]]:
    """Of a layer, after all checks of the trace hold."""
    assert seen.status == 0, seen.stderr
    trace = seen.path.with_name("job.trace.hr")
    done = subprocess.run([COMMAND, "trace", "verify", "--json", trace], capture_output=True, check=False)
    assert [check for check in json.loads(done.stdout)["checks"] if check["holds"] is False] == []
    done = subprocess.run([COMMAND, "trace", "cat", "--json", trace], capture_output=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [row for row in rows if row["kind"] == "io" and row["layer"] == layer]


def moved(rows: list[dict[str, Any]], directory: Path, *parts: str) -> Counter[tuple[str, str]]:
    """Bytes by function and file, of functions whose name has one of the parts."""
    sums: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if any(part in row["name"] for part in parts):
            sums[row["name"], (row["path"] or "").removeprefix(f"{directory}/")] += row["moved"]
    return sums


def test_hdf5(built: Built, capture: Capture, tmp_path: Path) -> None:
    program = str(built("hdf5_serial", "hdf5-serial"))
    seen = capture([program, str(tmp_path / "seen.h5")], "--trace")
    rows = operations(seen, "hdf5")
    sums = moved(rows, tmp_path, "H5Dwrite", "H5Dread")
    datasets = {
        row["path"]: (row["bytes_written"], row["bytes_read"])
        for row in seen.files(layer="hdf5")
        if row["kind"] == "dataset"
    }
    for path, (written, read) in datasets.items():
        name = path.removeprefix(f"{tmp_path}/")
        assert sum(size for (_, file), size in sums.items() if file == name) == written + read
    functions = profiles(seen, "hdf5")
    for name in ("H5Dwrite", "H5Dread"):
        assert sum(size for (call, _), size in sums.items() if call == name) == functions[name]["bytes"] > 0
        assert sum(row["error"] != 0 for row in rows if row["name"] == name) == functions[name]["errors"]
    for row in rows:
        assert (row["size"], row["offset"]) == (row["moved"], None)
        if row["name"] in ("H5Fcreate", "H5Fopen", "H5Fclose"):
            assert row["path"] == ("/nonexistent/file.h5" if row["error"] else str(tmp_path / "seen.h5"))
        if row["name"] in ("H5Dcreate2", "H5Dopen2", "H5Dclose"):
            assert row["path"].startswith(str(tmp_path / "seen.h5:/"))


def test_h5py(capture: Capture, tmp_path: Path) -> None:
    """What is written before it has a name is on its file."""
    command = python_program("use_h5py", "h5py")
    rows = operations(capture([*command, str(tmp_path / "seen.h5")], "--trace"), "hdf5")
    assert moved(rows, tmp_path, "H5Dwrite", "H5Dread") == {
        ("H5Dwrite", "seen.h5"): 8000,
        ("H5Dwrite", "seen.h5:/chunked"): 16384,
        ("H5Dread", "seen.h5:/fields/temperature"): 80,
        ("H5Dread", "seen.h5:/link"): 8000,
        ("H5Dread", "seen.h5:/chunked"): 4,
    }


@pytest.mark.parametrize("mpi", PARALLEL)
def test_parallel_hdf5(built: Built, capture: Capture, tmp_path: Path, mpi: str) -> None:
    """HDF5 above MPI-IO above files: each has its calls."""
    program = built("hdf5_parallel", f"hdf5-{mpi}", PARALLEL[mpi][1])
    seen = capture([launcher(mpi), "-n", "2", str(program), str(tmp_path / "seen.h5")], "--trace")
    rows = operations(seen, "hdf5")
    assert moved(rows, tmp_path, "H5Dwrite", "H5Dread") == {
        ("H5Dwrite", "seen.h5:/shared"): 2 * 40960,
        ("H5Dread", "seen.h5:/shared"): 2 * 8192,
    }
    below = operations(seen, "mpiio")
    assert {row["path"] for row in below} == {str(tmp_path / "seen.h5")}
    data = [row for row in below if "write_at" in row["name"] or "read_at" in row["name"]]
    assert data
    assert all(row["offset"] is not None for row in data)


def test_pnetcdf(built: Built, capture: Capture, tmp_path: Path) -> None:
    program = str(built("pnetcdf", "pnetcdf", PARALLEL["openmpi"][1]))
    seen = capture([launcher("openmpi"), "-n", "2", program, str(tmp_path / "seen.nc")], "--trace")
    rows = operations(seen, "pnetcdf")
    assert moved(rows, tmp_path, "_put_var", "_iput_var", "_get_var") == {
        ("ncmpi_put_vara_all", "seen.nc:rows"): 2 * 6400,
        ("ncmpi_put_vars_all", "seen.nc:rows"): 2 * 1600,
        ("ncmpi_put_varn_all", "seen.nc:rows"): 2 * 240,
        ("ncmpi_iput_vara", "seen.nc:rows"): 2 * 3200,
        ("ncmpi_iput_vara", "seen.nc:counts"): 2 * 40,
        ("ncmpi_get_vara", "seen.nc:rows"): 2 * 32,
        ("ncmpi_get_vara", "seen.nc"): 0,  # of a variable that there is not
        ("ncmpi_get_var_all", "seen.nc:counts"): 2 * 400,
    }
    assert {
        row["path"] for row in rows if row["name"] in ("ncmpi_create", "ncmpi_close", "ncmpi_wait_all")
    } == {str(tmp_path / "seen.nc")}


def test_otf2(built: Built, capture: Capture, tmp_path: Path) -> None:
    """Each layer is a paradigm of its own, and its operations have bytes and handles."""
    program = built("hdf5_parallel", "hdf5-openmpi", PARALLEL["openmpi"][1])
    seen = capture([launcher("openmpi"), "-n", "2", str(program), str(tmp_path / "seen.h5")], "--trace")
    assert seen.status == 0
    archive = tmp_path / "otf2"
    export = ["trace", "export", str(seen.path.with_name("job.trace.hr")), "--to", "otf2", "-o", str(archive)]
    subprocess.run([COMMAND, *export], check=True, capture_output=True)
    reader = shutil.which("otf2-print")
    assert reader, "otf2-print is missing: run scripts/setup test"
    defined = subprocess.run(
        [reader, "-G", archive / "traces.otf2"], capture_output=True, check=True
    ).stdout.decode()
    for paradigm in ("POSIX", "MPI-IO", "HDF5"):
        assert any(
            f'"{paradigm}"' in line for line in defined.splitlines() if line.startswith("IO_PARADIGM ")
        )
    told = subprocess.run([reader, archive / "traces.otf2"], capture_output=True, check=True).stdout.decode()
    begun = [line for line in told.splitlines() if line.startswith("IO_OPERATION_BEGIN")]
    ended = [line for line in told.splitlines() if line.startswith("IO_OPERATION_COMPLETE")]
    assert len(begun) == len(ended)
    written = [line for line in begun if "seen.h5:/shared" in line and "Mode: WRITE" in line]
    assert sum(int(line.split("Bytes Request: ")[1].split(",")[0]) for line in written) == 2 * 40960
