"""The job's secret for other nodes by MUNGE, with a daemon of the test's own."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from forward_tools import NATIVE, Place, Servers

MUNGED = shutil.which("munged", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
pytestmark = pytest.mark.skipif(MUNGED is None, reason="munge is not installed")

HEAD = struct.Struct("<IBBHIIIIQQQ")
SECRET = 6


@pytest.fixture
def munge() -> Iterator[Path]:
    # It wants directories that nobody else may write to.
    directory = Path(tempfile.mkdtemp(prefix="headrace-munge-"))
    directory.chmod(0o755)
    key = directory / "key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    named = {"key": key, "socket": directory / "s", "pid": directory / "pid", "seed": directory / "seed"}
    options = [f"--{name}{'' if name == 'socket' else '-file'}={path}" for name, path in named.items()]
    assert MUNGED is not None
    with subprocess.Popen(
        [MUNGED, "--foreground", "--num-threads=1", f"--log-file={directory / 'log'}", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as daemon:
        assert daemon.stderr is not None
        if not any("work thread" in line for line in daemon.stderr):
            pytest.skip("munged does not start here")
        yield directory / "s"
        daemon.terminate()
    shutil.rmtree(directory)


def ask(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [NATIVE, "forward", "secret", *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


class Peer:
    """Speaks as no client does."""

    def __init__(self, address: str):
        host, port = address.removeprefix("tcp:").rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), timeout=30)

    def exchange(self, nonce: bytes, text: bytes) -> tuple[int, bytes]:
        """The error and the text of the answer; an error of -1: the server ended the connection."""
        body = nonce + struct.pack("<I", len(text)) + text
        self._socket.sendall(HEAD.pack(0x01465248, SECRET, 0, 0, len(body), 0, 0, 0, 1, 1, 0) + body)
        head = self._socket.recv(HEAD.size, socket.MSG_WAITALL)
        if len(head) < HEAD.size:
            return -1, b""
        _, call, _, _, size, error, *_ = HEAD.unpack(head)
        assert call == SECRET | 0x80
        return error, self._socket.recv(size, socket.MSG_WAITALL)[4:]

    def close(self) -> None:
        self._socket.close()


def sealed(munge: Path, text: str, *options: str) -> bytes:
    words = ["munge", f"--socket={munge}", *options]
    return subprocess.run(words, input=text.encode(), check=True, capture_output=True).stdout.strip()


def test_a_client_gets_the_secret_and_goes_on_with_it(servers: Servers, tmp_path: Path, munge: Path) -> None:
    place = Place(servers, tmp_path, 1, f"--munge={munge}")
    secret = tmp_path / "secret"
    done = ask(f"--munge={munge}", place.server.addresses[1], secret)
    assert done.returncode == 0, done.stderr
    assert secret.read_text() == place.server.secret.read_text()
    assert secret.stat().st_mode & 0o777 == 0o600
    place.more = ["--forward-secret", secret]
    place.run("sh", "-c", "echo text > /fwd/f")
    assert (place.root / "f").read_text() == "text\n"
    assert place.server.metrics()['refused_total{reason="stranger"}'] == 0


def test_without_the_option_or_the_daemon_nobody_is_told(
    servers: Servers, tmp_path: Path, munge: Path
) -> None:
    place = Place(servers, tmp_path, 1)
    done = ask(f"--munge={munge}", place.server.addresses[1], tmp_path / "secret")
    assert done.returncode == 1 and "has no --munge" in done.stderr
    server = servers.start("--root", place.root, "--munge=/nowhere", name="other")
    done = ask(f"--munge={munge}", server.addresses[1], tmp_path / "secret")
    assert done.returncode == 1 and "does not tell it" in done.stderr
    assert not (tmp_path / "secret").exists()


def test_strangers_and_echoes_are_refused(servers: Servers, tmp_path: Path, munge: Path) -> None:
    server = servers.start("--root", tmp_path, f"--munge={munge}")
    nonce, refused = os.urandom(16), 0

    def answer_to(text: str, *options: str, number: str = "") -> tuple[int, bytes]:
        peer = Peer(server.addresses[1])
        _, own = peer.exchange(nonce, b"")
        question = text.format(client=nonce.hex(), server=number or own.decode())
        answer = peer.exchange(nonce, sealed(munge, question, *options))
        peer.close()
        return answer

    asks = "headrace asks {client} {server}"
    assert answer_to(asks)[0] == 0
    # Of another connection, other words, another user, or garbage.
    assert answer_to(asks, number="0" * 32)[0] == 13
    assert answer_to("headrace tells {client} {server}")[0] == 13
    if os.geteuid() == 0:
        other = ["--uid=65534"]
        assert answer_to(asks, *other)[0] == 13
        assert answer_to(asks, "--restrict-uid=65534")[0] == 13
        refused += 2
    peer = Peer(server.addresses[1])
    own = peer.exchange(nonce, b"")[1].decode()
    once = sealed(munge, asks.format(client=nonce.hex(), server=own))
    assert peer.exchange(nonce, once)[0] == 0
    peer.close()
    peer = Peer(server.addresses[1])
    peer.exchange(nonce, b"")
    assert peer.exchange(nonce, once)[0] == 13
    peer.close()
    peer = Peer(server.addresses[1])
    peer.exchange(nonce, b"")
    assert peer.exchange(nonce, b"MUNGE:no:")[0] == 13
    peer.close()
    assert server.metrics()['refused_total{reason="stranger"}'] == refused + 4
