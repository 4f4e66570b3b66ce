"""Runs commands with and without capture and compares them: the one place that knows how to capture."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Compile = Callable[..., Path]  # compiles a program of c/, see conftest.py

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = Path(os.environ.get("HEADRACE_TEST_LAUNCHER", ROOT / ".venv" / "bin" / "headrace"))
LIBRARY = LAUNCHER.parent.parent / "lib" / "headrace" / "libheadrace.so"


@dataclass
class Outcome:
    """What a command did: its status, its output and the files that it left in its directory."""

    status: int
    output: bytes
    errors: bytes
    files: dict[str, tuple[str, ...]]
    captured: int = 0  # processes with a spool
    reasons: dict[str, int] = field(default_factory=dict)  # processes without one, by reason
    operations: int = 0  # reads and writes that were counted, with or without a record
    attributed: int = 0  # those with a record
    file_writes: dict[str, int] = field(default_factory=dict)  # by file name
    moved: dict[str, tuple[int, int]] = field(default_factory=dict)  # bytes read and written, by file name
    gaps: dict[str, int] = field(default_factory=dict)  # what was not captured, and how much of it

    def visible(self) -> tuple[int, bytes, bytes, dict[str, tuple[str, ...]]]:
        """What must be the same with and without capture."""
        return self.status, self.output, self.errors, self.files


def snapshot(directory: Path) -> dict[str, tuple[str, ...]]:
    """Type, mode, links, size and content of every file below `directory`."""
    found = {}
    for path in sorted(directory.rglob("*")):
        info = path.lstat()
        facts = [stat.filemode(info.st_mode), str(info.st_uid)]
        if path.is_symlink():
            facts.append(os.readlink(path))  # noqa: PTH115 (a link to nowhere is fine)
        elif path.is_file():
            facts += [str(info.st_nlink), str(info.st_size), hashlib.sha256(path.read_bytes()).hexdigest()]
        found[str(path.relative_to(directory))] = tuple(facts)
    return found


class Tracer:
    """Runs commands in a directory of its own, the same path with and without capture."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.directory = scratch / "work"
        self.logs = 0

    def run(self, command: list[str | Path], capture: bool = False, **options: Any) -> Outcome:
        """Runs `command` in an empty directory; `prepare(directory)` fills it before."""
        prepare = options.pop("prepare", None)
        keep = options.pop("keep_files", False)
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir()
        if prepare:
            prepare(self.directory)
        arguments = [str(part) for part in command]
        log = self.scratch / f"log{self.logs}.hr"
        if capture:
            self.logs += 1
            arguments = [str(LAUNCHER), "run", "-q", "-o", str(log), "--", *arguments]
        options.setdefault("timeout", 120)
        options.setdefault("stdin", subprocess.DEVNULL)
        if "input" in options:
            del options["stdin"]
        environment = {
            **os.environ,
            "LC_ALL": "C",
            "HOME": str(self.directory),
            "TZ": "UTC",
            **options.pop("env", {}),
        }
        done = subprocess.run(arguments, capture_output=True, cwd=self.directory, env=environment, **options)
        outcome = Outcome(done.returncode, done.stdout, done.stderr, {} if keep else snapshot(self.directory))
        if capture:
            read_log(log, outcome)
        return outcome

    def compare(self, command: list[str | Path], reason: str | None = None, **options: Any) -> Outcome:
        """Asserts that capture changes nothing to be seen, and that it did capture; returns the captured run.

        With `reason` some process must be missing for that reason.
        """
        without = self.run(command, False, **options)
        captured = self.run(command, True, **options)
        assert captured.visible() == without.visible()
        if reason:
            assert reason in captured.reasons, captured.reasons
        else:
            assert captured.captured > 0
        return captured


def read_log(path: Path, outcome: Outcome) -> None:
    """Fills what the job log tells."""
    import headrace

    log = headrace.open(path)
    processes = log.processes.to_pylist()
    outcome.captured = sum(row["captured"] for row in processes)
    for row in processes:
        if row["reason"]:
            outcome.reasons[row["reason"]] = outcome.reasons.get(row["reason"], 0) + 1
    files = log.files.to_pylist()
    outcome.attributed = sum(row["reads"] + row["writes"] for row in files)
    for row in files:
        name = row["path"].rsplit("/", 1)[-1]
        outcome.file_writes[name] = outcome.file_writes.get(name, 0) + row["writes"]
        read, written = outcome.moved.get(name, (0, 0))
        outcome.moved[name] = read + row["bytes_read"], written + row["bytes_written"]
    for row in log.gaps.to_pylist():
        outcome.gaps[row["what"]] = outcome.gaps.get(row["what"], 0) + row["amount"]
    outcome.operations = outcome.attributed + sum(row["unattributed_operations"] for row in processes)
    with contextlib.suppress(OSError):
        path.unlink()
