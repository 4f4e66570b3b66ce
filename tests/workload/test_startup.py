"""`headrace bench startup`: every rank gets the same files, by reading or by messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_tools import MPIS, Bench

SMALL = ["startup", "--files", "5", "--size", "10K", "--transfer", "4K"]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(
    ("scheme", "opens", "messages"), [("everyone", 20, 0), ("leader", 5, 45), ("tree", 5, 45)]
)
def test_every_rank_gets_all(tmp_path: Path, mpi: str, scheme: str, opens: int, messages: int) -> None:
    bench = Bench(tmp_path, mpi)
    found = bench.figures(*SMALL, "--scheme", scheme)
    assert found["right"] and found["checks"][0]["checked_bytes"] == 4 * 5 * 10240
    calls = found["phases"][1]["calls"]
    assert calls["open"]["calls"] == opens
    assert calls.get("receive", {"calls": 0})["calls"] == calls.get("send", {"calls": 0})["calls"] == messages
    rate = 4 * 5 * 10240 / found["startup_seconds"] / 1e6
    assert found["delivered_mbps"] == pytest.approx(rate, rel=1e-3, abs=6e-4)
    assert bench.left() == []


def test_what_is_broadcast_is_what_was_read(tmp_path: Path) -> None:
    """A file that somebody changes before it is read: each rank finds what is wrong."""
    import subprocess
    import time

    bench = Bench(tmp_path, "openmpi", ranks=3)
    words = ["startup", "--scheme", "tree", "--files", "30", "--size", "4K", "--emulate", "20ms", "--json"]
    with subprocess.Popen(
        bench.command(*words), stdout=subprocess.PIPE, text=True, env=bench.environment
    ) as running:
        while not (files := list(tmp_path.glob("*/startup.29"))) or files[0].stat().st_size < 4096:
            assert running.poll() is None
            time.sleep(0.002)
        with files[0].open("r+b") as stream:
            stream.write(b"x" * 100)
        import json

        said = json.loads(running.communicate(timeout=60)[0])
    assert running.returncode == 1 and not said["right"]
    assert said["checks"][0]["wrong_bytes"] > 3 * 90, "of all three ranks"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scheme", "magic"], "none of everyone, leader, tree"),
        (["--files", "0"], "--files is 1 or more"),
        (["--size", "8E"], "--size"),
        (["--api", "hdf5"], "rows of bytes"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run("startup", *words)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert bench.left() == []
