"""Systems to install packages into, which are gone when they are left. Nothing of this machine changes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

# What is written is kept in memory, beside the files below; `shared` is the same directory in there.
_OVER = """
set -eu
mount -t tmpfs none "$place"
mkdir "$place/upper" "$place/work" "$place/root"
mount -t overlay none -o "lowerdir=$below,upperdir=$place/upper,workdir=$place/work" "$place/root"
mount -t proc none "$place/root/proc"
mount --rbind /dev "$place/root/dev"
mkdir -p "$place/root$shared"
mount --bind "$shared" "$place/root$shared"
echo ready
exec chroot "$place/root" cat
"""


@contextmanager
def system_over(below: Path, shared: Path) -> Iterator[Sequence[str]]:
    """A copy of the system in `below`. Yields the words that run a command in it, with the caller's PATH."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a system to install into")
    allowed = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"], check=False, capture_output=True
    )
    if allowed.returncode != 0:
        pytest.skip(f"no system can be mounted here: {allowed.stderr.decode().strip()}")
    place = shared / "system"
    place.mkdir()
    variables = {"PATH": os.environ["PATH"], "below": str(below), "place": str(place), "shared": str(shared)}
    holder = subprocess.Popen(
        ["unshare", "--mount", "--propagation", "private", "bash", "-c", _OVER],
        env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdin is not None and holder.stdout is not None
    try:
        assert holder.stdout.readline() == "ready\n"
        nsenter = shutil.which("nsenter")
        assert nsenter is not None
        yield [nsenter, "--target", str(holder.pid), "--mount", "--root", "--wd", "--"]
    finally:
        holder.stdin.close()  # `cat` ends, and with it all that was mounted
        holder.wait(60)


def run(enter: Sequence[str], script: str, *, timeout: float = 600) -> str:
    """As root of that system, with its whole PATH."""
    variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
    done = subprocess.run(
        [*enter, "/bin/bash", "-euo", "pipefail", "-c", script], env=variables,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
