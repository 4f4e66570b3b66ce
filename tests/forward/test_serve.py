"""`headrace serve` and `headrace status` as processes: start, end, refusals, what peers cannot do."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest
from forward_tools import NATIVE, Servers


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([NATIVE, *words], check=False, capture_output=True, text=True, timeout=30)


def connect(address: str) -> socket.socket:
    kind, _, place = address.partition(":")
    if kind == "unix":
        made = socket.socket(socket.AF_UNIX)
        made.connect(place)
    else:
        host, _, port = place.rpartition(":")
        made = socket.create_connection((host, int(port)))
    made.settimeout(20)
    return made


def test_it_says_where_it_is_and_ends_when_it_is_told_to(servers: Servers, tmp_path: Path) -> None:
    told = tmp_path / "addresses"
    server = servers.start("--root", tmp_path, "--addresses", told)
    assert told.read_text().split() == server.addresses
    assert server.addresses[1].startswith("tcp:127.0.0.1:")
    place = Path(server.addresses[0].removeprefix("unix:"))
    assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0
    assert stat.S_IMODE(server.secret.stat().st_mode) == 0o600
    assert "0 with shared memory" in server.status() and "0 with shared memory" in server.status(address=1)
    assert server.end() == 0
    assert not told.exists() and not place.exists()


def test_it_takes_the_place_of_a_killed_one_alone(servers: Servers, tmp_path: Path) -> None:
    first = servers.start("--root", tmp_path)
    refused = run("serve", "--root", tmp_path, "--listen", first.addresses[0])
    assert refused.returncode == 1 and "in use" in refused.stderr
    first.end(signal.SIGKILL)
    assert servers.start("--root", tmp_path).status()


def test_an_idle_server_sleeps(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path)
    held = [connect(address) for address in server.addresses]
    server.status()

    def switches() -> int:
        tasks = Path(f"/proc/{server.process.pid}/task").iterdir()
        text = "".join((task / "status").read_text() for task in tasks)
        lines = (line for line in text.splitlines() if line.startswith("voluntary"))
        return sum(int(line.split()[1]) for line in lines)

    for peer in held:
        peer.close()
    server.status()
    os.sched_yield()
    before = switches()
    with pytest.raises(subprocess.TimeoutExpired):
        server.process.wait(2.5)
    # At most one look at deadlines for connections that had just ended.
    assert switches() - before <= 3


@pytest.mark.parametrize("address", [0, 1])
def test_garbage_is_refused_and_counted(servers: Servers, tmp_path: Path, address: int) -> None:
    server = servers.start("--root", tmp_path)
    for garbage in (b"GET / HTTP/1.1\r\n\r\n" + b"x" * 100, os.urandom(100_000), b"\xff" * 48):
        with connect(server.addresses[address]) as peer:
            try:
                peer.sendall(garbage)
                assert peer.recv(1) == b""
            except (ConnectionResetError, BrokenPipeError):
                pass
    metrics = server.metrics()
    assert metrics['refused_total{reason="message"}'] == 3
    assert metrics["memory_bytes"] < 1 << 20


def test_status_shows_the_servers_that_are_there(servers: Servers, tmp_path: Path) -> None:
    one, two = (servers.start("--root", tmp_path, name=name, tcp=False) for name in ("a", "b"))
    addresses = [each.addresses[0] for each in (one, two)]
    done = run("status", *addresses)
    assert done.returncode == 0 and all(f"{each}: 1 connections" in done.stdout for each in addresses)
    words = [NATIVE, "status", "--every", "1", *addresses]
    watch = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert watch.stdout is not None
        assert watch.stdout.readline().startswith(addresses[0])
        two.end()
        for why in (f"headrace: status: {addresses[1]}: ", addresses[0], addresses[0]):
            while not watch.stdout.readline().startswith(why):
                assert watch.poll() is None
        servers.start_again(two)
        while not watch.stdout.readline().startswith(addresses[1]):
            assert watch.poll() is None
    finally:
        watch.kill()
        watch.communicate()
    two.end()
    for order in (addresses, addresses[::-1]):
        done = run("status", *order)
        assert done.returncode == 1 and f"{addresses[0]}: 1 connections" in done.stdout
        assert f"{addresses[1]}: " in done.stderr and "1 of 2 servers did not answer" in done.stderr
    assert run("status", "--every", "1", addresses[1]).returncode == 1


def test_another_secret_or_none_is_refused(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path)
    other = tmp_path / "other"
    other.write_text("0" * 32)
    other.chmod(0o600)
    words: list[str | Path] = ["status", server.addresses[1]]
    cases: list[tuple[list[str | Path], str]] = [([], "needs the job's secret")]
    cases.append((["--secret", other], "another secret"))
    for options, said in cases:
        done = run(*words, *options)
        assert done.returncode == 1 and said in done.stderr
    other.chmod(0o644)
    done = run(*words, "--secret", other)
    assert done.returncode == 1 and "chmod 600" in done.stderr


def test_another_user_is_refused(servers: Servers, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    server = servers.start("--root", tmp_path)
    place = Path(server.addresses[0].removeprefix("unix:"))
    place.chmod(0o777)
    place.parent.chmod(0o755)
    script = "import os,socket; os.setuid(65534); s=socket.socket(socket.AF_UNIX)\n"
    script += f"s.connect({str(place)!r})\n"
    script += "s.settimeout(20); print(s.recv(1))"
    done = subprocess.run(["python3", "-c", script], check=True, capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "b''"
    assert server.metrics()['refused_total{reason="stranger"}'] == 1


def test_settings_come_from_a_file_too(servers: Servers, tmp_path: Path) -> None:
    config = tmp_path / "serve.toml"
    config.write_text(f'# a job\nroot = ["{tmp_path}"]\nmemory = "32M"\nevent-threads = 2\n')
    server = servers.start("--config", config)
    assert server.metrics()["memory_limit_bytes"] == 32 << 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--listen"),
        (["--listen", "unix:/tmp/x"], "--root"),
        (["--root", "/tmp", "--listen", "nowhere"], "unix:PATH"),
        (["--root", "/tmp", "--listen", "tcp:127.0.0.1:0"], "--secret"),
        (["--root", "/tmp", "--listen", "unix:/tmp/x", "--memory", "1M"], "16M"),
        (["--root", "/tmp", "--listen", "unix:/tmp/x", "--backend", "tape"], "posix, memory, null"),
        (["--root", "/nowhere/at/all", "--listen", "unix:/tmp/x"], "/nowhere/at/all"),
        (["--root", "/tmp", "--listen", "unix:" + "x" * 200], "107 bytes"),
        (["--colour", "blue"], "--colour"),
    ],
)
def test_mistakes_are_told(words: list[str], said: str) -> None:
    done = run("serve", *words)
    assert done.returncode in (1, 125) and said in done.stderr, done.stderr


def test_help_fits_a_terminal() -> None:
    for command in ("serve", "status"):
        done = run(command, "--help")
        assert done.returncode == 0 and "Example:" in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 80
