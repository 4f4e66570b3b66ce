"""Runs `headrace forward up` in a place of its own, of which nothing may be left."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forward_tools import NATIVE


class Place:
    """The root of servers, their sockets, and the report of a run."""

    def __init__(self, directory: Path, sockets: Path):
        self.root = directory / "root"
        self.root.mkdir()
        self.report = directory / "report.json"
        self.directory = directory
        self.sockets = sockets
        self.environment = {**os.environ, "TMPDIR": str(sockets)}
        self.environment.pop("XDG_RUNTIME_DIR", None)

    def words(self, *rest: str | Path) -> list[str | Path]:
        log = self.directory / "job.hr"
        options = ["--root", self.root, "--prefix", "/fwd", "--report", self.report, "-o", log]
        return [NATIVE, "forward", "up", *options, *rest]

    def start(self, *rest: str | Path) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self.words(*rest),
            stdout=pipe,
            stderr=pipe,
            text=True,
            env=self.environment,
            start_new_session=True,
        )

    def run(self, *rest: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.words(*rest), check=False, capture_output=True, text=True, timeout=60, env=self.environment
        )

    def servers(self) -> list[int]:
        found = []
        for line in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.root).encode() in line.read_bytes() and b"serve" in line.read_bytes():
                    found.append(int(line.parent.name))
            except OSError:
                continue
        return found

    def await_nothing_left(self) -> None:
        deadline = time.monotonic() + 20
        while self.servers() or list(self.sockets.iterdir()):
            assert time.monotonic() < deadline, (self.servers(), list(self.sockets.iterdir()))
            time.sleep(0.01)


@contextmanager
def clean_place(directory: Path) -> Iterator[Place]:
    sockets = Path("/tmp") / f"up-{os.getpid()}"
    sockets.mkdir()
    place = Place(directory, sockets)
    try:
        yield place
    finally:
        left = place.servers()
        for server in left:
            os.kill(server, signal.SIGKILL)
        leftovers = list(sockets.iterdir())
        for each in leftovers:
            subprocess.run(["rm", "-r", each], check=True)
        sockets.rmdir()
        assert not left
        assert not leftovers
