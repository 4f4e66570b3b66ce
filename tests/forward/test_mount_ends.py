"""What programs on a mount are told when servers, disks or the mount itself go away."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from forward_tools import Servers
from mount_tools import Mounts, is_mounted, needs_fuse

pytestmark = needs_fuse


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    return made


def processes_of(path: Path) -> list[str]:
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes().split(b"\0")
        except OSError:
            continue
        if str(path).encode() in words:
            found.append(str(each))
    return found


def until(reached: object) -> None:
    assert callable(reached)
    end = time.monotonic() + 30
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_nothing_is_left_of_it(servers: Servers, mounts: Mounts, root: Path) -> None:
    spec = f"{root}@{servers.start('--root', root, tcp=False).addresses[0]}"
    for how in ("--unmount", "fusermount3", "SIGTERM", "SIGKILL"):
        mounted = mounts.foreground(spec)
        (mounted.path / how).write_text("words")
        if how == "--unmount":
            assert mounts.unmount(mounted.path).returncode == 0
        elif how == "fusermount3":
            subprocess.run(["fusermount3", "-u", mounted.path], check=True, timeout=30)
        else:
            mounted.end(signal.Signals[how])
        _, said = mounted.process.communicate(timeout=30)
        assert said == "" and mounted.process.returncode == (-9 if how == "SIGKILL" else 0)
        until(lambda path=mounted.path: not is_mounted(path))
        until(lambda path=mounted.path: processes_of(path) == [])
        assert (root / how).read_text() == "words"


def test_the_kernel_hears_of_a_kill_first(servers: Servers, mounts: Mounts, root: Path) -> None:
    mounted = mounts.foreground(f"{root}@{servers.start('--root', root, tcp=False).addresses[0]}")
    # fusermount3 hears of it by a socket, and leaves a mount alone that is served still.

    def last(of: dict[int, str], kind: str) -> int:
        return max((fd for fd, what in of.items() if what.startswith(kind)), default=-1)

    def hears_first() -> bool:
        # The mount is there before its process has the device from fusermount3.
        of = {}
        for each in Path(f"/proc/{mounted.process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                of[int(each.name)] = str(each.readlink())
        return 0 <= last(of, "socket:") < last(of, "/dev/fuse")

    until(hears_first)
    assert mounted.end() == (0, "")


def test_busy_mounts_stay(servers: Servers, mounts: Mounts, root: Path) -> None:
    path = mounts.mount(f"{root}@{servers.start('--root', root, tcp=False).addresses[0]}")
    with (path / "f").open("w"):
        done = mounts.unmount(path)
        assert done.returncode == 1 and "a program has a file there open" in done.stderr
    assert is_mounted(path) and mounts.unmount(path).returncode == 0


def test_what_cannot_be_mounted_says_why(servers: Servers, mounts: Mounts, root: Path) -> None:
    address = servers.start("--root", root, tcp=False).addresses[0]
    path = mounts.new_path()
    for words, code, why in (
        ([f"{root}@{address}x", path], 1, "is the server running?"),
        ([f"/elsewhere@{address}", path], 125, "is below no --root of the servers"),
        ([f"{root}/none@{address}", path], 1, "No such file"),
        ([f"{root}@{address}", path / "none"], 125, "No such file"),
        ([f"{root}@{address}"], 125, "the directory to mount it at is needed"),
        (["nonsense", path], 125, "is not [PREFIX=]DIRECTORY@ADDRESS"),
        (["--unmount", path], 1, "is no mount of headrace"),
    ):
        done = mounts.command(*words)
        assert (done.returncode, why in done.stderr) == (code, True), done.stderr
    assert not is_mounted(path)
    assert mounts.command(f"{path}={root}@{address}").returncode == 0 and is_mounted(path)


def test_a_killed_server_is_an_error_and_no_wait(servers: Servers, mounts: Mounts, root: Path) -> None:
    secret = servers.directory / "secret"
    options = ["--root", root, "--secret", secret, "--flush-age", "3600000"]
    server = servers.start(*options, tcp=False)
    mounted = mounts.foreground(f"{root}@{server.addresses[0]}", "--forward-timeout", "1")
    held = os.open(mounted.path / "held", os.O_WRONLY | os.O_CREAT)
    stored = os.open(mounted.path / "stored", os.O_WRONLY | os.O_CREAT)
    os.write(stored, b"stored")
    os.fsync(stored)
    os.write(held, b"words")
    server.end(signal.SIGKILL)
    begun = time.monotonic()
    for call in (
        lambda: os.write(held, b"x"),
        (mounted.path / "f").stat,
        lambda: list(mounted.path.iterdir()),
    ):
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            call()
    assert time.monotonic() - begun < 15
    servers.start(*options, tcp=False)
    until(lambda: os.path.exists(mounted.path / "stored"))  # noqa: PTH110 (Path.exists fails with EIO)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):  # "words" went with the server
        os.fsync(held)
    os.write(held, b"again")
    os.close(held)
    os.close(stored)
    assert (root / "stored").read_bytes() == b"stored"
    code, said = mounted.end()
    assert code == 0 and "no answer within 1 s" in said and "the servers answer again" in said


def test_a_full_disk_is_told_to_each_who_wrote(servers: Servers, mounts: Mounts, root: Path) -> None:
    # One thread, so that it is the second half which is lost.
    options = ["--storage-threads", "1", "--trial", "fail-after=1M"]
    server = servers.start("--root", root, *options, tcp=False)
    path = mounts.mount(f"{root}@{server.addresses[0]}")
    one, two, reader = (
        os.open(path / "f", flags) for flags in (os.O_RDWR | os.O_CREAT, os.O_RDWR, os.O_RDONLY)
    )
    os.pwrite(one, bytes(1 << 20), 0)
    os.pwrite(two, bytes(1 << 20), 1 << 20)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        os.fsync(one)
    os.fsync(one)  # it knows
    os.close(one)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        os.close(two)
    os.close(reader)
    done = mounts.unmount(path)  # many programs do not look at what close() gives
    assert (done.returncode, done.stderr) == (
        1,
        f"headrace: mount: f: {1 << 20} bytes from {1 << 20} are not stored: {os.strerror(errno.ENOSPC)}\n",
    )


def stop(process: subprocess.Popen[str]) -> None:
    """Returns when none of its threads runs: on a busy machine one may go on for a while after the signal."""
    process.send_signal(signal.SIGSTOP)
    threads = Path(f"/proc/{process.pid}/task")
    end = time.monotonic() + 60
    while any((each / "stat").read_text().rpartition(")")[2].split()[0] != "T" for each in threads.iterdir()):
        assert time.monotonic() < end, "it does not stop"
        time.sleep(0.001)


@pytest.mark.parametrize("silent", [0, 1])
def test_a_loss_is_told_when_another_server_is_silent(
    servers: Servers, mounts: Mounts, root: Path, silent: int
) -> None:
    options = ["--root", root, "--secret", servers.directory / "secret", "--flush-age", "3600000"]
    options += ["--place", "stripe", "--stripe-size", "64K"]
    started = []
    for each in (0, 1):
        trial = [] if each == silent else ["--trial", "fail-after=1K"]
        started.append(servers.start(*options, *trial, name=f"s{each}", tcp=False))
    spec = f"{root}@" + ",".join(each.addresses[0] for each in started)
    mounted = mounts.foreground(spec, "--forward-timeout", "1")
    fd = os.open(mounted.path / "f", os.O_RDWR | os.O_CREAT)
    os.pwrite(fd, bytes(1 << 20), 0)
    stop(started[silent].process)
    try:
        with pytest.raises(OSError, match=f"{os.strerror(errno.EIO)}|{os.strerror(errno.ENOSPC)}"):
            os.close(fd)
        code, said = mounted.end()
    finally:
        started[silent].process.send_signal(signal.SIGCONT)
    assert code == 1 and f"are not stored: {os.strerror(errno.ENOSPC)}" in said
    assert "f: whether all that was written is stored is not known" in said


def test_data_that_nobody_waited_for_is_told_at_the_end(servers: Servers, mounts: Mounts, root: Path) -> None:
    # One thread, so that it is the second half which is lost.
    options = ["--flush-age", "3600000", "--storage-threads", "1", "--trial", "fail-after=1M"]
    server = servers.start("--root", root, *options, tcp=False)
    mounted = mounts.foreground(f"{root}@{server.addresses[0]}")
    fd = os.open(mounted.path / "f", os.O_RDWR | os.O_CREAT)
    os.pwrite(fd, bytes(2 << 20), 0)
    code, said = mounted.end()
    assert code == 1 and f"f: {1 << 20} bytes from {1 << 20} are not stored: No space left on device" in said
    for call in (os.fsync, os.close):
        with pytest.raises(OSError, match=os.strerror(errno.ENOTCONN)):
            call(fd)
    assert not is_mounted(mounted.path)


def test_what_a_program_that_ends_did_not_wait_for_is_told(
    servers: Servers, mounts: Mounts, root: Path
) -> None:
    full = ["--flush-age", "3600000", "--trial", "fail-after=1M"]
    spec = f"{root}@{servers.start('--root', root, *full, tcp=False).addresses[0]}"
    text = "import os, sys; os.write(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), bytes(3 << 20))"
    why = f"f: {2 << 20} bytes from {1 << 20} are not stored: {os.strerror(errno.ENOSPC)}"
    log = root.parent / "mount.log"
    path = mounts.mount(spec, "--log", log)
    subprocess.run([sys.executable, "-c", text, path / "f"], check=True, timeout=30)
    assert why in log.read_text()
    done = mounts.unmount(path)
    assert (done.returncode, done.stderr) == (1, f"headrace: mount: {why}\n")
    mounted = mounts.foreground(spec)
    subprocess.run([sys.executable, "-c", text, mounted.path / "g"], check=True, timeout=30)
    code, said = mounted.end()
    assert code == 1 and f"g: {3 << 20} bytes from 0 are not stored" in said


def test_what_must_not_be_mounted_on_is_refused(servers: Servers, mounts: Mounts, root: Path) -> None:
    spec = f"{root}@{servers.start('--root', root, tcp=False).addresses[0]}"
    path = mounts.mount(spec)
    full, inside = root.parent / "full", root / "inside"
    for each in (full, inside):
        each.mkdir()
    (full / "f").touch()
    for where, why in (
        (path, f"`headrace mount --unmount {path}` takes it away"),
        (full, "the mount would hide f and what else is in it; give an empty directory"),
        (inside, f"is in {root}, which the servers serve"),
        (full / "f", "is not a directory"),
        (full / "none", "make an empty directory there"),
    ):
        done = mounts.command(spec, where)
        if is_mounted(where) and where != path:
            subprocess.run(["fusermount3", "-u", where], check=True, timeout=30)
        assert (done.returncode, why in done.stderr) == (125, True), done.stderr
    assert mounts.unmount(path).returncode == 0 and mounts.command(spec, path).returncode == 0


WRITER = """
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
done = 0
try:
    while True:
        done += os.pwrite(fd, b"%07d\\n" % (done // 8), done)
        if done == 8000: print("under way", flush=True)
except OSError as error: print(done, error.errno)
"""


def test_what_was_answered_before_it_ended_is_stored(servers: Servers, mounts: Mounts, root: Path) -> None:
    server = servers.start("--root", root, "--flush-age", "3600000", tcp=False)
    mounted = mounts.foreground(f"{root}@{server.addresses[0]}")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, mounted.path / name], stdout=subprocess.PIPE, text=True
        )
        for name in "ab"
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "under way\n"
    assert mounted.end() == (0, "")
    for writer, name in zip(writers, "ab", strict=True):
        said, _ = writer.communicate(timeout=30)
        done, error = map(int, said.split())
        assert error in (errno.ENOTCONN, errno.ECONNABORTED)
        stored = (root / name).read_bytes()
        assert len(stored) >= done and stored == b"".join(b"%07d\n" % i for i in range(len(stored) // 8))


def test_a_close_has_what_was_written_in_the_file(servers: Servers, mounts: Mounts, root: Path) -> None:
    server = servers.start("--root", root, "--flush-age", "3600000", tcp=False)
    file = mounts.mount(f"{root}@{server.addresses[0]}") / "f"
    ended = threading.Event()

    def write(at: int, bytes_: bytes) -> None:
        fd = os.open(file, os.O_WRONLY | os.O_CREAT)
        os.pwrite(fd, bytes_, at)
        os.close(fd)

    def others(number: int) -> None:
        while not ended.is_set():
            write(number << 20, bytes(8))

    threads = [threading.Thread(target=others, args=(number,)) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    try:
        stored = []
        for i in range(500):
            write(0, i.to_bytes(8, "little"))
            with (root / "f").open("rb") as below:
                stored.append(int.from_bytes(below.read(8), "little"))
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert stored == list(range(500))
