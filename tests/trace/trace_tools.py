"""Programs under `headrace run --trace`, and what their traces say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import headrace
from headrace.analysis import trace_checks
from headrace.analysis.traces import Trace

COMMAND = os.environ.get("HEADRACE_TEST_COMMAND", str(Path(sys.prefix) / "bin" / "headrace"))
HERE = Path(__file__).parent


def config(option: str) -> str:
    """What `headrace config` says."""
    done = subprocess.run([COMMAND, "config", option], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def compile_program(compiler: str, sources: Sequence[str | Path], out: Path) -> Path:
    """Compiles with every warning as an error."""
    words = [*compiler.split(), "-Wall", "-Wextra", "-Werror", config("--cflags"), "-o", str(out)]
    done = subprocess.run([*words, *map(str, sources)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


class Traced:
    """A run, and its trace."""

    def __init__(
        self,
        place: Path,
        command: Sequence[str | Path],
        options: Sequence[str] = ("--trace",),
        status: int = 0,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.log, self.trace = place / "job.hr", place / "job.trace.hr"
        run = [COMMAND, "run", "-q", *options, "-o", str(self.log), "--", *map(str, command)]
        done = subprocess.run(
            run,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
            env={**os.environ, **(environment or {})},
        )
        self.stdout, self.stderr = done.stdout, done.stderr
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)

    def command(self, name: str, *options: str, status: int = 0) -> str:
        """What `headrace trace NAME` prints."""
        command = [sys.executable, "-m", "headrace", "trace", name, *options, str(self.trace)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == status, (done.stdout, done.stderr)
        told = ("", f"headrace: {self.trace}: there are no events\n")
        incomplete = name == "cat" and done.stderr.startswith(f"headrace: {self.trace}: Incomplete: ")
        assert incomplete or done.stderr in told, done.stderr
        return done.stdout

    def rows(self) -> list[dict[str, Any]]:
        """As `headrace trace cat --json` has them."""
        return [json.loads(line) for line in self.command("cat", "--json").splitlines()]

    def named(self, *kinds: str) -> Counter[str]:
        """How often each name is entered, set and so on; not the lives of threads."""
        return Counter(
            row["name"] for row in self.rows() if row["kind"] in kinds and row.get("layer") != "thread"
        )

    def accounts(self) -> dict[str, int]:
        return Trace(self.trace).native.accounts()

    def verify(self) -> str:
        """What `headrace trace verify` says where all holds."""
        with headrace.open(self.log) as log:
            checks = trace_checks.check(Trace(self.trace), log)
        said = "; ".join(f"{check.name}: {check.says}" for check in checks)
        assert not any(check.holds is False for check in checks), said
        return said
