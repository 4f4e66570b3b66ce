"""`headrace forward up`: one command has servers of its own, and nothing of them is left."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import headrace
import pytest
from forward_tools import NATIVE
from up_tools import Place, clean_place

WRITE = "import os, sys; [open(f'/fwd/{i}', 'wb').write(bytes([i]) * 100_000) for i in range(20)]"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with clean_place(tmp_path) as place:
        yield place


def test_a_command_has_servers_and_its_own_exit_status(place: Place) -> None:
    done = place.run("--servers", "3", "--", sys.executable, "-c", WRITE + "; sys.exit(7)")
    assert done.returncode == 7, done.stderr
    assert all((place.root / str(i)).read_bytes() == bytes([i]) * 100_000 for i in range(20))
    report = json.loads(place.report.read_text())
    assert len(report["servers"]) == 3
    assert sum(server["bytes_written"] for server in report["servers"]) == 2_000_000
    assert sum(server["bytes_written"] > 0 for server in report["servers"]) > 1
    assert (report["all_stored"], report["exit_status"]) == (True, 7)
    assert "3 servers: " in done.stderr
    assert "1.91 MiB written" in done.stderr


def test_what_the_command_does_not_close_is_stored(place: Place) -> None:
    done = place.run(
        "--quiet",
        "--",
        sys.executable,
        "-c",
        "import os; f = open('/fwd/a', 'wb', 0); f.write(b'x' * 99); os._exit(0)",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (place.root / "a").read_bytes() == b"x" * 99


def test_options_of_run_are_handed_on(place: Place) -> None:
    assert place.run("--trace", "--capture=all", "--", "true").returncode == 0
    assert (place.directory / "job.hr").is_file()
    wrong = place.run("--no-such-option", "--", "true")
    assert wrong.returncode == 125
    assert "as an option of `headrace run`: unknown option --no-such-option" in wrong.stderr
    assert "server:" not in wrong.stderr
    assert place.run("--root", place.root / "missing", "--", "true").returncode == 125


def test_mistakes_are_told_by_the_options_that_were_given(place: Place) -> None:
    for words, why in (
        (["--server-memory", "1M"], "forward: --server-memory: less than 16M"),
        (["--server-memory=much"], "forward: --server-memory: "),
        (["--server-config", "/none"], "forward: --server-config: /none"),
        (["--stripe-size", "5"], "forward: --stripe-size is a multiple"),
        (["--report", "/none/at/all"], "--report /none/at/all: cannot be written: No such file"),
        (["--report", str(place.root)], "Is a directory"),
    ):
        done = place.run(*words, "--", "touch", "/fwd/ran")
        assert (done.returncode, why in done.stderr) == (125, True), done.stderr
        assert not (place.root / "ran").exists()
    assert not place.report.exists()


def test_names_that_are_looked_for_are_no_failures(place: Place) -> None:
    done = place.run("--", "sh", "-c", "test -e /fwd/a; test -e /fwd/b; echo word > /fwd/c; rmdir /fwd/c")
    assert done.returncode == 1 and "calls (1 failed), 5 B written, 0 B read" in done.stderr
    (server,) = json.loads(place.report.read_text())["servers"]
    assert server["failed_calls"] == 1 and server["not_found"] >= 2


def test_sockets_are_private(place: Place) -> None:
    done = place.run("--", "sh", "-c", "stat -c '%a' $TMPDIR/headrace-forward-* $TMPDIR/headrace-forward-*/0")
    assert done.stdout.split() == ["700", "600"], done.stderr


def test_data_that_nobody_was_told_of_fails_a_command_that_succeeded(place: Place) -> None:
    text = "import os; f = open('/fwd/a', 'wb', 0); f.write(b'x' * 9999); os._exit(0)"
    done = place.run("--server-trial", "fail-after=0,error=28", "--", sys.executable, "-c", text)
    assert done.returncode == 1, done.stderr
    assert not json.loads(place.report.read_text())["all_stored"]
    assert "No space left" in done.stderr


def test_data_that_a_shell_did_not_miss_fails_the_command(place: Place) -> None:
    words = ["--server-trial", "fail-after=0,error=28", "--", "sh", "-c", "echo hello > /fwd/a; echo fine"]
    done = place.run(*words)
    assert (done.returncode, done.stdout) == (1, "fine\n"), done.stderr
    assert "/fwd/a could not be stored: No space left on device" in done.stderr
    assert "6 bytes of the command could not be stored" in done.stderr


def test_a_signal_reaches_the_command(place: Place) -> None:
    started = place.start("--", "sh", "-c", "sleep 60 & trap 'kill $!; exit 9' TERM; echo started; wait")
    assert started.stdout is not None
    assert started.stdout.readline() == "started\n"
    started.send_signal(signal.SIGTERM)
    started.communicate(timeout=30)
    assert started.returncode == 9


def test_a_command_that_dies_of_a_signal(place: Place) -> None:
    assert place.run("--", "sh", "-c", "kill -9 $$").returncode == -signal.SIGKILL


def test_a_kill_ends_servers_and_command(place: Place) -> None:
    text = "import time; f = open('/fwd/a', 'wb', 0); f.write(b'kept'); print('written', flush=True)"
    started = place.start("--servers", "2", "--", sys.executable, "-c", text + "; time.sleep(60)")
    assert started.stdout is not None
    assert started.stdout.readline() == "written\n"
    assert len(place.servers()) >= 2
    started.kill()
    started.communicate(timeout=30)
    place.await_nothing_left()
    assert (place.root / "a").read_bytes() == b"kept"


def kill_first_server(place: Place) -> None:
    for server in place.servers():
        try:
            words = Path(f"/proc/{server}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # it ended meanwhile
        if words[1] == b"serve" and words[3].endswith(b"/0"):
            os.kill(server, signal.SIGKILL)


def has_ended(process: int) -> bool:
    """Whether or not somebody has asked how."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_command_whose_server_is_killed_is_ended(place: Place) -> None:
    text = "; ".join(
        [
            "import os, subprocess",
            "[open(f'/fwd/{i}', 'w').write('x') for i in range(20)]",
            "waits = subprocess.Popen(['sleep', '600'])",
            "print(waits.pid, flush=True)",
            "waits.wait()",
        ]
    )
    started = place.start("--servers", "2", "--", sys.executable, "-c", text)
    assert started.stdout is not None
    child = int(started.stdout.readline())
    kill_first_server(place)
    _, errors = started.communicate(timeout=60)
    assert started.returncode in (-signal.SIGTERM, 1), errors
    assert "server 1 was killed" in errors
    assert "the command is ended" in errors
    assert "1 of 2 servers: " in errors
    assert has_ended(child)
    report = json.loads(place.report.read_text())
    died, survivor = report["servers"]
    assert died == {"died": "was killed: Killed"}
    assert survivor["calls"] > 0 and survivor["bytes_written"] > 0
    assert not report["all_stored"]
    assert report["exit_status"] != 0
    assert (place.directory / "job.hr").is_file()


