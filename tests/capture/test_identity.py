"""A file is what the kernel says it is, whatever names it has, had, or shares with others in turn."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from capture_tools import Captured

_BEGINNING = """
import ctypes, os, subprocess, sys
os.chdir(sys.argv[1])
def put(name, size, flags=os.O_CREAT | os.O_TRUNC):
    file = os.open(name, os.O_WRONLY | flags, 0o600)
    os.write(file, b"x" * size)
    os.close(file)
def unnamed(size):
    file = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(file, b"x" * size)
    return file
"""

# What a program does, and the files that it then has or had: their last true names, and the bytes written to
# each. Numbers of files without a name are not known.
_CASES = {
    "a temporary name for one checkpoint after the other": (
        """
for i in (1, 2, 3):
    put("tmp", 1000 * i)
    os.replace("tmp", f"checkpoint-{i}")
for i in (1, 2, 3):
    put(f"checkpoint-{i}", 1)
""",
        [("checkpoint-1", 1001), ("checkpoint-2", 2001), ("checkpoint-3", 3001)],
    ),
    "removed and made again": (
        "for i in (1, 2, 3):\n    put('again', i)\n    os.unlink('again')",
        [("again", 1), ("again", 2), ("again", 3)],
    ),
    "opened while another takes its place": (
        """
old = os.open("place", os.O_CREAT | os.O_WRONLY)
put("new", 10)
os.rename("new", "place")
os.write(old, b"x" * 7)
put("place", 20, 0)
""",
        [("place", 7), ("place", 30)],
    ),
    "no name at all": ("unnamed(5)\nunnamed(6)", [("#", 5), ("#", 6)]),
    "made without a name": (
        """
file = unnamed(5)
libc = ctypes.CDLL(None)
assert libc.linkat(-100, b"/proc/self/fd/%d" % file, -100, b"linked", 0x400) == 0
put("linked", 6, 0)
""",
        [("linked", 11)],
    ),
    "two names": ("put('one', 1)\nos.link('one', 'two')\nput('two', 2)", [("one", 3)]),
    "two names, the first removed": (
        "put('one', 1)\nos.link('one', 'two')\nos.unlink('one')\nput('two', 2)",
        [("two", 3)],
    ),
    "a name that leads to it": ("put('one', 1)\nos.symlink('one', 'to')\nput('to', 2)", [("one", 3)]),
    "renamed twice": (
        "put('a', 1)\nos.rename('a', 'b')\nos.rename('b', 'c')\nput('c', 2)\nput('a', 4)",
        [("a", 4), ("c", 3)],
    ),
    "renamed and back": (
        "put('a', 1)\nos.rename('a', 'b')\nput('b', 2)\nos.rename('b', 'a')\nput('a', 4)",
        [("a", 7)],
    ),
    "exchanged": (
        """
put("a", 1)
put("b", 10)
assert ctypes.CDLL(None).renameat2(-100, b"a", -100, b"b", 2) == 0
put("a", 20)
put("b", 2)
""",
        [("a", 30), ("b", 3)],
    ),
    "a directory above renamed": (
        """
os.mkdir("old")
put("old/file", 1)
os.chdir("old")
os.rename("../old", "../new")
put("file", 2)
os.chdir("..")
put("new/file", 4)
os.mkdir("old")
put("old/file", 8)
""",
        [("new/file", 7), ("old/file", 8)],
    ),
    "a directory above renamed by another program": (
        """
os.mkdir("old")
put("old/file", 1)
subprocess.run(["mv", "old", "new"], check=True)
put("new/file", 2, 0)
""",
        [("new/file", 3)],
    ),
    "a directory moved into one that is there": (
        """
os.makedirs("results/deep")
os.mkdir("archive")
put("results/deep/file", 1)
subprocess.run(["mv", "results", "archive"], check=True)
put("archive/results/deep/file", 2, 0)
""",
        [("archive/results/deep/file", 3)],
    ),
    "renamed by another program": (
        "put('a', 1)\nsubprocess.run(['mv', 'a', 'b'], check=True)\nput('b', 2)\nput('a', 4)",
        [("a", 4), ("b", 3)],
    ),
    "written by a child that was forked before": (
        """
file = os.open("a", os.O_CREAT | os.O_WRONLY)
child = os.fork()
if child == 0:
    os.write(file, b"x")
    os._exit(0)
os.waitpid(child, 0)
os.rename("a", "b")
put("b", 2)
put("a", 4)
""",
        [("a", 4), ("b", 3)],
    ),
    "opened again by what leads to it": (
        """
file = os.open("a", os.O_CREAT | os.O_WRONLY)
os.dup2(file, 1)
for i, name in enumerate((f"/proc/self/fd/{file}", f"/dev/fd/{file}", "/dev/stdout", "/proc/self/cwd/a")):
    put(name, 10**i, 0)
""",
        [("a", 1111)],
    ),
    "opened again when it has no name any more": (
        """
file = os.open("a", os.O_CREAT | os.O_WRONLY)
os.write(file, b"x")
os.unlink("a")
put(f"/proc/self/fd/{file}", 2, 0)
""",
        [("a", 3)],
    ),
    "below directories deeper than the longest path": (
        """
