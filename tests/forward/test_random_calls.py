"""Random calls of several processes come to the same as directly, whatever the placement, and on a mount."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from forward_tools import Place, Servers
from mount_tools import Mounts, needs_fuse

PROGRAM = Path(__file__).parent / "programs" / "random_calls.py"
PLACES = pytest.mark.parametrize("where", ["file", "stripe", "node", "through"])


def options(where: str) -> list[str]:
    return ["--write-through"] if where == "through" else ["--place", where]


def compare(place: Place, seed: int, calls: int) -> None:
    direct, below = place.log.parent / f"direct{seed}", place.root / f"root{seed}"
    direct.mkdir()
    below.mkdir()
    words = [f"/fwd/root{seed}", direct, str(seed), str(calls)]
    done = place.run(sys.executable, PROGRAM, *words, patience=50, check=False)
    assert (done.returncode, done.stdout) == (0, ""), f"seed {seed}: {done.stdout}{done.stderr}"


def compare_on_mount(servers: Servers, mounts: Mounts, directory: Path, seed: int, calls: int) -> None:
    direct, root = directory / "direct", directory / "root"
    direct.mkdir()
    root.mkdir()
    server = servers.start("--root", root, name=f"m{seed}", tcp=False)
    path = mounts.mount(f"{root}@{server.addresses[0]}")
    words = [sys.executable, PROGRAM, path, direct, str(seed), str(calls)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, ""), f"seed {seed}: {done.stdout}{done.stderr}"


@PLACES
def test_some_calls(servers: Servers, tmp_path: Path, where: str) -> None:
    compare(Place(servers, tmp_path, 3, *options(where)), 1, 1500)


@needs_fuse
def test_some_calls_on_a_mount(servers: Servers, mounts: Mounts, tmp_path: Path) -> None:
    compare_on_mount(servers, mounts, tmp_path, 1, 1000)


@pytest.mark.soak
@PLACES
def test_very_many_calls(servers: Servers, tmp_path: Path, where: str) -> None:
    place = Place(servers, tmp_path, 2, *options(where))
    for seed in range(2, 42):
        compare(place, seed, 3000)


@pytest.mark.soak
@needs_fuse
@pytest.mark.parametrize("seed", range(2, 12))
def test_very_many_calls_on_a_mount(servers: Servers, mounts: Mounts, tmp_path: Path, seed: int) -> None:
    compare_on_mount(servers, mounts, tmp_path, seed, 5000)
