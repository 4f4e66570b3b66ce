"""Mounts of forwarding servers that are gone when a test ends, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from forward_tools import NATIVE, Result

PROGRAM = NATIVE.parents[1] / "lib" / "headrace" / "headrace-mount"


def why_not() -> str:
    """Why nothing can be mounted here; "" when it can."""
    if not PROGRAM.exists():
        return "headrace was built without libfuse3"
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        return str(error)
    return "" if shutil.which("fusermount3") else "no fusermount3"


needs_fuse = pytest.mark.skipif(why_not() != "", reason=f"cannot mount: {why_not()}")


def is_mounted(path: Path) -> bool:
    return any(line.split()[1] == str(path) for line in Path("/proc/self/mounts").read_text().splitlines())


class Mounted:
    """`headrace mount` in the foreground, of which the process is known."""

    def __init__(self, path: Path, process: subprocess.Popen[str]):
        self.path = path
        self.process = process

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


class Mounts:
    def __init__(self, directory: Path):
        self.directory = directory
        self._paths: list[Path] = []
        self._processes: list[subprocess.Popen[str]] = []

    def new_path(self) -> Path:
        path = self.directory / f"mount{len(self._paths)}"
        path.mkdir()
        self._paths.append(path)
        return path

    def mount(self, spec: str, *options: str | Path) -> Path:
        """In the background."""
        path = self.new_path()
        done = self.command(*options, spec, path)
        assert done.returncode == 0, done.stderr
        return path

    def foreground(self, spec: str, *options: str) -> Mounted:
        path = self.new_path()
        words: list[str | Path] = [NATIVE, "mount", "--foreground", *options, spec, path]
        process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        self._processes.append(process)
        while not is_mounted(path):
            assert process.poll() is None, process.communicate()
        return Mounted(path, process)

    def command(self, *words: str | Path) -> Result:
        done: Result = subprocess.run(
            [NATIVE, "mount", *words], check=False, capture_output=True, text=True, timeout=60
        )
        return done

    def unmount(self, path: Path) -> Result:
        return self.command("--unmount", path)

    def end(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.communicate()
        for path in self._paths:
            if is_mounted(path):
                subprocess.run(["fusermount3", "-u", "-z", path], check=False, timeout=30)
