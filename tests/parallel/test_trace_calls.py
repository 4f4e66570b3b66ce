"""What traces have of calls of MPI-IO: file, offset, bytes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from capture_tools import COMMAND, Captured
from test_messages import trace_of, verified

Compiled = Callable[[str, str], Path]
Parallel = Callable[..., Captured]

# name, bytes asked for, offset, bytes moved
MOVED = [
    ("MPI_File_write_at", 80, 1000, 80),
    ("MPI_File_write", 40, 500, 40),
    ("MPI_File_write_all", 12, 540, 12),
    ("MPI_File_iwrite_at", 7, 2000, 7),
    ("MPI_File_write_at_all_begin", 20, 3000, 20),
    ("MPI_File_write_at_all_end", 0, None, 0),
    ("MPI_File_write_shared", 4, None, 4),
    ("MPI_File_read_at", 64, 2990, 30),
    ("MPI_File_write_at", 16, 176, 16),
]
OTHERS = {"MPI_File_open", "MPI_File_seek", "MPI_File_set_view", "MPI_File_close", "MPI_File_delete"}


def lines(trace: Path, *options: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [COMMAND, "trace", "cat", "--json", *options, trace], capture_output=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_calls_of_mpi_io(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path) -> None:
    trace = trace_of(parallel(2, [compiled(mpi, "c/file_calls.c"), tmp_path], "--trace"))
    assert [name for name, check in verified(trace).items() if check["holds"] is not True] == []
    for rank in range(2):
        rows = [row for row in lines(trace, "--rank", str(rank)) if row.get("layer") == "mpiio"]
        assert {row["kind"] for row in rows} == {"io"}
        failed, *rows = rows
        assert (failed["name"], failed["error"]) == ("MPI_File_open", 255)
        assert failed["path"] == str(tmp_path / f"no/file.{rank}")
        assert {row["path"] for row in rows} == {str(tmp_path / f"file.{rank}")}
        assert {row["error"] for row in rows} == {0}
        moved = [
            (row["name"], row["size"], row["offset"], row["moved"])
            for row in rows
            if row["name"] not in OTHERS
        ]
        assert moved == MOVED
        assert {row["name"] for row in rows} - {name for name, *_ in MOVED} == OTHERS


def test_bytes_count_once(mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path) -> None:
    """In the picture bytes are those that went to files, not those of MPI-IO above."""
    trace = trace_of(parallel(1, [compiled(mpi, "c/file_calls.c"), tmp_path], "--trace"))
    command = [COMMAND, "trace", "stats", "--json", trace]
    functions = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["functions"]
    below = [row for row in functions if row["layer"] in ("posix", "stdio")]
    written = sum(row["bytes"] for row in below if row["class"] == "write")
    for columns in ("4", "4000"):  # by summaries, and by events
        command = [COMMAND, "trace", "overview", "--json", "--columns", columns, "--rows", "1", trace]
        seen = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        assert sum(sum(row["bytes_written"]) for row in seen["rows"]) == written >= 179
