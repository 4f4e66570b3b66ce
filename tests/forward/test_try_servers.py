"""`headrace run --forward` tries its servers before it starts a command that would fail without them."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from forward_tools import NATIVE, Result, Servers


@pytest.fixture
def silent_port() -> Iterator[int]:
    """One that nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    made = tmp_path / "mpirun"
    made.write_text("#!/bin/sh\necho started\n")
    made.chmod(0o755)
    return made


def run(tmp_path: Path, spec: str, *options: str | Path, command: str | Path = "echo") -> Result:
    words = [NATIVE, "run", "-o", tmp_path / "job.hr", "--forward", spec, *options, "--", command, "started"]
    return subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)


def assert_refused(done: Result, *parts: str) -> None:
    assert (done.returncode, done.stdout) == (125, ""), done.stderr
    assert all(part in done.stderr for part in parts), done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_secret_may_be_named_from_here(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path)
    spec = f"/fwd={tmp_path}@{server.addresses[1]}"
    command = [
        NATIVE,
        "run",
        "-q",
        "-o",
        tmp_path / "job.hr",
        "--forward",
        spec,
        "--forward-secret",
        "secret",
    ]
    words = [*command, "--", "sh", "-c", "cd /; touch /fwd/made"]
    done = subprocess.run(
        words, check=False, capture_output=True, text=True, timeout=60, cwd=servers.directory
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "made").exists()


def test_a_server_that_is_not_there(tmp_path: Path, silent_port: int, launcher: Path) -> None:
    address = f"unix:{tmp_path.name}-nobody"
    missing = f"unix:/tmp/{tmp_path.name}-nobody"
    assert_refused(
        run(tmp_path, f"/fwd={tmp_path}@{missing}"),
        missing,
        "No such file",
        "`headrace serve`",
        "the command was not started",
    )
    assert_refused(run(tmp_path, f"/fwd={tmp_path}@{missing}", command=launcher), missing)
    assert_refused(run(tmp_path, f"/fwd={tmp_path}@{address}"), address, "absolute path")
    tcp = f"tcp:127.0.0.1:{silent_port}"
    assert_refused(run(tmp_path, f"/fwd={tmp_path}@{tcp}"), tcp, "refused")
    assert not (tmp_path / "job.hr").exists()


def test_ranks_of_a_launcher_may_reach_servers_that_this_node_does_not(
    tmp_path: Path, silent_port: int, launcher: Path
) -> None:
    tcp = f"tcp:127.0.0.1:{silent_port}"
    done = run(tmp_path, f"/fwd={tmp_path}@{tcp}", command=launcher)
    assert (done.returncode, done.stdout) == (0, "started\n"), done.stderr
    assert f"{tcp}: Connection refused" in done.stderr
    assert "unless they run on other nodes" in done.stderr
    secret = tmp_path / "elsewhere"
    done = run(tmp_path, f"/fwd={tmp_path}@{tcp}", "--forward-secret", secret, command=launcher)
    assert (done.returncode, done.stdout) == (0, "started\n"), done.stderr
    assert f"--forward-secret {secret}: No such file" in done.stderr


def test_an_address_that_is_named_twice(tmp_path: Path, servers: Servers) -> None:
    address = servers.start("--root", tmp_path).addresses[0]
    assert_refused(run(tmp_path, f"{tmp_path}@{address},{address}"), f"{address} is named twice")


def test_secrets_that_cannot_be_used(tmp_path: Path, servers: Servers, launcher: Path) -> None:
    server = servers.start("--root", tmp_path)
    spec = f"/fwd={tmp_path}@{server.addresses[1]}"
    secret = tmp_path / "secret"
    assert_refused(run(tmp_path, spec), server.addresses[1], "--forward-secret")
    assert_refused(run(tmp_path, spec, "--forward-secret", secret), str(secret), "No such file")
    secret.write_text("0" * 32 + "\n")
    secret.chmod(0o600)
    assert_refused(run(tmp_path, spec, "--forward-secret", secret, command=launcher), "another secret")
    secret.chmod(0o644)
    assert_refused(run(tmp_path, spec, "--forward-secret", secret, command=launcher), "chmod 600")
    assert run(tmp_path, spec, "--forward-secret", server.secret).stdout == "started\n"


def test_a_directory_that_is_not_served(tmp_path: Path, servers: Servers, launcher: Path) -> None:
    (tmp_path / "root").mkdir()
    address = servers.start("--root", tmp_path / "root").addresses[0]
    assert_refused(
        run(tmp_path, f"/fwd={tmp_path}@{address}", command=launcher), "is below no --root", address
    )
