"""Other languages and containers work as without capture, and their bytes are what they wrote and read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tracing import Outcome, Tracer

HERE = Path(__file__).parent / "interpreters"
FILES = 60


def needs(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"needs {program}")
    return path


def check(done: Outcome, first: int, extra: int) -> None:
    """Each file of `made` was written and read once, as far as the program said."""
    assert done.status == 0, done.errors
    sizes = {f"f{number}": 1000 * number + extra for number in range(first, FILES)}
    assert {name: done.moved[name] for name in sizes} == {name: (size, size) for name, size in sizes.items()}
    assert set(done.gaps) <= {"excluded paths"}


def test_node(tracer: Tracer) -> None:
    done = tracer.compare([needs("node"), HERE / "copy.js"])
    check(done, 0, 7)
    assert int(done.output) == sum(1000 * number + 7 for number in range(45))


def test_java(tracer: Tracer, tmp_path: Path) -> None:
    needs("java")
    subprocess.run([needs("javac"), "-d", tmp_path, HERE / "Copy.java"], check=True)
    done = tracer.compare(["java", "-Xshare:auto", "-XX:-UsePerfData", "-cp", tmp_path, "Copy"])
    check(done, 0, 7)


def test_r(tracer: Tracer) -> None:
    done = tracer.compare([needs("Rscript"), HERE / "copy.R"])
    check(done, 1, 8)


def test_a_container(tracer: Tracer) -> None:
    """With namespaces of its own, and Headrace's library at the same place."""
    command = [
        needs("bwrap"),
        "--bind",
        "/",
        "/",
        "--dev-bind",
        "/dev",
        "/dev",
        "--unshare-pid",
        "--unshare-ipc",
    ]
    if subprocess.run([*command, "true"], capture_output=True).returncode != 0:
        pytest.skip("bwrap may not make namespaces here")
    each = "head -c $((1000 * i)) /dev/zero > made/f$i; cat made/f$i | wc -c"
    script = f"mkdir made; for i in 1 2 3; do {each}; done"
    done = tracer.compare([*command, "sh", "-c", script])
    assert [done.moved[f"f{number}"] for number in (1, 2, 3)] == [(1000 * i, 1000 * i) for i in (1, 2, 3)]


def test_rclone(tracer: Tracer) -> None:
    """Go makes its system calls itself: the log says that they are missing."""

    def fill(directory: Path) -> None:
        (directory / "from").mkdir()
        for number in range(20):
            (directory / "from" / f"f{number}").write_bytes(b"x" * 1000 * number)

    command = [needs("rclone"), "--config", "", "-q", "copy", "from", "to", "--transfers", "3"]
    done = tracer.compare(command, prepare=fill, keep_files=True)
    assert done.status == 0
    assert any("Go" in reason for reason in (*done.reasons, *done.gaps)), (done.reasons, done.gaps)
