"""What `headrace bench` refuses before it writes, and what it leaves when it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from bench_tools import MPIS, Bench


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a pattern"),
        (["ios"], "no pattern 'ios'"),
        (["ior", "--blok", "1M"], "no option --blok"),
        (["ior", "--block", "1X"], "--block: '1X' is no size"),
        (["ior", "--block", "99999999999999999999"], "--block: "),
        (["ior", "--block", "8E"], "--block: "),
        (["ior", "--block", "-1"], "--block: "),
        (["ior", "--block", "10K", "--transfer", "4K"], "no multiple of --transfer"),
        (["ior", "--block", "4T", "--transfer", "1", "--segments", "4000000"], "more than a file can hold"),
        (["ior", "--transfer"], "--transfer: '--dir' is no size"),
        (["ior", "--random=yes"], "--random has no value"),
        (["ior", "--reorder", "1"], "--reorder is less than the number of ranks"),
        (["ior", "--api", "hdf6"], "--api is posix"),
        (["ior", "--collective"], "--collective and --hint are of --api mpiio, hdf5 and pnetcdf"),
        (["ior", "--name", "a/b"], "--name"),
        (["ior", "--read"], "--name NAME"),
        (["ior", "--read", "--name", "nothing"], "No such file"),
        (["ior", "extra"], "'extra' is no option"),
        (["ior", "--api", "mpiio"], "mpirun"),
        (["ior", "--mpi", "/nothing/libmpi.so"], "--mpi"),
        (["ior", "--parquet", "/tmp"], "/tmp: Is a directory"),
        (["startup", "--files", "4000000000", "--size", "1"], "at most 10000000 can be made"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = (
        bench.run(*words)
        if words
        else subprocess.run(bench.words, capture_output=True, text=True, timeout=60, check=False)
    )
    assert done.returncode in (2, 3), done.stdout
    assert said in done.stderr and done.stderr.count("\n") == 1
    assert bench.left() == []


def test_an_empty_directory_name_is_no_directory(tmp_path: Path) -> None:
    words = [*Bench(tmp_path).words, "ior", "--block", "1M", "--dir", ""]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert done.returncode == 2 and "--dir: the name of a directory" in done.stderr


def test_a_name_that_is_taken_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("something")
    done = Bench(tmp_path).run("ior", "--name", "mine")
    assert done.returncode == 2 and "is there already" in done.stderr
    assert (tmp_path / "mine").read_text() == "something"


@pytest.mark.parametrize("mpi", ["", *MPIS])
def test_what_does_not_fit_is_refused(small_tmpfs: Callable[[str], Path], mpi: str) -> None:
    bench = Bench(small_tmpfs("2M"), mpi, ranks=2)
    done = bench.run("ior", "--block", "4M")
    assert done.returncode == 4, done.stderr
    assert "has room for" in done.stderr and "headrace-bench-" in done.stderr
    assert bench.left() == []


def test_buffers_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    done = Bench(tmp_path).run("ior", "--block", "1T", "--transfer", "1T", "--api", "null")
    assert done.returncode == 4 and "memory" in done.stderr, done.stderr


@pytest.mark.parametrize("mpi", ["", *MPIS])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_removes_its_own(tmp_path: Path, mpi: str, number: signal.Signals) -> None:
    bench = Bench(tmp_path, mpi, ranks=2)
    (tmp_path / "data").write_text("mine")
    words = ["ior", "--block", "16M", "--transfer", "1", "--random", "--per-process", "-q"]

    def begun() -> bool:
        return any(path.stat().st_size > 0 for path in tmp_path.glob("headrace-bench-*/data.*"))

    bench.interrupt(words, begun, number)
    assert bench.left() == ["data"] and (tmp_path / "data").read_text() == "mine"


@pytest.mark.parametrize("mpi", ["", "openmpi"])
def test_a_long_call_is_no_reason_to_leave_files(tmp_path: Path, mpi: str) -> None:
    """A call of HDF5 that takes a minute; Open MPI kills its ranks a moment after it has told them to end."""
    bench = Bench(tmp_path, mpi, ranks=2)
    words = bench.command("flash", "--blocks", "20", "--emulate", "40ms", "-q")
    words = [word for word in words if word not in ("timeout", "60")]
    with subprocess.Popen(words, env=bench.environment, stdin=subprocess.DEVNULL) as running:
        deadline = time.monotonic() + 30
        while not any(path.stat().st_size > 8192 for path in tmp_path.glob("headrace-bench-*/chk_0")):
            assert time.monotonic() < deadline and running.poll() is None
            time.sleep(0.01)
        os.kill(running.pid, signal.SIGTERM)
        assert running.wait(timeout=30) != 0
    deadline = time.monotonic() + 10
    while bench.left() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert bench.left() == []


def test_more_files_than_can_be_made_are_refused_at_once(tmp_path: Path) -> None:
    """Not counted one by one, which took minutes and no signal ended."""
    words = [
        "combustion",
        "--checkpoints",
        "4000000000",
        "--smallest",
        "8",
        "--largest",
        "8",
        "--patches",
        "1",
    ]
    done = Bench(tmp_path).run(*words)
    assert done.returncode == 2 and "at most 10000000 can be made" in done.stderr, done.stderr
    assert Bench(tmp_path).left() == []


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hint", "k" * 400 + "=1"], "takes names of 1 to"),
        (["--hint", "cb_nodes="], "takes values of 1 to"),
        (["--size", "3G", "--access", "3G"], "more than the 2 GiB - 1 that MPI moves at once"),
    ],
)
def test_what_an_mpi_cannot_take_is_refused(tmp_path: Path, mpi: str, words: list[str], said: str) -> None:
    done = Bench(tmp_path, mpi, ranks=2).run("h5perf", "--api", "mpiio", *words)
    assert done.returncode == 2 and done.stderr.count(said) == 1, done.stderr
    assert Bench(tmp_path).left() == []
