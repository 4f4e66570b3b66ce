"""Clients that are killed, slow peers, full disks: what a server frees, and what it tells."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from forward_tools import NATIVE, Place, Server, Servers, until

ROOT = Path(__file__).parents[2]
MB = 1 << 20

# Locks, appends and large transfers, until it is killed.
WORK = """
import fcntl, os, sys
log = os.open("/fwd/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
own = os.open("/fwd/large", os.O_RDWR | os.O_CREAT, 0o600)
print("begun", flush=True)
while True:
    fcntl.lockf(own, fcntl.LOCK_EX)
    os.write(log, b"r" * 1000)
    os.pwrite(own, b"x" * (3 << 20), 0)
    os.pread(own, 3 << 20, 0)
    fcntl.lockf(own, fcntl.LOCK_UN)
"""


def held_by(server: Server) -> dict[str, float]:
    """What clients make a server hold."""
    metrics = server.metrics()
    names = ("connections", "windows", "held_bytes", "memory_bytes")
    descriptors = sum(1 for _ in Path(f"/proc/{server.process.pid}/fd").iterdir())
    return {name: metrics[name] for name in names} | {"descriptors": descriptors}


def killed_worker(place: Place, random_s: float) -> None:
    records = place.log.with_name("records")  # nobody will collect them
    records.mkdir(exist_ok=True)
    words = [NATIVE, "run", "-q", "-o", place.log, "--spool", records, "--forward", place.spec]
    words += ["--", sys.executable, "-c", WORK]
    with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"begun\n"
            time.sleep(random_s)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    place.log.unlink(missing_ok=True)


def killed_burst(server: Server, random_s: float) -> None:
    """16 processes with 8 calls each under way; they end with the one that is killed."""
    (program,) = ROOT.glob("build/release/src/forward/client/forward_burst")
    words = [program, server.addresses[0], "burst", "16", "65536", str(1 << 40), "depth=8"]
    with subprocess.Popen(words) as process:
        time.sleep(random_s)
        process.kill()


def kill_many(place: Place, times: int) -> None:
    chance = random.Random(7)
    server = place.server
    (place.root / "burst").touch()
    before = held_by(server)
    for number in range(times):
        if number % 4 == 0:
            killed_worker(place, chance.uniform(0, 0.1))
        else:
            killed_burst(server, chance.uniform(0, 0.1))

    def is_as_before() -> bool:
        now = held_by(server)
        # The three files are kept open, as those used last are; memory is that of the connection that asks.
        few = now["descriptors"] <= before["descriptors"] + 4
        return few and all(now[name] <= before[name] for name in before if name != "descriptors")

    until(is_as_before)
    # Nobody has the lock any more, and records are whole.
    text = "import fcntl, os\nfcntl.lockf(os.open('/fwd/large', os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    place.python(text)
    log = (place.root / "log").read_bytes()
    assert len(log) % 1000 == 0 and set(log) <= set(b"r")
    assert server.metrics()['refused_total{reason="message"}'] == 0
    assert server.end() == 0


def test_killed_clients_leave_nothing(place: Place) -> None:
    kill_many(place, 8)


@pytest.mark.soak
def test_hundreds_of_killed_clients_leave_nothing(place: Place) -> None:
    kill_many(place, 200)


@pytest.mark.parametrize("limit", ["tmpfs", "fsize"])
def test_what_a_full_disk_takes_is_told_with_its_ranges(servers: Servers, tmp_path: Path, limit: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    small = ["prlimit", f"--fsize={MB}"]
    if limit == "tmpfs":
        small = ["unshare", "-m", "sh", "-c", f'mount -t tmpfs -o size=1M none {root} && exec "$@"', "-"]
        probe = subprocess.run([*small, "true"], check=False, capture_output=True)
        if probe.returncode != 0:
            pytest.skip("mounts nothing: " + probe.stderr.decode())
    server = servers.start("--root", root, before=small)
    (program,) = ROOT.glob("build/release/src/forward/client/forward_burst")
    words = [program, server.addresses[0], "f", "4", "4096", str(2 * MB)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    error = "No space left on device" if limit == "tmpfs" else "File too large"
    assert done.returncode == 1 and "4 of 4 failed" in done.stdout
    lost = re.findall(r"lost (\d+) (\d+) (.*)", done.stdout)
    assert lost and all(int(begin) + int(length) > MB / 2 and why == error for begin, length, why in lost)
    assert server.metrics()["lost_bytes_total"] >= MB
    # What is stored is good, and a small file has a place again.
    text = "import os\nos.ftruncate(fd := os.open('/fwd/f', os.O_RDWR), 4096)\n"
    text += "print(os.read(fd, 5000) == b'a' * 4096)\n"
    text += "with open('/fwd/g', 'w') as g: g.write('small')\nprint(open('/fwd/g').read())"
    spec = ["--forward", f"/fwd={root}@{server.addresses[0]}"]
    after = subprocess.run(
        [NATIVE, "run", "-q", "-o", tmp_path / "job.hr", *spec, "--", sys.executable, "-c", text],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert after.stdout == "True\nsmall\n", after.stderr
    assert server.end() == 0  # everybody knows


def many_slow_peers(server: Server) -> list[socket.socket]:
    """Those that never say who they are, and those that say it byte by byte."""
    peers = []
    for number in range(200):
        if number % 2 == 0:
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(server.addresses[0].removeprefix("unix:"))
        else:
            host, _, port = server.addresses[1].removeprefix("tcp:").rpartition(":")
            peer = socket.create_connection((host, int(port)))
        peer.sendall(b"HRF\x01\x01"[: number % 5])
        peers.append(peer)
    return peers


def test_slow_peers_are_in_nobodys_way(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path)
    with contextlib.ExitStack() as open_peers:
        for peer in many_slow_peers(server):
            open_peers.enter_context(peer)
        (program,) = ROOT.glob("build/release/src/forward/client/forward_crowd")
        words = [program, server.addresses[1], server.secret, "20", "5", "4096"]
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
        assert "wrong 0" in done.stdout, done.stderr
        assert server.metrics()["memory_bytes"] < 8 * MB
    until(lambda: server.metrics()["connections"] == 1)


@pytest.mark.soak
def test_slow_peers_are_ended_and_counted(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path)
    peers = many_slow_peers(server)
    end = time.monotonic() + 60
    for peer in peers:
        # One that goes on sending does not get more time.
        while time.monotonic() < end:
            with contextlib.suppress(BlockingIOError, BrokenPipeError, ConnectionResetError):
                peer.setblocking(False)
                if peer.recv(1) == b"":
                    break
            time.sleep(0.05)
        peer.close()
    assert server.metrics()['refused_total{reason="slow"}'] == len(peers)
    assert server.metrics()["connections"] == 1
