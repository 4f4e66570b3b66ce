"""`headrace run` must look to the shell, the terminal and the command as if it were not there."""

from __future__ import annotations

import fcntl
import os
import pty
import resource
import shlex
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from launcher_tools import COMMAND, Launcher, default_signals

Facts = Callable[[Path], dict[str, Any]]


def wait_until(condition: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.01)


# ---- exit status


@pytest.mark.parametrize("status", [0, 1, 3, 77, 255])
def test_exit_status_is_the_commands(launcher: Launcher, status: int) -> None:
    assert launcher.run("run", "--", "sh", "-c", f"exit {status}").returncode == status


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGUSR1]
)
def test_dies_of_the_commands_signal(launcher: Launcher, number: int) -> None:
    assert launcher.run("run", "--", "sh", "-c", f"kill -{int(number)} $$").returncode == -number


def test_no_core_of_its_own(launcher: Launcher) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    launcher.run("run", "--", "sh", "-c", "kill -QUIT $$")
    assert not list(launcher.directory.glob("core*"))


def test_unknown_command(launcher: Launcher) -> None:
    done = launcher.run("run", "no-such-command")
    assert (done.returncode, done.stderr) == (127, b"headrace: no-such-command: command not found\n")
    done = launcher.run("run", "./no/such")
    assert (done.returncode, done.stderr) == (127, b"headrace: ./no/such: No such file or directory\n")
    assert launcher.logs() == []


def test_command_that_cannot_be_run(launcher: Launcher) -> None:
    plain = launcher.directory / "plain"
    plain.write_text("not executable")
    done = launcher.run("run", "./plain")
    assert (done.returncode, done.stderr) == (126, b"headrace: ./plain: Permission denied\n")
    assert launcher.run("run", "/").returncode == 126
    broken = launcher.directory / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    done = launcher.run("run", "./broken")
    assert done.returncode == 126
    assert b"interpreter" in done.stderr
    assert launcher.logs() == []


def test_text_without_interpreter_line_is_run_by_the_shell(launcher: Launcher) -> None:
    script = launcher.directory / "script"
    script.write_text("echo $1; exit 4\n")
    script.chmod(0o755)
    done = launcher.run("run", "./script", "word")
    assert (done.returncode, done.stdout) == (4, b"word\n")


def test_mistakes_in_options(launcher: Launcher) -> None:
    for arguments in [
        ["--no-such", "true"],
        [],
        ["--memory", "4X", "true"],
        ["--config", "/missing", "true"],
    ]:
        done = launcher.run("run", *arguments)
        assert done.returncode == 125, arguments
        assert done.stderr.startswith(b"headrace: "), arguments
    assert launcher.logs() == []


def test_mistakes_say_what_to_do(launcher: Launcher) -> None:
    for arguments, words in [
        (["--config", "/nonexistent"], "--config /nonexistent: No such file or directory; give"),
        (["--memory", "100T"], "--memory: a process can have at most 4095M"),
        (["--memory", "1"], "--memory: a process can have at least 128K"),
        (["-o", "-"], "-o -: a log cannot go to stdout"),
        (["-o", ""], "-o needs the name of a file"),
    ]:
        done = launcher.run("run", *arguments, "true")
        assert (done.returncode, done.stdout) == (125, b""), arguments
        assert words in done.stderr.decode()