def test_a_server_that_ends_in_order_has_lost_nothing(place: Place) -> None:
    started = place.start("--", "sh", "-c", "echo kept > /fwd/a; sleep 60 & echo started; wait")
    assert started.stdout is not None
    assert started.stdout.readline() == "started\n"
    for server in place.servers():
        if Path(f"/proc/{server}/cmdline").read_bytes().split(b"\0")[1] == b"serve":
            os.kill(server, signal.SIGTERM)
    _, errors = started.communicate(timeout=30)
    assert "server 1 ended with 0" in errors and "it has stored what it held" in errors
    assert "lost" not in errors, errors
    assert (place.root / "a").read_text() == "kept\n"
    assert json.loads(place.report.read_text())["all_stored"] is True


def test_options_of_run_that_are_about_forwarding(place: Place) -> None:
    done = place.run("--forward-timeout=10", "--", "touch", "/fwd/a")
    assert done.returncode == 0, done.stderr
    assert (place.root / "a").exists()


def test_the_log_and_its_trace_below_the_prefix(place: Place) -> None:
    words = ["-o", "/fwd/job.hr", "--trace=posix", "--", "sh", "-c", "echo hello > /fwd/a"]
    done = place.run(*words)
    assert done.returncode == 0 and "cannot" not in done.stderr, done.stderr
    assert sorted(path.name for path in place.root.iterdir()) == ["a", "job.hr", "job.trace.hr"]
    log = headrace.open(place.root / "job.hr")
    assert "/fwd/a" in log.files.column("path").to_pylist()


