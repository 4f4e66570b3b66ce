# ruff: noqa: PTH102, PTH118, PTH123 (names that are bytes)
"""What a walk counts, beside what other programs and os.lstat say, and in trees that few have."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from headrace import scans
from headrace.scans import bins
from headrace.scans.scan import Scan

Run = Callable[..., Scan]
COMMAND = Path(sys.executable).parent / "headrace"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A directory that is scanned; the scan's own files lie elsewhere."""
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


def by_lstat(top: Path) -> dict[str, int]:
    """The same totals, by other means."""
    sums = dict.fromkeys(("files", "directories", "symlinks", "others", "bytes", "capacity"), 0)
    seen: set[tuple[int, int]] = set()
    every = [os.fsencode(top)]
    every += [os.path.join(at, name) for at, ds, fs in os.walk(os.fsencode(top)) for name in ds + fs]
    for path in every:
        info = os.lstat(path)
        if not stat.S_ISDIR(info.st_mode) and (info.st_dev, info.st_ino) in seen:
            continue
        seen.add((info.st_dev, info.st_ino))
        kinds = {stat.S_IFREG: "files", stat.S_IFDIR: "directories", stat.S_IFLNK: "symlinks"}
        kind = kinds.get(stat.S_IFMT(info.st_mode), "others")
        sums[kind] += 1
        if kind == "files":
            sums["bytes"] += info.st_size
            sums["capacity"] += 512 * info.st_blocks
    return sums


def check(scan: Scan, top: Path) -> None:
    expected = by_lstat(top)
    assert {name: scan.number(name) for name in expected} == expected
    assert sum(one.files for one in scan.histogram("size").values()) == expected["files"]
    assert sum(one.bytes for one in scan.histogram("size").values()) == expected["bytes"]
    assert sum(one.files for one in scan.histogram("modified_age").values()) == expected["files"]


def only(scan: Scan, histogram: str) -> int:
    found = scan.histogram(histogram)
    assert len(found) == 1
    return next(iter(found))


def by_find(top: Path) -> dict[str, int]:
    """Totals as find has them; files by their inodes. Which sizes du counts differs between its versions."""
    find = subprocess.run(["find", top, "-xdev", "-printf", "%y %i %s\n"], capture_output=True, check=True)
    found: dict[bytes, list[bytes]] = {b"f": [], b"d": [], b"l": []}
    sizes: dict[bytes, int] = {}
    for line in find.stdout.splitlines():
        kind, inode, size = line.split()
        found.setdefault(kind, []).append(inode)
        sizes[inode] = int(size)
    return {
        "size": sum(sizes.values()),
        "files": len(set(found[b"f"])),
        "directories": len(found[b"d"]),
        "symlinks": len(set(found[b"l"])),
        "names": sum(map(len, found.values())) - 1,
    }


def test_usr_has_what_find_says(scan: Run) -> None:
    top = Path("/usr")
    for _ in range(3):
        expected = by_find(top)
        found = scan(top)
        if expected == by_find(top):  # else something was installed meanwhile
            break
    counted = {name: found.number(name) for name in ("files", "directories", "symlinks")}
    counted["size"] = sum(
        found.number(name) for name in ("bytes", "directory_bytes", "symlink_bytes", "other_bytes")
    )
    counted["names"] = sum(one.files for one in found.histogram("name_length").values())
    assert counted == expected
    assert found.complete == (found.number("unreadable") == 0)


def test_all_types_and_links(scan: Run, tree: Path) -> None:
    (tree / "a").write_bytes(b"x" * 5000)
    for name in ("b", "c"):
        (tree / name).hardlink_to(tree / "a")
    (tree / "outside").write_bytes(b"yy")
    (tree.parent / "link").hardlink_to(tree / "outside")
    (tree / "s").symlink_to("/nowhere")
    (tree / "loop").symlink_to(".")
    os.mkfifo(tree / "pipe")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tree / "socket"))
    found = scan(tree)
    check(found, tree)
    assert (found.number("repeated_links"), found.number("links_elsewhere")) == (2, 1)
    assert found.number("links_elsewhere_bytes") == 2
    assert found.number("symlinks_absolute") == 1
    assert {bucket: one.files for bucket, one in found.histogram("links").items()} == {2: 2}
    assert {bucket: one.total for bucket, one in found.histogram("symlink_length").items()} == {0: 1, 1: 8}
    assert sum(one.files for one in found.histogram("name_length").values()) == 8


def test_names_that_are_no_text(scan: Run, tree: Path) -> None:
    names = [b"new\nline", b"\xff\xfe", b"$(id)", b"'; DROP TABLE scans; --", b"x" * 255, b"-rf", b"\x1b[31m"]
    for name in names:
        os.mkdir(os.path.join(os.fsencode(tree), name))
        with open(os.path.join(os.fsencode(tree), name, name), "wb") as file:
            file.write(name)
    found = scan(tree)
    check(found, tree)
    assert found.number("files") == len(names)


@pytest.mark.parametrize(
    ("seconds_ago", "bucket"), [(-5000, -1), (100, 0), (700, 1), (86400 + 60, 8), (2**32, None)]
)
def test_ages(scan: Run, tree: Path, seconds_ago: int, bucket: int | None) -> None:
    (tree / "f").write_text("x")
    when = int(time.time()) - seconds_ago
    os.utime(tree / "f", (when, when))
    stored = int((tree / "f").stat().st_mtime)  # a file system may not have all times
    found = scan(tree)
    if stored == when:
        expected = bins.bucket_of("modified_age", seconds_ago) if bucket is None else bucket
        assert only(found, "modified_age") == expected
        assert only(found, "accessed_age") == expected
    assert only(found, "changed_age") in (-1, 0)


