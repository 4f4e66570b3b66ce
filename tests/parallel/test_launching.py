"""One job log however the ranks are started, under both MPIs."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import headrace
import pytest
from capture_tools import COMMAND
from launch_tools import Launching, expected, figures, shown

Compiled = Callable[[str, str], Path]


@pytest.fixture
def spools() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="launching-test-", dir="/dev/shm"))
    yield place
    left = list(place.iterdir())
    shutil.rmtree(place)
    assert left == [], "litter"


@pytest.fixture
def launching(mpi: str, compiled: Compiled, tmp_path: Path, spools: Path) -> Launching:
    return Launching(mpi, compiled(mpi, "c/launching.c"), tmp_path, spools)


def check(launching: Launching, log: Path, ranks: int) -> None:
    """The log has what the ranks did, exactly, and says that it is complete."""
    assert figures(log, launching.data) == expected(ranks)
    facts = shown(log)
    assert facts["job"]["complete"] == "yes"
    assert facts["damage"] == []
    assert facts["log"]["closed"]
    assert [entry["ranks_in_log"] for entry in facts["parallel"]["instances"]] == [ranks]
    assert facts["job"]["run_ns"] > 0


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("way", ["before mpirun", "behind mpirun", "in a shell of each rank"])
def test_one_log_wherever_the_launcher_stands(launching: Launching, ranks: int, way: str) -> None:
    run = [COMMAND, "run", "-o", "job.hr"]
    command = {
        "before mpirun": [*run, "--", *launching.mpirun(ranks, *launching.app())],
        "behind mpirun": launching.mpirun(ranks, *run, *launching.app()),
        "in a shell of each rank": launching.mpirun(
            ranks, "sh", "-c", " ".join([*run, *launching.app(), "; exit $?"])
        ),
    }[way]
    done = launching.run(command)
    assert done.returncode == 0, done.stderr.decode()
    assert launching.logs() == [launching.directory / "job.hr"]
    check(launching, launching.logs()[0], ranks)
    assert shown(launching.logs()[0])["job"]["exit_status"] == 0
    assert b"headrace" not in done.stdout + done.stderr


def test_ranks_agree_on_a_name(launching: Launching) -> None:
    done = launching.run(launching.mpirun(4, COMMAND, "run", *launching.app()))
    assert done.returncode == 0, done.stderr.decode()
    (log,) = launching.logs()
    assert log.name.startswith(f"headrace-{launching.program.name}-")
    check(launching, log, 4)


def test_a_later_job_replaces_the_log(launching: Launching) -> None:
    command = launching.mpirun(2, COMMAND, "run", "-o", "job.hr", *launching.app())
    for _ in range(2):
        launching.run(command)
    check(launching, launching.directory / "job.hr", 2)


def test_two_jobs_at_once_have_two_logs(launching: Launching) -> None:
    other = launching.directory / "other"
    other.mkdir()
    jobs = [
        launching.start(launching.mpirun(2, COMMAND, "run", *more, launching.program, data))
        for data, more in ((launching.data, []), (other, []))
    ]
    for job in jobs:
        _, said = job.communicate(timeout=100)
        assert job.returncode == 0, said.decode()
    logs = launching.logs()
    assert len(logs) == 2
    found = {len(figures(log, launching.data)): log for log in logs}
    assert sorted(found) == [0, 4]
    check(launching, found[4], 2)


def test_programs_one_after_the_other_are_instances(launching: Launching) -> None:
    inner = " ".join(launching.mpirun(2, *launching.app()))
    launching.run([COMMAND, "run", "-o", "job.hr", "sh", "-c", f"{inner}; {inner}"])
    log = launching.directory / "job.hr"
    twice = {key: tuple(2 * count for count in counts) for key, counts in expected(2).items()}
    assert figures(log, launching.data) == twice
    facts = shown(log)
    assert [entry["ranks_in_log"] for entry in facts["parallel"]["instances"]] == [2, 2]
    assert facts["job"]["complete"] == "yes"


def test_several_programs_in_one_launch(launching: Launching) -> None:
    run = [COMMAND, "run", "-o", "job.hr"]
    copy = launching.directory / "other-program"
    shutil.copy(launching.program, copy)
    parts = [[*run, str(program), str(launching.data)] for program in (launching.program, copy)]
    launching.run([*launching.mpirun(2, *parts[0]), ":", "-np", "2", *parts[1]])
    check(launching, launching.directory / "job.hr", 4)


def test_a_rank_outside_is_missed(launching: Launching) -> None:
    command = launching.mpirun(1, COMMAND, "run", "-o", "job.hr", *launching.app())
    launching.run([*command, ":", "-np", "2", *launching.app()])
    complete = shown(launching.directory / "job.hr")["job"]["complete"]
    assert complete == "no: ranks 1 of 3 in the log; missing: 1, 2"


def test_tokens_would_differ_by_rank(launching: Launching) -> None:
    done = launching.run(launching.mpirun(2, COMMAND, "run", "--anonymize", *launching.app()))
    assert done.returncode == 125
    assert b"headrace anonymize" in done.stderr
    assert launching.logs() == []


# Steps of Slurm, by the environment that it gives its tasks.


def step(
    launching: Launching, task: int, tasks: int, *command: str, number: int = 0
) -> subprocess.Popen[bytes]:
    return launching.start(
        [COMMAND, "run", "-o", "job.hr", *command],
        SLURM_JOB_ID="4711",
        SLURM_STEP_ID=str(number),
        SLURM_PROCID=str(task),
        SLURM_STEP_NUM_TASKS=str(tasks),
    )


def task_of(launching: Launching, number: int, hold: str = "") -> list[str]:
    text = f"for i in 1 2 3 4; do echo line; done > {launching.data}/own.{number}; {hold or ':'}"
    return ["sh", "-c", text]


def written(launching: Launching) -> set[str]:
    return {name for _, name in figures(launching.directory / "job.hr", launching.data)}


@pytest.fixture
def tasks(tmp_path: Path, spools: Path) -> Launching:
    return Launching("none", Path("none"), tmp_path, spools)


def test_tasks_of_a_step_write_one_log(tasks: Launching) -> None:
    processes = [step(tasks, number, 4, *task_of(tasks, number, f"exit {number}")) for number in range(4)]
    assert [process.wait(timeout=60) for process in processes] == [0, 1, 2, 3]
    assert written(tasks) == {f"own.{number}" for number in range(4)}
    job = shown(tasks.directory / "job.hr")["job"]
    assert (job["complete"], job["exit_status"]) == ("yes", 3)
    assert step(tasks, 0, 2, *task_of(tasks, 9), number=1).wait(timeout=60) == 0
    assert written(tasks) == {"own.9"}  # of another step


def test_a_killed_launcher_is_told_and_collected(tasks: Launching) -> None:
    go = tasks.directory / "go"
    hold = f": > {tasks.data}/ready.$SLURM_PROCID; while [ ! -e {go} ]; do sleep 0.02; done"
    processes = [step(tasks, number, 3, *task_of(tasks, number, hold)) for number in range(3)]
    while len(list(tasks.data.glob("ready.*"))) < 3:
        time.sleep(0.01)
    processes[1].send_signal(signal.SIGKILL)
    processes[1].wait()
    go.touch()
    assert [processes[number].wait(timeout=60) for number in (0, 2)] == [0, 0]
    log = tasks.directory / "job.hr"
    complete = shown(log)["job"]["complete"]
    assert complete == "no: the launcher has not finished (1 of 3 launchers)"
    assert "own.1" not in written(tasks)
    deadline = time.monotonic() + 20
    while "own.1" not in written(tasks) and time.monotonic() < deadline:
        time.sleep(0.1)
        tasks.collect()
    names = {f"own.{number}" for number in range(3)} | {f"ready.{number}" for number in range(3)}
    assert written(tasks) == names
    facts = shown(log)
    assert (facts["job"]["complete"], facts["damage"]) == ("yes", [])
    with headrace.open(log) as opened:
        table = opened.files.to_pylist()
    counts = {row["path"].rpartition("/")[2]: row["writes"] for row in table if "/own." in row["path"]}
    assert set(counts.values()) == {4}
