"""Trees deeper, directories larger and limits lower than most."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from headrace import scans
from headrace.scans import bins
from headrace.scans.scan import Scan

MOST = 2**63 - 1  # where sums end
COMMAND = Path(sys.executable).parent / "headrace"
Run = Callable[..., Scan]


MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # many directories take disks long


@pytest.fixture
def tree() -> Iterator[Path]:
    top = tempfile.mkdtemp(prefix="headrace-scan-", dir=MEMORY)
    yield Path(top)
    subprocess.run(["rm", "-rf", top], check=True)  # shutil cannot, in old Pythons


def dig(top: Path, names: list[bytes]) -> int:
    """Makes a directory in a directory in …; a descriptor of the last."""
    at = os.open(top, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    return at


def scan_with(descriptors: int, *words: object) -> None:
    """As in a shell after ulimit -n."""
    limit = (descriptors, descriptors)
    done = subprocess.run(
        [COMMAND, "scan", *map(str, words)], capture_output=True, text=True, timeout=120, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("names", [[b"d" * 200] * 60, [b"d%d" % i for i in range(3000)]])
def test_paths_longer_than_the_system_takes(scan: Run, tree: Path, names: list[bytes]) -> None:
    at = dig(tree, names)
    os.close(os.open("end", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    found = scan(tree)
    assert (found.number("files"), found.number("directories")) == (1, len(names) + 1)
    assert found.number("unreadable") == 0
    assert found.complete


@pytest.mark.parametrize("threads", [1, 256])
def test_few_descriptors_are_enough(tree: Path, tmp_path: Path, threads: int) -> None:
    """Directories in directories in many directories, so that many wait at once."""
    for i in range(40):
        at = dig(tree, [b"t%d" % i, *[b"d"] * 60])
        for j in range(20):
            os.mkdir(f"leaf{j}", dir_fd=at)
        os.close(at)
    scan_with(64, tree, "-o", tmp_path / "s.hr", "--threads", threads, "--checkpoint", 0)
    found = scans.load(tmp_path / "s.hr")
    assert found.problems == []
    assert found.number("directories") == 1 + 40 * (61 + 20)


def fill(directory: Path, names: int) -> int:
    """Names of as few inodes as the file system lets have so many; says how many."""
    at = os.open(directory, os.O_RDONLY)
    inodes = 0
    for i in range(names):
        if i % 30000 == 0:
            inodes += 1
            os.close(os.open(f"{i:07}", os.O_CREAT | os.O_WRONLY, dir_fd=at))
        else:
            os.link(f"{i - i % 30000:07}", f"{i:07}", src_dir_fd=at, dst_dir_fd=at)
    os.close(at)
    return inodes


@pytest.mark.parametrize("names", [60_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_a_directory_of_many(scan: Run, tree: Path, names: int) -> None:
    inodes = fill(tree, names)
    found = scan(tree, "--checkpoint", "0")
    assert (found.number("files"), found.number("repeated_links")) == (inodes, names - inodes)
    assert found.number("links_elsewhere") == 0
    assert found.ranges["directory_entries"] == (names, names)
    assert sum(one.files for one in found.histogram("name_length").values()) == names
    assert found.complete


def test_a_directory_of_many_directories(scan: Run, tree: Path) -> None:
    for i in range(5000):
        (tree / f"{i:0200}").mkdir()
    found = scan(tree)
    assert found.number("directories") == 5001
    assert found.ranges["directory_entries"] == (0, 5000)


def greatest_size(file: Path) -> int:
    """That the file system lets a file have, which is made so; no data is stored."""
    for bits in range(63, 31, -1):
        try:
            with file.open("wb") as opened:
                opened.truncate((1 << bits) - 1)
        except OSError:
            continue
        return (1 << bits) - 1
    raise AssertionError("no sparse file can be made here")


def test_sizes_beyond_sums(scan: Run, headrace: Callable[..., Any], tree: Path, tmp_path: Path) -> None:
    largest = min(greatest_size(tree / f"huge{i}") for i in range(3))
    (tree / "small").write_text("x")
    found = scan(tree)
    whole = min(3 * largest + 1, MOST)
    assert (found.number("files"), found.number("largest"), found.number("bytes")) == (4, largest, whole)
    assert found.number("capacity") < 2**20
    assert found.histogram("negative_overhead")[bins.bucket_of("size", largest)].files == 3
    assert found.histogram("size")[bins.bucket_of("size", largest)].bytes == min(3 * largest, MOST)
    shown = headrace("show", tmp_path / "scan.hr").stdout
    said = headrace(tree, "-o", tmp_path / "scan.hr").stdout
    assert ("sums of bytes end" in shown, "at least" in said) == (
        (True, True) if whole == MOST else (False, False)
    )


EDGES = (-(2**31), -1, 0, 2**31, 2**33, 2**34, 2**62)


@pytest.mark.parametrize("when", EDGES)
def test_times_at_the_edges(scan: Run, tree: Path, when: int) -> None:
    (tree / "f").write_text("x")
    try:
        os.utime(tree / "f", (when, when))
    except OverflowError:
        pytest.skip("Python has no such time")
    stored = int((tree / "f").stat().st_mtime)  # what the file system can keep
    found = scan(tree)
    age = found.number("start_utc_ns") // 10**9 - stored
    assert found.ranges["modified_age"] == (age, age)
    assert found.ranges["accessed_age"] == (age, age)
    ((bucket, one),) = found.histogram("modified_age").items()
    assert (bucket, one.total) == (bins.bucket_of("modified_age", age), age)
