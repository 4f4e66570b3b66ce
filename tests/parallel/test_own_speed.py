"""A program that times itself and Headrace say the same of its speed, whatever it writes through."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from capture_tools import COMMAND

MOVES = [
    (mpi, api, *together)
    for mpi in ("openmpi", "mpich")
    for api in ("mpiio", "hdf5", "pnetcdf")
    for together in ((), ("--collective",))
    if (mpi, api) != ("mpich", "pnetcdf")  # Debian builds PnetCDF with Open MPI
]


@pytest.mark.parametrize("words", MOVES, ids="-".join)
def test_the_estimate_is_what_the_program_measured(words: tuple[str, ...], tmp_path: Path) -> None:
    """Where ranks wait for each other the system's calls are a small part, and make a job seem fast.

    On a busy machine ranks also wait between calls, which the program counts and Headrace does not.
    """
    mpi, api, *together = words
    launcher, log = shutil.which(f"mpirun.{mpi}"), tmp_path / "job.hr"
    if launcher is None:
        pytest.skip(f"no {mpi}")
    bench = [
        COMMAND,
        "bench",
        "ior",
        "--api",
        api,
        *together,
        "--transfer",
        "64K",
        "--block",
        "1M",
        "--no-check",
    ]
    run = [COMMAND, "run", "-q", "-o", log, "--", "timeout", "100", launcher, "-n", "4", *bench]
    slow = ["--emulate", "5ms", "--dir", tmp_path, "--json"]
    own = json.loads(subprocess.run([*run, *slow], capture_output=True, check=True, timeout=120).stdout)
    shown = json.loads(
        subprocess.run([COMMAND, "show", "--json", log], capture_output=True, check=True).stdout
    )
    speed = shown["parallel"]["performance"]
    measured_ns = sum(phase["seconds"] for phase in own["phases"]) * 1e9
    assert measured_ns / 1.5 < speed["agg_time_by_slowest_ns"] < measured_ns * 1.5
    assert set(speed["by_interface"]) >= {api, "posix"}
    moved = sum(phase["bytes"] for phase in own["phases"])
    assert moved <= speed["bytes"] < moved * 1.01, "and what describes data in the file"
    inside = {row["layer"]: row["time_ns"] for row in shown["totals"]["through"]}
    assert max(inside, key=lambda layer: inside[layer]) == api
    assert 0 < shown["totals"]["system_ns"] < shown["totals"]["io_ns"]
