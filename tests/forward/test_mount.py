"""Programs on a mount of forwarding servers do the same as directly."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from forward_tools import NATIVE, Place, Result, Servers
from mount_tools import Mounts, is_mounted, needs_fuse
from side_by_side import tree
from test_locks import LOCKS
from test_real_programs import GIT, HDF5, SQLITE, last

pytestmark = needs_fuse

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def on(place: Place, mounts: Mounts) -> Path:
    """A mount of what the server has."""
    return mounts.mount(place.spec.removeprefix("/fwd="))


def both(place: Place, on: Path, tmp_path: Path, *words: str | Path) -> Result:
    """A command, whose last argument is to be an empty directory, directly and on the mount."""
    direct = tmp_path / "direct"
    direct.mkdir()
    clean = {**os.environ, "HOME": "/nonexistent", "LC_ALL": "C", **GIT}
    results = [
        subprocess.run(
            [*words, where], check=False, capture_output=True, text=True, timeout=60, env=clean, cwd=where
        )
        for where in (direct, on)
    ]
    assert [each.returncode for each in results] == [0, 0], results
    assert results[0].stdout.replace(str(direct), str(on)) == results[1].stdout
    assert tree(direct) == tree(place.root) == tree(on)
    return results[1]


def python(text: str, *arguments: str | Path) -> Result:
    return subprocess.run(
        [sys.executable, "-c", text, *arguments], check=True, capture_output=True, text=True, timeout=60
    )


def test_a_static_program(place: Place, on: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    built = subprocess.run(
        ["gcc", "-static", "-O1", PROGRAMS / "static_program.c", "-o", program], check=False, timeout=60
    )
    if built.returncode != 0:
        pytest.skip("gcc cannot link statically")
    assert both(place, on, tmp_path, program).stdout == "3 1088890\n"


@pytest.mark.skipif(shutil.which("go") is None, reason="no Go")
def test_a_go_program(place: Place, on: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    subprocess.run(
        ["go", "build", "-o", program, PROGRAMS / "go_program.go"],
        check=True,
        timeout=100,
        env={**os.environ, "CGO_ENABLED": "0", "GO111MODULE": "off"},
    )
    assert both(place, on, tmp_path, program).stdout == "b\nlink\n"


def test_cp_and_tar(place: Place, on: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "deep" / "er").mkdir(parents=True)
    (source / "deep" / "er" / "noise").write_bytes(os.urandom(1_500_000))
    (source / "run").write_text("#!/bin/sh\necho runs\n")
    (source / "run").chmod(0o755)
    (source / "link").symlink_to("deep/er")
    script = f"""
        cp -rp {source} copied; ./copied/run; mkdir out; tar cf all.tar --mtime=@0 -C copied .
        tar xpf all.tar -C out; (cd copied && tar cf - deep) | (mkdir piped && cd piped && tar xf -)
        cp -r copied/. again; diff -r copied out; tar tf all.tar | sort; mv again/deep moved; rm -r again
        ln moved/er/noise two; stat -c %h two; rm moved/er/noise; stat -c %h two; rm all.tar; find . | sort
        ln -s $PWD/two absolute; readlink absolute; cmp absolute two; rm absolute"""
    both(place, on, tmp_path, "bash", "-ec", script)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_git(place: Place, on: Path, tmp_path: Path) -> None:
    script = """
        git init -q repo; cd repo; echo one > a; mkdir d; seq 5000 > d/b; git add .; git commit -qm first
        echo two >> a; git status --short; git diff; git commit -qam second; git log --format='%H %s'
        git branch side; git checkout -q side; git mv a c; git commit -qm third; git checkout -q main
        git merge -q side; git log --oneline; git fsck; git gc -q
        cd ..; git clone -q repo clone; cd clone; git log --oneline; git status --short; wc d/b
        cd ..; rm -rf repo clone"""
    both(place, on, tmp_path, "bash", "-ec", script)


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_sqlite_keeps_processes_apart(place: Place, on: Path, journal: str) -> None:
    if journal == "wal":
        python(
            "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('pragma journal_mode=wal')",
            on / "data.db",
        )
    assert python(SQLITE, on, "20").stdout == "(60, 60, 59)\n('ok',)\n"
    count = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('select count(*) from t'))"
    assert python(count, place.root / "data.db").stdout == "(60,)\n"


def test_h5py(place: Place, on: Path, tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    assert python(HDF5, on).stdout == python(HDF5, tmp_path).stdout
    assert (place.root / "data.h5").read_bytes() == (tmp_path / "data.h5").read_bytes()


@pytest.mark.parametrize("suite", ["test.test_file", "test.test_fileio", "test.test_tarfile.CreateTest"])
def test_tests_of_python(on: Path, tmp_path: Path, suite: str) -> None:
    """They work in the current directory."""
    pytest.importorskip(suite.split(".")[0] + "." + suite.split(".")[1])
    words = f"import unittest; unittest.main('{suite}', argv=['x'])"
    results = [
        subprocess.run(
            [sys.executable, "-c", words], check=False, capture_output=True, text=True, timeout=60, cwd=where
        )
        for where in (tmp_path, on)
    ]
    direct, mounted = [(each.returncode, last(each)) for each in results]
    assert direct == mounted


def test_locks(on: Path) -> None:
    # The kernel tells a mount of the last close of a file after that has returned: who wants its lock waits.
    text = LOCKS.replace(
        "os.close(c); fcntl.flock(a, fcntl.LOCK_EX | fcntl.LOCK_NB)", "os.close(c); fcntl.flock(a, 2)"
    )
    text = text.replace("os.close(b); fcntl.fcntl(a, OFD", "os.close(b); fcntl.fcntl(a, OFD + 1")
    done = subprocess.run(
        [sys.executable, "-c", text.replace("/fwd", str(on))],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_all_see_at_once_what_one_writes(place: Place, mounts: Mounts) -> None:
    spec = place.spec.removeprefix("/fwd=")
    one, two = mounts.mount(spec), mounts.mount(spec)
    with (one / "f").open("w+b", buffering=0) as a, (two / "f").open("r+b", buffering=0) as b:
        for i in range(200):
            writer, reader = (a, b) if i % 2 else (b, a)
            writer.seek(0)
            writer.write(b"%06d" % i * 1000)
            reader.seek(0)
            assert reader.read() == b"%06d" % i * 1000
        a.truncate(5)
        assert os.fstat(b.fileno()).st_size == 5
    say = "import sys; print(open('/fwd/f').read(), end=''); open('/fwd/g', 'w').write('from there')"
    assert place.python(say).stdout == "00019"
    assert (one / "g").read_text() == (two / "g").read_text() == "from there"
    (one / "d").mkdir()
    (one / "g").rename(one / "d" / "h")
    assert not (two / "g").exists() and (two / "d" / "h").read_text() == "from there"
    (two / "d").rename(two / "e")
    assert (one / "e" / "h").read_text() == "from there" and tree(one) == tree(two)


APPEND = """
import os, sys
where, who = sys.argv[1:3]
fd = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for i in range(300): os.write(fd, b"%s %03d%s\\n" % (who.encode(), i, b"." * (i * 7 % 50)))
os.close(fd)
"""


def test_appends_of_all_lie_one_behind_the_other(place: Place, mounts: Mounts) -> None:
    spec = place.spec.removeprefix("/fwd=")
    one, two = mounts.mount(spec), mounts.mount(spec)
    words = [sys.executable, "-c", APPEND]
    forwarded: list[str | Path] = [
        NATIVE,
        "run",
        "-q",
        "-o",
        place.log,
        "--forward",
        place.spec,
        "--",
        *words,
    ]
    commands = [[*words, one / "log", str(i)] for i in range(4)] + [
        [*words, two / "log", str(i)] for i in (4, 5, 6)
    ]
    commands.append([*forwarded, "/fwd/log", "7"])
    processes = [subprocess.Popen(command) for command in commands]
    assert [process.wait(60) for process in processes] == [0] * 8
    lines = (one / "log").read_text().splitlines()
    for who in range(8):
        mine = [line for line in lines if line.startswith(f"{who} ")]
        assert mine == [f"{who} {i:03}{'.' * (i * 7 % 50)}" for i in range(300)]
    assert len(lines) == 2400 and (place.root / "log").read_bytes() == (two / "log").read_bytes()


def test_open_files_outlive_their_names(place: Place, mounts: Mounts) -> None:
    spec = place.spec.removeprefix("/fwd=")
    one, two = mounts.mount(spec), mounts.mount(spec)
    (one / "d").mkdir()
    with (one / "d" / "f").open("w+") as file:
        file.write("words")
        file.flush()
        (one / "d").rename(one / "e")
        file.write(" and more")
        file.flush()
        os.fchmod(file.fileno(), 0o600)
        (one / "e" / "f").rename(one / "g")
        assert (two / "g").read_text() == "words and more"
        (one / "g").unlink()
        assert not (two / "g").exists()
        file.write(" still")
        file.seek(0)
        assert file.read() == "words and more still"
        assert os.fstat(file.fileno()).st_nlink == 0
        (one / "g").write_text("another")
        file.seek(0)
        assert file.read() == "words and more still"
    with (one / "g").open("r+") as file:
        (one / "h").write_text("new")
        (one / "h").rename(one / "g")
        assert file.read() == "another" and (two / "g").read_text() == "new"


def test_links_keep_their_times_and_tell_their_length(place: Place, on: Path) -> None:
    (on / "link").symlink_to(on / "target")
    os.utime(on / "link", (1e9, 2e9), follow_symlinks=False)
    for _ in range(2):
        seen = (on / "link").lstat()
        assert (seen.st_atime, seen.st_mtime, seen.st_size) == (1e9, 2e9, len(str(on / "target")))
    assert (place.root / "link").readlink() == place.root / "target"


def test_named_pipes_and_sockets(place: Place, on: Path) -> None:
    os.mkfifo(on / "pipe")
    assert (place.root / "pipe").is_fifo() and (on / "pipe").is_fifo()
    text = "import sys; open(sys.argv[1], 'w').write('through it')"
    writer = subprocess.Popen([sys.executable, "-c", text, on / "pipe"])
    assert (on / "pipe").read_text() == "through it" and writer.wait(30) == 0
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        where = os.open(on, os.O_RDONLY)  # paths of sockets are short
        server.bind(f"/proc/self/fd/{where}/socket")
        server.listen()
        client.connect(f"/proc/self/fd/{where}/socket")
        os.close(where)
    assert (place.root / "socket").is_socket()
    with pytest.raises(PermissionError):
        os.mknod(on / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 3))


def test_large_directories(place: Place, on: Path) -> None:
    names = {f"{i:05}-{hashlib.md5(b'%d' % i).hexdigest()}" for i in range(2000)}
    for name in names:
        (place.root / name).touch()
    assert {each.name for each in on.iterdir()} == names
    with os.scandir(on) as entries:
        for entry in entries:
            assert entry.is_file(follow_symlinks=False)
            Path(entry.path).unlink()
    assert list(on.iterdir()) == []


def test_maps_are_shared(place: Place, on: Path) -> None:
    text = """
