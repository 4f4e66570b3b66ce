"""What a job has done so far, while it runs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import headrace
import pytest
from capture_tools import COMMAND

_WORK = """
import os, subprocess, sys, time
place = sys.argv[1]
subprocess.run(["dd", "if=/dev/zero", f"of={place}/dd", "bs=4096", "count=10"], stderr=subprocess.DEVNULL)
with open(f"{place}/data", "wb", buffering=0) as out:
    for _ in range(25):
        out.write(bytes(1000))
    open(f"{place}/ready", "w").close()
    while not os.path.exists(f"{place}/go on"):
        time.sleep(0.01)
    out.write(bytes(1000))
"""


@pytest.fixture
def job(tmp_path: Path):
    """A job that waits in the middle: (its log, its directory of records, a function that ends it)."""
    spool = tmp_path / "spool"
    spool.mkdir()
    log = tmp_path / "job.hr"
    command = [COMMAND, "run", "--spool", spool, "-o", log, "--", sys.executable, "-S", "-c", _WORK, tmp_path]
    with subprocess.Popen(command) as running:
        deadline = time.monotonic() + 60
        while not (tmp_path / "ready").exists():
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)

        def end() -> None:
            (tmp_path / "go on").touch()
            assert running.wait(60) == 0

        (directory,) = spool.glob("headrace-*")
        yield log, directory, end
        if running.poll() is None:
            end()


def written(log: Path, name: str) -> int:
    with headrace.open(log) as opened:
        return sum(row["bytes_written"] for row in opened.files.to_pylist() if row["path"].endswith(name))


def test_a_snapshot_has_what_was_done_so_far_and_changes_nothing(job, tmp_path: Path) -> None:
    log, directory, end = job
    before = sorted(path.name for path in directory.iterdir() if not path.name.endswith(".spool"))
    taken = tmp_path / "now.hr"
    for _ in range(2):  # the second replaces the first
        done = subprocess.run(
            [COMMAND, "snapshot", "-q", "-o", taken, directory], capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
    assert written(taken, "/data") == 25_000
    assert written(taken, "/dd") == 40_960  # of a process that has ended, wherever its figures are now
    with headrace.open(taken) as opened:
        assert "running" in opened.processes["ended"].to_pylist()
        assert opened.job["complete"] == "no: a snapshot of a job that is running"
    assert sorted(path.name for path in directory.iterdir() if not path.name.endswith(".spool")) == before
    assert not list(tmp_path.glob("now.hr.*"))
    end()
    assert written(log, "/data") == 26_000


def test_the_jobs_own_log_is_not_replaced(job, tmp_path: Path) -> None:
    log, directory, end = job
    done = subprocess.run([COMMAND, "snapshot", "-o", log, directory], capture_output=True, text=True)
    assert done.returncode == 125 and "own log" in done.stderr
    end()
    assert written(log, "/data") == 26_000 and written(log, "/dd") == 40_960


def test_the_default_name_is_beside_the_log(job, tmp_path: Path) -> None:
    log, directory, _ = job
    done = subprocess.run([COMMAND, "snapshot", directory], capture_output=True, text=True)
    assert done.returncode == 0 and str(log.with_suffix(".so-far.hr")) in done.stderr
    assert written(log.with_suffix(".so-far.hr"), "/data") == 25_000


def test_show_live_shows_the_job_until_it_ends(job, tmp_path: Path) -> None:
    _, directory, end = job
    command = [COMMAND, "show", "--live", "--every", "1", directory]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as shown:
        assert shown.stdout is not None
        for line in shown.stdout:
            if "I/O of" in line:
                break
        end()
        rest = shown.stdout.read()
        assert shown.wait(60) == 0
    assert "has ended" in rest


def test_interim_logs_come_at_an_interval_and_go_at_the_end(tmp_path: Path) -> None:
    log, so_far = tmp_path / "job.hr", tmp_path / "job.so-far.hr"
    command = [
        COMMAND,
        "run",
        "--interim",
        "1s",
        "-o",
        log,
        "--",
        sys.executable,
        "-S",
        "-c",
        _WORK,
        tmp_path,
    ]
    with subprocess.Popen(command) as running:
        deadline = time.monotonic() + 60
        while not so_far.exists() or written(so_far, "/data") < 25_000:
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        (tmp_path / "go on").touch()
        assert running.wait(60) == 0
    assert written(log, "/data") == 26_000
    assert not so_far.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/nowhere"], "No such file"),
        (["."], "is no directory of a job"),
        (["a", "b"], "takes one directory"),
        (["--what"], "unknown option"),
    ],
)
def test_mistakes_are_told(words: list[str], said: str, tmp_path: Path) -> None:
    done = subprocess.run([COMMAND, "snapshot", *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode in (1, 125) and said in done.stderr


def test_without_a_directory_the_one_job_is_taken_and_of_several_one_is_asked_for(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    environment = {**os.environ, "HEADRACE_SPOOL": str(spool)}

    def snapshot() -> subprocess.CompletedProcess[str]:
        command = [COMMAND, "snapshot", "-o", tmp_path / "so-far.hr"]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
        )

    def start(name: str) -> subprocess.Popen[bytes]:
        place = tmp_path / name
        place.mkdir()
        command = [COMMAND, "run", "-o", place / "job.hr", "--", sys.executable, "-S", "-c", _WORK, place]
        running = subprocess.Popen(command, env=environment)
        deadline = time.monotonic() + 60
        while not (place / "ready").exists():
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        return running

    jobs = {"a": start("a")}
    try:
        (first,) = spool.glob("headrace-*")
        done = snapshot()
        assert done.returncode == 0 and str(first) in done.stderr, done.stderr
        (tmp_path / "so-far.hr").unlink()
        jobs["b"] = start("b")
        done = snapshot()
        assert done.returncode == 125 and not (tmp_path / "so-far.hr").exists()
        assert "several jobs of yours run on this node; name the directory of one" in done.stderr
        assert all(str(each) in done.stderr for each in spool.glob("headrace-*"))
    finally:
        for name, running in jobs.items():
            (tmp_path / name / "go on").touch()
            assert running.wait(60) == 0


def test_a_wrong_interval_is_told() -> None:
    done = subprocess.run([COMMAND, "run", "--interim", "soon", "true"], capture_output=True, text=True)
    assert done.returncode == 125 and "interval like 90s, 10m or 6h" in done.stderr
