"""`headrace forward up --launcher`: servers that something else starts, on other nodes of a job."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from up_tools import Place, clean_place

TWO = 'sh -c \'"$@" & "$@" & wait\' sh'  # processes that something starts, as on two nodes
WRITE = "import sys; [open(f'/fwd/{i}', 'wb').write(bytes([i]) * 100_000) for i in range(20)]"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with clean_place(tmp_path) as place:
        yield place


def options(place: Place, launcher: str = TWO, servers: int = 2) -> list[str | Path]:
    shared = ["--shared", place.sockets, "--interface", "lo"]
    return ["--launcher", launcher, "--servers", str(servers), *shared]


@pytest.mark.parametrize("where", ["file", "node"])
def test_a_command_has_the_servers_of_a_launcher(place: Place, where: str) -> None:
    words = [*options(place), "--place", where, "--", sys.executable, "-c", WRITE + "; sys.exit(7)"]
    done = place.run(*words)
    assert done.returncode == 7, done.stderr
    assert all((place.root / str(i)).read_bytes() == bytes([i]) * 100_000 for i in range(20))
    report = json.loads(place.report.read_text())
    assert len(report["servers"]) == 2
    assert sum(server["bytes_written"] for server in report["servers"]) == 2_000_000
    assert (report["all_stored"], report["exit_status"]) == (True, 7)


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun")
def test_mpirun_starts_servers(place: Place) -> None:
    launcher = "timeout 60 mpirun --oversubscribe -n 2"
    done = place.run(*options(place, launcher), "--", sys.executable, "-c", WRITE)
    assert done.returncode == 0, done.stderr
    assert all((place.root / str(i)).read_bytes() == bytes([i]) * 100_000 for i in range(20))


def test_all_that_is_held_is_stored_however_long_that_takes(place: Place) -> None:
    text = "import os; f = open('/fwd/a', 'wb', 0); [f.write(bytes(1 << 20)) for _ in range(16)]; os._exit(0)"
    slow = ["--server-trial", "delay=100000", "--server-memory", "64M"]
    done = place.run(*options(place), *slow, "--quiet", "--", sys.executable, "-c", text)
    assert (done.returncode, done.stderr) == (0, "")
    assert (place.root / "a").stat().st_size == 16 << 20


def test_losses_of_servers_are_told_and_fail_the_command(place: Place) -> None:
    text = "import os; f = open('/fwd/a', 'wb', 0); f.write(b'x' * 9999); os._exit(0)"
    full = ["--server-trial", "fail-after=0,error=28"]
    done = place.run(*options(place), *full, "--", sys.executable, "-c", text)
    assert done.returncode == 1, done.stderr
    assert not json.loads(place.report.read_text())["all_stored"]
    assert "No space left" in done.stderr


def test_a_kill_ends_servers_that_store_all_before(place: Place) -> None:
    text = "import time; f = open('/fwd/a', 'wb', 0); f.write(b'kept'); print('written', flush=True)"
    started = place.start(*options(place), "--", sys.executable, "-c", text + "; time.sleep(60)")
    assert started.stdout is not None
    assert started.stdout.readline() == "written\n"
    started.kill()
    started.communicate(timeout=30)
    place.await_nothing_left()
    assert (place.root / "a").read_bytes() == b"kept"


def test_a_server_that_is_killed_is_told(place: Place) -> None:
    waits = "sleep 60 & trap 'kill $!; exit 0' TERM; echo started; wait"
    started = place.start(*options(place), "--", "sh", "-c", waits)
    assert started.stdout is not None
    assert started.stdout.readline() == "started\n"
    for server in place.servers():
        words = Path(f"/proc/{server}/cmdline").read_bytes().split(b"\0")
        if words[0].endswith(b"/headrace") and words[1] == b"serve":
            os.kill(server, signal.SIGKILL)
            break
    _, errors = started.communicate(timeout=60)
    assert started.returncode == 1
    assert errors.count("the command is ended") == 1
    assert errors.count("ended without storing what it held") == 1
    servers = json.loads(place.report.read_text())["servers"]
    assert sorted("died" in server for server in servers) == [False, True]


def test_what_is_wrong_with_a_launcher_is_said(place: Place) -> None:
    def said(*words: str | Path) -> str:
        done = place.run(*words, "--", "touch", "/fwd/ran")
        assert done.returncode == 125, done.stderr
        assert not (place.root / "ran").exists()
        return done.stderr

    ended = "--launcher ended with 3, and 0 of the 2 servers of --servers came"
    assert ended in said(*options(place, "sh -c 'exit 3'"))
    fewer = (
        """sh -c '"$@" & while [ -z "$(ls SHARED/*/at.*)" ]; do sleep 0.02; done 2>/dev/null; exit 4' sh"""
    )
    fewer = fewer.replace("SHARED", str(place.sockets))
    assert "1 of the 2 servers of --servers came; give --servers 1" in said(*options(place, fewer))
    three = TWO.replace('"$@" &', '"$@" & "$@" &', 1)
    assert "started 3 servers, and --servers says 2: give --servers 3" in said(*options(place, three))
    assert "--servers says how many" in said("--launcher", TWO)
    assert "--shared are for servers that --launcher starts" in said("--shared", place.sockets)
    assert "an interface that this node has" in said(*options(place), "--interface", "no-such0")


def test_servers_that_come_too_late_are_ended_with_the_others(place: Place) -> None:
    late = 'sh -c \'"$@" & "$@" & sleep 1; "$@" & wait\' sh'
    done = place.run(*options(place, late), "--", "sleep", "2")
    assert done.returncode == 0, done.stderr
    assert "--launcher started 3 servers, of which 2 were used" in done.stderr
    assert len(json.loads(place.report.read_text())["servers"]) == 2


def test_a_launcher_that_hands_signals_on_loses_nothing(place: Place) -> None:
    handing = 'sh -c \'trap "kill -TERM \\$A \\$B" TERM; "$@" & A=$!; "$@" & B=$!; wait; wait\' sh'
    text = "import os, time; f = open('/fwd/a', 'wb', 0); [f.write(b'k' * (1 << 20)) for _ in range(8)]"
    slow = ["--server-trial", "delay=300000", "--server-memory", "64M"]
    text += "; print('written', flush=True); time.sleep(60)"
    started = place.start(*options(place, handing), *slow, "--", sys.executable, "-c", text)
    assert started.stdout is not None
    assert started.stdout.readline() == "written\n"
    started.kill()
    started.communicate(timeout=30)
    place.await_nothing_left()
    assert (place.root / "a").read_bytes() == b"k" * (8 << 20)


def test_a_signal_ends_a_start_that_waits_for_servers(place: Place) -> None:
    waits = "sh -c '\"$@\" & echo waits >&2; exec sleep 100' sh"
    started = place.start(*options(place, waits), "--", "touch", "/fwd/ran")
    assert started.stderr is not None
    assert started.stderr.readline() == "waits\n"
    assert "1 of the 2 servers of --servers came; give --servers 1" in started.stderr.readline()
    started.terminate()
    _, errors = started.communicate(timeout=30)
    assert started.returncode == 125 and "told to end (Terminated)" in errors
    place.await_nothing_left()


def test_servers_outlive_their_launcher(place: Place) -> None:
    """Such as one that starts them by something like `ssh -f`: they live, and so does the command."""
    leaving = 'sh -c \'setsid "$@" & setsid "$@" & sleep 1\' sh'
    text = "import time; time.sleep(2); f = open('/fwd/a', 'wb', 0); f.write(b'kept'); f.close()"
    done = place.run(*options(place, leaving), "--", sys.executable, "-c", text)
    assert "the launcher of the servers ended" in done.stderr
    assert "the command is ended" not in done.stderr
    assert (place.root / "a").read_bytes() == b"kept"
    place.await_nothing_left()
