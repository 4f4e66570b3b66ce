"""Runs the `headrace` command in a directory and an environment of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = os.environ.get("HEADRACE_TEST_COMMAND", str(Path(sys.prefix) / "bin" / "headrace"))


def default_signals() -> None:
    """Signals as a shell's job finds them; whoever runs the tests in the background has some ignored."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def as_job() -> None:
    """A group of its own with a parent in its session; in others a terminal's stop signals are discarded."""
    os.setpgid(0, 0)
    default_signals()


class Launcher:
    """Runs commands under the launcher in a directory of their own."""

    def __init__(self, directory: Path, spools: Path, library: Path | None) -> None:
        self.directory = directory
        self.spools = spools
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("HEADRACE")}
        self.environment["HEADRACE_CONFIG"] = str(directory / "site.conf")
        self.environment["HEADRACE_SPOOL"] = str(spools)
        (directory / "site.conf").write_text("")
        if library is not None:
            self.environment["HEADRACE_LIBRARY"] = str(library)

    def start(self, *arguments: str | Path, **options: Any) -> subprocess.Popen[bytes]:
        options.setdefault("env", self.environment)
        options.setdefault("cwd", self.directory)
        options.setdefault("preexec_fn", as_job)
        return subprocess.Popen([COMMAND, *map(str, arguments)], **options)

    def run(self, *arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
        options.setdefault("env", self.environment)
        options.setdefault("cwd", self.directory)
        options.setdefault("preexec_fn", as_job)
        return subprocess.run(
            [COMMAND, *map(str, arguments)], capture_output=True, timeout=60, check=False, **options
        )

    def jobs(self) -> list[Path]:
        """Directories of jobs that run or were killed."""
        return sorted(self.spools.glob("headrace-*"))

    def logs(self) -> list[Path]:
        return sorted(self.directory.glob("*.hr"))
