"""What interpreters read in order to run a program stands behind what the program is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import headrace as run
from headrace.analysis.code_files import is_code
from made_logs import LogMaker


@pytest.mark.parametrize(
    "path",
    [
        "/home/me/run/__pycache__/model.cpython-311.pyc",
        "/home/me/run/model.py",
        "/opt/venv/lib/python3.11/site-packages/numpy/core/_multiarray.cpython-311.so",
        "/opt/venv/lib/python3.11/site-packages",
        "/opt/venv/lib/python3.11",
        "/opt/venv/lib/python3.11/encodings",
        "/opt/venv/pyvenv.cfg",
        "/home/me/lib/libsolver.so.5.1",
        "/home/me/R/lib/R/library/base/R/base.rdb",
    ],
)
def test_code_is_known_by_its_name(path: str) -> None:
    assert is_code(path, 0)
    assert not is_code(path, 1)  # a compiler's result


@pytest.mark.parametrize(
    "path", ["/scratch/out.h5", "/data/python3.11/x", "/data/so", "/data/x.so.dat", "/data/a.pyc/b"]
)
def test_data_are_no_code(path: str) -> None:
    assert not is_code(path, 0)


def _rows(log: Path, *arguments: str) -> list[dict[str, Any]]:
    done = run("show", log, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)["rows"]
    return rows


def test_data_come_first(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    for number in range(200):
        maker.file(
            1,
            f"/venv/lib/python3.11/site-packages/m{number}.py",
            reads=1,
            bytes_read=9,
            read_ns=10_000 + number,
        )
    maker.file(1, "/data/in", reads=1, bytes_read=8, read_ns=100)
    maker.file(1, "/data/out", writes=1, bytes_written=7, write_ns=200)
    log = maker.write(tmp_path / "a.hr")
    first = ["/data/out", "/data/in", "/venv/lib/python3.11/site-packages/m199.py"]
    assert [row["path"] for row in _rows(log, "--files", "3")] == first
    assert [row["path"] for row in _rows(log, "--files", "1000")][:3] == first
    assert [row["path"] for row in _rows(log, "--files", "1")] == first[:1]
    assert len(_rows(log, "--files", "1000")) == 202
    by_path = [row["path"] for row in _rows(log, "--files", "1000", "--sort", "path")]
    assert by_path == sorted(by_path)
