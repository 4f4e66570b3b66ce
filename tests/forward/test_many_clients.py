"""More clients than there is room for, and what they leave."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import subprocess
import time
from pathlib import Path

import pytest
from forward_tools import NATIVE, Server, Servers, until

ROOT = Path(__file__).parents[2]


def unix_connection(server: Server) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.connect(server.addresses[0].removeprefix("unix:"))
    return made


def descriptors(server: Server) -> int:
    return sum(1 for _ in Path(f"/proc/{server.process.pid}/fd").iterdir())


def cpu_seconds(server: Server) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_server_with_few_descriptors_says_so_and_refuses_the_others(
    servers: Servers, tmp_path: Path
) -> None:
    server = servers.start("--root", tmp_path, tcp=False, before=["prlimit", "--nofile=160"])
    held = [unix_connection(server) for _ in range(40)]
    refused = []
    for each in held:
        each.settimeout(0.2)
        with contextlib.suppress(TimeoutError):
            refused += [each] if each.recv(1) == b"" else []
    assert len(refused) == 40 - 16
    for each in held:
        each.close()
    until(
        lambda: subprocess.run([NATIVE, "status", server.addresses[0]], capture_output=True).returncode == 0
    )
    assert server.metrics()['refused_total{reason="full"}'] >= 24
    assert server.end() == 0
    assert server.process.stderr is not None
    assert "16 connections at the most" in server.process.stderr.read()


def test_a_server_without_descriptors_sleeps_until_there_are_some(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path, tcp=False)
    pid = server.process.pid
    limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (descriptors(server), limits[1]))
    with unix_connection(server):
        before = cpu_seconds(server)
        time.sleep(1)
        assert cpu_seconds(server) - before < 0.3  # one that tries again and again takes all of it
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        assert server.status()


@pytest.mark.parametrize("address", [0, 1])
def test_many_clients_write_and_read_what_they_wrote(servers: Servers, tmp_path: Path, address: int) -> None:
    server = servers.start("--root", tmp_path, "--memory", "64M")
    before = descriptors(server)
    (program,) = ROOT.glob("build/release/src/forward/client/forward_crowd")
    words = [program, server.addresses[address], server.secret, "300", "2", "16384"]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "wrong 0" in done.stdout, done.stdout + done.stderr
    metrics = server.metrics()
    assert metrics["memory_most_bytes"] <= 64 << 20
    assert metrics['refused_total{reason="full"}'] == 0
    if address == 0:
        assert "windows 8 " in done.stdout  # half of the memory is for them, and the others do without
    until(lambda: server.metrics()["connections"] == 1)
    assert server.metrics()["windows"] <= 1
    assert descriptors(server) <= before + 2  # the file is kept open
