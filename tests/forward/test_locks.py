"""Locks that programs take below a prefix: between processes, and gone with the process that had them."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from forward_tools import Place, Servers

LOCKS = """
import errno, fcntl, os, signal, struct, time
a = os.open("/fwd/lock", os.O_RDWR | os.O_CREAT); b = os.open("/fwd/lock", os.O_RDWR)
def refused(call, *values):
    try: call(*values)
    except OSError as e: return e.errno in (errno.EAGAIN, errno.EACCES)
    return False
def child(act):
    r, w = os.pipe(); done, end = os.pipe(); pid = os.fork()
    if pid == 0:
        os.close(r); os.close(end); act(); os.write(w, b"1"); os.read(done, 1); os._exit(0)
    os.close(w); os.close(done); assert os.read(r, 1) == b"1"; os.close(r)
    return pid, end
def asked(kind, start, length, command=fcntl.F_GETLK):
    fields = fcntl.fcntl(a, command, struct.pack("hhqqi", kind, 0, start, length, 0))
    return struct.unpack("hhqqi", fields[:struct.calcsize("hhqqi")])

# A process has ranges; it does not exclude itself, and closing any descriptor of the file gives all back.
def of_child():
    fcntl.lockf(os.open("/fwd/lock", os.O_RDWR), fcntl.LOCK_EX, 10, 5)
pid, end = child(of_child)
assert refused(fcntl.lockf, a, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 14)
assert asked(fcntl.F_WRLCK, 0, 0)[0] == fcntl.F_WRLCK
assert asked(fcntl.F_RDLCK, 0, 0)[2:] == (5, 10, pid), asked(fcntl.F_RDLCK, 0, 0)
fcntl.lockf(a, fcntl.LOCK_EX, 5, 0); fcntl.lockf(b, fcntl.LOCK_EX | fcntl.LOCK_NB, 3, 2)
assert asked(fcntl.F_RDLCK, 0, 5)[0] == fcntl.F_UNLCK
os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)
fcntl.lockf(a, fcntl.LOCK_EX)  # waits until the server knows
pid, end = child(lambda: None if refused(fcntl.lockf, a, fcntl.LOCK_SH | fcntl.LOCK_NB) else os._exit(1))
os.close(end); assert os.waitpid(pid, 0)[1] == 0
os.close(os.open("/fwd/lock", os.O_RDONLY))
pid, end = child(lambda: fcntl.lockf(a, fcntl.LOCK_EX | fcntl.LOCK_NB))
os.close(end); os.waitpid(pid, 0)

# An open file has a whole lock, whoever has its descriptors.
fcntl.flock(a, fcntl.LOCK_EX); assert refused(fcntl.flock, b, fcntl.LOCK_SH | fcntl.LOCK_NB)
fcntl.flock(a, fcntl.LOCK_SH); fcntl.flock(b, fcntl.LOCK_SH)
assert refused(fcntl.flock, b, fcntl.LOCK_EX | fcntl.LOCK_NB)
fcntl.flock(a, fcntl.LOCK_UN); fcntl.flock(b, fcntl.LOCK_EX)
c = os.dup(b); os.close(b); assert refused(fcntl.flock, a, fcntl.LOCK_SH | fcntl.LOCK_NB)
os.close(c); fcntl.flock(a, fcntl.LOCK_EX | fcntl.LOCK_NB); fcntl.flock(a, fcntl.LOCK_UN)
b = os.open("/fwd/lock", os.O_RDWR); OFD = 37
fcntl.fcntl(b, OFD, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 7, 0))
assert refused(fcntl.fcntl, a, OFD, struct.pack("hhqqi", fcntl.F_RDLCK, 0, 6, 1, 0))
os.close(b); fcntl.fcntl(a, OFD, struct.pack("hhqqi", fcntl.F_RDLCK, 0, 6, 1, 0))

