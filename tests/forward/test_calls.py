"""Calls of the C library that are rarely made, beside the same directly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from forward_tools import Place
from side_by_side import both


def built(name: str, tmp_path: Path) -> Path:
    program = tmp_path / name
    source = Path(__file__).parent / "programs" / f"{name}.c"
    subprocess.run(["cc", "-O1", "-w", source, "-o", program], check=True, timeout=60)
    return program


SEARCHED = """
mkdir -p d/one/deep d/two .hidden; for i in 1 2 10; do echo $i$i > d/one/f$i; done
echo > d/one/deep/g; touch d/two/h .dot
ln -s d/one link; ln -s nowhere lost; ln -s .. d/two/up; ln -s ../two d/one/across
{program} $AT
"""


def test_searches_of_directories(place: Place, tmp_path: Path) -> None:
    both(place, tmp_path, SEARCHED.format(program=built("search", tmp_path)))


def test_descriptors_come_in_messages(place: Place, tmp_path: Path) -> None:
    both(place, tmp_path, f"{built('messages', tmp_path)} $AT/file; cat file; sync file")


def test_streams_get_another_file(place: Place, tmp_path: Path) -> None:
    both(place, tmp_path, f"{built('reopens', tmp_path)} $AT/a $AT/b $AT/none/of/it")


RARE = """
import errno, fcntl, os
def tried(call, *arguments):
    try: print(call.__name__, call(*arguments))
    except OSError as e: print(call.__name__, errno.errorcode[e.errno])
os.symlink("nowhere", "link"); open("file", "w").write("abc" * 3000); os.mkdir("directory")
link = os.open("link", os.O_PATH | os.O_NOFOLLOW); plain = os.open("file", os.O_PATH)
both = os.open("file", os.O_RDWR)
def read_link(fd): return os.readlink(b"", dir_fd=fd)
for fd in link, plain, both: tried(read_link, fd)
for fd in plain, both:
    for command in fcntl.F_GETOWN, fcntl.F_GETSIG, fcntl.F_GETFD: tried(fcntl.fcntl, fd, command)
tried(os.fchmod, plain, 0o600), tried(os.ftruncate, plain, 0), tried(os.fsync, plain)
print(os.fstat(plain).st_size)
for path in "none", "file", "none/file": tried(os.open, path, os.O_TMPFILE | os.O_RDWR, 0o600)
tried(os.open, "directory", os.O_TMPFILE | os.O_RDONLY, 0o600)
import ctypes
C = ctypes.CDLL(None, use_errno=True)
def allocate(mode, at, size):
    result = C.fallocate(both, mode, ctypes.c_long(at), ctypes.c_long(size))
    return os.fstat(both).st_size if result == 0 else errno.errorcode[ctypes.get_errno()]
KEEP, PUNCH, ZERO = 1, 2, 16
for mode, at, size in (KEEP, 0, 20000), (KEEP, 50000, 1), (PUNCH | KEEP, 3, 4), (PUNCH, 0, 1), (0, 0, 12000):
    tried(allocate, mode, at, size)
tried(allocate, PUNCH | KEEP, 8000, 100000)
print(os.pread(both, 10, 0), os.pread(both, 5, 8998), os.pread(both, 5, 7998)), os.close(both)
"""


def test_what_file_systems_allow(place: Place, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(RARE)
    both(place, tmp_path, f"{sys.executable} {program}")


NUMBERED = """
import ctypes, os, platform
number = {"x86_64": (332, 89, 21), "aarch64": (291, None, None)}[platform.machine()]
C = ctypes.CDLL(None, use_errno=True)
open("/fwd/file", "w").write("hello")
os.symlink("file", "/fwd/link")
into = ctypes.create_string_buffer(256)
assert C.syscall(number[0], -100, b"/fwd/file", 0, 0x7FF, into) == 0
assert int.from_bytes(into.raw[40:48], "little") == 5
if number[1]:
    assert C.syscall(number[1], b"/fwd/link", into, 100) == 4 and into.raw[:4] == b"file"
    assert C.syscall(number[2], b"/fwd/file", 4) == 0
"""


def test_calls_by_number(place: Place) -> None:
    place.python(NUMBERED)


KEPT = """
import ctypes, fcntl, os, struct
C = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    ctypes.set_errno(77)
    result = getattr(C, name)(*arguments)
    assert result >= 0 and ctypes.get_errno() == 77, (name, result, os.strerror(ctypes.get_errno()))
    return result
one = ctypes.create_string_buffer(1 << 20)
fd = call("open", b"/fwd/file", os.O_RDWR | os.O_CREAT, 0o600)
whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
unlocked = struct.pack("hhqqi4x", fcntl.F_UNLCK, os.SEEK_SET, 0, 0, 0)
for _ in range(20):
    call("fcntl", fd, fcntl.F_SETLKW, ctypes.c_char_p(whole))
    call("pwrite", fd, one, 1 << 20, 0), call("pread", fd, one, 100, 0), call("fsync", fd)
    call("fcntl", fd, fcntl.F_SETLK, ctypes.c_char_p(unlocked))
    call("flock", fd, fcntl.LOCK_EX), call("flock", fd, fcntl.LOCK_UN)
    call("rename", b"/fwd/file", b"/fwd/other"), call("rename", b"/fwd/other", b"/fwd/file")
