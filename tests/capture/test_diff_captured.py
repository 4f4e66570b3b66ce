"""`headrace diff` on programs that were really run, and that differ in a known way."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from capture_tools import run


def captured(tmp_path: Path, name: str, *script: str) -> Path:
    """The log of a shell that runs `script` in a directory of its own."""
    directory = tmp_path / name
    directory.mkdir()
    done = run(["/bin/sh", "-c", "\n".join(script)], tmp_path / f"{name}.hr", cwd=directory)
    assert done.status == 0, done.stderr
    return done.path


def facts(*logs: Path | str) -> dict[str, Any]:
    command = [sys.executable, "-m", "headrace", "diff", "--json", *map(str, logs)]
    result: dict[str, Any] = json.loads(
        subprocess.run(command, capture_output=True, check=True, timeout=120).stdout
    )
    return result


def row_of(found: dict[str, Any], name: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = [row for row in found["files"]["rows"] if row["path"].endswith(name)]
    assert len(rows) == 1
    return rows[0]


def dd(size: str, count: int, *more: str, out: str = "out.dat") -> str:
    return " ".join(["dd", "if=/dev/zero", f"of={out}", f"bs={size}", f"count={count}", *more, "2>/dev/null"])


def test_larger_writes(tmp_path: Path) -> None:
    small, big = captured(tmp_path, "small", dd("512", 2048)), captured(tmp_path, "big", dd("64k", 16))
    found = facts(small, big)
    row = row_of(found, "/small/out.dat")
    assert row["matched"] == "directory"
    assert (row["changes"][1]["writes"], row["changes"][1]["bytes_written"]) == (16 - 2048, 0)
    sizes = {bucket["to"]: bucket["operations"] for bucket in found["sizes"]["write"]}
    assert sizes == {512: [2048, 0], 65536: [0, 16]}
    function = next(row for row in found["functions"] if row["function"] == "write")
    assert (function["sides"][0]["calls"], function["sides"][1]["calls"]) == (2048, 16)


def test_a_sync_that_was_added(tmp_path: Path) -> None:
    lazy, safe = (
        captured(tmp_path, "lazy", dd("4k", 8)),
        captured(tmp_path, "safe", dd("4k", 8, "conv=fsync")),
    )
    found = facts(lazy, safe)
    row = row_of(found, "out.dat")
    assert [side["syncs"] for side in row["sides"]] == [0, 1]
    function = next(row for row in found["functions"] if row["function"] == "fsync")
    assert function["sides"][0] is None
    assert function["sides"][1]["calls"] == 1
    assert row["changes"][1]["meta_ns"] > 0


def test_more_files(tmp_path: Path) -> None:
    one = captured(tmp_path, "one", dd("4k", 4, out="a.0"))
    many = captured(tmp_path, "many", *(dd("4k", 1, out=f"a.{number}") for number in range(4)))
    found = facts(one, many)
    counts = found["files"]["matched"][1]
    assert (counts["by_directory"], counts["only_in_side"]) == (2, 3)  # the directory itself is one
    rows = {row["key"]: row["values"] for row in found["totals"]}
    assert rows["files"][1] - rows["files"][0] == 3
    assert rows["write.bytes"][0] == rows["write.bytes"][1]
    assert "processes" in [row["what"] for row in found["unequal"]]
    program = next(row for row in found["programs"] if row["executable"].endswith("/dd"))
    assert [side["images"] for side in program["sides"]] == [1, 4]
