"""Unmodified programs under `headrace run --forward`: what they do below the prefix happens at the server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import headrace
from forward_tools import NATIVE, Place, Servers

NOISE = bytes(os.urandom(3_000_001))


def test_core_utilities(place: Place, tmp_path: Path) -> None:
    source = tmp_path / "noise"
    source.write_bytes(NOISE)
    place.run("dd", f"if={source}", "of=/fwd/a", "bs=64k")
    assert (place.root / "a").read_bytes() == NOISE
    place.run("cp", "/fwd/a", "/fwd/b")
    place.run("cp", "-p", "/fwd/b", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == NOISE
    place.run("cmp", source, "/fwd/b")
    place.run("mkdir", "/fwd/d", "/fwd/d/e")
    place.run("mv", "/fwd/b", "/fwd/d/e/c")
    place.run("ln", "-s", "e/c", "/fwd/d/link")
    place.run("ln", "/fwd/a", "/fwd/d/again")
    place.run("touch", "-d", "2001-02-03T04:05:06Z", "/fwd/a")
    place.run("chmod", "600", "/fwd/a")
    status = (place.root / "a").stat()
    assert (status.st_mtime, status.st_mode & 0o777, status.st_nlink) == (981173106, 0o600, 2)
    assert place.run("readlink", "-f", "/fwd/d/link").stdout == "/fwd/d/e/c\n"
    assert place.run("stat", "-c", "%s %h %F", "/fwd/a").stdout == "3000001 2 regular file\n"
    place.run("ln", "-s", "/fwd/d/e", "/fwd/whole")
    assert place.run("readlink", "/fwd/whole").stdout == "/fwd/d/e\n"
    assert (place.root / "whole" / "c").read_bytes() == NOISE
    place.run("cmp", source, "/fwd/whole/c")
    place.run("rm", "/fwd/whole")
    listed = place.run("ls", "-lA", "/fwd/d").stdout
    assert "link -> e/c" in listed and "again" in listed
    assert sorted(place.run("find", "/fwd", "-type", "f").stdout.split()) == [
        "/fwd/a",
        "/fwd/d/again",
        "/fwd/d/e/c",
    ]
    place.run("truncate", "-s", "5", "/fwd/a")
    assert (place.root / "a").read_bytes() == NOISE[:5]
    failed = place.run("cat", "/fwd/none", check=False)
    assert failed.returncode == 1 and "No such file or directory" in failed.stderr
    place.run("rm", "-r", "/fwd/d", "/fwd/a")
    assert not list(place.root.iterdir())


def test_the_shell_redirects_there(place: Place) -> None:
    place.run(
        "sh",
        "-c",
        "echo one > /fwd/x; echo two >> /fwd/x; cat < /fwd/x | tr a-z A-Z > /fwd/y; ls /fwd >> /fwd/y",
    )
    assert (place.root / "y").read_text() == "ONE\nTWO\nx\ny\n"
    words = (
        "exec 5<>/fwd/z; echo abc >&5; exec 5>&-; { echo in; /bin/echo out; printf end; } > /fwd/q; echo seen"
    )
    assert place.run("bash", "-c", words).stdout == "seen\n"
    assert (place.root / "z").read_text() == "abc\n" and (place.root / "q").read_text() == "in\nout\nend"
    text = 'while read line; do echo "<$line>"; done < /fwd/x'
    assert place.run("bash", "-c", text).stdout == "<one>\n<two>\n"
    place.run("bash", "-c", "ls /nowhere 2> /fwd/errors", check=False)
    assert "cannot access" in (place.root / "errors").read_text()


PYTHON = """
import os, shutil, sys, tempfile
noise = os.urandom(300_000)
with open("/fwd/p", "wb") as f:
    f.write(noise); f.flush(); os.fsync(f.fileno())
    assert f.tell() == os.fstat(f.fileno()).st_size == 300_000
with open("/fwd/p", "r+b") as f:
    assert f.read() == noise
    f.seek(-5, 2); assert f.read(100) == noise[-5:]
    f.seek(10); f.write(b"xyz"); f.seek(9); assert f.read(5) == noise[9:10] + b"xyz" + noise[13:14]
    f.truncate(20)
