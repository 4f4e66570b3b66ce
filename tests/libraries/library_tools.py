"""Programs that use libraries for I/O, built against whatever of these the machine has."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from capture_tools import Captured

HERE = Path(__file__).parent
PARALLEL = {  # pkg-config's names
    "openmpi": ("mpirun.openmpi", "ompi-c"),
    "mpich": ("mpirun.mpich", "mpich"),
}


def package_flags(*packages: str) -> list[str]:
    """Compiler and linker flags of the packages; skips the test if one is missing."""
    command = ["pkg-config", "--cflags", "--libs", *packages]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.skip(f"needs {' and '.join(packages)}")
    return found.stdout.split()


def launcher(mpi: str) -> str:
    path = shutil.which(PARALLEL[mpi][0])
    if path is None:
        pytest.skip(f"needs {PARALLEL[mpi][0]}")
    return path


def compile_with(directory: Path, name: str, *packages: str) -> Path:
    """c/NAME.c, built once with the packages."""
    out = directory / "-".join([name, *packages])
    flags = package_flags(*packages)
    if not out.exists():
        source = HERE / "c" / f"{name}.c"
        subprocess.run(["cc", "-O1", "-g", "-Wall", "-Wextra", "-o", out, source, *flags], check=True)
    return out


def properties(captured: Captured, record: int) -> dict[str, str]:
    return {row["key"]: row["value"] for row in captured.rows("properties") if row["record"] == record}


def profiles(captured: Captured, layer: str) -> dict[str, dict[str, Any]]:
    """Sums over processes by function."""
    sums: dict[str, dict[str, Any]] = {}
    for row in captured.rows("profiles"):
        if row["layer"] == layer:
            total = sums.setdefault(row["function"], dict.fromkeys(("calls", "errors", "bytes"), 0))
            for key in total:
                total[key] += row[key]
    return sums


def expect(row: dict[str, Any], **values: Any) -> None:
    """The row has these values, told together when it has not."""
    assert {key: row[key] for key in values} == values