import mmap, os, sys
fd = os.open(sys.argv[1] + "/f", os.O_RDWR | os.O_CREAT); os.ftruncate(fd, 10000)
one = mmap.mmap(fd, 10000); r, w = os.pipe()
if os.fork() == 0:
    two = mmap.mmap(os.open(sys.argv[1] + "/f", os.O_RDWR), 10000)
    two[5000:5005] = b"child"; os.write(w, b"1"); os._exit(0)
os.read(r, 1); assert one[5000:5005] == b"child"
assert os.pread(fd, 5, 5000) == b"child"
os.pwrite(fd, b"wrote", 5000); assert one[5000:5005] == b"wrote"
one[:4] = b"last"; one.flush(); assert os.pread(fd, 4, 0) == b"last"
one[4:8] = b"more"; os.close(fd)
"""
    python(text, on)
    assert (place.root / "f").read_bytes()[:8] == b"lastmore"


def test_with_several_servers_over_tcp(servers: Servers, mounts: Mounts, tmp_path: Path) -> None:
    place = Place(servers, tmp_path, servers_over_tcp=2)
    on = mounts.mount(place.spec.removeprefix("/fwd="), "--forward-secret", place.server.secret)
    script = (
        "mkdir a; cd a; for i in 1 2 3 4 5 6 7 8; do echo $i > f$i; done; cat f*; ls; tar cf ../t .; rm ../t"
    )
    both(place, on, tmp_path, "bash", "-ec", script)
    assert python(SQLITE, on, "3").stdout == "(9, 9, 8)\n('ok',)\n"
    assert mounts.unmount(on).returncode == 0 and not is_mounted(on)


def test_it_tells_the_space_of_the_servers_file_system(
    servers: Servers, mounts: Mounts, tmp_path: Path
) -> None:
    root = tmp_path / "served"
    root.mkdir()
    path = mounts.mount(f"{root}@{servers.start('--root', root, tcp=False).addresses[0]}")
    there, here = os.statvfs(root), os.statvfs(path)
    assert here.f_blocks * here.f_frsize == there.f_blocks * there.f_frsize > 0
    assert 0 < here.f_bavail <= here.f_bfree <= here.f_blocks and here.f_files == there.f_files
    memory = servers.start("--root", root, "--backend", "memory", "--memory", "64M", name="m", tcp=False)
    path = mounts.mount(f"{root}@{memory.addresses[0]}")
    (path / "f").write_bytes(bytes(1 << 20))
    here = os.statvfs(path)
    assert (here.f_blocks * here.f_frsize, here.f_bfree * here.f_frsize) == (64 << 20, 63 << 20)
