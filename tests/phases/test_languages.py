"""The same dumps from every language: their phases in the log of `headrace run`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from phase_logs import Phased, run_phased
from phase_tools import COMMAND, HERE, compile_program
from test_fortran import compile_fortran
from test_yorick import SOURCES

YORICK = """
func dump(size) { inside = headrace_phase("dump"); put, size; }
func put(size) { file = open(get_argv()(0), "wb"); _write, file, 0, array(char, size); close, file; }
put, 500;
for (i=1 ; i<=3 ; ++i) dump, 1000*i;
quit;
"""


def check(done: Phased) -> None:
    assert done.status == 0
    dumps = [done.phase("dump", number) for number in (1, 2, 3)]
    assert [row["bytes_written"] for row in dumps] == [1000, 2000, 3000]
    assert [row["ended"] for row in dumps] == ["end"] * 3
    total = done.phase("dump")
    assert (total["instances"], total["cut"], total["bytes_written"]) == (3, 0, 6000)


@pytest.mark.parametrize("options", ["-O2", "-O2 -fno-pie -no-pie"])
def test_c(tmp_path: Path, options: str) -> None:
    program = compile_program("gcc", [*options.split(), HERE / "c" / "dumps.c"], tmp_path / "dumps")
    check(run_phased([program, tmp_path / "data"], tmp_path / "job.hr"))


@pytest.mark.parametrize("options", ["", "-no-pie", "-static", "-static-pie"])
def test_c_that_carries_headrace(tmp_path: Path, options: str) -> None:
    """Alone, without the launcher's environment, and under the launcher."""
    compiler = f"{COMMAND} wrap gcc {options}"
    program = compile_program(compiler, [HERE / "c" / "dumps.c"], tmp_path / "dumps")
    check(run_phased([program, tmp_path / "data"], tmp_path / "job.hr"))


def test_fortran(tmp_path: Path) -> None:
    program = compile_fortran("gfortran", "-O2", [HERE / "fortran" / "dumps.f90"], tmp_path / "dumps")
    check(run_phased([program, tmp_path / "data"], tmp_path / "job.hr"))


def test_static_fortran(tmp_path: Path) -> None:
    options = "-cpp -DHEADRACE_LINKED"
    source = HERE / "fortran" / "dumps.f90"
    program = compile_fortran(f"{COMMAND} wrap gfortran -static", options, [source], tmp_path / "dumps")
    check(run_phased([program, tmp_path / "data"], tmp_path / "job.hr"))


def test_python(tmp_path: Path) -> None:
    program = HERE / "scripts" / "dumps.py"
    check(run_phased([sys.executable, program, tmp_path / "data"], tmp_path / "job.hr"))


def test_yorick(tmp_path: Path) -> None:
    subprocess.run(["sh", SOURCES / "build", tmp_path / "plugin"], check=True)
    script = tmp_path / "dumps.i"
    script.write_text(f'#include "{tmp_path}/plugin/headrace.i"\n{YORICK}')
    done = run_phased(["yorick", "-batch", script, tmp_path / "data"], tmp_path / "job.hr")
    check(done)
