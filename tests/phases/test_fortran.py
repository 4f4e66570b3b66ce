"""The Fortran module, compiled with the program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from phase_tools import HERE, Tracer, config

CALLS = ["begin padded", "begin two words", "end (innermost)", "end padded"]
THREADS = ["begin thread", "end thread"] * 4


def compile_fortran(compiler: str, options: str, sources: list[str | Path], out: Path) -> Path:
    module = Path(config("--include-dir")) / "headrace" / "headrace_phases.F90"
    words = [*compiler.split(), "-Wall", "-Wextra", "-Werror", f"-J{out.parent}", "-o", out]
    done = subprocess.run(
        [*words, *options.split(), module, *sources], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.parametrize(
    "options", ["-O0 -std=f2008", "-O2 -fopenmp", "-O2 -no-pie -fno-pie", "-O2 -flto -std=f2018"]
)
def test_found_and_absent(tracer: Tracer, tmp_path: Path, options: str) -> None:
    program = compile_fortran("gfortran", options, [HERE / "fortran" / "uses.f90"], tmp_path / "program")
    calls = tracer.calls([program])
    assert calls[:4] == CALLS
    assert sorted(calls[4:]) == sorted(THREADS)
    assert tracer.run([program]) == ""


def test_static(tracer: Tracer, tmp_path: Path) -> None:
    uses, stand_in = HERE / "fortran" / "uses.f90", HERE / "c" / "tracer.c"
    assert tracer.run([compile_fortran("gfortran -static", "", [uses], tmp_path / "alone")]) == ""
    options = "-cpp -DHEADRACE_LINKED -Wno-unused-parameter"
    linked = compile_fortran("gfortran -static", options, [uses, stand_in], tmp_path / "linked")
    tracer.run([linked], PHASE_LOG=str(tracer.log))
    assert tracer.log.read_text().splitlines() == CALLS + THREADS


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_ranks(tracer: Tracer, tmp_path: Path, mpi: str) -> None:
    ranks = HERE / "fortran" / "ranks.f90"
    program = compile_fortran(f"mpifort.{mpi}", "-O1", [ranks], tmp_path / "program")
    command = [f"mpirun.{mpi}", "-np", "3", program]
    assert tracer.run(command) == ""
    assert sorted(tracer.calls(command)) == ["begin exchange"] * 3 + ["end exchange"] * 3
