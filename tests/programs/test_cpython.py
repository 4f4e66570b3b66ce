"""CPython's own tests of the operating system's interfaces give the same results with and without capture."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tracing import LAUNCHER

QUICK = ["test_mmap", "test_fcntl", "test_tempfile", "test_posix", "test_os"]
LONG = ["test_io", "test_subprocess", "test_signal", "test_threading", "test_asyncio", "test_shutil"]
RESULT = re.compile(r"^(test\w+ \([\w.]+\)).*? \.\.\. .*?\b(ok|FAIL|ERROR|skipped|expected failure)\b", re.M)


def python_with_tests() -> str | None:
    """A Python that has its test package; distributions leave it out of theirs."""
    for python in [sys.executable, shutil.which("python3"), "/usr/bin/python3"]:
        if (
            python
            and subprocess.run([python, "-c", "import test.test_os"], capture_output=True).returncode == 0
        ):
            return python
    return None


def results(command: list[str], directory: Path, module: str) -> dict[str, str]:
    directory.mkdir()
    environment = {**os.environ, "TMPDIR": str(directory), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    arguments = [*command, "-m", "test", "-v", module]
    done = subprocess.run(
        arguments, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=1200
    )
    found = dict(RESULT.findall(done.stdout.decode(errors="replace")))
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return found


def compare(module: str, tmp_path: Path) -> None:
    python = python_with_tests()
    if not python:
        pytest.skip("no Python here has its test package (Debian: libpython3-testsuite)")
    capture = [str(LAUNCHER), "run", "-q", "-o", str(tmp_path / "log.hr"), "--", python]
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(results, capture, tmp_path / "a", module),
            pool.submit(results, [python], tmp_path / "b", module),
        ]
        captured, plain = (run.result() for run in runs)
    names = captured.keys() | plain.keys()
    differences = {
        name: (plain.get(name), captured.get(name)) for name in names if plain.get(name) != captured.get(name)
    }
    assert not differences


@pytest.mark.timeout(1300)
@pytest.mark.parametrize("module", QUICK)
def test_module(tmp_path: Path, module: str) -> None:
    compare(module, tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(1300)
@pytest.mark.parametrize("module", LONG)
def test_long_module(tmp_path: Path, module: str) -> None:
    compare(module, tmp_path)