call("close", fd)
"""


def test_calls_that_succeed_leave_errno_alone(place: Place) -> None:
    place.python(KEPT)


MOVED = """
import os, socket, sys
at = sys.argv[1]
os.chdir(at)
data = os.urandom(300_000)
open("direct", "wb").write(data) if not os.path.exists("direct") else None
outside = sys.argv[2]
open(outside, "wb").write(data)
def opened(path, flags=os.O_RDWR | os.O_CREAT | os.O_TRUNC):
    return os.open(path, flags, 0o600)
def whole(path): return open(path, "rb").read()
def all_of(step):
    moved = 0
    while (now := step(moved)): moved += now
    return moved
# Files to files, both ways across the prefix, with and without offsets.
for source, target in ((outside, "in"), ("in", outside + ".out"), ("in", "again")):
    a, b = opened(source, os.O_RDONLY), opened(target)
    assert all_of(lambda done: os.sendfile(b, a, done, 70_000)) == len(data)
    assert os.lseek(a, 0, os.SEEK_CUR) == 0 and os.lseek(b, 0, os.SEEK_CUR) == len(data)
    assert whole(target) == data
    os.ftruncate(b, 0); os.lseek(b, 0, os.SEEK_SET)
    assert all_of(lambda done: os.sendfile(b, a, None, 1 << 20)) == len(data) == os.lseek(a, 0, os.SEEK_CUR)
    assert whole(target) == data
    os.ftruncate(b, 0)
    assert all_of(lambda done: os.copy_file_range(a, b, 100_000, done, done)) == len(data)
    assert os.fstat(b).st_size == len(data)
    assert whole(target) == data
    os.close(a), os.close(b)
# To and from pipes and sockets.
read_end, write_end = os.pipe()
a, b = opened("in", os.O_RDONLY), opened("through")
def through(done):
    got = os.splice(a, write_end, 40_000, offset_src=done)
    put = 0
    while put < got: put += os.splice(read_end, b, got - put)
    return got
assert all_of(through) == len(data) and whole("through") == data and os.lseek(a, 0, os.SEEK_CUR) == 0
one, two = socket.socketpair()
assert os.sendfile(one.fileno(), a, 1000, 5000) == 5000
assert two.recv(5000, socket.MSG_WAITALL) == data[1000:6000]
with open("in", "rb") as f:
    assert one.sendfile(f, 299_000) == 1000 and f.tell() == 300_000
    assert two.recv(1000, socket.MSG_WAITALL) == data[299_000:]
assert os.sendfile(one.fileno(), a, 300_000, 10) == 0
for wrong in (lambda: os.sendfile(a, b, 0, 5), lambda: os.splice(write_end, a, 5)):
    try: wrong(); raise SystemExit("did")
    except OSError as e: print(e.errno)
for name in ("in", "again", "through", "direct"): os.unlink(name)
"""


def test_bytes_move_between_descriptors(place: Place, tmp_path: Path) -> None:
    both(place, tmp_path, f"{sys.executable} -c '{MOVED}' $AT {tmp_path}/outside")


LINKS = """
import os, sys
at = sys.argv[1]
os.chdir(at)
open("file", "w").write("text")
a = os.open("file", os.O_RDWR)
for link in (f"/proc/self/fd/{a}", f"/dev/fd/{a}", f"/proc/{os.getpid()}/fd/{a}"):
    assert os.readlink(link) == at + "/file" == os.path.realpath(link), os.readlink(link)
    assert open(link).read() == "text" and os.stat(link).st_size == 4 and os.access(link, os.W_OK)
    os.truncate(link, 3); os.chmod(link, 0o640); os.utime(link, (5, 5))
    with open(link, "a") as more: more.write("t")
    assert os.path.samefile(link, "file")
    try: os.unlink(link); raise SystemExit("removed")
    except OSError as e: assert e.errno in (1, 2), e
os.mkdir("dir"); open("dir/inside", "w").write("x")
d = os.open("dir", os.O_RDONLY)
assert open(f"/proc/self/fd/{d}/inside").read() == "x" and os.listdir(f"/dev/fd/{d}") == ["inside"]
os.rename(f"/proc/self/fd/{d}/inside", "out"); os.chdir(f"/proc/self/fd/{d}")
print(os.getcwd() == at + "/dir", os.listdir(at) == sorted(os.listdir(at)) or True)
"""


def test_links_to_descriptors(place: Place, tmp_path: Path) -> None:
    script = f"""
        {sys.executable} -c '{LINKS}' $AT; cat /dev/stdin < out
        echo > err; echo more 2>> err >> /dev/stderr; cat err; sync err"""
    both(place, tmp_path, script)
