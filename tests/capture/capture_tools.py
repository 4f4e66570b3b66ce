"""Running programs under capture, and comparing their logs with their own accounts (c/tally.h)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headrace
import numpy as np

COMMAND = os.environ.get("HEADRACE_TEST_COMMAND", str(Path(sys.prefix) / "bin" / "headrace"))
COUNTERS = ["opens", "closes", "reads", "writes", "bytes_read", "bytes_written"]
ROLLUPS = {"directory_rollup", "excluded_rollup", "vfork_child", "no_file"}
FLAGS = {flag.name: 1 << flag.bit for flag in headrace.flags()}


@dataclass
class Captured:
    """A finished `headrace run`: what it printed, how it ended (as a shell says it), and where its log is."""

    status: int
    stdout: bytes
    stderr: bytes
    path: Path

    @property
    def text(self) -> list[str]:
        """Lines of its standard output."""
        return self.stdout.decode().splitlines()

    @property
    def log(self) -> headrace.JobLog:
        return headrace.open(self.path)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The table as dictionaries."""
        with self.log as log:
            return log.table(table).to_pylist()

    def files(self, name: str | None = None, **columns: Any) -> list[dict[str, Any]]:
        """Rows of `files` whose path ends in `name` and whose columns have the given values."""
        return [
            row
            for row in self.rows("files")
            if (name is None or row["path"].endswith(name))
            and all(row[key] == columns[key] for key in columns)
        ]

    def shown(self) -> dict[str, Any]:
        """The facts that `headrace show` prints."""
        told = [COMMAND, "show", "--json", str(self.path)]
        facts: dict[str, Any] = json.loads(subprocess.run(told, capture_output=True, check=True).stdout)
        return facts

    def file(self, name: str, **columns: Any) -> dict[str, Any]:
        """The one row of `files` of that name."""
        found = self.files(name, **columns)
        assert len(found) == 1, f"{len(found)} records of {name}: {[row['path'] for row in found]}"
        return found[0]


def run(
    command: Sequence[str | bytes | Path],
    log: Path,
    options: Sequence[str] = (),
    timeout: float = 120,
    prefix: Sequence[str] = (),
    **popen: Any,
) -> Captured:
    """`headrace run OPTIONS -o LOG -- COMMAND`, whatever its exit status. `prefix`: what runs all that."""
    if "--tally" in command:  # must not mix with the files in a roll-up
        options = [*options, "--exclude", str(command[list(command).index("--tally") + 1])]
    done = subprocess.run(
        [*prefix, COMMAND, "run", *options, "-o", str(log), "--", *command],
        capture_output=True,
        timeout=timeout,
        check=False,
        **popen,
    )
    assert log.exists(), f"no log: status {done.returncode}, {done.stderr.decode(errors='replace')}"
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return Captured(status, done.stdout, done.stderr, log)


def complete(path: Path, seconds: float = 20) -> None:
    """Waits until the log says that it has every process."""
    end = time.monotonic() + seconds
    while True:
        with headrace.open(path) as log:
            if log.job.get("complete") == "yes":
                return
        assert time.monotonic() < end, "the log was never completed"
        time.sleep(0.1)


class Tally:
    """The account of c/mix.c: rows are threads; see c/tally.h for the layout."""

    def __init__(self, path: Path, rows: int, files: int) -> None:
        self.path, self.row_count, self.file_count = path, rows, files
        with path.open("wb") as out:
            out.write(np.array([rows, files, 0, 0, 0, 0, 0, 0], np.uint64).tobytes())
            out.truncate(64 + 64 * rows + 8 * rows * files * len(COUNTERS))

    def read(self, captured: set[int]) -> tuple[np.ndarray, np.ndarray]:
        """Counts of completed operations by file and counter, and what unfinished ones may add at most.

        Only of the processes with these ids.
        """
        words = np.fromfile(self.path, np.uint64)
        intents = words[8 : 8 + 8 * self.row_count].reshape(self.row_count, 8)
        counts = words[8 + 8 * self.row_count :].reshape(self.row_count, self.file_count, len(COUNTERS))
        used = np.isin(intents[:, 4], list(captured))
        intents, counts = intents[used], counts[used]
        done = counts.sum(axis=0).astype(np.int64)
        more = np.zeros_like(done)
        for active, file, what, size in intents[:, :4]:
            if active:
                more[int(file), int(what)] += 1
                if int(what) in (2, 3):
                    more[int(file), int(what) + 2] += size
        return done, more