def test_files_are_on_the_servers_and_not_on_the_root_file_system(place: Place) -> None:
    place.run("--", "sh", "-c", "echo hello > /fwd/a")
    words = [NATIVE, "show", "--json", place.directory / "job.hr"]
    shown = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
    mounts = {mount["point"]: mount for mount in json.loads(shown)["mounts"]}
    assert (mounts["/fwd"]["type"], mounts["/fwd"]["source"]) == ("headrace", str(place.root))
    assert mounts["/fwd"]["bytes_written"] == 6


def test_a_command_that_does_not_end_when_its_server_is_killed(place: Place) -> None:
    handler = "signal.signal(signal.SIGTERM, lambda *_: print('told', flush=True))"
    text = f"import signal, time; {handler}; print('started', flush=True)\nwhile True: time.sleep(600)"
    started = place.start("--", sys.executable, "-c", text)
    assert started.stdout is not None
    assert started.stdout.readline() == "started\n"
    kill_first_server(place)
    out, errors = started.communicate(timeout=60)
    assert out == "told\n"
    assert started.returncode == -signal.SIGKILL, errors
    assert json.loads(place.report.read_text())["servers"] == [{"died": "was killed: Killed"}]


def test_a_command_that_ends_well_when_its_server_is_killed_fails(place: Place) -> None:
    started = place.start("--", "sh", "-c", "sleep 60 & trap 'kill $!; exit 0' TERM; echo started; wait")
    assert started.stdout is not None
    assert started.stdout.readline() == "started\n"
    kill_first_server(place)
    _, errors = started.communicate(timeout=30)
    assert started.returncode == 1
    assert "server 1 was killed" in errors


def test_a_server_that_says_nothing_is_not_taken_for_one_that_stored_all(place: Place) -> None:
    """It is stopped while its figures are asked for; after that it is asked to end, and goes on."""
    program = place.directory / "stops.py"
    program.write_text(f"""
import os, pathlib, signal, time
def is_server(process):
    try:
        words = (process / "cmdline").read_bytes()
    except OSError:  # it has ended
        return False
    return b"serve\\0" in words and b"{place.root}" in words
server, = [int(each.name) for each in pathlib.Path("/proc").glob("[0-9]*") if is_server(each)]
def is_asked_to_end():
    status = pathlib.Path(f"/proc/{{server}}/status").read_text()
    pending = int(status.partition("ShdPnd:")[2].split()[0], 16)
    return pending >> (signal.SIGTERM - 1) & 1
os.kill(server, signal.SIGSTOP)
print("stopped", flush=True)
if os.fork() == 0:
    os.setsid()
    for standard in range(3): os.close(standard)
    deadline = time.monotonic() + 50
    while not is_asked_to_end() and time.monotonic() < deadline: time.sleep(0.01)
    os.kill(server, signal.SIGCONT)
""")
    done = place.run("--servers", "1", "--", "env", "-u", "LD_PRELOAD", sys.executable, program)
    assert (done.returncode, done.stdout) == (1, "stopped\n"), done.stderr
    report = json.loads(place.report.read_text())
    assert list(report["servers"][0]) == ["unknown"] and report["all_stored"] is False
    place.await_nothing_left()


def test_forwarding_does_not_end_without_a_word(place: Place) -> None:
    inner = [NATIVE, "run", "--", "touch", "/fwd/a"]
    done = place.run("--servers", "1", "--", "sh", "-c", shlex.join(map(str, inner)))
    assert done.returncode == 125
    assert "run the program itself under --forward" in done.stderr