# A call that waits ends with a signal.
pid, end = child(lambda: fcntl.flock(os.open("/fwd/lock", os.O_RDWR), fcntl.LOCK_EX))
class Rings(Exception): pass
def ring(*_): raise Rings
signal.signal(signal.SIGALRM, ring); signal.setitimer(signal.ITIMER_REAL, 0.2)
try: fcntl.flock(a, fcntl.LOCK_EX); raise SystemExit("locked")
except Rings: pass
os.close(end); os.waitpid(pid, 0); fcntl.flock(a, fcntl.LOCK_EX)
"""


def test_locks_of_processes_and_of_open_files(place: Place) -> None:
    place.python(LOCKS)


def test_the_shell_locks_a_descriptor(place: Place) -> None:
    script = """
        add() { ( flock 9; n=$(cat /fwd/n); sleep 0.01; echo $((n + 1)) > /fwd/n ) 9>/fwd/lock; }
        echo 0 > /fwd/n; for i in 1 2 3 4; do (for j in 1 2 3; do add; done) & done; wait; cat /fwd/n"""
    assert place.run("bash", "-c", script).stdout == "12\n"


def test_maps_that_are_written_and_shared_are_refused_with_a_word(place: Place) -> None:
    done = place.python("""
import mmap, os
f = os.open("/fwd/f", os.O_RDWR | os.O_CREAT)
os.ftruncate(f, 4096)
for attempt in range(2):
    try: mmap.mmap(f, 4096); raise SystemExit("mapped")
    except OSError as e: assert e.errno == 19, e
with mmap.mmap(f, 4096, access=mmap.ACCESS_COPY) as m: m[:3] = b"abc"
with mmap.mmap(f, 4096, access=mmap.ACCESS_READ) as m: assert m[:3] == bytes(3)
""")
    assert done.stderr.count("is refused with ENODEV") == 1


LOSES = """
import fcntl, os, sys
def fails(call):
    try: call()
    except OSError as e: return e.errno == 5
a, b, c = (os.open(f"/fwd/{name}", os.O_RDWR | os.O_CREAT) for name in "abc")
for fd in (a, b, c): os.write(fd, b"before")
fcntl.lockf(a, fcntl.LOCK_EX, 3); fcntl.flock(b, fcntl.LOCK_EX)
for fd in (a, b, c): os.fsync(fd)
print("locked", flush=True)
sys.stdin.readline()
os.pwrite(c, b"other", 0)  # the connection is there again
for fd in (a, b):
    assert fails(lambda: os.pwrite(fd, b"late", 0)) and fails(lambda: os.pread(fd, 1, 0)), fd
    assert fails(lambda: os.read(fd, 1)), fd
fcntl.lockf(a, fcntl.LOCK_UN)
assert fails(lambda: fcntl.flock(b, fcntl.LOCK_EX))
fcntl.flock(b, fcntl.LOCK_EX | fcntl.LOCK_NB)
for fd in (a, b): assert os.pwrite(fd, b"again", 0) == 5 and os.pread(fd, 9, 0) == b"againe"
"""


def test_who_lost_a_lock_does_not_go_on(servers: Servers, tmp_path: Path) -> None:
    """Until it is given back, or a lock was refused. The server is killed; a new one has its secret."""
    place = Place(servers, tmp_path, servers_over_tcp=1)
    place.spec = f"/fwd={place.root}@{place.server.addresses[0]}"
    words = place.command(sys.executable, "-c", LOSES)
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None and program.stdout.readline() == "locked\n"
        place.server.end(signal.SIGKILL)
        (servers.directory / "s0").unlink(missing_ok=True)
        servers.start("--root", place.root, name="s0")
        _, said = program.communicate("go\n", timeout=30)
    assert program.returncode == 0, said
    assert said.count("/fwd/a was lost with the connection; calls on it fail with EIO") == 1


def test_children_of_a_process_whose_threads_close_files_can_close_what_they_inherit(
    place: Place, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    source = Path(__file__).parent / "programs" / "forks_while_closing.c"
    subprocess.run(["cc", "-pthread", source, "-o", program], check=True, timeout=60)
    place.run(program, "/fwd/f", "300")
