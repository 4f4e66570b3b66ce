"""Descriptors that travel between threads and processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from capture_tools import FLAGS, Captured


def test_one_thread_opens_and_another_closes(
    program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    count = 280_000  # more than there are slots for open files
    captured = capture([program("handover"), tmp_path / "file", str(count)])
    assert captured.status == 0
    row = captured.file("/file")
    assert (row["opens"], row["closes"], row["writes"]) == (count, count, count)
    assert not row["flags"] & FLAGS["inherited"], "capture lost sight of the descriptors"
    assert not [gap for gap in captured.rows("gaps") if gap["what"] != "excluded paths"]


def test_one_thread_writes_and_another_closes_meanwhile(
    program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    """When the writer comes back from its call the pipe is closed, and something else may be in its place."""
    count = 4000
    captured = capture([program("closing"), tmp_path / "file", str(count)])
    assert captured.status == 0
    pipe = captured.file("<pipe>")
    assert (pipe["reads"], pipe["writes"], pipe["bytes_written"]) == (count, count, count)
    row = captured.file("/file")
    assert (row["opens"], row["writes"], row["bytes_written"]) == (count // 2, count // 2, 3 * count // 2)
    assert not [gap for gap in captured.rows("gaps") if gap["what"] != "excluded paths"]


def test_inherited_files_of_a_full_parent(capture: Callable[..., Captured], tmp_path: Path) -> None:
    """The parent has no record of its own for most of what its child inherits."""
    source = (
        "import os, sys\n"
        "fds = [os.open(f'{sys.argv[1]}/f{n}', os.O_CREAT | os.O_RDWR) for n in range(600)]\n"
        "if os.fork() == 0:\n"
        "    for fd in fds[:-5]: os.close(fd)\n"
        "    for fd in fds[-5:]: os.write(fd, b'0123456789')\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    )
    captured = capture(["python3", "-c", source, tmp_path], "--memory", "128K")
    assert captured.status == 0, captured.stderr
    below = [row for row in captured.rows("files") if row["path"].startswith(f"{tmp_path}/f")]
    rollups = [row for row in captured.rows("files") if row["kind"] == "directory_rollup"]
    assert rollups, "the parent was not full"
    rows = below + rollups
    assert sum(row["bytes_written"] for row in rows) == 50
    assert sum(row["writes"] for row in rows) == 5
