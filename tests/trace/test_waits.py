"""Waits of threads for each other, and what stays as it is without them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from headrace.analysis.traces import Trace
from trace_tools import HERE, Traced, compile_program

LLVM = next((path for path in Path("/usr/lib").glob("*/libomp.so.5")), None)
SYNC = "--trace=posix,sync"


@pytest.fixture(scope="session")
def waits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(
        "cc -O1 -pthread", [HERE / "c" / "waits.c"], tmp_path_factory.mktemp("waits") / "waits"
    )


def counted(traced: Traced) -> Counter[str]:
    """How often was waited in each function; all of it is of the class for that."""
    rows = [row for row in Trace(traced.trace).functions() if row["layer"] == "sync"]
    assert {row["class"] for row in rows} <= {"wait"}
    assert not any(row["unfinished"] for row in rows)
    return Counter({row["name"]: row["calls"] for row in rows})


def check_waits(found: Counter[str]) -> None:
    for name in ("sem_wait", "pthread_cond_wait"):
        assert found[name] == 2, "one that was ended by cancellation"
    for name in (
        "pthread_rwlock_rdlock",
        "cnd_wait",
        "sem_timedwait",
        "pthread_cond_timedwait",
        "pthread_cond_clockwait",
        "pthread_mutex_timedlock",
    ):
        assert found[name] == 1, name
    assert 2 <= found["pthread_mutex_lock"] <= 10, "those that were free are none"
    assert found["pthread_barrier_wait"] == 2
    assert found["pthread_join"] == 12
    assert not found["pthread_spin_lock"] and not found["mtx_lock"] and not found["pthread_rwlock_wrlock"]


def test_waits_of_posix_threads(waits: Path, tmp_path: Path) -> None:
    subprocess.run([waits], check=True, timeout=60)
    traced = Traced(tmp_path, [waits], [SYNC])
    assert traced.stdout == "ok\n"
    check_waits(counted(traced))
    traced.verify()
    assert "pthread_mutex_lock" in traced.command("stats")


@pytest.mark.parametrize("option", ["--trace", "--trace=posix"])
def test_they_have_to_be_asked_for(waits: Path, tmp_path: Path, option: str) -> None:
    traced = Traced(tmp_path, [waits], [option])
    assert counted(traced) == {}
    script = "grep -c libheadrace-sync /proc/self/maps"
    assert Traced(tmp_path, ["sh", "-c", script], [option], status=1).stdout == "0\n"


def test_programs_that_it_starts_have_them_too(waits: Path, tmp_path: Path) -> None:
    """And see nothing of how."""
    script = (
        "import os, subprocess, sys\n"
        "print(os.environ.get('LD_PRELOAD'))\n"
        "subprocess.run([sys.argv[1]], check=True)\n"
        "os.system(sys.argv[1] + '; env | grep -c LD_PRELOAD')\n"
    )
    traced = Traced(tmp_path, [sys.executable, "-c", script, str(waits)], [SYNC])
    assert traced.stdout.replace("None\n", "") in ("ok\nok\n0\n",), traced.stdout
    found = counted(traced)
    assert found["cnd_wait"] == 2, "both"


def test_they_can_be_left_out(waits: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [waits], ["--trace=all", "--trace-skip", "pthread_*"])
    found = counted(traced)
    assert found["cnd_wait"] == 1
    assert not any(name.startswith("pthread_") for name in found)
    assert traced.accounts()["name"] > 20
    assert counted(Traced(tmp_path, [waits], [SYNC, "--trace-longer", "1000s"])) == {}


@pytest.mark.parametrize("library", ["gcc", "llvm"])
def test_waits_of_openmp(tmp_path: Path, library: str) -> None:
    if library == "llvm" and LLVM is None:
        pytest.skip("LLVM's libomp is not there")
    team = compile_program("cc -O1 -fopenmp -c", [HERE / "c" / "team.c"], tmp_path / "team.o")
    link = "cc -fopenmp" if library == "gcc" else "cc"
    program = compile_program(
        link, [team, *([LLVM] if library == "llvm" and LLVM else [])], tmp_path / "team"
    )
    subprocess.run([program], check=True, timeout=60)
    traced = Traced(tmp_path, [program], [SYNC])
    assert traced.stdout == "ok\n"
    found = counted(traced)
    assert found["GOMP_barrier"] >= 4
    assert found["GOMP_loop_end"] >= 4
    traced.verify()


def test_a_library_that_works_while_it_is_loaded(tmp_path: Path) -> None:
    library = compile_program(
        "cc -O1 -fopenmp -shared -fPIC", [HERE / "c" / "loaded.c"], tmp_path / "libloaded.so"
    )
    script = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).total())"
    traced = Traced(tmp_path, [sys.executable, "-c", script, str(library)], [SYNC])
    assert traced.stdout == "6\n"
    assert counted(traced)["GOMP_barrier"] == 6
    traced.verify()


def test_in_an_allocator(tmp_path: Path) -> None:
    program = compile_program(
        "cc -O1 -pthread -fno-builtin", [HERE / "c" / "own_malloc.c"], tmp_path / "own_malloc"
    )
    traced = Traced(tmp_path, [program], [SYNC])
    assert traced.stdout == "ok\n"
    assert counted(traced)["pthread_join"] == 8
    traced.verify()


PYTHON = """
import sys, threading
import h5py
import numpy as np
a = np.random.rand(300, 300)
for _ in range(5):
    a = a @ a / 300
gate = threading.Event()
with h5py.File(sys.argv[1] + "/data.h5", "w") as out:
    def work(number):
        gate.wait()
        out.create_dataset(f"d{number}", data=a + number)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads: each.start()
    gate.set()
    for each in threads: each.join()
    print(len(out))
"""


def test_python_with_hdf5_and_blas(tmp_path: Path) -> None:
    traced = Traced(tmp_path, [sys.executable, "-c", PYTHON, str(tmp_path)], ["--trace=all"])
    assert traced.stdout == "4\n"
    assert sum(counted(traced).values()) > 0
    traced.verify()
