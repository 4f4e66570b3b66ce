"""HDF5 under capture: exact counts of files and datasets, and programs that do not notice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured
from library_tools import PARALLEL, expect, launcher, profiles, properties

HERE = Path(__file__).parent
Capture = Callable[..., Captured]
Built = Callable[..., Path]


def bare(command: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, capture_output=True, check=True, timeout=120)


def test_counts_of_a_serial_program(built: Built, capture: Capture, tmp_path: Path) -> None:
    program = str(built("hdf5_serial", "hdf5-serial"))
    alone = bare([program, str(tmp_path / "bare.h5")])
    seen = capture([program, str(tmp_path / "seen.h5")])
    assert (seen.status, seen.stdout, seen.stderr) == (0, alone.stdout, alone.stderr)
    assert (tmp_path / "seen.h5").read_bytes() == (tmp_path / "bare.h5").read_bytes()

    rows = seen.file("seen.h5:/fields/rows", kind="dataset", layer="hdf5")
    expect(rows, opens=1, closes=1, reads=4, bytes_read=3 * 160 + 40000, writes=100, bytes_written=40000)
    expect(rows, reads_noncontiguous=3, writes_noncontiguous=0, reads_collective=0)
    chunks = seen.file("seen.h5:/chunks", kind="dataset", layer="hdf5")
    expect(chunks, opens=2, closes=2, reads=0, writes=1, bytes_written=4000, read_errors=1, truncates=1)
    file = seen.file("seen.h5", kind="file", layer="hdf5")
    expect(file, opens=2, closes=2, reads=4, bytes_read=40480, writes=101, bytes_written=44000, syncs=1)

    known = properties(seen, chunks["record"])
    expect(known, **{"hdf5.dimensions": "2000", "hdf5.chunk": "250", "hdf5.filters": "shuffle deflate=4"})
    expect(known, **{"hdf5.layout": "chunked", "hdf5.type_size": "4"})
    known = properties(seen, file["record"])
    expect(known, **{"hdf5.driver": "sec2", "hdf5.alignment": "4096", "hdf5.alignment_threshold": "1024"})
    assert {"hdf5.version", "hdf5.libver", "hdf5.sieve", "hdf5.metadata_cache.hit_rate"} <= known.keys()


def test_functions_of_a_serial_program(built: Built, capture: Capture, tmp_path: Path) -> None:
    seen = capture([str(built("hdf5_serial", "hdf5-serial")), str(tmp_path / "seen.h5")])
    functions = profiles(seen, "hdf5")
    expect(functions["H5Dwrite"], calls=101, errors=0, bytes=44000)
    expect(functions["H5Dread"], calls=5, errors=1, bytes=40480)
    expect(functions["H5Fopen"], calls=2, errors=1)
    expect(functions["H5Awrite"], calls=1, bytes=4)
    expect(functions["H5Lexists"], calls=2)  # made by the function that H5Literate calls
    expect(functions["H5Sselect_hyperslab"], calls=101)
    times = {row["function"]: row for row in seen.rows("profiles") if row["layer"] == "hdf5"}
    assert all(row["own_ns"] <= row["time_ns"] for row in times.values())
    # HDF5 1.14 calls it H5Literate2.
    (literate,) = (row for name, row in times.items() if name.startswith("H5Literate"))
    assert literate["own_ns"] <= literate["time_ns"] - times["H5Lexists"]["time_ns"]
    assert times["H5Fclose"]["own_ns"] < times["H5Fclose"]["time_ns"]  # it writes


def test_many_datasets_take_what_the_program_measures(built: Built, capture: Capture, tmp_path: Path) -> None:
    """Opening them too, and how they are laid out is known whoever says it."""
    program, path = str(built("hdf5_many", "hdf5-serial")), str(tmp_path / "seen.h5")
    for mode in ("write", "read"):
        seen = capture([program, mode, path])
        assert seen.status == 0, seen.stderr
        laid_out = [
            properties(seen, seen.file(f"seen.h5:/d{number}", kind="dataset")["record"])["hdf5.layout"]
            for number in range(6)
        ]
        assert laid_out == 2 * ["contiguous", "contiguous", "chunked"]
        rows = [seen.file("seen.h5", kind="file", layer="hdf5"), *seen.files(kind="dataset", layer="hdf5")]
        spent = sum(row["meta_ns"] for row in rows) + rows[0]["read_ns"] + rows[0]["write_ns"]
        measured = int(seen.text[0])
        # The program's own work, and a busy machine, take more.
        assert 0.8 * measured <= spent <= 1.01 * measured


def test_an_excluded_file_has_no_datasets(built: Built, capture: Capture, tmp_path: Path) -> None:
    path = tmp_path / "seen.h5"
    seen = capture([str(built("hdf5_serial", "hdf5-serial")), str(path)], "--exclude", str(path))
    assert not seen.files(layer="hdf5")
    assert profiles(seen, "hdf5")["H5Dwrite"]["bytes"] == 44000


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("mpi", PARALLEL)
def test_parallel_programs(built: Built, capture: Capture, tmp_path: Path, mpi: str, ranks: int) -> None:
    command = [launcher(mpi), "-n", str(ranks), str(built("hdf5_parallel", f"hdf5-{mpi}", PARALLEL[mpi][1]))]
    bare([*command, str(tmp_path / "bare.h5")])
    seen = capture([*command, str(tmp_path / "seen.h5")])
    assert (seen.status, seen.stdout) == (0, b"")
    assert (tmp_path / "seen.h5").read_bytes() == (tmp_path / "bare.h5").read_bytes()
    for row in seen.files("seen.h5:/shared", kind="dataset") + seen.files("seen.h5", layer="hdf5"):
        expect(row, opens=1, closes=1, writes=5, bytes_written=40960, reads=1, bytes_read=8192)
        expect(row, writes_collective=3, reads_collective=1, opens_collective=int(row["kind"] == "file"))
    assert len(seen.files("seen.h5", layer="hdf5")) == ranks
    assert len(seen.files("seen.h5", layer="mpiio")) == ranks
    drivers = {row["value"] for row in seen.rows("properties") if row["key"] == "hdf5.driver"}
    assert drivers == {"mpio"}


def python_program(name: str, *modules: str, python: str = sys.executable) -> list[str]:
    asked = subprocess.run([python, "-c", "import " + ", ".join(modules)], capture_output=True, check=False)
    if asked.returncode != 0:
        pytest.skip(f"needs {', '.join(modules)}")
    return [python, str(HERE / "scripts" / f"{name}.py")]


def test_h5py_with_its_own_hdf5(capture: Capture, tmp_path: Path) -> None:
    command = python_program("use_h5py", "h5py")
    alone = bare([*command, str(tmp_path / "bare.h5")])
    seen = capture([*command, str(tmp_path / "seen.h5")])
    assert (seen.status, seen.stdout, seen.stderr) == (0, alone.stdout, alone.stderr)
    assert (tmp_path / "seen.h5").read_bytes() == (tmp_path / "bare.h5").read_bytes()
    # Created without a name, then written, then linked.
    temperature = seen.file("seen.h5:/fields/temperature", kind="dataset")
    expect(temperature, opens=3, closes=3, writes=1, bytes_written=8000, reads=1, bytes_read=80)
    expect(temperature, reads_noncontiguous=1)
    expect(seen.file("seen.h5:/link", kind="dataset"), opens=1, reads=1, bytes_read=8000)
    chunked = seen.file("seen.h5:/chunked", kind="dataset")
    expect(chunked, writes=8, bytes_written=16384, reads=1, bytes_read=4, truncates=8)
    expect(properties(seen, chunked["record"]), **{"hdf5.dimensions": "64x64", "hdf5.filters": "deflate=1"})
    expect(
        seen.file("seen.h5", layer="hdf5"), opens=2, closes=2, writes=9, bytes_written=24384, bytes_read=8084
    )
    assert not seen.files("(unnamed)")


def test_two_libraries_in_one_process(capture: Capture, tmp_path: Path) -> None:
    """The wheels of h5py and netCDF4 each bring their own HDF5, with equal ids."""
    command = python_program("use_two", "h5py", "netCDF4")
    seen = capture([*command, str(tmp_path / "a.h5"), str(tmp_path / "b.nc")])
    assert (seen.status, seen.text) == (0, ["4950.0 9900.0"])
    expect(seen.file("a.h5", layer="hdf5"), opens=1, closes=1, bytes_written=800, bytes_read=800)
    expect(seen.file("b.nc", layer="hdf5"), opens=1, closes=1, bytes_written=800, bytes_read=800)
    versions = {row["value"] for row in seen.rows("properties") if row["key"] == "hdf5.version"}
    assert len(versions) == 2


def test_h5py_on_parallel_hdf5(capture: Capture, tmp_path: Path) -> None:
    program = python_program("use_h5py_mpi", "mpi4py", "h5py._debian_h5py_mpi", python="/usr/bin/python3")
    seen = capture([launcher("openmpi"), "-n", "2", *program, str(tmp_path / "seen.h5")])
    assert (seen.status, seen.stdout) == (0, b"")
    rows = seen.files("seen.h5:/rows", kind="dataset")
    assert len(rows) == 2
    for row in rows:
        expect(row, writes=2, bytes_written=6400, writes_collective=1, reads=1, bytes_read=8)
    assert {row["opens_collective"] for row in seen.files("seen.h5", layer="hdf5")} == {1}


def test_an_older_version_is_left_alone(capture: Capture, tmp_path: Path) -> None:
    source = HERE / "c" / "old_hdf5.c"
    library, program = tmp_path / "libhdf5.so", tmp_path / "program"
    subprocess.run(["cc", "-shared", "-fPIC", "-DLIBRARY", "-o", library, source], check=True)
    linked = ["-L", tmp_path, "-lhdf5", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["cc", "-o", program, source, *linked], check=True)
    seen = capture([str(program)])
    assert (seen.status, seen.text) == (0, ["open x.h5 1 2", "close 1000001"])
    assert not profiles(seen, "hdf5")
    assert [gap["amount"] for gap in seen.rows("gaps") if gap["what"] == "calls of an unknown library"] == [2]


def test_a_program_without_hdf5_is_told_so(capture: Capture, tmp_path: Path) -> None:
    """Nothing else defines the function that the preload library has."""
    code = (
        "import ctypes; f = ctypes.CDLL(None).H5Fclose; f.restype = ctypes.c_int; print(f(ctypes.c_int64(5)))"
    )
    assert capture([sys.executable, "-c", code]).text == ["-1"]
