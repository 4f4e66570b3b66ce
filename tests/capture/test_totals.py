"""Totals are exact to the byte and call, with and without memory for a record of every file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import COMMAND, COUNTERS, Captured, Mix, check

MEGABYTE = 1 << 20


@pytest.mark.parametrize(("memory", "folds"), [("64M", False), ("1M", True), ("256K", True)])
def test_random_mix(
    memory: str, folds: bool, mix: Callable[..., Mix], capture: Callable[..., Captured]
) -> None:
    made = mix(rows=64, files=20_000, dirs=100)
    captured = capture(
        made.command(threads=16, processes=4, operations=2000, size=20_000), "--memory", memory
    )
    assert captured.status == 0
    seen = check(made, captured)
    assert len(seen["processes"]) == 4
    assert seen["unfinished"] == seen["uncertain"] == 0
    assert (seen["folded"] > 0) == folds
    if memory == "64M":
        assert not seen["gaps"]


def totals(captured: Captured, below: Path) -> dict[str, int]:
    rows = [row for row in captured.rows("files") if row["path"].startswith(f"{below}/")]
    return {name: sum(row[name] for row in rows) for name in COUNTERS}


@pytest.mark.parametrize(
    ("small", "large", "mebibytes", "dirs", "memory"),
    [
        (5000, 1, 400, 1, "256K"),
        (5000, 1, 400, 1, "4M"),
        (30_000, 100, 2, 10, "1M"),
        (10_000, 10, 2, 2000, "1M"),
    ],
)
def test_large_files_keep_their_records(
    small: int,
    large: int,
    mebibytes: int,
    dirs: int,
    memory: str,
    program: Callable[[str], Path],
    capture: Callable[..., Captured],
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    arguments = [small, large, mebibytes, 7, dirs]
    captured = capture([program("many"), data, *map(str, arguments)], "--memory", memory)
    assert captured.status == 0
    assert not [gap for gap in captured.rows("gaps") if gap["what"] != "excluded paths"]
    assert totals(captured, data) == {
        "opens": small + large,
        "closes": small + large,
        "reads": 0,
        "writes": small + large * mebibytes,
        "bytes_read": 0,
        "bytes_written": sum(100 + i % 7 for i in range(small)) + large * mebibytes * MEGABYTE,
    }
    kept = [row for row in captured.rows("files") if "/large-" in row["path"]]
    assert len(kept) == large
    assert {(row["writes"], row["bytes_written"]) for row in kept} == {(mebibytes, mebibytes * MEGABYTE)}
    (process,) = captured.rows("processes")
    assert process["folded_records"] == sum(row["folded_files"] for row in captured.rows("files"))
    assert process["memory_bytes"] <= process["memory_limit_bytes"]


# Writes a byte to each of so many files, in several processes at once, and again in each.
FOLDED_ALIKE = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
libc.fputs.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
libc.fclose.argtypes = [ctypes.c_void_p]
for process in range(int(sys.argv[3])):
    if os.fork() == 0:
        for i in list(range(int(sys.argv[2]))) * 2:
            file = os.open(f"{sys.argv[1]}/{i}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
            os.write(file, b"x")
            os.close(file)
            if i % 2 == 0:  # in both layers
                stream = libc.fopen(f"{sys.argv[1]}/{i}".encode(), b"a")
                libc.fputs(b"x", stream)
                libc.fclose(stream)
        os._exit(0)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
"""