assert os.path.getsize("/fwd/p") == 20
fd = os.open("/fwd/v", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o640)
assert os.writev(fd, [b"abc", b"", b"defg"]) == 7
parts = [bytearray(2), bytearray(10)]
assert os.preadv(fd, parts, 1) == 6 and parts[0] == b"bc" and parts[1][:4] == b"defg"
assert os.pwrite(fd, b"Z", 100) == 1 and os.lseek(fd, 0, 1) == 7
copy = os.dup(fd); os.lseek(copy, 50, 0); assert os.lseek(fd, 0, 1) == 50
os.close(fd); assert os.read(copy, 100) == bytes(50) + b"Z"; os.close(copy)
try: os.open("/fwd/v", os.O_CREAT | os.O_EXCL); raise SystemExit("made twice")
except FileExistsError: pass
try: os.read(os.open("/fwd/v", os.O_WRONLY), 1); raise SystemExit("read what is for writing")
except OSError as e: assert e.errno == 9
with open("/fwd/text", "w") as f: print("hallo", file=f)
with open("/fwd/text", "a") as f: f.write("welt\\n"); assert f.tell() == 11
assert open("/fwd/text").read() == "hallo\\nwelt\\n"
os.makedirs("/fwd/t/u"); shutil.copyfile("/fwd/text", "/fwd/t/u/w"); shutil.copytree("/fwd/t", "/fwd/t2")
assert sorted(e.name for e in os.scandir("/fwd")) == ["p", "t", "t2", "text", "v"]
assert [list(x) for x in os.walk("/fwd/t2")] == [["/fwd/t2", ["u"], []], ["/fwd/t2/u", [], ["w"]]]
d = os.open("/fwd/t", os.O_RDONLY); assert os.stat("u/w", dir_fd=d).st_size == 11; os.close(d)
os.replace("/fwd/text", "/fwd/t/u/w"); shutil.rmtree("/fwd/t2")
with tempfile.NamedTemporaryFile(dir="/fwd") as f: f.write(b"1"); f.flush(); assert os.path.exists(f.name)
import mmap
with open("/fwd/t/u/w", "rb") as f:
    with mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m: assert m[:5] == b"hallo"
assert os.path.realpath("/fwd/t/../t/u") == "/fwd/t/u"
"""


def test_files_of_python(place: Place) -> None:
    place.python(PYTHON)
    assert (place.root / "v").stat().st_mode & 0o777 == 0o640 & ~current_umask()
    assert (place.root / "t" / "u" / "w").read_text() == "hallo\nwelt\n"


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


FORKS = """
import os, subprocess, sys
fd = os.open("/fwd/f", os.O_RDWR | os.O_CREAT)
os.write(fd, b"parent ")
if os.fork() == 0:
    os.write(fd, b"child ")
    os._exit(0)
os.wait()
os.set_inheritable(fd, True)
subprocess.run([sys.executable, "-c", f"import os; os.write({fd}, b'program ')"], pass_fds=[fd], check=True)
subprocess.run(["/bin/echo", "-n", "output "], stdout=fd, check=True)
os.closerange(3, fd); os.closerange(fd + 1, 65536)
os.write(fd, b"end")
assert os.lseek(fd, 0, 1) == 31, os.lseek(fd, 0, 1)
os.close(fd)
"""


def test_a_descriptor_survives_fork_exec_and_closing_of_all_others(place: Place) -> None:
    place.python(FORKS)
    assert (place.root / "f").read_bytes() == b"parent child program output end"


INNER = """
import os, subprocess, sys
fd = os.open("/fwd/f", os.O_RDWR | os.O_CREAT)
text = f"import os\\ntry: print(os.write({fd}, b'x'))\\nexcept OSError as e: print(e.strerror)"
run = sys.argv[1:] + ["--", sys.executable, "-c", text]
print(subprocess.run(run, pass_fds=[fd], check=True, capture_output=True, text=True).stdout, end="")
"""


def test_descriptors_of_other_servers_are_not_taken_for_own_ones(
    place: Place, servers: Servers, tmp_path: Path
) -> None:
    """A run inside of another has the descriptors of that, and perhaps other servers."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "f").write_bytes(b"other")
    elsewhere = servers.start("--root", other, name="other").addresses[0]
    run = [NATIVE, "run", "-q", "-o", tmp_path / "inner.hr", "--forward"]
    same = place.run(sys.executable, "-c", INNER, *run, place.spec.replace("/fwd", "/same")).stdout
    assert (same, place.run("cat", "/fwd/f").stdout) == ("1\n", "x")
    refused = place.run(sys.executable, "-c", INNER, *run, f"/else={other}@{elsewhere}").stdout
    assert refused == "Bad file descriptor\n"
    assert (other / "f").read_bytes() == b"other"


