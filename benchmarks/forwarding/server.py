"""A server that is measured, and the programs that use it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ROOT / ".venv" / "bin" / "headrace"
CLIENTS = ROOT / "build" / "release" / "src" / "forward" / "client"
PATIENCE = 120


class BenchmarkError(Exception):
    """Something that was to be measured went wrong."""


def said_by(*words: str | Path) -> str:
    """What a program prints; it has to succeed."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except FileNotFoundError:
        raise BenchmarkError(f"{words[0]}: is not there; HEADRACE_TESTS=ON scripts/build makes it") from None
    if done.returncode != 0:
        raise BenchmarkError(f"{' '.join(map(str, words))}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.stdout


@dataclass
class Server:
    process: subprocess.Popen[str]
    unix: str
    tcp: str
    secret: Path

    def cpu_seconds(self) -> float:
        """Of all its threads, as the scheduler counts it."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def switches(self) -> int:
        """How often its threads went to sleep or were sent to."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        lines = [line for task in tasks for line in (task / "status").read_text().splitlines()]
        return sum(int(line.split()[1]) for line in lines if "voluntary_ctxt_switches" in line)

    def resident(self) -> tuple[int, int]:
        """Bytes of its own, and of memory that it shares with clients."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        of = {line.split(":")[0]: int(line.split()[1]) << 10 for line in lines if line.startswith("Rss")}
        return of["RssAnon"] + of["RssFile"], of["RssShmem"]

    def metrics(self) -> dict[str, float]:
        label = f'server="{self.unix}"'
        text = said_by(COMMAND, "status", "--openmetrics", self.unix)
        text = text.replace("{" + label + "}", "").replace(label + ",", "")
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        return {name.removeprefix("headrace_forward_"): float(value) for name, value in map(str.split, lines)}


@contextmanager
def serving(place: Path, *options: str | Path, name: str = "s") -> Iterator[Server]:
    """A server with its root and sockets in ``place``."""
    root, secret = place / "root", place / "secret"
    root.mkdir(exist_ok=True)
    words: list[str | Path] = [COMMAND, "serve", "--root", root, "--listen", f"unix:{place / name}"]
    words += ["--listen", "tcp:127.0.0.1:0", "--secret", secret, *options]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        unix, tcp = (process.stdout.readline().strip() for _ in range(2))
        if not tcp:
            raise BenchmarkError("headrace serve did not start")
        yield Server(process, unix, tcp, secret)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def speeds(*words: str | Path) -> dict[str, tuple[float, int]]:
    """The lines of forward_speed and raw_sockets: value and calls by name."""
    rows = (line.split() for line in said_by(*words).splitlines())
    return {name: (float(value), int(calls)) for name, value, _, calls in rows}
