"""What a scan may write over, and what it must not."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from headrace import _native, scans
from pyarrow import parquet

COMMAND = Path(sys.executable).parent / "headrace"
Headrace = Callable[..., subprocess.CompletedProcess[str]]


def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a").write_text("a")
    return tmp_path / "tree"


def test_a_table_of_files_takes_no_other_files_place(headrace: Headrace, tmp_path: Path) -> None:
    top, scanned, mine = tree(tmp_path), tmp_path / "s.hr", tmp_path / "mine.txt"
    mine.write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    for files in (mine, tmp_path / "pipe", scanned, tmp_path / "tree" / ".." / "s.hr"):
        said = headrace(top, "-o", scanned, "--files", files, status=2).stderr
        assert "give another name" in said
    assert mine.read_text() == "mine" and stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert not scanned.exists()
    for _ in range(2):
        headrace(top, "-o", scanned, "--files", tmp_path / "files.parquet")
    assert parquet.read_table(tmp_path / "files.parquet").num_rows == 2
    assert scans.load(scanned).facts["files"] == "1"


def test_csv_takes_no_other_files_place(headrace: Headrace, tmp_path: Path) -> None:
    scanned, table = tmp_path / "s.hr", tmp_path / "s.csv"
    headrace(tree(tmp_path), "-o", scanned)
    before = scanned.read_bytes()
    other = tmp_path / "other.hr"
    other.write_bytes(before)
    assert "no CSV of fsstats" in headrace("csv", scanned, "-o", other, status=4).stderr
    assert "itself, which is read" in headrace("csv", scanned, "-o", scanned, status=2).stderr
    assert scanned.read_bytes() == other.read_bytes() == before
    other.unlink()
    (tmp_path / "link.csv").symlink_to("s.csv")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    assert "leads in a circle" in headrace("csv", scanned, "-o", tmp_path / "loop.csv", status=4).stderr
    (tmp_path / "loop.csv").unlink()
    for target in (table, table, tmp_path / "link.csv"):
        headrace("csv", scanned, "-o", target)
    assert table.read_text() == headrace("csv", scanned).stdout
    assert (tmp_path / "link.csv").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.csv", "s.csv", "s.hr", "tree"]


def test_merging_takes_no_other_files_place(headrace: Headrace, tmp_path: Path) -> None:
    parts = [tmp_path / "a.hr", tmp_path / "b.hr"]
    for part in parts:
        (tmp_path / f"tree-{part.stem}").mkdir()
        headrace(tmp_path / f"tree-{part.stem}", "-o", part)
    before = [part.read_bytes() for part in parts]
    thesis, pipe, loop, link, log = (
        tmp_path / name for name in ("thesis.tex", "pipe", "loop", "link", "log.hr")
    )
    thesis.write_text("mine")
    os.mkfifo(pipe)
    loop.symlink_to("loop")
    link.symlink_to("a.hr")
    _native.write_tables(bytes(log), {"job": {"key": ["a"], "value": ["b"]}})
    for target, status, why in (
        (thesis, 4, "is there and is no scan"),
        (log, 4, "is there and is no scan"),
        (pipe, 4, "is no file that could be replaced"),
        (loop, 4, "is a link that leads in a circle"),
        (parts[0], 2, "a.hr itself, which is read"),
        (tmp_path / "tree-a" / ".." / "b.hr", 2, "b.hr itself, which is read"),
        (link, 2, "a.hr itself, which is read"),
        (tmp_path / "none" / "x.hr", 4, "its directory is not there"),
    ):
        assert why in headrace("merge", *parts, "-o", target, status=status).stderr
    assert (thesis.read_text(), stat.S_ISFIFO(pipe.stat().st_mode)) == ("mine", True)
    assert [part.read_bytes() for part in parts] == before
    (tmp_path / "empty.hr").write_text("")
    for target in ("all.hr", "all.hr", "empty.hr"):
        headrace("merge", *parts, "-o", tmp_path / target)
        assert scans.load(tmp_path / target).facts["parts"] == "2"


def test_rows_take_no_other_files_place(headrace: Headrace, tmp_path: Path) -> None:
    rows, mine = tmp_path / "s.rows", tmp_path / "mine.txt"
    _native.write_tables(bytes(rows), {})
    mine.write_text("mine")
    assert "is no Parquet file" in headrace("parquet", rows, "-o", mine, status=4).stderr
    assert mine.read_text() == "mine"
    for _ in range(2):
        headrace("parquet", rows, "-o", tmp_path / "files.parquet")
    assert parquet.read_table(tmp_path / "files.parquet").num_rows == 0


def test_a_closed_output_is_an_error_and_no_traceback(headrace: Headrace, tmp_path: Path) -> None:
    scanned = tmp_path / "s.hr"
    headrace(tree(tmp_path), "-o", scanned)
    for words in ("csv", "show", "show --json"):
        line = f"'{COMMAND}' scan {words.split()[0]} '{scanned}' {' '.join(words.split()[1:])} >&-"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (
            4,
            "headrace: cannot write: [Errno 9] Bad file descriptor\n",
        )
    quiet = subprocess.run(["sh", "-c", f"'{COMMAND}' scan show '{scanned}' >&- 2>&- <&-"], timeout=60)
    assert quiet.returncode == 4
