"""Every counter of what streams do, against known I/O (c/streams.c) and what the kernel counted of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import headrace
import pytest
from capture_tools import FLAGS, Captured, run

# What the buffers passed on (system_…) is compared with the kernel's own figures, not listed here.
EXPECTED: dict[str, dict[str, int]] = {
    "items": {
        "writes": 6,  # two of them of nothing
        "bytes_written": 10_024,
        "writes_consecutive": 3,
        "reads": 4,  # of 1000 bytes, of nothing, of 5000 and a partial item of 4024, at the end
        "bytes_read": 10_024,
        "reads_consecutive": 1,
        "flushes": 1,
        "seeks": 1,
        "switches": 1,
    },
    "bytes": {
        "writes": 5030,
        "bytes_written": 5030,
        "writes_consecutive": 5029,
        "reads": 5031,
        "bytes_read": 5030,
        "reads_consecutive": 5029,
        "seeks": 1,
        "switches": 1,
    },
    "inlined": {
        "writes": 10_000,
        "bytes_written": 10_000,
        "writes_consecutive": 9999,
        "reads": 10_001,
        "bytes_read": 10_000,
        "reads_consecutive": 9999,
        "flushes": 1,
        "seeks": 1,
        "switches": 1,
    },
    "lines": {
        "writes": 4,
        "bytes_written": 9017,
        "writes_consecutive": 3,
        "reads": 7,
        "bytes_read": 9017,
        "reads_consecutive": 4,
        "seeks": 1,
        "switches": 1,
    },
    "words": {
        "writes": 3,
        "bytes_written": 12,
        "writes_consecutive": 2,
        "reads": 3,
        "bytes_read": 12,
        "reads_consecutive": 2,
        "seeks": 1,
        "switches": 1,
    },
    "print": {"writes": 4, "bytes_written": 6008, "writes_consecutive": 2},
    "scan": {
        "writes": 1,
        "bytes_written": 16,
        "reads": 6,
        "bytes_read": 16,
        "reads_consecutive": 4,
        "seeks": 1,
        "switches": 1,
    },
    "scan_long": {
        "writes": 1,
        "bytes_written": 10_000,
        "reads": 1,
        "bytes_read": 10_000,
        "seeks": 1,
        "switches": 1,
    },
    "pushed_back": {
        "writes": 1,
        "bytes_written": 6,
        "reads": 5,
        "bytes_read": 8,
        "reads_consecutive": 2,
        "reads_backward": 2,
        "seeks": 1,
        "switches": 1,
        "read_end": 6,
    },
    "moved": {
        "writes": 5,
        "bytes_written": 10_211,
        "writes_forward": 2,
        "writes_backward": 2,
        "write_end": 10_000,
        "seeks": 4,
        "meta_errors": 1,
    },
    "unbuffered": {
        "writes": 6,
        "bytes_written": 105,
        "writes_consecutive": 5,
        "reads": 5,
        "bytes_read": 5,
        "reads_consecutive": 4,
        "seeks": 1,
        "switches": 1,
        "buffer_bytes": 1,
    },
    "by_line": {"writes": 4, "bytes_written": 12, "writes_consecutive": 3},
    "own_buffer": {
        "writes": 100,
        "bytes_written": 100_000,
        "writes_consecutive": 99,
        "buffer_bytes": 65_536,
    },
    "appended": {
        "opens": 2,
        "closes": 2,
        "controls": 2,
        "writes": 3,
        "bytes_written": 120,
        "writes_consecutive": 2,
    },
    "updated": {
        "opens": 2,
        "closes": 2,
        "controls": 2,
        "writes": 3,
        "bytes_written": 111,
        "writes_backward": 2,
        "write_end": 100,
        "reads": 2,
        "bytes_read": 20,
        "reads_forward": 1,
        "read_end": 30,
        "seeks": 2,
        "flushes": 1,
        "switches": 3,
    },
    "purged": {  # the place of what follows text that was thrown away is not known
        "writes": 3,
        "bytes_written": 18,
        "writes_consecutive": 1,
        "write_end": 15,
        "flushes": 1,
    },
    "all_flushed": {"writes": 300, "bytes_written": 300, "writes_consecutive": 299},
    "failing": {
        "opens": 2,
        "closes": 2,
        "controls": 2,
        "read_errors": 2,
        "write_errors": 4,
        "reads": 1,
        "buffer_bytes": 4096,
    },
}
COUNTED_APART = {"system_reads", "system_writes", "system_bytes_read", "system_bytes_written"}


@pytest.fixture(scope="module")
def captured(program: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Captured:
    directory = tmp_path_factory.mktemp("streams")
    (directory / "inside").mkdir()
    result = run([program("streams")], directory / "job.hr", cwd=directory / "inside")
    assert result.status == 0, result.stderr
    return result


@pytest.mark.parametrize("name", EXPECTED)
def test_counts(name: str, captured: Captured) -> None:
    row = captured.file(f"/inside/{name}", layer="stdio")
    expected = {"opens": 1, "closes": 1, "controls": 1, "buffer_bytes": 4096} | EXPECTED[name]
    for direction, end in (("bytes_written", "write_end"), ("bytes_read", "read_end")):
        expected.setdefault(end, expected.get(direction, 0))
    counted = {
        counter.name: row[counter.name]
        for counter in headrace.counters()
        if counter.unit not in ("ns", "at_ns", "flags") and not counter.name.endswith("_max_size")
    }
    assert {key: value for key, value in counted.items() if value and key not in COUNTED_APART} == {
        key: value for key, value in expected.items() if value
    }
    assert bool(row["flags"] & FLAGS["lower_bound"]) == (name == "inlined")


@pytest.mark.parametrize("name", EXPECTED)
def test_what_reached_the_system(name: str, captured: Captured) -> None:
    row = captured.file(f"/inside/{name}", layer="stdio")
    spent = {words[0]: [int(word) for word in words[1:]] for words in map(str.split, captured.text)}
    bytes_read, bytes_written, reads, writes = spent[name]
    assert (row["system_bytes_read"], row["system_bytes_written"]) == (bytes_read, bytes_written)
    for calls, of_kernel in ((row["system_reads"], reads), (row["system_writes"], writes)):
        assert calls <= of_kernel
        assert (calls > 0) == (of_kernel > 0)


def test_nothing_is_counted_twice(captured: Captured) -> None:
    assert {row["layer"] for row in captured.files() if "/inside/" in row["path"]} == {"stdio"}


def test_written_bytes_are_in_the_files(captured: Captured) -> None:
    for name in set(EXPECTED) - {"moved", "updated", "purged"}:  # these write a place twice, or throw away
        path = captured.path.parent / "inside" / name
        assert captured.file(f"/inside/{name}")["bytes_written"] == path.stat().st_size, name
