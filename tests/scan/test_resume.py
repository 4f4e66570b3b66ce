"""Scans that are interrupted, and go on."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest
from headrace import scans
from headrace.scans.scan import Scan

COMMAND = Path(sys.executable).parent / "headrace"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("tree")
    for i in range(60):
        (top / f"d{i}").mkdir()
        for j in range(100):
            os.close(os.open(top / f"d{i}" / f"f{j}", os.O_CREAT | os.O_WRONLY))
        (top / f"d{i}" / "text").write_text("x" * i)
        if i % 7 == 6:
            (top / f"d{i}" / "link").hardlink_to(top / f"d{i - 5}" / "text")
    large = top / "large"
    large.mkdir()
    for i in range(12000):
        os.close(os.open(large / f"{i:0100}", os.O_CREAT | os.O_WRONLY))
    return top


def content(scan: Scan) -> object:
    """All that two scans of one tree have in common: not the ages."""
    facts = {key: value for key, value in scan.facts.items() if not key.endswith("_utc_ns")}
    bins = {key: one for key, one in scan.bins.items() if not key.histogram.endswith("_age")}
    return facts, bins, scan.problems


def start(*words: object) -> subprocess.Popen[str]:
    command = [COMMAND, "scan", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


Headrace = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_scan_goes_on_after(how: int, tree: Path, tmp_path: Path, headrace: Headrace) -> None:
    """States are taken as often as can be; when the signal comes does not matter for the result."""
    headrace(tree, "-o", tmp_path / "whole.hr", "--files", tmp_path / "whole.parquet")
    out, rows = tmp_path / "s.hr", tmp_path / "s.parquet"
    options = ["-o", out, "--files", rows, "--checkpoint", "0", "--threads", "2"]
    interrupted = 0
    for attempt in range(40):
        again = ["--resume"] if (tmp_path / "s.hr.part").exists() else [tree]
        running = start(*again, *options)
        time.sleep(0.002 * (attempt if interrupted else attempt % 4))
        running.send_signal(how)
        running.communicate(timeout=60)
        assert running.returncode in (0, -how, 128 + how)
        interrupted += running.returncode != 0
        if (tmp_path / "s.hr.part").exists():
            assert not scans.load(tmp_path / "s.hr.part").complete
        if out.exists() and not interrupted:  # it was faster than the signal
            for file in (out, rows):
                file.unlink(missing_ok=True)
        elif out.exists() or attempt > 20:
            break
    assert interrupted > 0
    if not (out.exists() and rows.exists()):
        headrace(*(["--resume"] if (tmp_path / "s.hr.part").exists() else [tree]), *options)
    assert content(scans.load(out)) == content(scans.load(tmp_path / "whole.hr"))
    assert paths(rows) == paths(tmp_path / "whole.parquet")


def paths(file: Path) -> list[str]:
    return sorted(pyarrow.parquet.read_table(file, columns=["path"])["path"].to_pylist())


def test_rows_are_those_of_lstat(tree: Path, tmp_path: Path, headrace: Headrace) -> None:
    strange = tmp_path / "in"
    strange.mkdir()
    Path(os.fsdecode(os.fsencode(strange) + b"/\xff\n")).write_text("12345")
    os.utime(strange, (-5, 2**33))
    headrace(strange, "-o", tmp_path / "s.hr", "--files", tmp_path / "s.parquet")
    directory, file = sorted(
        pyarrow.parquet.read_table(tmp_path / "s.parquet").to_pylist(), key=lambda row: row["type"]
    )
    info = strange.stat()
    assert (directory["path"], directory["type"], directory["inode"]) == (
        str(strange),
        "directory",
        info.st_ino,
    )
    assert (directory["accessed"], directory["modified"]) == (int(info.st_atime), int(info.st_mtime))
    assert (file["size"], file["links"], file["type"]) == (5, 1, "file")
    assert file["path_bytes"] == os.fsencode(strange) + b"/\xff\n"
    assert file["path"].endswith("\ufffd\n")


def interrupt_at_once(*words: object) -> subprocess.CompletedProcess[str]:
    """With a signal that is there before the program is."""

    def signal_myself() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        os.kill(os.getpid(), signal.SIGINT)

    command = [COMMAND, "scan", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, preexec_fn=signal_myself
    )


def test_a_state_goes_on_with_its_own_options(tree: Path, tmp_path: Path, headrace: Headrace) -> None:
    out = tmp_path / "s.hr"
    done = interrupt_at_once(tree, "-o", out)
    assert (done.returncode, done.stdout) == (130, "")
    assert "--resume" in done.stderr
    assert not out.exists()
    assert "interrupted" in headrace(tree, "-o", out, status=2).stderr
    assert "other paths or options" in headrace(tmp_path, "--resume", "-o", out, status=2).stderr
    assert "other paths" in headrace("--resume", "-o", out, "--files", tmp_path / "f", status=2).stderr
    assert "other paths" in headrace("--resume", "-o", out, "--file-system", "other", status=2).stderr
    headrace("--resume", "-o", out)
    assert scans.load(out).complete
    assert scans.load(out).number("files") == 60 * 101 + 12000


@pytest.mark.parametrize("table", [b"scan\0", b"scan_pending\0", b"scan_open\0", b"scan_problems"])
def test_a_damaged_state_is_refused(table: bytes, tree: Path, tmp_path: Path, headrace: Headrace) -> None:
    out, state = tmp_path / "s.hr", tmp_path / "s.hr.part"
    interrupt_at_once(tree, "-o", out)
    data = bytearray(state.read_bytes())
    data[data.index(table) - 16 + 100] ^= 0x40  # the first byte of that chunk's payload
    state.write_bytes(data)
    done = headrace("--resume", "-o", out, status=3)
    assert str(state) in done.stderr
    assert not out.exists()


def test_what_nohup_has_ignored_stays_ignored(tree: Path, tmp_path: Path) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    command = [COMMAND, "scan", tree, "-o", tmp_path / "s.hr", "--checkpoint", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=ignore) as running:
        while running.poll() is None:
            running.send_signal(signal.SIGHUP)
    assert running.returncode == 0
    assert scans.load(tmp_path / "s.hr").complete


def test_rows_go_where_they_can(tree: Path, tmp_path: Path, headrace: Headrace) -> None:
    out = tmp_path / "s.hr"
    for own in ("s.hr", "s.hr.part", "s.hr.part.rows", "s.hr.part.links"):
        said = headrace(tree, "-o", out, "--files", tmp_path / own, status=2).stderr
        assert "is where the scan writes" in said
    said = headrace(tree, "-o", out, "--files", tmp_path / "none" / "f.parquet", status=2).stderr
    assert "nothing can be written to" in said
    assert not list(tmp_path.glob("s.hr*"))


def test_two_scans_do_not_share_an_output(tree: Path, tmp_path: Path, headrace: Headrace) -> None:
    with (tmp_path / "s.hr.part.links").open("w") as links:
        fcntl.flock(links, fcntl.LOCK_EX)
        assert "another scan is at work" in headrace(tree, "-o", tmp_path / "s.hr", status=2).stderr
    headrace(tree, "-o", tmp_path / "s.hr")
