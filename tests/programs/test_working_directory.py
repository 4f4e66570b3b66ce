"""Files of the working directory that are named like modules of Python are not taken for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = os.environ.get("HEADRACE_TEST_COMMAND", str(Path(sys.prefix) / "bin" / "headrace"))


@pytest.mark.parametrize("arguments", [["--version"], ["trace", "--help"], ["show", "none.hr"]])
def test_modules_there_are_not_ours(tmp_path: Path, arguments: list[str]) -> None:
    expected = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=False)
    for name in ("json", "re", "click", "pathlib", "typing", "subprocess", "headrace"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} of the working directory')\n")
    done = subprocess.run(
        [COMMAND, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        expected.returncode,
        expected.stdout,
        expected.stderr,
    )
