"""Mounts c/striped_fs.c, a stand-in for the file systems that no test machine has."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
Mounted = Callable[..., tuple[Path, Path]]


@pytest.fixture(scope="session")
def striped_fs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("striped") / "striped_fs"
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "fuse3"], capture_output=True, text=True, check=True
    ).stdout.split()
    source = HERE / "c" / "striped_fs.c"
    command = ["cc", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o", str(out), str(source), *flags]
    subprocess.run(command, check=True)
    return out


@pytest.fixture
def mounted(striped_fs: Path, tmp_path: Path) -> Iterator[Mounted]:
    """mounted(TYPE) → a mount point of a file system "fuse.TYPE", and the directory below it."""
    servers: list[tuple[Path, subprocess.Popen[bytes]]] = []

    def mount(kind: str = "lustre") -> tuple[Path, Path]:
        point, below = tmp_path / f"{kind}{len(servers)}", tmp_path / f"below{len(servers)}"
        point.mkdir()
        below.mkdir()
        options = f"subtype={kind},fsname=10.0.0.1@tcp:/scratch"
        server = subprocess.Popen(
            [striped_fs, point, "-f", "-o", options], env={**os.environ, "STRIPED_FS": str(below)}
        )
        servers.append((point, server))
        for _ in range(1000):
            if point.is_mount():
                return point, below
            assert server.poll() is None, "striped_fs ended; /dev/fuse and the right to mount are needed"
            time.sleep(0.01)
        raise AssertionError("striped_fs was not mounted in time")

    yield mount
    for point, server in servers:
        subprocess.run(["fusermount3", "-u", "-z", str(point)], check=False)
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
