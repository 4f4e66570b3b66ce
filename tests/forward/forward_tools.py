"""Runs `headrace serve` on loopback and AF_UNIX; nothing of it is left when a test ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

NATIVE = Path(sys.executable).parent / "headrace"

Result = subprocess.CompletedProcess[str]


def until(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.01)


class Server:
    def __init__(
        self,
        process: subprocess.Popen[str],
        addresses: list[str],
        secret: Path,
        words: list[str | Path],
    ):
        self.words = words
        self.process = process
        self.addresses = addresses
        self.secret = secret

    def status(self, *options: str, address: int = 0) -> str:
        secret = ["--secret", self.secret] if self.secret.exists() else []
        words = [NATIVE, "status", *secret, *options, self.addresses[address]]
        return subprocess.run(words, check=True, capture_output=True, text=True, timeout=30).stdout

    def metrics(self) -> dict[str, float]:
        label = f'server="{self.addresses[0]}"'
        text = self.status("--openmetrics").replace("{" + label + "}", "").replace(label + ",", "")
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        return {name.removeprefix("headrace_forward_"): float(value) for name, value in map(str.split, lines)}

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(30)


class Servers:
    def __init__(self) -> None:
        # Paths of sockets have 107 bytes at the most, which pytest's directories can exceed.
        self._directory = tempfile.TemporaryDirectory(prefix="headrace-serve-")
        self.directory = Path(self._directory.name)
        self._started: list[Server] = []

    def start(
        self, *options: str | Path, name: str = "s", tcp: bool = True, before: Sequence[str] = ()
    ) -> Server:
        secret = self.directory / "secret"
        words: list[str | Path] = [
            *before,
            NATIVE,
            "serve",
            "--listen",
            f"unix:{self.directory / name}",
            *options,
        ]
        if tcp:
            words += ["--listen", "tcp:127.0.0.1:0", "--secret", secret]
        process, addresses = self._launch(words, 2 if tcp else 1)
        self._started.append(Server(process, addresses, secret, words))
        return self._started[-1]

    def start_again(self, server: Server) -> None:
        """One that has ended, with the addresses that it had."""
        given = [i for i, word in enumerate(server.words) if word == "--listen"]
        for at, address in zip(given, server.addresses, strict=True):
            server.words[at + 1] = address
        for stream in (server.process.stdout, server.process.stderr):
            assert stream is not None
            stream.close()
        server.process, _ = self._launch(server.words, len(server.addresses))

    @staticmethod
    def _launch(words: list[str | Path], addresses: int) -> tuple[subprocess.Popen[str], list[str]]:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None
        return process, [process.stdout.readline().strip() for _ in range(addresses)]

    def all(self) -> list[Server]:
        return self._started

    def end(self) -> None:
        for server in self._started:
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait(30)
            for stream in (server.process.stdout, server.process.stderr):
                assert stream is not None
                stream.close()
        self._directory.cleanup()


class Place:
    """A server's root, and programs for which it is /fwd."""

    def __init__(self, servers: Servers, directory: Path, servers_over_tcp: int = 0, *options: str | Path):
        self.root = directory / "root"
        self.root.mkdir(exist_ok=True)
        self.log = directory / "job.hr"
        tcp = servers_over_tcp > 0
        started = [
            servers.start("--root", self.root, *options, name=f"s{i}", tcp=tcp)
            for i in range(max(1, servers_over_tcp))
        ]
        self.server = started[0]
        self.spec = f"/fwd={self.root}@" + ",".join(each.addresses[tcp] for each in started)
        self.more: list[str | Path] = ["--forward-secret", self.server.secret] if tcp else []

    def command(self, *words: str | Path, timeout: int = 3) -> list[str | Path]:
        """What runs a program with this place."""
        forward: list[str | Path] = ["--forward", self.spec, "--forward-timeout", str(timeout), *self.more]
        return [NATIVE, "run", "-q", "-o", self.log, *forward, "--", *words]

    def start(self, *words: str | Path) -> subprocess.Popen[str]:
        command, pipe = self.command(*words, timeout=30), subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def run(self, *words: str | Path, check: bool = True, patience: int = 3, **more: object) -> Result:
        done: Result = subprocess.run(
            self.command(*words, timeout=patience),
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            **more,
        )  # type: ignore[call-overload]
        assert not check or done.returncode == 0, done.stderr
        return done

    def python(self, text: str, **more: object) -> Result:
        return self.run(sys.executable, "-c", text, **more)
