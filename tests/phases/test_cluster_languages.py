"""Ranks learn their cluster in Fortran, Python and Yorick as in C: it is that of the log."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import headrace
import pytest
from headrace import rank_clusters
from phase_tools import HERE, Tracer, compile_program, config, needs_mpy
from test_clusters_of_ranks import FOUND, off_line, run, same
from test_fortran import compile_fortran

INCLUDE = Path(config("--include-dir")) / "headrace"
PACKAGE = Path(headrace.__file__).parents[1]
YORICK = """
func ask(name, phase)
{
  mine = headrace_cluster_phase(phase);
  if (mine.error) error, mine.why;
  write, format="%s %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %.17g\\n", name, mp_rank, mine.error,
    mine.cluster, mine.clusters, mine.size, mine.representative, mine.outlier, mine.missing,
    mine.ranks_missing, mine.outliers, mine.instance, mine.distance;
}
func dump
{
  inside = headrace_phase("dump");
  file = create(swrite(format="%s/out%ld", "PLACE", mp_rank));
  for (i=1 ; i <= (mp_rank == 3 ? 400 : 2) ; ++i) { write, file, i; fflush, file; }
  close, file;
}
dump;
ask, "dump", "dump";
"""


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_fortran(tmp_path: Path, mpi: str) -> None:
    sources: list[str | Path] = [INCLUDE / "headrace_clusters.F90", HERE / "fortran" / "kinds.f90"]
    program = compile_fortran(f"mpifort.{mpi}", "-O1 -std=f2008", sources, tmp_path / "kinds")
    found, done = run(mpi, program, 4, tmp_path)
    same(found["dump"], off_line(done.path, "--phase", "dump", "--instance", "1"))
    assert [each.result for each in found["run"]] == [FOUND] * 4


def test_static_fortran_has_no_clusters(tmp_path: Path) -> None:
    source = tmp_path / "alone.f90"
    source.write_text(
        "program alone\nuse headrace_clusters\ntype(headrace_cluster) :: mine\ninteger :: error\n"
        "call headrace_cluster_phase('dump', mine, error)\nif (error /= HEADRACE_CLUSTER_NOT_TRACED) stop 1\n"
        "end program\n"
    )
    linked = "-cpp -DHEADRACE_LINKED -Wno-unused-parameter"
    for options, more in ((linked, [HERE / "c" / "tracer.c"]), ("-O2", [])):
        words: list[str | Path] = [INCLUDE / "headrace_clusters.F90", source, *more]
        program = compile_fortran("gfortran -static", options, words, tmp_path / "alone")
        subprocess.run([program], cwd=tmp_path, check=True)


def test_python(tmp_path: Path) -> None:
    program = HERE / "scripts" / "kinds.py"
    found, done = run("openmpi", program, 4, tmp_path, PYTHONPATH=str(PACKAGE), PYTHONDONTWRITEBYTECODE="1")
    same(found["dump"], off_line(done.path, "--phase", "dump", "--instance", "1"))
    assert [each.result for each in found["run"]] == [FOUND] * 4


def test_python_without_a_tracer(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(Path(str(rank_clusters.__file__)).read_bytes())
    text = "import sys, mine; assert 'ctypes' not in sys.modules; found = mine.cluster_phase('dump'); "
    text += "assert not found and found.clusters == 0; print(found, found.error)"
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("this process is not traced") == 2
    # The sentences are those of C, and of Fortran.
    words = re.findall(r'return "([^"]+)";', (INCLUDE / "clusters.h").read_text())
    assert words[1:-1] == list(rank_clusters._ERRORS.values())
    assert words == re.findall(r"text = '([^']+)'", (INCLUDE / "headrace_clusters.F90").read_text())


@needs_mpy
def test_yorick(tracer: Tracer, tmp_path: Path) -> None:
    subprocess.run(["sh", INCLUDE / "yorick" / "build", tmp_path], check=True)
    cure = HERE.parents[1] / "examples" / "pf3d" / "mpy_recv.c"
    compile_program("mpicc.openmpi -shared -fPIC -O2", [cure], tmp_path / "cure.so")
    (tmp_path / "work.i").write_text(YORICK.replace("PLACE", str(tmp_path)))
    script = f'mp_include, "{tmp_path}/headrace.i";\nmp_include, "{tmp_path}/work.i";\nquit;\n'
    (tmp_path / "run.i").write_text(script)
    program = tmp_path / "program"
    preload = f'LD_PRELOAD="{tmp_path}/cure.so:$LD_PRELOAD"'
    program.write_text(f'#!/bin/sh\n{preload} exec mpy.openmpi -batch "{tmp_path}/run.i"\n')
    program.chmod(0o700)
    found, done = run("openmpi", program, 4, tmp_path)
    same(found["dump"], off_line(done.path, "--phase", "dump", "--instance", "1"))
    for file in ("headrace.i", "yorick/headrace.i"):  # with the plug-in, and without
        path = tmp_path / "serial.i"
        place = tmp_path / file if file == "headrace.i" else INCLUDE / file
        path.write_text(
            f'#include "{place}"\nmine = headrace_cluster_phase("a");\nmine.error;\nmine.why;\nquit;\n'
        )
        printed = tracer.run(["yorick", "-batch", path]).splitlines()
        assert [line.strip(' "') for line in printed[-2:]] == ["1", "this process is not traced by Headrace"]