@pytest.mark.parametrize("command", ["run", "collect"])
def test_help_fits_a_terminal(launcher: Launcher, command: str) -> None:
    done = launcher.run(command, "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert max(map(len, done.stdout.decode().splitlines())) < 80
    assert b"a log that is there is kept as FILE.old" in done.stdout
    assert b"125" in done.stdout


# ---- what the command sees


def test_streams_are_untouched(capturing: Launcher) -> None:
    done = capturing.run("run", "--", "sh", "-c", "cat; echo error >&2", input=b"in and out")
    assert (done.stdout, done.stderr) == (b"in and out", b"error\n")


def test_closed_streams_stay_closed(launcher: Launcher, facts: Facts) -> None:
    count = "sum(1 << fd for fd in range(3) if not os.path.exists(f'/proc/self/fd/{fd}'))"
    script = f"import os, sys; sys.exit({count})"
    launcher.environment["HEADRACE_LIBRARY"] = (
        "/no/such/library.so"  # so that there is a message to go astray
    )
    for closed, missing in [("0<&-", 1), ("1>&-", 2), ("2>&-", 4), ("0<&- 1>&- 2>&-", 7)]:
        line = f'exec "{COMMAND}" run -o a.hr -- "{sys.executable}" -c "{script}" {closed}'
        done = subprocess.run(
            ["sh", "-c", line],
            env=launcher.environment,
            cwd=launcher.directory,
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == missing, closed
        assert facts(launcher.directory / "a.hr")["exit_status"] == missing
        assert done.stdout == b""


def test_no_descriptor_leaks(launcher: Launcher) -> None:
    bare = subprocess.run(["ls", "/proc/self/fd"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    done = launcher.run("run", "--", "ls", "/proc/self/fd", stdin=subprocess.DEVNULL)
    assert done.stdout == bare.stdout


def test_signal_mask_and_dispositions_are_inherited(launcher: Launcher) -> None:
    show = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status"

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    bare = subprocess.run(["sh", "-c", f"exec {show}"], capture_output=True, preexec_fn=prepare, check=True)
    done = launcher.run("run", "--", "sh", "-c", f"exec {show}", preexec_fn=prepare)
    assert done.stdout == bare.stdout


def test_environment_has_only_the_additions(launcher: Launcher) -> None:
    done = launcher.run("run", "--", "env", "-0")
    seen = dict(entry.split("=", 1) for entry in done.stdout.decode().split("\0") if entry)
    assert seen.pop("LD_PRELOAD") == launcher.environment["HEADRACE_LIBRARY"]
    assert seen.pop("HEADRACE_JOB").startswith("/")
    assert Path(seen.pop("HEADRACE_LOG")).parent == launcher.directory
    assert abs(int(seen.pop("HEADRACE_START")) / 1e9 - time.time()) < 60
    assert seen.pop("HEADRACE_JOB_ID").endswith(f"@{os.uname().nodename}")
    assert seen.pop("HEADRACE_FILLER") == "1", "the number of additions is even"
    assert seen.keys() == launcher.environment.keys()


def test_preloads_of_the_user_stay(launcher: Launcher, idle_library: Path) -> None:
    other = launcher.directory / "other.so"
    other.write_bytes(idle_library.read_bytes())
    launcher.environment["LD_PRELOAD"] = str(other)
    done = launcher.run("run", "--", "sh", "-c", 'echo "$LD_PRELOAD"')
    assert done.stdout.decode().strip() == f"{idle_library}:{other}"


def test_off(launcher: Launcher) -> None:
    launcher.environment["HEADRACE"] = "off"
    done = launcher.run("run", "--", "sh", "-c", 'echo "$LD_PRELOAD$HEADRACE_JOB"; exit 5')
    assert (done.returncode, done.stdout, done.stderr) == (5, b"\n", b"")
    assert launcher.logs() == []


# ---- signals and job control


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT]
)
def test_signals_reach_the_command(launcher: Launcher, number: signal.Signals) -> None:
    ready = launcher.directory / "ready"
    name = number.name[3:]
    script = f"trap 'echo got; exit 9' {name}; : > {ready}; while :; do sleep 0.02; done"
    process = launcher.start("run", "--", "sh", "-c", script, stdout=subprocess.PIPE)
    wait_until(ready.exists)
    process.send_signal(number)
    output, _ = process.communicate(timeout=30)
    assert (process.returncode, output) == (9, b"got\n")


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_stops_and_continues_with_the_command(launcher: Launcher) -> None:
    told = launcher.directory / "pid"
    process = launcher.start("run", "--", "sh", "-c", f"echo $$ > {told}; sleep 0.3; kill -TSTP $$; exit 6")
    wait_until(lambda: state_of(process.pid) == "T")
    child = int(told.read_text())
    assert state_of(child) == "T"
    os.kill(child, signal.SIGCONT)
    os.kill(process.pid, signal.SIGCONT)
    assert process.wait(timeout=30) == 6


def test_a_command_that_is_stopped_alone_can_go_on_alone(launcher: Launcher) -> None:
    done = launcher.run("run", "--", "sh", "-c", "(sleep 0.3; kill -CONT $$) & kill -STOP $$; wait; exit 6")
    assert done.returncode == 6


def test_a_pipe_among_the_notes_keeps_nobody_waiting(launcher: Launcher) -> None:
    job = f'for d in {launcher.spools}/headrace-*; do mkfifo "$d/1.ff.static.note"; done'
    done = launcher.run("run", "--", "sh", "-c", job)
    assert done.returncode == 0


def test_stop_signal_is_forwarded(launcher: Launcher) -> None:
    told = launcher.directory / "pid"
    process = launcher.start("run", "--", "sh", "-c", f"echo $$ > {told}; while :; do sleep 0.02; done")
    wait_until(lambda: told.exists() and told.read_text().endswith("\n"))
    process.send_signal(signal.SIGTSTP)
    wait_until(lambda: state_of(process.pid) == "T" and state_of(int(told.read_text())) == "T")
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: state_of(int(told.read_text())) != "T")
    process.terminate()
    assert process.wait(timeout=30) == -signal.SIGTERM


def on_terminal(launcher: Launcher, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    master, slave = pty.openpty()

    def own_terminal() -> None:
        os.setsid()
        default_signals()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = launcher.start(*arguments, stdin=slave, stdout=slave, stderr=slave, preexec_fn=own_terminal)
    os.close(slave)
    return process, master


def read_all(master: int) -> bytes:
    output = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:
            return output
        if not part:
            return output
        output += part


def test_interrupt_from_the_terminal_comes_once(launcher: Launcher) -> None:
    counts = launcher.directory / "counts"
    script = f"trap 'echo x >> {counts}' INT; echo ready; sleep 1; sleep 0.5; exit 8"
    process, master = on_terminal(launcher, "run", "--quiet", "--", "sh", "-c", script)
    assert b"ready" in os.read(master, 4096)
    os.write(master, b"\x03")
    read_all(master)
    assert process.wait(timeout=30) == 8
    assert counts.read_text() == "x\n"
    os.close(master)


def test_says_where_the_log_is_on_a_terminal_only(capturing: Launcher) -> None:
    process, master = on_terminal(capturing, "run", "-o", "mine.hr", "--", "true")
    output = read_all(master)
    assert process.wait(timeout=30) == 0
    assert b"headrace show " in output
    assert b"mine.hr" in output
    os.close(master)
    done = capturing.run("run", "-o", "mine.hr", "--", "true")
    assert (done.stdout, done.stderr) == (b"", b"")
    process, master = on_terminal(capturing, "run", "--quiet", "--", "true")
    assert read_all(master) == b""
    process.wait(timeout=30)
    os.close(master)


# ---- the log


def test_log_has_the_facts_of_the_job(capturing: Launcher, facts: Facts) -> None:
    capturing.run("run", "-o", "a.hr", "--memory", "8M", "--exclude", "/x", "--", "sh", "-c", "exit 3")
    job = facts(capturing.directory / "a.hr")
    assert job["command"] == ["sh", "-c", "exit 3"]
    assert job["exit_status"] == 3
    assert job["complete"] == "yes"
    assert job["memory"] == "8388608"
    assert job["working_directory"] == str(capturing.directory)
    assert job["start_utc_ns"] <= job["end_utc_ns"]
    assert job["host"] == os.uname().nodename


def test_default_name_tells_command_and_time(launcher: Launcher) -> None:
    launcher.run("run", "/bin/true")
    (log,) = launcher.logs()
    assert log.name.startswith("headrace-true-20")


def test_other_peoples_files_are_not_replaced(launcher: Launcher) -> None:
    mine = launcher.directory / "results.csv"
    mine.write_text("1,2,3\n")
    done = launcher.run("run", "-o", mine, "--", "true")
    assert done.returncode == 125
    assert b"no Headrace log" in done.stderr
    assert mine.read_text() == "1,2,3\n"


def test_a_log_that_is_there_is_kept(launcher: Launcher, facts: Facts) -> None:
    for status in (1, 2, 3):
        launcher.run("run", "-o", "a.hr", "--", "sh", "-c", f"exit {status}")
    assert facts(launcher.directory / "a.hr")["exit_status"] == 3
    assert facts(launcher.directory / "a.hr.old")["exit_status"] == 2
    mine = launcher.directory / "b.hr.old"
    mine.write_text("notes\n")
    assert launcher.run("run", "-o", "b.hr", "true").returncode == 0
    done = launcher.run("run", "-o", "b.hr", "true")
    assert done.returncode == 125
    assert b"b.hr.old, where the log b.hr would be kept, exists and is no Headrace log" in done.stderr
    assert mine.read_text() == "notes\n"


def test_unwritable_log_goes_elsewhere(launcher: Launcher, facts: Facts) -> None:
    other = launcher.directory / "other"
    other.mkdir()
    launcher.environment["TMPDIR"] = str(other)
    done = launcher.run("run", "-o", "missing/a.hr", "--", "sh", "-c", "echo runs >&2; exit 2")
    assert done.returncode == 2
    early, _, late = done.stderr.decode().partition("runs\n")
    assert "missing/a.hr: the log cannot be written here: No such file or directory" in early
    assert str(other / "a.hr") in late
    assert facts(other / "a.hr")["exit_status"] == 2


def test_site_configuration(launcher: Launcher, facts: Facts) -> None:
    (launcher.directory / "site.conf").write_text("# ours\nmemory = 1M\n")
    launcher.run("run", "-o", "a.hr", "true")
    assert facts(launcher.directory / "a.hr")["memory"] == "1048576"
    (launcher.directory / "site.conf").write_text("\nmemory=much\n")
    done = launcher.run("run", "true")
    assert done.returncode == 125
    assert b"site.conf:2:" in done.stderr


# ---- when capture cannot be


def test_without_library_the_command_runs(launcher: Launcher, facts: Facts) -> None:
    launcher.environment["HEADRACE_LIBRARY"] = "/no/such/library.so"
    done = launcher.run("run", "-o", "a.hr", "--", "sh", "-c", "echo out; exit 4")
    assert (done.returncode, done.stdout) == (4, b"out\n")
    assert b"nothing was captured" in done.stderr
    job = facts(launcher.directory / "a.hr")
    assert job["complete"].startswith("no: nothing was captured: /no/such/library.so")


def test_a_command_that_cannot_be_loaded_is_said(launcher: Launcher, facts: Facts) -> None:
    here = launcher.directory
    (here / "part.c").write_text("int part(void) { return 0; }\n")
    (here / "main.c").write_text("int part(void);\nint main(void) { return part(); }\n")
    subprocess.run(["cc", "-shared", "-o", "libpart.so", "part.c"], cwd=here, check=True)
    subprocess.run(["cc", "-o", "needy", "main.c", "-L.", "-lpart"], cwd=here, check=True)
    (here / "libpart.so").unlink()
    done = launcher.run("run", "-o", "a.hr", "./needy")
    assert done.returncode == 127
    assert b"nothing was captured: the command ended before its capture began" in done.stderr
    assert facts(here / "a.hr")["complete"].startswith("no: nothing was captured: the command ended")


def test_static_command_is_said(launcher: Launcher) -> None:
    import headrace

    source = launcher.directory / "static.c"
    source.write_text("int main(void) { return 5; }\n")
    subprocess.run(["cc", "-static", "-o", str(launcher.directory / "static"), str(source)], check=True)
    assert launcher.run("run", "-o", "a.hr", "./static").returncode == 5
    with headrace.open(launcher.directory / "a.hr") as log:
        (row,) = log.processes.to_pylist()
    assert row["captured"] == 0
    assert row["reason"].startswith("static: ")


# ---- processes that live on


def test_what_ends_right_after_the_command_is_in_its_log(capturing: Launcher, facts: Facts) -> None:
    """At the other end of a pipe, as of a shell's coproc: it ends because the command did."""
    import headrace

    late = capturing.directory / "late"
    script = f"mkfifo pipe; (read line; sleep 0.1; echo $line > {late}) < pipe & exec 3> pipe; echo late >&3"
    assert capturing.run("run", "-o", "a.hr", "--", "sh", "-c", script).returncode == 0
    assert capturing.jobs() == [], "litter"
    assert facts(capturing.directory / "a.hr")["complete"] == "yes"
    with headrace.open(capturing.directory / "a.hr") as log:
        rows = [row for row in log.files.to_pylist() if row["path"] == str(late)]
    assert sum(row["bytes_written"] for row in rows) == 5


@pytest.mark.alone
def test_daemon_is_not_waited_for(capturing: Launcher, facts: Facts) -> None:
    begin = time.monotonic()
    script = "setsid sleep 1 >/dev/null 2>&1 & while ! grep -q ^sleep /proc/$!/comm; do :; done"
    assert capturing.run("run", "-o", "a.hr", "--", "sh", "-c", script).returncode == 0
    assert time.monotonic() - begin < 0.5
    wait_until(lambda: facts(capturing.directory / "a.hr")["complete"] == "yes")
    wait_until(lambda: capturing.jobs() == [])


def test_daemon_is_followed_until_it_ends(capturing: Launcher, facts: Facts) -> None:
    import headrace

    late = capturing.directory / "late"
    go = capturing.directory / "go"
    script = f"(while [ ! -e {go} ]; do sleep 0.1; done; echo late > {late}) >/dev/null 2>&1 & exit 0"
    done = capturing.run("run", "-o", "a.hr", "--", "sh", "-c", script)
    assert done.returncode == 0, "the launcher does not wait until it may go on"
    job = facts(capturing.directory / "a.hr")
    assert job["complete"].endswith("still running")
    go.touch()
    wait_until(lambda: facts(capturing.directory / "a.hr")["complete"] == "yes")
    with headrace.open(capturing.directory / "a.hr") as log:
        rows = [row for row in log.files.to_pylist() if row["path"] == str(late)]
        last_end = max(row["end_at_ns"] for row in log.processes.to_pylist())
        assert log.job["end_utc_ns"] == log.job["start_utc_ns"] + last_end, "its end, not when it was seen"
    assert sum(row["bytes_written"] for row in rows) == 5
    wait_until(lambda: capturing.jobs() == [])


def test_process_of_another_pid_namespace_is_waited_for(capturing: Launcher, facts: Facts) -> None:
    """It calls itself 1, which outside is another process that never ends."""
    probe = subprocess.run(["unshare", "--pid", "--fork", "true"], check=False, capture_output=True)
    if probe.returncode != 0:
        pytest.skip("this machine lets nobody make a pid namespace (unshare --pid)")
    program = (
        "import ctypes, os, time\n"
        "assert ctypes.CDLL(None).unshare(0x20000000) == 0  # CLONE_NEWPID\n"
        "if os.fork() == 0: time.sleep(0.1); open('late', 'w').write('late')"
    )
    done = capturing.run("run", "-o", "a.hr", "--", sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr
    assert facts(capturing.directory / "a.hr")["complete"] == "yes"
    assert capturing.jobs() == []


def test_killed_launcher_leaves_its_records_for_collect(capturing: Launcher, facts: Facts) -> None:
    import headrace

    ready, data = capturing.directory / "ready", capturing.directory / "data"
    script = f"echo some data > {data}; : > {ready}; exec sleep 0.5"
    process = capturing.start("run", "-o", "a.hr", "--", "sh", "-c", script)
    wait_until(ready.exists)
    process.kill()
    process.wait()
    (directory,) = capturing.jobs()
    time.sleep(1)
    done = capturing.run("collect", "-o", "b.hr", directory)
    assert done.returncode == 0, done.stderr
    assert not directory.exists()
    with headrace.open(capturing.directory / "b.hr") as log:
        assert log.job["command"] == ["sh", "-c", script]
        rows = [row for row in log.files.to_pylist() if row["path"] == str(data)]
    assert sum(row["bytes_written"] for row in rows) == 10


def test_own_commands_are_left_out_by_name(capturing: Launcher) -> None:
    """They are static: of what they start nothing is captured, and the log says so."""
    import headrace

    inner = [COMMAND, "run", "-q", "-o", "inner.hr", "--", "sh", "-c", "echo text > file"]
    done = capturing.run("run", "-q", "-o", "outer.hr", "--", "sh", "-c", f"{shlex.join(inner)}; true")
    assert done.returncode == 0, done.stderr
    with headrace.open(capturing.directory / "inner.hr") as log:
        assert any(row["bytes_written"] == 5 for row in log.files.to_pylist())
    with headrace.open(capturing.directory / "outer.hr") as log:
        rows = {row["executable"]: row for row in log.processes.to_pylist()}
        assert not any(row["path"].endswith("/file") for row in log.files.to_pylist())
    own = next(row for name, row in rows.items() if name.endswith("/headrace"))
    assert not own["captured"] and "static" in own["reason"]


def test_collect_completes_the_log_that_the_launcher_began(capturing: Launcher) -> None:
    import headrace

    log_path, ready = capturing.directory / "a.hr", capturing.directory / "ready"
    script = f"for i in $(seq 150); do /bin/true; done; : > {ready}; exec sleep 0.3"
    process = capturing.start("run", "-o", "a.hr", "--", "sh", "-c", script)
    wait_until(lambda: ready.exists() and log_path.exists() and log_path.stat().st_size > 0)
    process.kill()
    process.wait()
    (directory,) = capturing.jobs()
    time.sleep(0.8)
    assert capturing.run("collect", directory).returncode == 0
    assert capturing.logs() == [log_path]
    with headrace.open(log_path) as log:
        assert log.job["complete"] == "yes"
        rows = log.processes.to_pylist()
    assert len(rows) == len({row["process"] for row in rows}), "no process twice"
    trues = [row for row in rows if row["executable"].endswith("/true")]
    assert len(trues) == 150
    shell = next(row for row in rows if row["parent"] == 0)
    assert {row["ended"] for row in trues} == {"exit"}
    assert shell["ended"] == "exec"


def test_many_short_processes(capturing: Launcher) -> None:
    import headrace

    script = "i=0; while [ $i -lt 3000 ]; do /bin/true; i=$((i+1)); done"
    process = capturing.start("run", "-o", "a.hr", "--", "sh", "-c", script)
    most = 0
    while process.poll() is None:
        for directory in capturing.jobs():
            most = max(most, sum(1 for _ in directory.glob("*.spool")))
        time.sleep(0.02)
    assert process.returncode == 0
    assert most < 1000, "spools are harvested while the job runs"
    with headrace.open(capturing.directory / "a.hr") as log:
        trues = [row for row in log.processes.to_pylist() if row["executable"].endswith("/true")]
    assert len({row["process"] for row in trues}) == 3000
    assert (capturing.directory / "a.hr").stat().st_size < 3_000_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_full_disk_moves_the_whole_log(capturing: Launcher, small_disk: Path) -> None:
    import headrace

    other = capturing.directory / "other"
    other.mkdir()
    capturing.environment["TMPDIR"] = str(other)
    # Names that do not compress, so that the log outgrows the disk half-way.
    script = (
        "for i in $(seq 400); do : > /tmp/headrace-test-$(od -An -N24 -tx1 /dev/urandom | tr -d ' '); done"
    )
    done = capturing.run("run", "-o", small_disk / "a.hr", "--", "sh", "-c", script)
    for path in Path("/tmp").glob("headrace-test-*"):
        path.unlink()
    assert done.returncode == 0
    assert b"No space" in done.stderr, done.stderr
    assert list(small_disk.iterdir()) == []
    with headrace.open(other / "a.hr") as log:
        assert log.job["complete"] == "yes"
        assert log.native.damage() == []
        assert sum("headrace-test-" in row["path"] for row in log.files.to_pylist()) >= 400


def test_full_spool_directory_is_not_used(capturing: Launcher, small_disk: Path, facts: Facts) -> None:
    capturing.environment["HEADRACE_SPOOL"] = str(small_disk)
    done = capturing.run("run", "-o", "a.hr", "--", "true")
    assert done.returncode == 0
    assert b"less than 4 MiB are free" in done.stderr
    job = facts(capturing.directory / "a.hr")
    assert "less than 4 MiB" in job["spool_refused"]
    assert not job["spool_directory"].startswith(str(small_disk))


@pytest.mark.parametrize("place", ["/nonexistent", "/dev/null", "/proc/self"])
def test_spool_that_was_asked_for_must_do(launcher: Launcher, place: str) -> None:
    done = launcher.run("run", "-o", "a.hr", "--spool", place, "--", "sh", "-c", "echo ran")
    assert (done.returncode, done.stdout) == (125, b"")
    assert done.stderr.startswith(f"headrace: --spool {place}: ".encode())
    assert launcher.logs() == []


def test_spool_of_the_environment_is_only_warned_of(launcher: Launcher, facts: Facts) -> None:
    launcher.environment["HEADRACE_SPOOL"] = "/nonexistent"
    done = launcher.run("run", "-o", "a.hr", "--", "sh", "-c", "exit 3")
    assert done.returncode == 3
    assert b"/nonexistent: No such file or directory; records are kept in /" in done.stderr
    assert facts(launcher.directory / "a.hr")["spool_refused"].startswith("/nonexistent: ")


def test_few_descriptors(capturing: Launcher, facts: Facts) -> None:
    done = capturing.run("run", "-o", "a.hr", "--", "sh", "-c", "exit 3", preexec_fn=limit_descriptors)
    assert (done.returncode, done.stderr) == (3, b"")
    assert facts(capturing.directory / "a.hr")["complete"] == "yes"


def limit_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))


def test_collect_leaves_running_processes_alone(capturing: Launcher, facts: Facts) -> None:
    library = Path(COMMAND).parent.parent / "lib" / "headrace" / "libheadrace.so"
    environment = {**capturing.environment, "HEADRACE_SPOOL": str(capturing.directory)}
    process = subprocess.Popen(
        ["sh", "-c", "echo x > one; read line; echo y > two"],
        env={**environment, "LD_PRELOAD": str(library)},
        cwd=capturing.directory,
        stdin=subprocess.PIPE,
    )
    wait_until((capturing.directory / "one").exists)
    done = capturing.run("collect", env=environment)
    assert (done.returncode, capturing.logs()) == (0, [])
    assert b"still running" in done.stderr
    process.communicate(b"\n", timeout=30)
    assert capturing.run("collect", "-o", "c.hr", env=environment).returncode == 0
    assert facts(capturing.directory / "c.hr")["complete"] == "yes"
    assert list(capturing.directory.glob("headrace-*/*.spool")) == []
    assert b"nothing to collect" in capturing.run("collect", env=environment).stderr
