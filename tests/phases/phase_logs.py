"""Logs with phases, as the tests look at them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headrace

COMMAND = os.environ.get("HEADRACE_TEST_COMMAND", str(Path(sys.prefix) / "bin" / "headrace"))


@dataclass
class Phased:
    """A finished run, and its log."""

    status: int
    path: Path

    def rows(self, table: str, **columns: Any) -> list[dict[str, Any]]:
        """Rows of a table whose columns have the given values."""
        with headrace.open(self.path) as log:
            rows = log.table(table).to_pylist()
        return [row for row in rows if all(row[key] == value for key, value in columns.items())]

    def phase(self, path: str, instance: int = 0, **columns: Any) -> dict[str, Any]:
        """The one row of a phase."""
        found = self.rows("phases", phase=path, instance=instance, **columns)
        assert len(found) == 1, f"{len(found)} rows of {path} {instance}: {self.rows('phases')}"
        return found[0]

    def calls(self, path: str, instance: int = 0) -> dict[str, tuple[int, int]]:
        """Calls and bytes by function."""
        return {
            row["function"]: (row["calls"], row["bytes"])
            for row in self.rows("phase_profiles", phase=path, instance=instance)
        }

    def sizes(self, path: str, instance: int = 0) -> dict[int, int]:
        """How many writes had a size in the span that begins so, in all layers."""
        found: dict[int, int] = {}
        for row in self.rows("phase_sizes", phase=path, instance=instance, direction="write"):
            found[row["least"]] = found.get(row["least"], 0) + row["count"]
        return found

    def gaps(self) -> dict[str, int]:
        """What is missing, with its amount."""
        return {row["what"]: row["amount"] for row in self.rows("gaps")}


def run_phased(
    command: list[str | Path], log: Path, options: tuple[str, ...] = (), timeout: float = 120, **popen: Any
) -> Phased:
    """`headrace run OPTIONS -o LOG -- COMMAND`."""
    words = [COMMAND, "run", *options, "-o", log, "--", *command]
    done = subprocess.run(words, timeout=timeout, check=False, capture_output=True, **popen)
    assert log.exists(), done.stderr.decode(errors="replace")
    return Phased(done.returncode, log)
