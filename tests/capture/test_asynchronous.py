"""Asynchronous I/O, against the programs' own accounts (c/rings.c, raw_ring.c, kernel_aio.c, posix_aio.c)."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import COMMAND, FLAGS, Captured

SETUP = 425  # io_uring_setup, on every machine
Program = Callable[..., Path]
Capture = Callable[..., Captured]


def needs_rings() -> None:
    """A setting of the kernel's, or a container's filter, may forbid them."""
    parameters = ctypes.create_string_buffer(120)
    ring = ctypes.CDLL(None, use_errno=True).syscall(SETUP, 1, parameters)
    if ring < 0:
        pytest.skip(f"no io_uring here: {os.strerror(ctypes.get_errno())}")
    os.close(ring)


def told(found: Captured) -> dict[str, list[int]]:
    """What the program counted: reads, bytes, writes, bytes, errors by file."""
    assert (found.status, found.stderr) == (0, b""), found.stderr
    return {line.split()[0]: [int(word) for word in line.split()[1:]] for line in found.text}


def captured(found: Captured, name: str) -> list[int]:
    row = found.file("/" + name)
    errors = row["read_errors"] + row["write_errors"]
    return [row["reads"], row["bytes_read"], row["writes"], row["bytes_written"], errors]


def gaps(found: Captured, what: str) -> int:
    return sum(row["amount"] for row in found.rows("gaps") if row["what"] == what)


def check_all(found: Captured) -> None:
    account = told(found)
    assert account
    for name, figures in account.items():
        assert captured(found, name) == figures, name
    assert gaps(found, "io_uring") == gaps(found, "asynchronous I/O") == 0


@pytest.mark.parametrize("depth", [1, 32])
@pytest.mark.parametrize("mode", ["plain", "vector", "fixed", "polled", "open", "threads"])
def test_liburing(program: Program, capture: Capture, tmp_path: Path, mode: str, depth: int) -> None:
    needs_rings()
    found = capture([program("rings", "-luring"), mode, str(depth)], cwd=tmp_path)
    check_all(found)
    for name in told(found):
        row = found.file("/" + name)
        assert row["opens"] == row["closes"] == 1
        assert (row["writes_consecutive"], row["write_end"]) == (95, 96 * 8192)
        assert row["flags"] & FLAGS["asynchronous"]


def test_operations_at_the_position_and_errors(program: Program, capture: Capture, tmp_path: Path) -> None:
    needs_rings()
    check_all(at_position := capture([program("rings", "-luring"), "position"], cwd=tmp_path))
    assert at_position.file("/data")["writes_consecutive"] == 95
    failed = capture([program("rings", "-luring"), "errors"], cwd=tmp_path)
    assert told(failed)["data"][4] == 1
    assert captured(failed, "data")[:4] == told(failed)["data"][:4]
    assert [r["errors"] for r in failed.rows("profiles") if r["function"] == "io_uring_write"] == [1]


def test_times_of_operations_at_once_are_not_summed(
    program: Program, capture: Capture, tmp_path: Path
) -> None:
    needs_rings()
    found = capture([program("rings", "-luring"), "plain", "32"], cwd=tmp_path)
    row, process = found.file("/data"), found.rows("processes")[0]
    lived = process["end_at_ns"] - process["start_at_ns"]
    assert 0 < row["read_ns"] + row["write_ns"] <= lived


def test_what_went_by_unseen_is_counted(program: Program, capture: Capture, tmp_path: Path) -> None:
    needs_rings()
    found = capture([program("rings", "-luring"), "quiet"], cwd=tmp_path)
    writes = told(found)["quiet"][2]
    seen = captured(found, "quiet")[2]
    assert seen < writes
    assert seen + gaps(found, "asynchronous I/O") == writes


def test_files_in_a_rings_own_table_are_in_the_totals(
    program: Program, capture: Capture, tmp_path: Path
) -> None:
    needs_rings()
    found = capture([program("rings", "-luring"), "direct", "32"], cwd=tmp_path)
    (reads, bytes_read, writes, bytes_written, errors) = told(found)["direct"]
    assert (reads, writes, errors) == (96, 96, 0)
    (row,) = found.files(kind="no_file")
    assert row["path"] == "(in no file)"
    assert (row["reads"], row["bytes_read"], row["read_errors"]) == (reads, bytes_read, 0)
    assert (row["writes"], row["bytes_written"], row["write_errors"]) == (writes, bytes_written, 0)
    assert (row["opens"], row["syncs"], row["closes"]) == (1, 1, 1)
    assert row["read_ns"] > 0 < row["write_ns"]
    functions = {each["function"]: each for each in found.rows("profiles")}
    assert (functions["io_uring_read"]["calls"], functions["io_uring_read"]["bytes"]) == (reads, bytes_read)
    assert functions["io_uring_write"]["bytes"] == bytes_written
    facts = found.shown()
    assert facts["totals"]["write"]["bytes"] == bytes_written
    assert facts["totals"]["in_no_file"]["calls"] == reads + writes + 3
    (gap,) = (each for each in facts["not_captured"] if each["what"] == "operations without a file")
    assert (gap["amount"], gap["loss"]) == (reads + writes + 3, False)
    assert "io_uring" in gap["reason"] and "descriptors" in gap["remedy"]


def test_a_forked_child_tells_of_the_ring_that_it_has_from_its_parent(
    program: Program, capture: Capture, tmp_path: Path
) -> None:
    needs_rings()
    found = capture([program("rings", "-luring"), "child"], cwd=tmp_path)
    assert told(found)["child"][2] == 96
    assert gaps(found, "io_uring") == 1


@pytest.mark.parametrize("mode", ["plain", "unmapped", "garbage"])
def test_rings_by_number(program: Program, capture: Capture, tmp_path: Path, mode: str) -> None:
    needs_rings()
    check_all(capture([program("raw_ring"), mode], cwd=tmp_path))


@pytest.mark.parametrize("mode", ["plain", "raw", "garbage", "callback"])
def test_libaio(program: Program, capture: Capture, tmp_path: Path, mode: str) -> None:
    found = capture([program("kernel_aio", "-laio"), mode], cwd=tmp_path)
    check_all(found)
    assert found.file("/aio")["writes_consecutive"] >= 95
    assert {row["function"] for row in found.rows("profiles")} >= {
        "io_submit",
        "io_getevents",
        "io_submit_write",
    }


def test_results_that_nobody_fetches_are_counted(program: Program, capture: Capture, tmp_path: Path) -> None:
    found = capture([program("kernel_aio", "-laio"), "left"], cwd=tmp_path)
    assert captured(found, "aio") == told(found)["aio"]
    assert gaps(found, "asynchronous I/O") == 5


@pytest.mark.parametrize("mode", ["fetched", "asked", "waited"])
def test_posix_aio(program: Program, capture: Capture, tmp_path: Path, mode: str) -> None:
    check_all(capture([program("posix_aio"), mode], cwd=tmp_path))


def test_requests_that_nobody_looks_at_are_counted(
    program: Program, capture: Capture, tmp_path: Path
) -> None:
    found = capture([program("posix_aio"), "left"], cwd=tmp_path)
    assert captured(found, "aio")[2] == 0
    assert gaps(found, "asynchronous I/O") == told(found)["aio"][2] == 40


def test_a_trace_has_the_operations_where_they_were_seen_to_end(
    program: Program, capture: Capture, tmp_path: Path
) -> None:
    needs_rings()
    found = capture([program("rings", "-luring"), "plain", "32"], "--trace", cwd=tmp_path)
    check_all(found)
    trace = tmp_path / "job.trace.hr"
    verified = subprocess.run(
        [COMMAND, "trace", "verify", trace], capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
    events = subprocess.run([COMMAND, "trace", "cat", trace], capture_output=True, text=True, check=True)
    assert sum("io_uring_write" in line for line in events.stdout.splitlines()) >= 96
