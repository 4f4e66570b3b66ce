"""HDF5 1.10 (Debian's), 1.12, 1.14 and 2.x (of wheels) under capture, and what only some of them have."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured, run
from library_tools import expect, profiles, properties

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
Capture = Callable[..., Captured]
Built = Callable[..., Path]
# Versions of h5py by the HDF5 that its wheel brings, and what they need besides. The one in .venv has 2.x.
WHEELS = {"1.12": ["h5py==3.8.0", "numpy<2"], "1.14": ["h5py==3.12.1", "numpy>=2"]}


def installed(version: str) -> Path:
    """A folder with h5py on that HDF5, kept in build/ from run to run."""
    if version not in WHEELS:
        return Path(pytest.importorskip("h5py").__file__).parents[1]
    folder = ROOT / "build" / f"h5py-on-{version}"
    if not (folder / "ready").exists():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        to = ["--target", str(folder), "--upgrade", "--only-binary", ":all:"]
        done = subprocess.run([*pip, *to, *WHEELS[version]], capture_output=True, text=True, check=False)
        if "No matching distribution" in done.stderr:
            pytest.skip(f"no wheel of {WHEELS[version][0]} for this Python")
        assert done.returncode == 0, done.stderr
        (folder / "ready").touch()
    return folder


def bundled(packages: Path) -> Path:
    (library,) = packages.glob("h5py.libs/libhdf5-*.so*")
    return library


@pytest.mark.parametrize("version", WHEELS)
def test_h5py_on_older_versions(tmp_path: Path, version: str) -> None:
    program = [sys.executable, str(HERE / "scripts" / "use_h5py.py")]
    packages = {**os.environ, "PYTHONPATH": str(installed(version))}
    alone = subprocess.run([*program, tmp_path / "bare.h5"], capture_output=True, check=True, env=packages)
    seen = run([*program, str(tmp_path / "seen.h5")], tmp_path / "job.hr", env=packages)
    assert (seen.status, seen.stdout, seen.stderr) == (0, alone.stdout, alone.stderr)
    expect(
        seen.file("seen.h5", layer="hdf5"), opens=2, closes=2, writes=9, bytes_written=24384, bytes_read=8084
    )
    temperature = seen.file("seen.h5:/fields/temperature", kind="dataset")
    expect(temperature, closes=temperature["opens"], writes=1, bytes_written=8000, reads=1, bytes_read=80)
    chunked = seen.file("seen.h5:/chunked", kind="dataset")
    expect(chunked, writes=8, bytes_written=16384, reads=1, bytes_read=4, truncates=8)
    versions = {row["value"] for row in seen.rows("properties") if row["key"] == "hdf5.version"}
    assert [text.startswith(version + ".") for text in versions] == [True]


@pytest.mark.parametrize("version", ["1.14", "2"])
def test_several_datasets_at_once(tmp_path: Path, version: str) -> None:
    library, program = bundled(installed(version)), tmp_path / "multi"
    linked = [library, f"-Wl,--disable-new-dtags,-rpath,{library.parent}", "-Wl,--allow-shlib-undefined"]
    source = HERE / "c" / "hdf5_multi.c"
    subprocess.run(["cc", "-Wall", "-Wextra", "-o", program, source, *linked], check=True)
    seen = run([str(program), str(tmp_path / "seen.h5")], tmp_path / "job.hr")
    assert (seen.status, seen.text, seen.stderr) == (0, ["99 1998"], b"")
    few = seen.file("seen.h5:/few", kind="dataset")
    expect(few, opens=1, closes=1, writes=2, bytes_written=800, reads=1, bytes_read=400)
    expect(seen.file("seen.h5:/many", kind="dataset"), writes=1, bytes_written=4000, reads=1, bytes_read=4000)
    expect(seen.file("seen.h5", layer="hdf5"), writes=3, bytes_written=4800, reads=2, bytes_read=4400)
    told = profiles(seen, "hdf5")
    expect(told["H5Dwrite_multi"], calls=2, errors=0, bytes=4800)
    expect(told["H5Dread_multi"], calls=1, errors=0, bytes=4400)
    assert "H5Dwrite" not in told


@pytest.mark.parametrize("options", [[], ["--trace"]])
def test_what_hdf5_says_of_a_failure_stays(tmp_path: Path, options: list[str]) -> None:
    library, program = bundled(installed("2")), tmp_path / "multi"
    linked = [library, f"-Wl,--disable-new-dtags,-rpath,{library.parent}", "-Wl,--allow-shlib-undefined"]
    source = HERE / "c" / "hdf5_multi.c"
    subprocess.run(["cc", "-Wall", "-Wextra", "-o", program, source, *linked], check=True)
    command = [str(program), str(tmp_path / "seen.h5"), "fail"]
    seen = run(command, tmp_path / "job.hr", options)
    assert (seen.status, seen.text, seen.stderr) == (0, ["99 1998"], b"")
    expect(seen.file("seen.h5:/many", kind="dataset"), reads=1, read_errors=1)
    expect(profiles(seen, "hdf5")["H5Dwrite"], calls=1, errors=1)


def test_figures_of_caches(built: Built, capture: Capture, tmp_path: Path) -> None:
    seen = capture([str(built("hdf5_pages", "hdf5-serial")), str(tmp_path / "seen.h5")])
    assert (seen.status, seen.stderr) == (0, b"")
    known = properties(seen, seen.file("seen.h5", layer="hdf5")["record"])
    expect(known, **{"hdf5.page_buffer": "65536", "hdf5.page_size": "4096"})
    assert 0 < float(known["hdf5.metadata_cache.hit_rate"]) <= 1
    of_pages = {key: value for key, value in known.items() if key.startswith("hdf5.page_buffer.")}
    assert of_pages, known


def test_fortran(capture: Capture, tmp_path: Path) -> None:
    program = tmp_path / "calls"
    source = HERE / "fortran" / "hdf5_calls.f90"
    where = ["-I/usr/include/hdf5/serial", "-lhdf5_serial_fortran"]
    built = subprocess.run(["gfortran", "-J", tmp_path, "-o", program, source, *where], capture_output=True)
    if built.returncode != 0:
        pytest.skip("needs HDF5's Fortran interface")
    seen = capture([str(program), str(tmp_path / "seen.h5")])
    assert (seen.status, seen.stderr) == (0, b"")
    values = seen.file("seen.h5:/values", kind="dataset")
    expect(values, opens=1, closes=1, writes=2, bytes_written=1600, reads=1, bytes_read=1600)
    told = profiles(seen, "hdf5")
    counted = {
        name: (row["calls"], row["bytes"])
        for name, row in told.items()
        if name in ("H5Fcreate", "H5Fclose", "H5Dwrite", "H5Dread", "H5Awrite", "H5Sselect_hyperslab")
    }
    assert counted == {
        "H5Fcreate": (1, 0),
        "H5Fclose": (1, 0),
        "H5Dwrite": (2, 1600),
        "H5Dread": (1, 1600),
        "H5Awrite": (1, 800),
        "H5Sselect_hyperslab": (2, 0),
    }