here = os.getcwd()
for i, tree in ((1, "A"), (2, "B")):
    os.chdir(here)
    for part in [tree] + ["d" * 200] * 30:
        os.mkdir(part)
        os.chdir(part)
    put("file", i)
""",
        [("A/.../file", 1), ("B/.../file", 2)],
    ),
}


def _written(done: Captured, base: Path) -> list[tuple[str, int]]:
    with done.log as log:
        rows = log.files_by_path().to_pylist()
    found = [(row["final_path"], row["bytes_written"]) for row in rows if row["bytes_written"]]
    return sorted((_shown(path, base), size) for path, size in found if path.startswith(f"{base}/"))


def _shown(path: str, base: Path) -> str:
    name = path.removeprefix(f"{base}/")
    if name.startswith("#"):
        return "#"
    return f"{name[0]}/.../{name[name.rfind('/') + 1 :]}" if len(name) > 1000 else name


def test_a_device_in_the_place_of_a_stream_is_the_device(
    capture: Callable[..., Captured], tmp_path: Path
) -> None:
    """As in daemons, which close their streams and open /dev/null three times."""
    script = "import os; os.close(0); assert os.open('/dev/null', os.O_RDWR) == 0; os.write(0, b'x' * 9)"
    captured = capture([sys.executable, "-c", script])
    assert captured.status == 0, captured.stderr
    assert sum(row["bytes_written"] for row in captured.files(kind="stream")) == 0
    assert sum(row["bytes_written"] for row in captured.files(kind="excluded_rollup")) == 9


@pytest.mark.parametrize("what", _CASES)
def test_files_are_told_apart(what: str, capture: Callable[..., Captured], tmp_path: Path) -> None:
    program, expected = _CASES[what]
    base = tmp_path / "files"
    base.mkdir()
    done = capture([sys.executable, "-S", "-c", _BEGINNING + program, base])
    assert done.status == 0, done.stderr
    assert _written(done, base) == expected
    records = [row["record"] for row in done.rows("files")]
    assert len(records) == len(set(records))


def test_files_in_memory_are_told_apart(capture: Callable[..., Captured]) -> None:
    program = "import os\nfor i in (1, 2): os.write(os.memfd_create('same'), b'x' * i)"
    done = capture([sys.executable, "-S", "-c", program])
    assert sorted(row["bytes_written"] for row in done.files(kind="anonymous")) == [1, 2]


@pytest.fixture
def bound(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A directory, and another name that it is mounted under."""
    real, other = tmp_path / "real", tmp_path / "other"
    real.mkdir()
    other.mkdir()
    if shutil.which("mount") is None or subprocess.run(["mount", "--bind", real, other]).returncode != 0:
        pytest.skip("needs the right to mount")
    yield real, other
    subprocess.run(["umount", other], check=True)


def test_files_of_a_directory_that_is_mounted_twice_are_one(
    capture: Callable[..., Captured], bound: tuple[Path, Path], tmp_path: Path
) -> None:
    program = (
        "import sys\nfor n, p in enumerate(sys.argv[1:]): open(p + '/file', 'wb', 0).write(b'x' * (n + 1))"
    )
    done = capture([sys.executable, "-S", "-c", program, *bound])
    assert _written(done, tmp_path) == [("real/file", 3)]


def test_programs_that_take_one_name_in_turn(capture: Callable[..., Captured], tmp_path: Path) -> None:
    """When `mv` comes back from its rename, the name often leads to the file of another `mv` already."""
    script = """
cd "$1"
echo > checkpoint
for p in 1 2 3 4; do
  (for k in 1 2 3 4 5 6 7 8; do echo $p >temporary.$p; mv temporary.$p checkpoint; done) &
done
wait
"""
    done = capture(["sh", "-c", script, "sh", tmp_path])
    assert done.status == 0, done.stderr
    assert _written(done, tmp_path) == [("checkpoint", 1)] + [("checkpoint", 2)] * 32


def test_directories_that_were_only_asked_for_are_no_files(
    capture: Callable[..., Captured], tmp_path: Path
) -> None:
    program = """
import os, sys
p = sys.argv[1]
for part in ("stat", "access", "chmod", "utime", "realpath", "statvfs", "listxattr", "open"):
    p += "/" + part
    os.mkdir(p)
    if part == "chmod": os.chmod(p, 0o755)
    elif part == "open": os.close(os.open(p, os.O_RDONLY))
    elif part == "access": os.access(p, os.R_OK)
    else: (os.path.realpath if part == "realpath" else getattr(os, part))(p)
"""
    # Made by one process, asked for by another that never saw them made.
    base = tmp_path / "asked"
    base.mkdir()
    subprocess.run([sys.executable, "-c", program, base], check=True)
    done = capture([sys.executable, "-S", "-c", program.replace("os.mkdir(p)", "pass"), base])
    assert done.status == 0, done.stderr
    kinds = {row["path"]: row["kind"] for row in done.rows("files") if row["path"].startswith(f"{base}/stat")}
    assert len(kinds) == 8
    assert set(kinds.values()) == {"directory"}