def test_appends_of_many_processes_do_not_overlap(place: Place) -> None:
    text = "import os; n = os.getpid() % 100000\nfor i in range(200): os.write(1, b'%05d %03d\\n' % (n, i))"
    text += "\nos.close(1)"
    writers = " & ".join([f'{sys.executable} -c "{text}" >> /fwd/log'] * 4)
    place.run("sh", "-c", f"{writers} & wait")
    lines = (place.root / "log").read_text().splitlines()
    assert len(lines) == 800 and all(len(line) == 9 for line in lines)
    for writer in {line.split()[0] for line in lines}:
        assert [int(line.split()[1]) for line in lines if line.startswith(writer)] == list(range(200))


def test_the_log_has_what_was_done(place: Place) -> None:
    place.run("dd", "if=/dev/zero", "of=/fwd/zeros", "bs=4096", "count=25")
    with headrace.open(place.log) as log:
        rows = log.files.to_pylist()
    [zeros] = [row for row in rows if row["path"] == "/fwd/zeros"]
    assert (zeros["writes"], zeros["bytes_written"]) == (25, 25 * 4096)


def test_a_dead_server_is_an_error_and_no_hang(place: Place) -> None:
    started = place.start("sh", "-c", "echo started; read line; cat /fwd/a")
    assert started.stdout is not None
    assert started.stdout.readline() == "started\n"
    begun = time.monotonic()
    place.server.end(signal.SIGKILL)
    _, errors = started.communicate("go on\n", timeout=60)
    assert started.returncode == 1 and "Input/output error" in errors
    assert "headrace: forwarding of /fwd: unix:" in errors and "is the server running?" in errors
    assert time.monotonic() - begun < 20


DIES = """
import os, signal, sys, time
fd = os.open("/fwd/f", os.O_RDWR | os.O_CREAT)
os.write(fd, b"1")
os.kill(int(sys.argv[1]), signal.SIGKILL)
try: os.write(fd, b"2"); raise SystemExit("written to nobody")
except OSError as e: assert e.errno == 5, e
try: os.write(fd, b"2"); raise SystemExit("written to nobody")
except OSError as e: assert e.errno == 5, e
"""


def test_a_server_that_dies_meanwhile_too(place: Place) -> None:
    done = place.run(sys.executable, "-c", DIES, str(place.server.process.pid))
    assert done.stderr.count("headrace: forwarding of /fwd: no answer within 3 s") == 1


def test_what_cannot_be_forwarded_is_not_started(place: Place, tmp_path: Path) -> None:
    static = shutil.which("busybox")
    off = place.run("true", check=False, env={**os.environ, "HEADRACE": "off"})
    assert off.returncode == 125 and "HEADRACE=off" in off.stderr
    if static is not None:
        refused = place.run(static, "true", check=False)
        assert refused.returncode != 0 and "forwarded" in refused.stderr
    for spec in ("nonsense", "/a@", "a@unix:/b", "/=/a@unix:/b", "/a@udp:3"):
        wrong = subprocess.run(
            [NATIVE, "run", "--forward", spec, "true"], capture_output=True, text=True, timeout=30
        )
        assert wrong.returncode == 125, spec


def test_a_handler_writes_while_a_stream_is_used(place: Place, tmp_path: Path) -> None:
    program = tmp_path / "program"
    source = Path(__file__).parent / "programs" / "handler_and_streams.c"
    subprocess.run(["cc", "-O1", source, "-o", program], check=True, timeout=60)
    place.run(program, "/fwd", "10000", patience=30)


def test_a_handler_writes_while_memory_is_taken(place: Place, tmp_path: Path) -> None:
    program = tmp_path / "program"
    source = Path(__file__).parent / "programs" / "handler_writes.c"
    subprocess.run(["cc", "-O1", "-fno-builtin", source, "-o", program], check=True, timeout=60)
    place.run(program, "/fwd/ticks")
    assert set((place.root / "ticks").read_text().splitlines()) == {"tick"}