def test_a_large_directory(scan: Run, tree: Path) -> None:
    for i in range(20000):
        os.close(os.open(f"{tree}/{i}", os.O_CREAT | os.O_WRONLY))
    found = scan(tree, "--threads", "3")
    assert found.number("files") == 20000
    assert only(found, "directory_entries") == 15
    assert found.ranges["directory_entries"] == (20000, 20000)


def test_other_file_systems(scan: Run, tree: Path, small_tmpfs: Callable[[str], Path]) -> None:
    mounted = small_tmpfs("1M")
    (mounted / "inside").write_bytes(b"x" * 10)
    top = mounted.parent
    found = scan(top)
    assert found.number("mounts") == 1
    assert found.number("bytes") == 0
    (top / "scan.hr").unlink()  # it lies in what is scanned
    crossed = scan(top, "--cross-mounts")
    assert (crossed.number("mounts"), crossed.number("bytes")) == (0, 10)


def test_a_file_of_another_place_is_a_mount(
    scan: Run, tree: Path, small_tmpfs: Callable[[str], Path]
) -> None:
    mounted = small_tmpfs("1M")
    (mounted / "inside").write_bytes(b"x" * 10)
    (tree / "file").write_bytes(b"12345")
    (tree / "point").touch()
    subprocess.run(["mount", "--bind", mounted / "inside", tree / "point"], check=True)
    try:
        found = scan(tree)
        assert (found.number("mounts"), found.number("bytes"), found.number("files")) == (1, 5, 1)
        crossed = scan(tree, "--cross-mounts")
        assert (crossed.number("mounts"), crossed.number("bytes"), crossed.number("files")) == (0, 15, 2)
    finally:
        subprocess.run(["umount", tree / "point"], check=True)


def test_fewer_threads_than_wanted(tree: Path, tmp_path: Path) -> None:
    """Where each takes a gigabyte of addresses, there are two; where it takes more than there is, none."""
    for i in range(50):
        (tree / f"d{i}").mkdir()
    for stack, status in (("1000000", 0), ("4000000", 4)):
        words = f'ulimit -s {stack} && ulimit -v 3000000 && exec "$@"'
        out = tmp_path / f"{stack}.hr"
        command = ["bash", "-c", words, "-", COMMAND, "scan", tree, "-o", out, "--threads", "8"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == status, done.stderr
    assert "no thread can be started" in done.stderr
    assert scans.load(tmp_path / "1000000.hr").number("directories") == 51


@pytest.fixture
def somebody(tree: Path) -> Iterator[list[str]]:
    """Words that run a command as a user who may not read everything."""
    if os.geteuid() != 0:
        yield []
        return
    for directory in (tree, *tree.parents):
        if directory.stat().st_mode & 0o5 != 0o5:
            directory.chmod(directory.stat().st_mode | 0o5)
    yield ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def test_what_may_not_be_read_is_listed(tree: Path, somebody: list[str], tmp_path: Path) -> None:
    (tree / "closed").mkdir()
    (tree / "closed" / "x").write_text("x")
    (tree / "listed").mkdir()
    (tree / "listed" / "y").write_text("y")
    (tree / "z").write_text("zz")
    (tree / "listed").chmod(0o444)
    (tree / "closed").chmod(0o000)
    out = tmp_path / "out"
    out.mkdir(mode=0o777)
    out.chmod(0o777)
    done = subprocess.run(
        [*somebody, COMMAND, "scan", tree, "-o", out / "s.hr"], capture_output=True, text=True, check=False
    )
    if "execv" in done.stderr or done.returncode in (126, 127):
        pytest.skip("another user may not run the command here")
    assert done.returncode == 0, done.stderr
    found = scans.load(out / "s.hr")
    (tree / "closed").chmod(0o700)
    assert (found.number("files"), found.number("directories"), found.number("unreadable")) == (1, 3, 2)
    assert found.facts["complete"].startswith("no: of 2 directories")
    assert sorted(path.rsplit("/", 1)[1] for path, _ in found.problems) == ["closed", "listed"]
    assert "2 directories" in done.stderr


def test_wrong_requests(headrace: Callable[..., subprocess.CompletedProcess[str]], tree: Path) -> None:
    out = tree.parent / "s.hr"
    assert "name a directory" in headrace("-o", out, status=2).stderr
    assert "where to keep" in headrace(tree, status=2).stderr
    assert "No such file" in headrace(tree / "none", "-o", out, status=2).stderr
    (tree / "f").write_text("precious")
    assert "is no directory" in headrace(tree / "f", "-o", out, status=2).stderr
    assert "is no scan" in headrace(tree, "-o", tree / "f", status=2).stderr
    assert (tree / "f").read_text() == "precious"
    (tree / "d").mkdir()
    assert "lies in" in headrace(tree, tree / "d", "-o", out, status=2).stderr
    assert "no interrupted scan" in headrace("--resume", "-o", out, status=2).stderr
    assert "cannot be" in headrace(tree, "-o", tree / "none" / "s.hr", status=4).stderr
    assert not out.exists()


def test_several_roots_share_links(scan: Run, tree: Path) -> None:
    for name in ("a", "b"):
        (tree / name).mkdir()
    (tree / "a" / "x").write_bytes(b"xyz")
    (tree / "b" / "x").hardlink_to(tree / "a" / "x")
    found = scan(tree / "a", tree / "b")
    assert (found.number("files"), found.number("bytes"), found.number("links_elsewhere")) == (1, 3, 0)
    assert found.roots == [str(tree / "a"), str(tree / "b")]
