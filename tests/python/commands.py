"""Runs the command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def headrace(
    *arguments: str | Path, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "headrace", *map(str, arguments)]
    inherited = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    variables = {**inherited, "PYTHONIOENCODING": "utf-8", **environment}
    run = subprocess.run(command, capture_output=True, cwd=cwd, env=variables, timeout=120, check=False)
    out, err = run.stdout.decode(), run.stderr.decode()
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess(command, run.returncode, out, err)