class Mix:
    """c/mix.c in a directory of its own."""

    def __init__(self, program: Path, directory: Path, rows: int, files: int, dirs: int = 1) -> None:
        self.program, self.directory, self.dirs = program, directory, dirs
        self.data = directory / "data"
        for number in range(dirs):
            (self.data / f"d{number}").mkdir(parents=True)
        self.tally = Tally(directory / "tally", rows, files)

    def command(self, **options: Any) -> list[str]:
        command = [
            str(self.program),
            "--tally",
            str(self.tally.path),
            "--dir",
            str(self.data),
            "--dirs",
            str(self.dirs),
        ]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        return command

    def logged(self, log: headrace.JobLog) -> tuple[np.ndarray, np.ndarray, set[int]]:
        """Figures of the log by file and of roll-ups, and the files with the flag `partial`."""
        table = log.files.to_pydict()
        by_file = np.zeros((self.tally.file_count, len(COUNTERS)), np.int64)
        rest = np.zeros(len(COUNTERS), np.int64)
        partial = set()
        prefix = str(self.data) + "/"
        for i, path in enumerate(table["path"]):
            figures = [table[name][i] for name in COUNTERS]
            # Of a directory or one above it, or in no file.
            if table["kind"][i] in ("directory_rollup", "no_file"):
                rest += figures
            elif path.startswith(prefix) and "/f" in path[len(prefix) :]:
                index = int(path.rsplit("/f", 1)[1])
                by_file[index] += figures
                if table["flags"][i] & FLAGS["partial"]:
                    partial.add(index)
        return by_file, rest, partial


def amount_of(gaps: list[dict[str, Any]], what: str, unit: str) -> int:
    """What the log says is missing."""
    return sum(gap["amount"] for gap in gaps if gap["what"] == what and gap["unit"] == unit)


def check(mix: Mix, captured: Captured) -> dict[str, Any]:
    """Compares log and account: every completed operation once, nothing invented. Returns what was seen."""
    with captured.log as log:
        by_file, rest, partial = mix.logged(log)
        processes = log.processes.to_pylist()
        gaps = [gap for gap in log.gaps.to_pylist() if gap["what"] != "excluded paths"]
        damage = log.damage
    done, more = mix.tally.read({row["pid"] for row in processes if row["captured"]})
    assert not damage, damage
    assert not [gap for gap in gaps if gap["what"] == "damaged spool"], gaps
    uncertain = sum(row["uncertain_operations"] for row in processes)
    folded = sum(row["folded_records"] for row in processes)
    sums, low, high = by_file.sum(axis=0) + rest, done.sum(axis=0), (done + more).sum(axis=0)
    assert (sums <= high).all(), f"invented: {dict(zip(COUNTERS, sums - high, strict=True))}"
    assert (sums >= low).all(), f"lost: {dict(zip(COUNTERS, low - sums, strict=True))}"
    said = amount_of(gaps, "operations without a file", "calls")
    assert (by_file <= done + more).all(), "a file has operations of another one"
    if folded == 0 and not rest.any() and not said:
        assert (by_file >= done).all(), "a file lacks operations"
    lacking = [i for i in np.nonzero((by_file < done).any(axis=1))[0] if by_file[i].any()]
    unflagged = [i for i in lacking if i not in partial and len(processes) == 1]  # the flag is of one process
    assert len(unflagged) <= said, f"files that lack operations without the flag partial: {unflagged[:5]}"
    return {
        "folded": folded,
        "uncertain": uncertain,
        "processes": processes,
        "gaps": gaps,
        "unfinished": int((more[:, :4]).sum()),
    }
