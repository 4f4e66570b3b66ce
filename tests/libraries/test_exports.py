"""The preload library has the symbols that the lists have, and PnetCDF has these."""

from __future__ import annotations

import ctypes.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from dynamic_symbols import exported_functions  # noqa: E402
from library_lists import hdf5_symbols, pnetcdf_symbols  # noqa: E402

INTERCEPT = ROOT / "src" / "intercept"


def exports(library: Path) -> set[str]:
    return {symbol.name for symbol in exported_functions(library)}


def test_the_preload_library_exports_the_lists() -> None:
    libraries = list(ROOT.glob("build/release/**/libheadrace.so"))
    if not libraries:
        pytest.skip("needs a build in the source tree")
    found = {name for name in exports(libraries[0]) if name.startswith(("H5", "ncmpi_"))}
    assert found == hdf5_symbols(INTERCEPT) | pnetcdf_symbols(INTERCEPT)


def test_every_transfer_of_pnetcdf_is_listed() -> None:
    exported, known = exports(pnetcdf_library()), pnetcdf_symbols(INTERCEPT)
    theirs = {
        name
        for name in exported
        if name.startswith("ncmpi_") and "_var" in name and name[6:].lstrip("ib").startswith(("put", "get"))
    }
    assert len(theirs) > 500
    missed = theirs - known
    assert {name for name in missed if "_mput_" not in name and "_mget_" not in name} == set()
    assert {name for name in known if "_var" in name and name not in exported} == set()


def pnetcdf_library() -> Path:
    if ctypes.util.find_library("pnetcdf") is None:
        pytest.skip("needs PnetCDF")
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    return Path(next(line.split("=> ")[1] for line in listed.splitlines() if "libpnetcdf.so" in line))
