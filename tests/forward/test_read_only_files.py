"""Files that their maker may write to though their mode says no, by users to whom modes mean something."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from forward_tools import NATIVE

NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")

WRITE = """
import os, stat

for i in range(16):
    path = f"/fwd/{i}"
    mode = (0o444, 0o400, 0o000, 0o200)[i % 4]
    fd = os.open(path, os.O_CREAT | os.O_EXCL | (os.O_RDWR if i % 8 > 3 else os.O_WRONLY), mode)
    assert os.write(fd, b"x" * 3_000_000) == 3_000_000
    if i % 8 > 3:
        assert os.pread(fd, 10, 2_000_000) == b"x" * 10
    os.fsync(fd)
    os.close(fd)
    assert stat.S_IMODE(os.stat(path).st_mode) == mode, oct(os.stat(path).st_mode)
    for flags, bit in ((os.O_WRONLY, 0o200), (os.O_RDWR, 0o600), (os.O_RDONLY, 0o400)):
        try:
            os.close(os.open(path, flags))
            refused = False
        except PermissionError:
            refused = True
        assert refused == (mode & bit != bit), (path, flags)
"""

GIT = """
set -e
cd /fwd
git init -q .
for i in 1 2 3 4 5 6 7 8; do echo $i > file$i; done
git add .
git -c user.name=a -c user.email=a@example.org commit -q -m all
git fsck --full
test -z "$(git status --porcelain)"
"""


@pytest.fixture
def directory() -> Iterator[Path]:
    if not Path("/usr/bin/python3").exists():
        pytest.skip("there is no /usr/bin/python3")
    made = Path(tempfile.mkdtemp(prefix="headrace-nobody-"))
    try:
        (made / "root").mkdir()
        (made / "tmp").mkdir()
        for each in (made, made / "root", made / "tmp"):
            os.chown(each, NOBODY, NOBODY)
        yield made
    finally:
        shutil.rmtree(made)


def native(directory: Path) -> Path:
    """The command where another user can run it, and its servers, wherever the project lies."""
    prefix = directory / "prefix"
    (prefix / "bin").mkdir(parents=True)
    shutil.copy(NATIVE, prefix / "bin")
    for each in ("lib", "share"):
        shutil.copytree(NATIVE.parents[1] / each / "headrace", prefix / each / "headrace")
    return prefix / "bin" / "headrace"


def up(directory: Path, place: str, *command: str, servers: int = 2) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"}
    environment = {**kept, "TMPDIR": str(directory / "tmp"), "HOME": str(directory)}
    words = [
        native(directory),
        "forward",
        "up",
        "--root",
        directory / "root",
        "--prefix",
        "/fwd",
        "--servers",
        str(servers),
    ]
    return subprocess.run(
        [*AS_NOBODY, *words, "--place", place, "--quiet", "--", *command],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=directory,
        env=environment,
    )


@pytest.mark.parametrize("place", ["file", "stripe"])
def test_a_new_file_is_written_whatever_its_mode(directory: Path, place: str) -> None:
    done = up(directory, place, "/usr/bin/python3", "-c", WRITE)
    assert done.returncode == 0, done.stderr
    for i in range(16):
        assert (directory / "root" / str(i)).read_bytes() == b"x" * 3_000_000
        assert (directory / "root" / str(i)).stat().st_mode & 0o777 == (0o444, 0o400, 0, 0o200)[i % 4]


OPEN_AGAIN = """
import os

for mode in (0o444, 0o200, 0):
    for flags, bits in ((os.O_WRONLY, 0o200), (os.O_RDWR, 0o600), (os.O_RDONLY, 0o400)):
        for more in (0, os.O_TRUNC):
            path = f"/fwd/{mode}-{flags}-{more}"
            fd = os.open(path, os.O_CREAT | flags | more, mode)  # new: whatever its mode
            size = 0 if flags == os.O_RDONLY or more == 0 else os.write(fd, b"kept")
            os.close(fd)
            try:
                os.close(os.open(path, os.O_CREAT | flags | more, 0o666))
                refused = False
            except PermissionError:
                refused = True
            needs = bits | (0o200 if more else 0)
            assert refused == (mode & needs != needs), (path, refused)
            assert os.stat(path).st_size == (size if refused else 0), path
"""


@pytest.mark.parametrize("servers", [1, 2])
def test_an_empty_file_that_was_there_has_its_permissions(directory: Path, servers: int) -> None:
    plain = [*AS_NOBODY, "/usr/bin/python3", "-c", OPEN_AGAIN.replace("/fwd", str(directory / "tmp"))]
    directly = subprocess.run(plain, check=False, capture_output=True, text=True, timeout=60)
    assert directly.returncode == 0, directly.stderr
    done = up(directory, "file", "/usr/bin/python3", "-c", OPEN_AGAIN, servers=servers)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("place", ["file", "stripe"])
def test_git_keeps_its_objects(directory: Path, place: str) -> None:
    done = up(directory, place, "sh", "-c", GIT)
    assert done.returncode == 0, done.stdout + done.stderr
    git = ["git", "-c", "safe.directory=*", "-C", directory / "root", "fsck", "--full"]
    assert subprocess.run(git, check=False, capture_output=True).returncode == 0
