"""Calls that are about a file have it, and those on descriptors that are not open are there without one."""

from __future__ import annotations

import errno
from pathlib import Path

import headrace
import pytest
from trace_tools import HERE, Traced, compile_program

_ABOUT = (
    "fopen", "fwrite", "fflush", "fseek", "ftell", "rewind", "setvbuf", "freopen", "fclose", "fdopen",
    "aio_read", "aio_write", "lio_listio", "aio_return",
)  # fmt: skip


@pytest.fixture(scope="module")
def about(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program("cc", [HERE / "c" / "about.c"], tmp_path_factory.mktemp("about") / "about")


def test_calls_about_a_file_have_it(about: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [about, tmp_path / "file"])
    rows = [row for row in traced.rows() if row["kind"] == "io" and not row["error"]]
    paths = {name: {row["path"] for row in rows if row["name"] == name} for name in _ABOUT}
    assert paths == {name: {str(tmp_path / "file")} for name in _ABOUT}
    traced.verify()


def test_calls_on_what_is_not_open_are_there(about: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [about, tmp_path / "file"])
    failed = [
        (row["name"], row["path"], row["size"], row["offset"], row["error"])
        for row in traced.rows()
        if row["kind"] == "io" and row["error"]
    ]
    assert ("read", None, 5, None, errno.EBADF) in failed
    assert ("pwrite", None, 5, 70, errno.EBADF) in failed
    assert ("fsync", None, 0, None, errno.EBADF) in failed
    assert [row for row in failed if row[0] == "fread" and row[4] == errno.EBADF]
    with headrace.open(traced.log) as log:
        errors = {row["function"]: row["errors"] for row in log.table("profiles").to_pylist()}
    assert {name: errors[name] for name in ("read", "pwrite", "fsync", "fread")} == {
        "read": 1, "pwrite": 1, "fsync": 1, "fread": 1,
    }  # fmt: skip
    traced.verify()
