"""headrace.forward against real servers."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
from forward_tools import NATIVE, Servers
from headrace import forward

DOCUMENT = Path(__file__).parents[2] / "docs/forward.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def connection(servers: Servers, root: Path) -> Iterator[forward.Servers]:
    server = servers.start("--root", root, tcp=False)
    with forward.connect(f"/api={root}@{server.addresses[0]}") as made:
        yield made


def test_the_umask_holds(connection: forward.Servers, root: Path) -> None:
    before = os.umask(0o027)
    try:
        connection.open("file", create=True).close()
        connection.mkdir("directory")
    finally:
        os.umask(before)
    assert (root / "file").stat().st_mode & 0o777 == 0o640
    assert (root / "directory").stat().st_mode & 0o777 == 0o750


def test_names(connection: forward.Servers, root: Path) -> None:
    connection.mkdir("d")
    with connection.open("d/a", exclusive=True, mode=0o600) as file:
        assert file.append(b"abc") == 0
        file.truncate(2)
        file.set(mode=0o640, modified=981173106000000000)
        assert (file.stat().size, file.stat().mode & 0o777) == (2, 0o640)
    connection.link("d/a", "d/b")
    connection.symlink("a", "/api/d/c")
    assert connection.readlink("d/c") == "a"
    assert connection.stat("d/c").links == 2
    assert connection.stat("d/c", follow=False).size == 1
    connection.rename("d/a", "d/b b")
    assert sorted(entry.name for entry in connection.list("d")) == ["b", "b b", "c"]
    assert (root / "d/b b").stat().st_mtime == 981173106
    with pytest.raises(FileNotFoundError, match="d/none"):
        connection.open("d/none")
    with pytest.raises(FileExistsError):
        connection.rename("d/b", "d/c", replace=False)
    with pytest.raises(OSError, match="not empty"):
        connection.rmdir("d")
    for name in ("b", "b b", "c"):
        connection.remove(f"d/{name}")
    connection.rmdir("d")


def test_buffers_are_not_copied_and_may_be_of_any_kind(connection: forward.Servers) -> None:
    with connection.open("a", create=True) as file:
        numbers = numpy.arange(1_000_000, dtype=numpy.float64)
        assert file.pwrite(numbers, 16) == 8_000_000
        back = numpy.zeros_like(numbers)
        assert file.preadinto(back, 16) == 8_000_000
        assert (back == numbers).all()
        assert file.preadinto(memoryview(back)[:1], 8_000_008) == 8
        assert file.pread(100, 8_000_012) == numbers[-1:].tobytes()[4:]
        read_only = numbers.view()
        read_only.flags.writeable = False
        assert file.append(read_only[:2]) == 8_000_016
        with pytest.raises((BufferError, ValueError)):
            file.preadinto(read_only, 0)
        with pytest.raises((BufferError, ValueError)):
            file.pwrite(numbers[::2], 0)
        with pytest.raises(ValueError, match="from 0 to"):
            file.pwrite(b"a", -1)


def test_requests(connection: forward.Servers) -> None:
    with connection.open("a", create=True) as file:
        blocks = [bytearray([i]) * 100 for i in range(50)]
        all_ = [file.submit_write([block], [(i * 100, 100)]) for i, block in enumerate(blocks)]
        with pytest.raises(BufferError):  # in use
            blocks[-1].extend(b"more")
        assert [request.wait() for request in all_] == [100] * 50
        blocks[-1].extend(b"more")
        assert file.submit_append([b"ab", b"cd"]).wait() == 5000
        into = [bytearray(3), bytearray(7)]
        request = file.submit_read(into, [(99, 2), (4998, 4), (0, 4)])
        while not request.done():
            pass
        assert (request.wait(), request.wait()) == (10, 10)
        assert b"".join(into) == b"\0\x01" + b"\x31\x31ab" + b"\0\0\0\0"
        file.submit_commit().wait()
        file.submit_append([b"forgotten"])
    assert connection.stat("a").size == 5013


def test_what_is_lost_is_told(servers: Servers, root: Path) -> None:
    server = servers.start("--root", root, "--trial", "fail-after=1000,error=28", tcp=False)
    connected = forward.connect(f"{root}@{server.addresses[0]}")
    with connected as connection, connection.open("a", create=True) as file:
        file.pwrite(b"x" * 5000, 0)
        with pytest.raises(forward.LostDataError, match="No space") as told:
            file.commit()
        assert told.value.errno == errno.ENOSPC
        assert sum(lost.length for lost in told.value.ranges) >= 4000
        file.commit()


def test_close_waits_for_what_is_under_way(servers: Servers, root: Path) -> None:
    server = servers.start("--root", root, tcp=False)
    with forward.connect(f"{root}@{server.addresses[0]}") as connection:
        for number in range(20):
            with connection.open(f"f{number}", create=True) as file:
                request = file.submit_write([b"abc" * 100_000], [(0, 300_000)])
            assert (root / f"f{number}").read_bytes() == b"abc" * 100_000
            assert request.done()


def test_what_is_left_open_is_closed(servers: Servers, root: Path) -> None:
    server = servers.start("--root", root, tcp=False)
    connection = forward.connect(f"{root}@{server.addresses[0]}")
    file = connection.open("a", create=True)
    request = file.submit_write([b"abc"], [(0, 3)])
    connection.close()
    connection.close()
    file.close()
    assert request.wait() == 3
    assert (root / "a").read_bytes() == b"abc"
    for use in (file.stat, connection.list):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_threads_run_meanwhile(connection: forward.Servers) -> None:
    places: list[int] = []
    with connection.open("a", create=True) as file:

        def append() -> None:
            places.extend(file.append(b"12345678") for _ in range(200))

        threads = [threading.Thread(target=append) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(places) == list(range(0, 6400, 8))


def test_nobody_is_there(tmp_path: Path) -> None:
    with pytest.raises(forward.ForwardError, match="nobody"):
        forward.connect("/a@unix:/nobody", timeout=0.1)
    with pytest.raises(forward.ForwardError, match="ADDRESS"):
        forward.connect("nonsense")


def test_the_example_of_the_documentation(root: Path, tmp_path: Path) -> None:
    text = DOCUMENT.read_text(encoding="utf-8").split("## From Python")[1]
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    words = ["forward", "up", "-q", "--root", root, "-o", tmp_path / "job.hr", "--", sys.executable, "-c"]
    done = subprocess.run([NATIVE, *words, found[1]], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (root / "log").read_bytes()[:8] == b"a record"
