"""Calls that fail on a path: the trace has the path."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from headrace.analysis.traces import Trace
from trace_tools import HERE, Traced, compile_program


@pytest.mark.parametrize("options", [("--trace=mpi",), ("--trace", "--trace-phase", "no such phase")])
def test_paths_of_what_is_left_out_take_no_memory(tmp_path: Path, options: tuple[str, ...]) -> None:
    """12,000 of them would fill 1 MiB. Without events nothing needs to be stored."""
    program = compile_program("cc -O1", [HERE / "c" / "failing.c"], tmp_path / "failing")
    command = ["env", "-C", str(tmp_path), str(program), "12000"]
    traced = Traced(tmp_path, command, (*options, "--trace-memory=1M"))
    names = [row["name"] for row in Trace(traced.trace).functions()]
    assert "flush" not in names, names


def test_paths_of_what_failed(tmp_path: Path) -> None:
    program = compile_program("cc -O1", [HERE / "c" / "failing.c"], tmp_path / "failing")
    command = ["env", "-C", str(tmp_path), str(program)]
    traced = Traced(tmp_path, command)
    rows = [
        (row["name"], row["path"], row["error"])
        for row in traced.rows()
        if row["kind"] == "io"
        and row["error"]
        and (row["path"] is None or not row["path"].startswith("/etc"))
    ]
    for name, path in (("open", "nowhere/file"), ("fopen", "missing")):
        assert rows.count((name, str(tmp_path / path), errno.ENOENT)) == 3
    assert rows.count(("openat", "/no/such/path", errno.ENOENT)) == 1
    assert rows.count(("stat", str(tmp_path / "missing"), errno.ENOENT)) == 1
    assert rows.count(("unlink", str(tmp_path / "gone"), errno.ENOENT)) == 1
    searched = [path for name, path, error in rows if name == "access" and error == errno.ENOENT]
    assert [path for path in searched if path] == [str(tmp_path / f"searched/{i}") for i in range(3000)]
    assert rows.count(("open", str(tmp_path / "there"), errno.EEXIST)) == 1
    assert rows.count(("open", None, errno.EFAULT)) == 1
    text = traced.command("cat")
    assert f"open  {tmp_path}/nowhere/file" in text
    traced.verify()
