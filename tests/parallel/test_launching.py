"""One job log however the ranks are started, under both MPIs."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import headrace
import pytest
from capture_tools import COMMAND
from launch_tools import LIBRARY, Figures, Launching, expected, figures, kill_with_keeper, shown

Compiled = Callable[[str, str], Path]


@pytest.fixture
def tasks(tmp_path: Path, spools: Path) -> Launching:
    return Launching("none", Path("none"), tmp_path, spools)


def check(launching: Launching, log: Path, ranks: int) -> None:
    """The log has what the ranks did, exactly, and says that it is complete."""
    assert figures(log, launching.data) == expected(ranks)
    check_ranks(log, ranks)


def check_ranks(log: Path, ranks: int) -> None:
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
    jobs = []
    for data in (launching.data, other):
        # An mpirun of Open MPI 4 fails where another one makes its sessions' directory just now.
        sessions = launching.directory / f"sessions-{len(jobs)}"
        sessions.mkdir()
        place = {"OMPI_MCA_orte_tmpdir_base": str(sessions)}
        jobs.append(launching.start(launching.mpirun(2, COMMAND, "run", launching.program, data), **place))
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
    done = launching.run([*command, ":", "-np", "2", *launching.app()])
    assert done.returncode == 0, done.stderr.decode()
    complete = shown(launching.directory / "job.hr")["job"]["complete"]
    assert complete == (
        "no: ranks 1 of 3 in the log; missing: 1, 2; "
        "they ran without `headrace run`, or ended before MPI_Init"
    )


def test_tokens_would_differ_by_rank(launching: Launching) -> None:
    done = launching.run(launching.mpirun(2, COMMAND, "run", "--anonymize", *launching.app()))
    assert done.returncode == 125
    assert b"headrace anonymize" in done.stderr
    assert launching.logs() == []


@pytest.mark.parametrize("ranks", [2, 4])
def test_preloaded_ranks_are_collected_into_one_log(launching: Launching, ranks: int) -> None:
    done = launching.run(launching.preloaded(ranks))
    assert done.returncode == 0, done.stderr.decode()
    done = launching.collect("-o", "job.hr")
    assert done.returncode == 0, done.stderr.decode()
    check(launching, launching.directory / "job.hr", ranks)


def test_a_trace_follows_the_log_that_gets_another_name(launching: Launching) -> None:
    """The ranks begin the log under a name of its own; events stay with their records until collected."""
    launching.run(launching.preloaded(4), HEADRACE_TRACE="1", HEADRACE_REDUCE="always")
    done = launching.collect("-o", "job.hr")
    assert done.returncode == 0, done.stderr.decode()
    assert launching.logs() == [launching.directory / "job.hr", launching.directory / "job.trace.hr"]
    verified = launching.run([COMMAND, "trace", "verify", "job.trace.hr"])
    assert verified.returncode == 0, verified.stdout.decode()


def test_each_preloaded_job_has_a_log(launching: Launching) -> None:
    for _ in range(2):
        launching.run(launching.preloaded(2))
    done = launching.collect()
    assert done.returncode == 0, done.stderr.decode()
    first, second = launching.logs()
    for log in (first, second):
        assert log.name.startswith(f"headrace-{launching.program.name}-")
        check(launching, log, 2)


def test_ranks_find_their_environment_as_it_was(launching: Launching) -> None:
    command = launching.mpirun(1, "env")
    plain, seen = (
        {line.partition("=")[0] for line in launching.run(words).stdout.decode().splitlines()}
        for words in (command, [COMMAND, "run", "-o", "job.hr", *command])
    )
    assert seen == plain


def test_variables_of_the_user_reach_the_ranks(launching: Launching) -> None:
    more = ["-x", "MINE=1"] if launching.mpi == "openmpi" else ["-genv", "MINE", "1"]
    command = launching.mpirun(1, *more, "sh", "-c", "echo $MINE")
    done = launching.run([COMMAND, "run", "-o", "job.hr", *command])
    assert (done.returncode, done.stdout) == (0, b"1\n"), done.stderr.decode()


# Nodes, which other host names and other directories of spools stand for.


def test_ranks_on_several_nodes_write_one_log(launching: Launching) -> None:
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    run = " ".join([COMMAND, "run", "-o", "job.hr", *launching.app()])
    node = f"hostname node$(({rank} / 2)); HEADRACE_SPOOL={launching.spools}/$(hostname)"
    launching.directory.joinpath("node.sh").write_text(f"{node}; mkdir -p $HEADRACE_SPOOL; exec {run}\n")
    done = launching.run(launching.mpirun(4, "unshare", "-u", "sh", "node.sh"))
    assert done.returncode == 0, done.stderr.decode()
    log = launching.directory / "job.hr"
    check(launching, log, 4)
    assert shown(log)["parallel"]["nodes"] == 2
    with headrace.open(log) as opened:
        hosts = {row["rank"]: row["host"] for row in opened.processes.to_pylist() if row["rank"] >= 0}
    assert hosts == {0: "node0", 1: "node0", 2: "node1", 3: "node1"}
    for number in range(2):
        (launching.spools / f"node{number}").rmdir()


def test_what_another_node_collects_goes_into_the_log_of_the_launcher(tasks: Launching) -> None:
    # A program of this name hands on what is added. Behind it the launcher's directory is out of sight.
    starter = tasks.directory / "srun"
    shutil.copy(Path("/bin/sh").resolve(), starter)
    away = tasks.directory / "away.sh"
    away.write_text(
        f"hostname far; mount -t tmpfs none {tasks.spools}\n"
        f"sh -c 'echo x > {tasks.data}/far'\n"
        f'{COMMAND} collect -q; cd {tasks.spools}; set -- *; test $# = 1 && test ! -e "$1"\n'
    )
    inner = f"echo y > {tasks.data}/near; unshare -um sh {away}"
    done = tasks.run([COMMAND, "run", "-o", "job.hr", str(starter), "-c", inner])
    assert (done.returncode, done.stdout) == (0, b""), done.stderr.decode()
    assert written(tasks) == {"near", "far"}
    facts = shown(tasks.directory / "job.hr")
    assert (facts["job"]["complete"], facts["damage"]) == ("yes", [])
    with headrace.open(tasks.directory / "job.hr") as log:
        by_id = {row["process"]: row for row in log.processes.to_pylist()}
        (far,) = [row for row in log.files.to_pylist() if row["path"].endswith("/far")]
    assert by_id[far["process"]]["host"] == "far"
    assert 0 < far["first_open_at_ns"] < facts["job"]["run_ns"]


def test_logs_of_nodes_are_merged(tasks: Launching) -> None:
    for number in range(3):
        tasks.run([COMMAND, "run", "-o", f"node{number}.hr", *task_of(tasks, number, f"exit {number}")])
    logs = [f"node{number}.hr" for number in range(3)]
    done = tasks.collect(*logs, "-o", "job.hr")
    assert done.returncode == 0, done.stderr.decode()
    assert written(tasks) == {f"own.{number}" for number in range(3)}
    facts = shown(tasks.directory / "job.hr")
    assert (facts["job"]["complete"], facts["job"]["exit_status"]) == ("yes", 2)
    starts = []
    for name in logs:
        with headrace.open(tasks.directory / name) as log:
            starts += [log.job["start_utc_ns"] + row["start_at_ns"] for row in log.processes.to_pylist()]
    with headrace.open(tasks.directory / "job.hr") as log:
        start = log.job["start_utc_ns"]
        assert sorted(start + row["start_at_ns"] for row in log.processes.to_pylist()) == sorted(starts)
    assert tasks.collect("node0.hr", "node0.hr", "-o", "twice.hr").returncode == 125
    assert tasks.collect("node0.hr", "node1.hr", "-o", "node1.hr").returncode == 125
    assert tasks.collect("node0.hr", "node1.hr").returncode == 125


def test_a_log_and_what_was_left_make_one(tasks: Launching) -> None:
    tasks.run([COMMAND, "run", "-o", "node0.hr", *task_of(tasks, 0)])
    library = str(LIBRARY)
    tasks.run(["env", f"LD_PRELOAD={library}", *task_of(tasks, 1)])
    (left,) = tasks.spools.iterdir()
    done = tasks.collect("-o", "job.hr", left, "node0.hr")
    assert done.returncode == 0, done.stderr.decode()
    assert written(tasks) == {"own.0", "own.1"}
    assert shown(tasks.directory / "job.hr")["job"]["complete"] == "yes"


# Steps of Slurm, by the environment that it gives its tasks.


def step(
    launching: Launching, task: int, tasks: int, *command: str, number: int = 0, before: Sequence[str] = ()
) -> subprocess.Popen[bytes]:
    return launching.start(
        [*before, COMMAND, "run", "-o", "job.hr", *command],
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


def test_tasks_of_a_step_write_one_log(tasks: Launching) -> None:
    processes = [step(tasks, number, 4, *task_of(tasks, number, f"exit {number}")) for number in range(4)]
    assert [process.wait(timeout=60) for process in processes] == [0, 1, 2, 3]
    assert written(tasks) == {f"own.{number}" for number in range(4)}
    job = shown(tasks.directory / "job.hr")["job"]
    assert (job["complete"], job["exit_status"]) == ("yes", 3)
    assert step(tasks, 0, 2, *task_of(tasks, 9), number=1).wait(timeout=60) == 0
    assert written(tasks) == {"own.9"}  # of another step


def test_what_a_killed_launcher_leaves_reaches_the_log(tasks: Launching) -> None:
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
    deadline = time.monotonic() + 60
    while shown(log)["job"]["complete"] != "yes":
        assert time.monotonic() < deadline, shown(log)["job"]["complete"]
        time.sleep(0.05)
    assert written(tasks) >= {f"own.{number}" for number in range(3)}
    while list(tasks.spools.iterdir()):
        assert time.monotonic() < deadline, "litter"
        time.sleep(0.05)


def test_ranks_that_abort_behind_their_launchers_are_in_the_log(
    launching: Launching, compiled: Compiled
) -> None:
    program = compiled(launching.mpi, "c/aborts.c")
    launching.run(launching.mpirun(3, COMMAND, "run", "-o", "job.hr", program, launching.data))
    log = launching.directory / "job.hr"
    deadline = time.monotonic() + 60
    while not log.exists() or shown(log)["job"]["complete"] != "yes":
        assert time.monotonic() < deadline, log.exists() and shown(log)["job"]["complete"]
        time.sleep(0.05)
    assert written(launching) == {"own.0", "own.1", "own.2"}
    while list(launching.spools.iterdir()):
        assert time.monotonic() < deadline, "litter"
        time.sleep(0.05)


@pytest.mark.parametrize("call", ["unlinkat", "rmdir"])
def test_a_launcher_killed_while_it_tidies_leaves_nothing(tasks: Launching, call: str) -> None:
    killed = ["strace", "-qq", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL"]
    assert step(tasks, 0, 2, *task_of(tasks, 0), before=killed).wait(timeout=60) == -signal.SIGKILL
    assert step(tasks, 1, 2, *task_of(tasks, 1)).wait(timeout=60) == 0
    deadline = time.monotonic() + 60
    while list(tasks.spools.iterdir()):
        assert time.monotonic() < deadline, "litter"
        time.sleep(0.05)
    assert written(tasks) == {"own.0", "own.1"}
    assert shown(tasks.directory / "job.hr")["job"]["complete"] == "yes"


def test_a_killed_launcher_is_told_and_collected(tasks: Launching) -> None:
    go = tasks.directory / "go"
    hold = f": > {tasks.data}/ready.$SLURM_PROCID; while [ ! -e {go} ]; do sleep 0.02; done"
    processes = [step(tasks, number, 3, *task_of(tasks, number, hold)) for number in range(3)]
    while len(list(tasks.data.glob("ready.*"))) < 3:
        time.sleep(0.01)
    kill_with_keeper(processes[1].pid)
    processes[1].wait()
    go.touch()
    assert [processes[number].wait(timeout=60) for number in (0, 2)] == [0, 0]
    log = tasks.directory / "job.hr"
    complete = shown(log)["job"]["complete"]
    assert complete.startswith(
        f"no: the launcher on {socket.gethostname()} has not finished (1 of 3 launchers)"
    )
    assert complete.endswith("if it was killed, run `headrace collect` on its node")
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


def test_preloaded_ranks_have_a_log_before_anybody_collects(launching: Launching) -> None:
    """MPI_Finalize writes it; what is not in it yet is said, and for how long the ranks ran."""
    begin = time.monotonic_ns()
    assert launching.run(launching.preloaded(3)).returncode == 0
    longest = time.monotonic_ns() - begin
    (log,) = launching.logs()
    facts = shown(log)
    with headrace.open(log) as opened:
        last = max(opened.table("files")["last_close_at_ns"].to_pylist())
    assert 0 < last <= facts["job"]["run_ns"] <= longest
    assert 0 < facts["totals"]["io_share_of_process_time"] < 1
    assert [entry["ranks_in_log"] for entry in facts["parallel"]["instances"]] == [3]
    assert "headrace collect" in facts["job"]["complete"]
    assert figures(log, launching.data) == expected(3)
    assert launching.collect().returncode == 0
    assert launching.logs() == [log]
    check(launching, log, 3)
    assert last <= shown(log)["job"]["run_ns"] <= longest, "not until it was collected"


def test_one_rank_that_asks_for_the_reduction_decides_for_all(launching: Launching) -> None:
    asked, plain = ["-np", "1", *launching.app()], ["-np", "1", *launching.app()]
    if launching.mpi == "openmpi":
        asked = ["-x", "HEADRACE_REDUCE=always", "-x", f"LD_PRELOAD={LIBRARY}", *asked]
        plain = ["-x", f"LD_PRELOAD={LIBRARY}", *plain]
    else:
        asked = ["-genv", "LD_PRELOAD", str(LIBRARY), "-env", "HEADRACE_REDUCE", "always", *asked]
    done = launching.run([f"mpirun.{launching.mpi}", *asked, ":", *plain])
    assert done.returncode == 0, done.stderr.decode()
    (log,) = launching.logs()
    with headrace.open(log) as opened:
        assert {row["ranks"] for row in opened.table("shared").to_pylist()} == {2}
    assert launching.collect().returncode == 0
    assert figures(log, launching.data)[-1, "shared"] == (2, 2, 6, 20, 300)


def test_missing_ranks_are_named_until_they_are_collected(launching: Launching) -> None:
    """A log whose launchers were killed says which ranks it lacks, and what to do about it."""
    base = launching.directory
    run = " ".join([COMMAND, "run", "-o", "job.hr", *launching.app("hold")])
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    waiting = "while [ ! -e all ]; do sleep 0.05; done; exit 0"
    script = f"{run} & echo $! > pid.{rank}; wait; : > ended.{rank}; {waiting}"
    job = launching.start(launching.mpirun(3, "sh", "-c", script))
    while len(list(launching.data.glob("ready.*"))) < 3:
        time.sleep(0.01)
    for number in (0, 2):
        kill_with_keeper(int((base / f"pid.{number}").read_text()))
    launching.data.joinpath("go").touch()
    while len(list(base.glob("ended.*"))) < 3:
        time.sleep(0.01)
    (base / "all").touch()
    job.communicate(timeout=100)
    log = base / "job.hr"
    facts = shown(log)
    complete = facts["job"]["complete"]
    assert "has not finished (2 of 3 launchers); ranks 1 of 3 in the log; missing: 0, 2; if" in complete
    assert "`headrace collect`" in complete
    (gap,) = [row for row in facts["not_captured"] if row["what"] == "ranks not in the log"]
    assert (gap["amount"], gap["reason"]) == (2, f"of {launching.program.name}, which had 3: 0, 2")
    deadline = time.monotonic() + 20
    while shown(log)["job"]["complete"] != "yes" and time.monotonic() < deadline:
        time.sleep(0.1)
        launching.collect()
    check_ranks(log, 3)
    assert not [row for row in shown(log)["not_captured"] if row["what"] == "ranks not in the log"]


# The reduction, whatever launches.


def gap_reasons(log: Path, what: str) -> set[str]:
    with headrace.open(log) as opened:
        return {row["reason"] for row in opened.table("gaps").to_pylist() if row["what"] == what}


def reduced(ranks: int) -> Figures:
    """What the ranks did, with the rows of the file that they share merged."""
    own = {key: counts for key, counts in expected(ranks).items() if key[1] != "shared"}
    shared: Figures = {(-1, "shared"): (ranks, ranks, 3 * ranks, 10 * ranks, 150 * ranks)}
    return own | shared


@pytest.mark.parametrize("way", ["before mpirun", "behind mpirun"])
def test_the_reduction_is_the_same_wherever_the_launcher_stands(launching: Launching, way: str) -> None:
    run = [COMMAND, "run", "-o", "job.hr"]
    command = {
        "before mpirun": [*run, "--", *launching.mpirun(4, *launching.app())],
        "behind mpirun": launching.mpirun(4, *run, *launching.app()),
    }[way]
    done = launching.run(command, HEADRACE_REDUCE="always")
    assert done.returncode == 0, done.stderr.decode()
    log = launching.directory / "job.hr"
    assert launching.logs() == [log]
    assert figures(log, launching.data) == reduced(4)
    assert gap_reasons(log, "reduction over ranks") == set()
    facts = shown(log)
    assert (facts["job"]["complete"], facts["damage"]) == ("yes", [])
    assert [entry["ranks_in_log"] for entry in facts["parallel"]["instances"]] == [4]


def test_one_program_of_several_reduces_behind_each_launcher(launching: Launching) -> None:
    script = f"{COMMAND} run -o job.hr true; exec {COMMAND} run -o job.hr {' '.join(launching.app())}"
    done = launching.run(launching.mpirun(3, "sh", "-c", script), HEADRACE_REDUCE="always")
    assert done.returncode == 0, done.stderr.decode()
    assert figures(launching.directory / "job.hr", launching.data) == reduced(3)


def test_a_registry_of_somebody_else_is_not_used(launching: Launching) -> None:
    """Others may put anything into a directory for everybody, under any name."""
    victim = launching.directory / "victim"
    victim.write_text("text")
    names = f"for f in {launching.spools}/*/config; do sed -n s/^registry=//p $f; done"
    plant = (
        f"for name in $({names}); do ln -sf {victim} $name; done; sleep 0.3; exec {' '.join(launching.app())}"
    )
    command = launching.mpirun(2, COMMAND, "run", "-o", "job.hr", "sh", "-c", f"sleep 0.3; {plant}")
    done = launching.run(command, HEADRACE_REDUCE="always")
    assert done.returncode == 0, done.stderr.decode()
    assert victim.read_text() == "text"
    log = launching.directory / "job.hr"
    assert figures(log, launching.data) == expected(2)
    (reason,) = gap_reasons(log, "reduction over ranks")
    assert "not every rank of this node was captured" in reason


def test_why_there_was_no_reduction_is_told(launching: Launching) -> None:
    """HEADRACE_REDUCE=always is kept, or the log says what prevented it."""
    log = launching.directory / "job.hr"
    run = [COMMAND, "run", "-o", "job.hr"]
    outside = launching.mpirun(1, *run, *launching.app())
    launching.run([*outside, ":", "-np", "2", *launching.app()], HEADRACE_REDUCE="always")
    (reason,) = gap_reasons(log, "reduction over ranks")
    assert "not every rank of this node was captured" in reason
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    script = f"mkdir d{rank}; cd d{rank}; exec {COMMAND} run -o log.hr {' '.join(launching.app())}"
    launching.run(launching.mpirun(2, "sh", "-c", script), HEADRACE_REDUCE="always")
    for number in range(2):
        (reason,) = gap_reasons(launching.directory / f"d{number}" / "log.hr", "reduction over ranks")
        assert "several logs" in reason


def test_ranks_without_finalize_leave_no_registry(
    mpi: str, compiled: Compiled, tmp_path: Path, spools: Path
) -> None:
    launching = Launching(mpi, compiled(mpi, "c/endings.c"), tmp_path, spools)
    command = [COMMAND, "run", "-o", "job.hr", str(launching.program), "exit", f"{launching.data}/shared"]
    launching.run(launching.mpirun(2, *command), HEADRACE_REDUCE="always")
    deadline = time.monotonic() + 20  # MPICH kills launchers whose ranks end so
    while list(spools.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.2)
        launching.collect()
    (reason,) = gap_reasons(launching.directory / "job.hr", "reduction over ranks")
    assert "without MPI_Finalize" in reason
    assert list(spools.iterdir()) == []


def test_names_that_must_not_be_told_are_not_reduced(launching: Launching) -> None:
    command = [COMMAND, "run", "--anonymize", "-o", "job.hr", *launching.mpirun(2, *launching.app())]
    launching.run(command, HEADRACE_REDUCE="always")
    (reason,) = gap_reasons(launching.directory / "job.hr", "reduction over ranks")
    assert "use `headrace anonymize` on the log" in reason


def test_a_rank_that_lost_the_others_is_not_counted_twice(launching: Launching) -> None:
    """Its copy still has the name of one that is being reduced; the log knows that it was."""
    assert launching.run(launching.preloaded(3)).returncode == 0
    (log,) = launching.logs()
    copies = sorted(launching.spools.glob("*/*.reduced"))
    assert len(copies) == 3
    for copy in copies[1:]:
        copy.rename(copy.with_suffix(".reducing"))
    assert launching.collect().returncode == 0
    check(launching, log, 3)
    assert gap_reasons(log, "reduction over ranks") == set()


def test_stopped_ranks_lose_the_others(launching: Launching) -> None:
    """Ranks that wait in vain leave everything to the spools, whenever the others go on."""
    run = [COMMAND, "run", "-o", "job.hr", "--", *launching.mpirun(3, *launching.app("hold"))]
    job = launching.start(run, HEADRACE_REDUCE="always", HEADRACE_REDUCE_PATIENCE="1")
    while len(list(launching.data.glob("ready.*"))) < 3:
        time.sleep(0.01)
    pids = {int(path.name.partition(".")[0]) for path in launching.spools.glob("*/*.spool")}
    name = launching.program.name[:15]
    ranks = [pid for pid in pids if Path(f"/proc/{pid}/comm").read_text().strip() == name]
    assert len(ranks) == 3
    os.kill(ranks[1], signal.SIGSTOP)
    launching.data.joinpath("go").touch()
    time.sleep(4)
    os.kill(ranks[1], signal.SIGCONT)
    job.communicate(timeout=100)
    log = launching.directory / "job.hr"
    found = {key: n for key, n in figures(log, launching.data).items() if key in expected(3)}
    assert found == expected(3)
    reasons = gap_reasons(log, "reduction over ranks")
    assert any("not all ranks came" in reason for reason in reasons)
    check_ranks(log, 3)


def test_a_working_directory_that_is_gone(launching: Launching) -> None:
    """Preloaded ranks cannot begin their log there; not in the root directory either."""
    places = launching.directory / "places"
    places.mkdir()
    script = 'cd "$(mktemp -d)"; rmdir "$PWD"; exec "$@"'
    launching.program, inner = Path("sh"), [str(launching.program), str(launching.data)]
    words = launching.preloaded(2)
    command = [*words[: words.index("sh")], "sh", "-c", script, "sh", *inner]
    done = launching.run(command, TMPDIR=str(places))
    assert done.returncode == 0, done.stderr.decode()
    (log,) = places.glob("*.hr")
    (reason,) = gap_reasons(log, "working directory")
    assert str(places) in reason
    assert launching.collect().returncode == 0
    check(launching, log, 2)


def test_slurm_tells_how_many_ranks_a_node_has(launching: Launching) -> None:
    """srun sets no variable for it. Nodes are other host names and other directories of spools."""
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    script = f"""r={rank}; hostname node$((r / 2))
unset OMPI_COMM_WORLD_LOCAL_SIZE MPI_LOCALNRANKS
export SLURM_NODEID=$((r / 2)) SLURM_PROCID=$r SLURM_STEP_NUM_TASKS=4 SLURM_STEP_TASKS_PER_NODE='2(x2)'
export HEADRACE_SPOOL={launching.spools}/$(hostname); mkdir -p $HEADRACE_SPOOL
exec {COMMAND} run -o job.hr {" ".join(launching.app())}
"""
    launching.directory.joinpath("node.sh").write_text(script)
    done = launching.run(launching.mpirun(4, "unshare", "-u", "sh", "node.sh"), HEADRACE_REDUCE="always")
    assert done.returncode == 0, done.stderr.decode()
    log = launching.directory / "job.hr"
    assert gap_reasons(log, "reduction over ranks") == set()
    assert figures(log, launching.data) == reduced(4)
    for number in range(2):
        (launching.spools / f"node{number}").rmdir()


def test_a_launch_within_a_rank_of_another_mpi(launching: Launching) -> None:
    """What the outer launcher left in the environment says nothing of the ranks inside."""
    outer = {"openmpi": "mpich", "mpich": "openmpi"}[launching.mpi]
    inner = " ".join([COMMAND, "run", "-o", "job.hr", "--", *launching.mpirun(3, *launching.app())])
    done = launching.run([f"mpirun.{outer}", "-np", "1", "sh", "-c", inner], HEADRACE_REDUCE="always")
    assert done.returncode == 0, done.stderr.decode()
    log = launching.directory / "job.hr"
    assert gap_reasons(log, "reduction over ranks") == set()
    assert figures(log, launching.data) == reduced(3)