@pytest.mark.parametrize("processes", [1, 4])
def test_files_that_processes_folded_count_once(
    processes: int, capture: Callable[..., Captured], tmp_path: Path
) -> None:
    files = 8000
    data = tmp_path / "data"
    data.mkdir()
    arguments = [data, str(files), str(processes)]
    captured = capture([sys.executable, "-c", FOLDED_ALIKE, *arguments], "--memory", "1M")
    folded = [row for row in captured.rows("files") if row["kind"] == "directory_rollup"]
    assert sum(row["folded_files"] for row in folded) > 1.2 * files, "as each process folded them"
    show = [str(COMMAND), "show", str(captured.path)]
    text = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    seen = json.loads(subprocess.run([*show, "--json"], capture_output=True, check=True).stdout)["totals"]
    assert seen["files_are"] == "estimated"
    beside = seen["files"] - files
    assert abs(beside) < 0.15 * files, "six standard errors, and what the interpreter reads"
    rounded = float(f"{seen['files']:.2g}")
    assert f"I/O of about {rounded:,.0f} files" in text
    # Nobody can look up a guessed name in an anonymous log, which then does not know which files are alike.
    subprocess.run(
        [str(COMMAND), "anonymize", str(captured.path), "-o", str(tmp_path / "other.hr")], check=True
    )
    show[-1] = str(tmp_path / "other.hr")
    assert "I/O of at most " in subprocess.run(show, capture_output=True, text=True, check=True).stdout


def write_some(capture: Callable[..., Captured], paths: list[bytes], *options: str) -> Captured:
    """Writes 10 bytes to each path, in one process."""
    source = (
        "import os, sys\n"
        "for path in sys.argv[1:]:\n"
        "    fd = os.open(os.fsencode(path), os.O_CREAT | os.O_WRONLY)\n"
        "    os.write(fd, b'0123456789')\n"
        "    os.close(fd)\n"
    )
    # The interpreter itself: a wrapper script may write to /dev/null.
    captured = capture([sys.executable, "-c", source, *paths], *options)
    assert captured.status == 0, captured.stderr
    return captured


def test_odd_names(capture: Callable[..., Captured], tmp_path: Path) -> None:
    base = os.fsencode(tmp_path)
    deep = base + b"/" + b"/".join([b"d" * 200] * ((3900 - len(base)) // 201))
    Path(os.fsdecode(deep)).mkdir(parents=True)
    names = [b"new\nline", b"bad\xff\xfeutf8", b"tab\t", b"\xe2\x82\xac", b"n" * 255]
    paths = [base + b"/" + name for name in names] + [deep + b"/" + b"z" * (3900 - len(deep) - 1)]
    captured = write_some(capture, paths)
    with captured.log as log:
        raw = log.native.frame("files").rows()
    found = {row["path"]: row for row in raw}
    shown = {row["path"]: row for row in captured.rows("files")}
    assert found or shown
    for path in paths:
        text = path.decode("utf-8", "backslashreplace").replace("\\xf", "\\xf")
        row = shown.get(text) or shown.get(text.replace("\\xff\\xfe", "\\xFF\\xFE"))
        assert row, f"{path!r} is missing"
        assert (row["opens"], row["writes"], row["bytes_written"]) == (1, 1, 10)


def test_excluded_paths_count_in_rollups(capture: Callable[..., Captured], tmp_path: Path) -> None:
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "out" / "in").mkdir()
    paths = [
        tmp_path / "in" / "a",
        tmp_path / "out" / "b",
        tmp_path / "out" / "c",
        tmp_path / "out" / "in" / "d",
    ]
    captured = write_some(
        capture,
        [b"/dev/null", *map(os.fsencode, paths)],
        "--exclude",
        f"{tmp_path}/out/",
        "--include",
        f"{tmp_path}/out/in/",
    )
    own = {row["path"]: row for row in captured.files(kind="file") if row["path"].startswith(str(tmp_path))}
    assert set(own) == {str(paths[0]), str(paths[3])}
    out = captured.file("/out/**", kind="excluded_rollup")
    assert (out["opens"], out["writes"], out["bytes_written"]) == (2, 2, 20)
    null = [row for row in captured.files(kind="excluded_rollup") if row["path"] == "/dev/**"]
    assert (sum(row["writes"] for row in null), sum(row["bytes_written"] for row in null)) == (1, 10)
