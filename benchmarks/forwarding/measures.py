"""What is measured: messages, appends, writes that are held, crowds of clients, files."""

from __future__ import annotations

import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.forwarding.server import CLIENTS, BenchmarkError, Server, said_by, serving, speeds
from benchmarks.forwarding.table import Goal, Table

SPEED, BURST = CLIENTS / "forward_speed", CLIENTS / "forward_burst"
CROWD, FILES = CLIENTS / "forward_crowd", CLIENTS / "forward_files"
MB = 1 << 20


@dataclass(frozen=True)
class Setup:
    place: Path  # an empty directory on the disk that is measured
    programs: Path  # of benchmarks/programs
    seconds: float  # for each rate
    scale: int  # of amounts of data, clients and files: 1, or more for longer runs


def at_most(bound: float) -> Goal:
    return Goal(bound, at_least=False)


def links(server: Server) -> dict[str, list[str | Path]]:
    return {"unix": [server.unix, "-"], "tcp": [server.tcp, server.secret]}


def messages(setup: Setup, table: Table) -> None:
    """What it takes to get a call and its data to a server and back."""
    goals = {"unix": (at_most(15), Goal(10)), "tcp": (at_most(25), Goal(2.5))}
    with serving(setup.place, "--backend", "null") as server:
        for kind, words in links(server).items():
            seconds = str(setup.seconds)
            raw = speeds(setup.programs / "raw_sockets", kind, seconds)
            got = speeds(SPEED, *words, seconds, "start", "write-64", "write-1M", "read-1M", "memcpy-1M")
            trip, large = goals[kind]
            copied = got["memcpy-1M"][0]
            table.add(f"client start, {kind}", got["start"][0], "ms", at_most(5))
            table.add(
                f"64 B, half a round trip, {kind}", got["write-64"][0], "µs", trip, sockets=raw["write-64"][0]
            )
            for what in ("write", "read"):
                table.add(
                    f"1 MiB {what}, {kind}",
                    got[f"{what}-1M"][0],
                    "GB/s",
                    large if what == "write" else None,
                    sockets=raw["write-1M"][0],
                    memcpy=copied,
                )


def requests(setup: Setup, table: Table) -> None:
    """Small calls for each second of processor time that the server takes, whatever else the machine does."""
    names = {"write-64-x32": "writes of 64 B", "getattr-x32": "getattr", "append-64-x32": "appends of 64 B"}
    with serving(setup.place, "--backend", "null") as server:
        for kind, words in links(server).items():
            for name, what in names.items():
                before = server.cpu_seconds()
                rate, calls = speeds(SPEED, *words, str(setup.seconds), name)[name]
                per_core = calls / (server.cpu_seconds() - before)
                table.add(f"{what}, 32 at once, {kind}", per_core, "a server's CPU second", Goal(100_000))
                table.add(f"{what}, 32 at once, {kind}, as the client sees them", rate, "calls/s")


def appends(setup: Setup, table: Table) -> None:
    """Two servers, and a client for each of them at the same time."""
    with (
        serving(setup.place, "--backend", "null", name="s0") as first,
        serving(setup.place, "--backend", "null", name="s1") as second,
    ):
        for name, what, goal in (
            ("append-64-list256", "256 in a call", 500_000),
            ("append-64-x32", "one by one, 32 at once", 50_000),
        ):
            begun = [
                subprocess.Popen(
                    [SPEED, server.unix, "-", str(setup.seconds), name], stdout=subprocess.PIPE, text=True
                )
                for server in (first, second)
            ]
            said = [each.communicate(timeout=60)[0] for each in begun]
            table.add(
                f"appends of 64 B over two servers, {what}",
                sum(float(line.split()[1]) for line in said),
                "records/s",
                Goal(goal),
            )


def rate_of_burst(*words: str | Path) -> float:
    """MB/s as the processes see it."""
    found = re.search(r"written [\d.]+ s, ([\d.]+) MB/s", said_by(BURST, *words))
    if found is None:
        raise BenchmarkError("forward_burst says something else")
    return float(found[1])


def held(setup: Setup, table: Table) -> None:
    """16 processes write one file in requests of 4 KiB, and each write to it takes 200 µs."""
    small, large = 2 * MB * setup.scale, 32 * MB * setup.scale
    plain = rate_of_burst("plain", setup.place / "plain", "16", "4096", str(small), "delay=200", "one-writer")
    with serving(setup.place, "--memory", "512M", "--trial", "delay=200,one-writer") as server:
        for depth, what in ((1, "each waits for its request"), (16, "16 requests of each under way")):
            rate = rate_of_burst(server.unix, f"f{depth}", "16", "4096", str(large), f"depth={depth}")
            table.add(f"4 KiB by 16 processes, held; {what}", rate / plain, "times direct", Goal(20))
    (setup.place / "plain").unlink()


