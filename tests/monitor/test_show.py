"""What `headrace monitor show` and `export` say of numbers at their ends, and of what is no store."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from headrace import samples

HEADRACE = Path(sys.executable).parent / "headrace"
NOON = 1_795_521_600_000_000
MOST = 2**63 - 1


def monitor(*words: object, status: int = 0, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, str(HEADRACE), "monitor", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def store(path: Path, *rows: dict[str, Any]) -> Path:
    plain = dict.fromkeys(("reads", "read_bytes", "writes", "write_bytes"), 0)
    made = [
        {"host": "oss1", "boot": "", "kind": "block", "device": "sda", **plain}
        | {"start": NOON + number * 10**6, "end": NOON + (number + 1) * 10**6, **row}
        for number, row in enumerate(rows)
    ]
    path.mkdir(parents=True)
    samples.write(path / "1.hr", {"samples": samples.table("samples", made)})
    return path


@pytest.mark.parametrize("most", [2**53 + 1, MOST])
def test_numbers_as_large_as_they_can_be(tmp_path: Path, most: int) -> None:
    counters = ("reads", "read_bytes", "writes", "write_bytes", "read_ms", "busy_ms", "queue_ms", "metadata")
    made = store(tmp_path / "s", *[dict.fromkeys(counters, most)] * 3, {"end": NOON + most // 2})
    (found,) = json.loads(monitor("show", made, "--json").stdout)["devices"]
    assert [found[name] for name in ("reads", "read_bytes", "write_bytes", "metadata")] == [3 * most] * 4
    assert found["reads_per_s"] > 0 and found["peak_bytes_per_s"] == pytest.approx(2 * most)
    assert "oss1 sda" in monitor("show", made).stdout


@pytest.mark.parametrize("words", [("show",), ("show", "--json"), ("export", "--csv", "-")])
def test_what_is_no_store_is_an_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    notes, stores, empty, loop = (tmp_path / name for name in ("notes.txt", "stores", "empty", "loop"))
    notes.write_text("notes")
    (stores / "host").mkdir(parents=True)
    for name in ("a.hr", "b.hr"):
        (stores / "host" / name).write_text("notes")
    empty.mkdir()
    loop.symlink_to("loop")
    for path, why in (
        (notes, "notes.txt"),
        (stores, "no file of it can be read, as"),
        (empty, "there are no samples in this directory"),
        (loop, "cannot be read: Too many levels of symbolic links"),
        (tmp_path / "none", "there is no such file"),
    ):
        done = monitor(*words, path, status=3)
        assert why in done.stderr and str(path) in done.stderr
        assert done.stdout == ""


def test_directories_that_may_not_be_read_are_told(tmp_path: Path, obeying: list[str]) -> None:
    store(tmp_path / "s" / "oss1", {})
    store(tmp_path / "s" / "oss2", {}).chmod(0)
    try:
        done = monitor("show", tmp_path / "s", before=obeying)
    finally:
        (tmp_path / "s" / "oss2").chmod(0o700)
    assert "oss1 sda" in done.stdout and "oss2: cannot be read: Permission denied" in done.stderr


def test_what_can_be_read_of_a_store_is_shown(tmp_path: Path) -> None:
    made = store(tmp_path / "s", {"reads": 7})
    (made / "0.hr").write_text("notes")
    for words in (("show",), ("export", "--csv", "-")):
        done = monitor(*words, made)
        assert "sda" in done.stdout and "0.hr" in done.stderr
