"""Files that are open have a life of their own, whatever becomes of their names, until all closed them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from forward_tools import Place, Servers, until

PLACES = pytest.mark.parametrize("where", ["file", "stripe", "node"])

NAMELESS = """
import os, sys
os.chdir("/fwd")
count = int(sys.argv[1])
opened = []
for i in range(count):
    fd = os.open(f"u{i}", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600); os.unlink(f"u{i}")
    assert os.write(fd, b"%d" % i) == len(str(i))
    opened.append(fd)
assert os.listdir(".") == []
for i, fd in enumerate(opened):
    assert os.pread(fd, 20, 0) == b"%d" % i
    os.fchmod(fd, 0o640), os.ftruncate(fd, 1), os.fsync(fd), os.utime(fd, (1, 2))
    status = os.fstat(fd)
    assert (status.st_mode & 0o777, status.st_nlink) == (0o640, 0), status
    assert (status.st_size, status.st_mtime) == (1, 2), status
    os.close(fd)
"""

RENAMED = """
import os
os.chdir("/fwd")
for i in range(12):
    name = f"n{i}"
    with open(name, "wb") as f: f.write(b"before")
    fd = os.open(name, os.O_RDWR)
    os.rename(name, "other")
    with open(name, "wb") as f: f.write(b"another")
    os.fchmod(fd, 0o640), os.utime(fd, (1, 2))
    assert os.fstat(fd).st_mtime == 2 and os.stat("other").st_mode & 0o777 == 0o640
    assert os.pread(fd, 10, 0) == b"before" and os.pwrite(fd, b"B", 3 << 20) == 1
    assert open(name, "rb").read() == b"another" and os.path.getsize("other") == (3 << 20) + 1
    os.rename(name, "other")
    assert os.fstat(fd).st_nlink == 0 and os.pread(fd, 10, 0) == b"before" + bytes(4)
    os.close(fd); os.remove("other")
"""

DIRECTORIES = """
import os
os.chdir("/fwd")
for i in range(6):
    os.mkdir("one"); open("one/file", "w").close()
    fd = os.open("one", os.O_RDONLY)
    os.rename("one", "two")
    os.fchmod(fd, 0o750), os.fsync(fd)
    assert os.stat("two").st_mode & 0o777 == 0o750 and os.listdir(fd) == ["file"]
    os.remove("two/file"), os.rmdir("two")
    os.fchmod(fd, 0o700)
    assert os.listdir(fd) == [] and os.fstat(fd).st_mode & 0o777 == 0o700
    os.close(fd)
    fd = os.open("read", os.O_RDONLY | os.O_CREAT); os.unlink("read"); os.fsync(fd), os.close(fd)
"""

INHERITED = """
import os, time
os.chdir("/fwd")
for i in range(6):
    fd = os.open("inherited", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600); os.unlink("inherited")
    os.write(fd, b"hello")
    child = os.fork()
    if child == 0:
        time.sleep(0.1)
        os._exit(os.pread(fd, 5, 0) != b"hello")
    os.close(fd)
    assert os.waitpid(child, 0)[1] == 0
"""


@PLACES
def test_files_without_a_name(servers: Servers, tmp_path: Path, where: str) -> None:
    place = Place(servers, tmp_path, 3, "--place", where)
    place.run(sys.executable, "-c", NAMELESS, "30")
    place.run(sys.executable, "-c", RENAMED)
    place.run(sys.executable, "-c", DIRECTORIES)
    place.run(sys.executable, "-c", INHERITED)
    place.run("bash", "-c", 'cd /fwd; TMPDIR=/fwd; cat <<< hello > out; [ "$(cat out)" = hello ]')


def test_more_files_than_are_kept_open_without_need(servers: Servers, tmp_path: Path) -> None:
    place = Place(servers, tmp_path, 2, "--place", "file")
    place.run(sys.executable, "-c", NAMELESS, "800", patience=30)


def removed(pid: int) -> list[str]:
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(str(entry.readlink()))
        except OSError:
            continue
    return [path for path in found if path.endswith("(deleted)") and "/root/" in path]


SPACE = """
dd if=/dev/zero of=/fwd/a bs=1M count=3 status=none; rm /fwd/a
dd if=/dev/zero of=/fwd/b bs=1M count=3 status=none; dd if=/dev/zero of=/fwd/c bs=1M count=3 status=none
mv /fwd/b /fwd/c; head -c 3000000 /dev/zero > /fwd/d; cat /fwd/d > /dev/null; rm /fwd/d /fwd/c
python3 -c 'open("/fwd/e", "w").write("e"); import os; os.replace("/fwd/e", "/fwd/f"); os.remove("/fwd/f")'
"""


@pytest.mark.parametrize("count", [0, 3])
def test_removed_files_are_let_go(servers: Servers, tmp_path: Path, count: int) -> None:
    place = Place(servers, tmp_path, count)
    place.run("sh", "-c", SPACE)
    pids = [server.process.pid for server in servers.all()]
    until(lambda: not any(removed(pid) for pid in pids))


KILLED = """
import os, signal
fd = os.open("/fwd/killed", os.O_RDWR | os.O_CREAT); os.write(fd, bytes(6 << 20)); os.fsync(fd)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small file system")
def test_a_full_file_system_lets_go_of_what_nobody_needs(servers: Servers, tmp_path: Path) -> None:
    """Of a program that was killed nobody knows whether a child has the file."""
    small = tmp_path / "root"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "small", small], check=False)
    if mounted.returncode != 0:
        pytest.skip("cannot mount a file system")
    try:
        place = Place(servers, tmp_path)
        place.run(sys.executable, "-c", KILLED, check=False)
        place.run("sh", "-c", "rm /fwd/killed; dd if=/dev/zero of=/fwd/next bs=1M count=6 status=none")
        assert (small / "next").stat().st_size == 6 << 20
    finally:
        for server in servers.all():
            server.end()
        subprocess.run(["umount", "-l", small], check=True)


def test_a_server_that_is_started_again_learns_who_has_files(servers: Servers, tmp_path: Path) -> None:
    place = Place(servers, tmp_path, 1)
    text = """
import os, sys
fd = os.open("/fwd/file", os.O_RDWR | os.O_CREAT); os.write(fd, b"hello"); os.fsync(fd)
print("ready", flush=True); sys.stdin.readline()
os.fstat(fd)
os.unlink("/fwd/file")
assert os.pread(fd, 5, 0) == b"hello"
"""
    program = place.start(sys.executable, "-c", text)
    assert program.stdout is not None and program.stdout.readline() == "ready\n"
    assert place.server.end() == 0
    again = threading.Timer(0.3, servers.start_again, [place.server])
    again.start()
    _, errors = program.communicate("go\n", timeout=60)
    again.join()
    assert program.returncode == 0, errors