def disk(setup: Setup, table: Table) -> None:
    """One process, requests of 1 MiB, as it sees them: held by a server, and on the disk when they return."""
    total, file = str(64 * MB * setup.scale), setup.place / "plain"
    dsync = rate_of_burst("plain", file, "1", str(MB), total, "dsync")
    past = rate_of_burst("plain", file, "1", str(MB), total, "direct")
    cached = rate_of_burst("plain", file, "1", str(MB), total)
    with serving(setup.place, "--memory", "1G") as server:
        rate = rate_of_burst(server.unix, "disk", "1", str(MB), total)
    table.add("1 MiB by one process, held", rate / dsync, "times O_DSYNC", Goal(3))
    table.add(
        "the same", rate / past, "times O_DIRECT", held=rate, O_DSYNC=dsync, O_DIRECT=past, cached=cached
    )
    file.unlink()


def idle(setup: Setup, table: Table) -> None:
    """100 clients that have nothing to say."""
    with serving(setup.place) as server:
        words: list[str | Path] = [CROWD, server.unix, "-", "100", "1", "4096", "idle"]
        crowd = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert crowd.stdout is not None
        crowd.stdout.readline()
        time.sleep(3)  # what was written is flushed
        before, switches, begin = server.cpu_seconds(), server.switches(), time.monotonic()
        time.sleep(10)
        used = (server.cpu_seconds() - before) / (time.monotonic() - begin)
        table.add("processor time of an idle server, 100 clients", used * 100, "%", at_most(0.1))
        table.add("changes of thread in 10 s", server.switches() - switches, "", at_most(10))
        crowd.communicate(timeout=60)


def storm(setup: Setup, table: Table) -> None:
    """How long it takes to become a client while 16 others write as quickly as they can."""
    with serving(setup.place, "--memory", "256M") as server:
        total = str(4096 * MB * setup.scale)
        words: list[str | Path] = [BURST, server.unix, "storm", "16", str(64 << 10), total, "depth=16"]
        others = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        time.sleep(0.3)
        got = speeds(SPEED, server.unix, "-", str(2 * setup.seconds), "start")
        if others.poll() is not None:
            raise BenchmarkError("the storm was over too soon: --scale")
        others.kill()
        others.wait()
        table.add(
            "client start while 16 clients write, the longest", got["start-worst"][0], "ms", at_most(100)
        )
        table.add("the same, median", got["start"][0], "ms", None, clients=got["start-worst"][1])


def crowd(setup: Setup, table: Table) -> None:
    """1,200 clients write and read 4 KiB each, and compare."""
    clients = 1200 * setup.scale
    for kind in ("unix", "tcp"):
        with serving(setup.place) as server:
            before = server.cpu_seconds()
            said = said_by(CROWD, *links(server)[kind], str(clients), "5", "4096")
            used = server.cpu_seconds() - before
            found = re.search(r"requests (\d+) in ([\d.]+) s wrong 0", said)
            if found is None:
                raise BenchmarkError(said)
            anon, shared = server.resident()
            metrics = server.metrics()
            within = metrics["memory_most_bytes"] <= metrics["memory_limit_bytes"]
            table.add(f"{clients:,} clients, {kind}", int(found[1]) / float(found[2]), "requests/s")
            table.add(f"the same, {kind}, with connecting", int(found[1]) / used, "a server's CPU second")
            table.add(f"the same, {kind}, memory kept to its bound", float(within), "", Goal(1))
            table.add(f"the same, {kind}, memory of the server", anon / MB, "MiB", None, windows=shared / MB)


def files(setup: Setup, table: Table) -> None:
    """20,000 files in one directory by 16 processes.

    All are made before any is removed: ext4 looks long for inodes that nobody has used lately.
    """
    root, count = setup.place / "root", str(20_000 * setup.scale)
    with serving(setup.place) as server:
        for directory in ("many", "plain"):
            (root / directory).mkdir()
        for what in ("create", "stat", "remove"):
            rates = {}
            for where, place in ((server.unix, "many"), ("plain", str(root / "plain"))):
                before = server.cpu_seconds()
                said = said_by(FILES, where, place, "16", count, what)
                rates[where] = float(said.split()[0])
                if where != "plain":
                    used = (server.cpu_seconds() - before) * 1e6 / float(count)
            plain, rate = rates["plain"], rates[server.unix]
            goal = Goal(1) if what == "create" else None
            table.add(f"files: {what}", rate / plain, "times direct", goal, directly=plain, forwarded=rate)
            table.add(f"files: {what}, processor time of the server", used, "µs")
        for directory in ("many", "plain"):
            (root / directory).rmdir()


ALL = {each.__name__: each for each in (messages, requests, appends, held, disk, storm, crowd, files, idle)}
