"""Every counter of a file record, against known I/O (c/counters.c)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import headrace
import pytest
from capture_tools import FLAGS, ROLLUPS, Captured, run

# What c/counters.c does to each file. Counters not listed are 0, but `opens` and `closes` are 1.
# Times and sizes of the slowest calls are checked elsewhere.
EXPECTED: dict[str, dict[str, int]] = {
    "patterns": {
        "reads": 5,
        "writes": 5,
        "bytes_read": 110,
        "bytes_written": 12388,
        "writes_consecutive": 1,
        "writes_forward": 1,
        "writes_backward": 1,
        "writes_unaligned_file": 1,
        "writes_unaligned_memory": 1,
        "reads_consecutive": 1,
        "reads_backward": 1,
        "reads_unaligned_file": 2,
        "switches": 2,
        "read_end": 200,
        "write_end": 10100,
    },
    "duplicates": {
        "closes": 4,
        "duplicates": 3,
        "writes": 4,
        "bytes_written": 4,
        "writes_consecutive": 3,
        "writes_unaligned_file": 3,
        "write_end": 4,
    },
    "metadata": {
        "seeks": 1,
        "stats": 4,
        "syncs": 2,
        "truncates": 2,
        "allocates": 1,
        "advises": 2,
        "locks": 3,
        "attributes": 3,
        "controls": 2,
        "maps": 2,
        "mapped_bytes": 16384,
    },
    "errors": {"read_errors": 1, "write_errors": 1, "meta_errors": 2},
    "renamed": {"renames": 1, "writes": 1, "bytes_written": 1, "write_end": 1},
    "replaced": {"renames": 1},
    "replaced.new": {"renames": 1},
    "deleted": {"unlinks": 1},
    "directory": {"makes": 1, "opens": 2, "closes": 2, "directory_reads": 5, "unlinks": 1},
    "directory/inside": {"unlinks": 1},
    "directory/below": {
        "writes": 1,
        "bytes_written": 5,
        "write_end": 5,
        "stats": 1,
        "unlinks": 1,
    },
    "relative": {"makes": 1},
    "relative/here": {
        "opens": 4,
        "closes": 4,
        "writes": 4,
        "bytes_written": 10,
        "writes_backward": 3,
        "write_end": 4,
    },
    "linked": {},
    "linked.link": {
        "links": 1,
        "stats": 1,
        "writes": 1,
        "bytes_written": 2,
        "write_end": 2,
    },
    "linked.hard": {"opens": 0, "closes": 0, "links": 1},
    "appended": {
        "writes": 10,
        "bytes_written": 1000,
        "writes_consecutive": 9,
        "writes_unaligned_file": 9,
        "write_end": 1000,
    },
    "copies": {
        "writes": 1,
        "bytes_written": 10000,
        "write_end": 10000,
        "reads": 2,
        "bytes_read": 4000,
        "reads_forward": 1,
        "reads_unaligned_file": 1,
        "read_end": 6000,
        "seeks": 1,
        "switches": 1,
    },
    "copies.to": {
        "writes": 2,
        "bytes_written": 4000,
        "writes_forward": 1,
        "writes_unaligned_file": 1,
        "write_end": 21000,
    },
    "asynchronous": {
        "writes": 1,
        "bytes_written": 700,
        "write_end": 700,
        "reads": 1,
        "bytes_read": 300,
        "read_end": 300,
        "switches": 1,
    },
    "vectors": {
        "writes": 3,
        "bytes_written": 95,
        "writes_forward": 1,
        "writes_backward": 1,
        "writes_unaligned_file": 1,
        "write_end": 130,
        "reads": 2,
        "bytes_read": 70,
        "reads_backward": 1,
        "read_end": 60,
        "switches": 2,
    },
    "redirected": {
        "closes": 2,
        "duplicates": 1,
        "writes": 1,
        "bytes_written": 12,
        "write_end": 12,
    },
    "sized": {"truncates": 1},
    "existing": {"reads": 1, "bytes_read": 3, "read_end": 3, "size_at_open": 3},
}
SET_FLAGS = {
    "patterns": {"created", "truncated"},
    "renamed": {"created", "truncated", "renamed"},
    "replaced.new": {"created", "renamed"},
    "deleted": {"created", "deleted"},
    "directory": {"deleted"},
    "directory/inside": {"created", "deleted"},
    "directory/below": {"created", "deleted"},
    "relative": set(),
    "linked.link": set(),
    "linked.hard": set(),
    "appended": {"created", "append"},
    "asynchronous": {"created", "asynchronous"},
    "sized": {"created", "truncated"},
    "existing": set(),
}
UNCHECKED = {"ns", "at_ns", "flags"}


@pytest.fixture(scope="module")
def captured(program: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Captured:
    directory = tmp_path_factory.mktemp("counters")
    work = directory / "inside"
    work.mkdir()
    (work / "existing").write_bytes(b"hi\n")
    result = run([program("counters")], directory / "job.hr", ["--file-sizes"], cwd=work, input=b"1234\n")
    assert result.status == 0, result.stderr
    assert (result.stdout, result.stderr) == (b"to stdout\n", b"oops")
    return result


@pytest.mark.parametrize("name", EXPECTED)
def test_counts(name: str, captured: Captured) -> None:
    row = captured.file(f"/inside/{name}")
    expected = {"opens": 1, "closes": 1} | EXPECTED[name]
    counted = {
        counter.name: row[counter.name]
        for counter in headrace.counters()
        if counter.unit not in UNCHECKED and not counter.name.endswith("_max_size")
    }
    if name != "existing":
        counted["size_at_open"] = 0
    assert {key: value for key, value in counted.items() if value} == {
        key: value for key, value in expected.items() if value
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_flags(name: str, captured: Captured) -> None:
    row = captured.file(f"/inside/{name}")
    found = {flag for flag, bit in FLAGS.items() if row["flags"] & bit}
    assert ("size_known" in found) == (row["opens"] > 0)
    assert found - {"size_known"} == SET_FLAGS.get(name, {"created"})
    assert row["kind"] == ("directory" if name in ("directory", "relative") else "file")


def test_names_after_rename(captured: Captured) -> None:
    assert captured.file("/inside/renamed")["final_path"].endswith("/inside/renamed.final")
    (row,) = [row for row in captured.files() if row["final_path"].endswith("/temporary-abcdef")]
    assert row["path"] != row["final_path"]
    assert row["flags"] & FLAGS["temporary"]
    assert row["flags"] & FLAGS["renamed"]


def test_streams(captured: Captured) -> None:
    streams = {row["path"]: row for row in captured.files(kind="stream")}
    assert set(streams) == {"<stdin>", "<stdout>", "<stderr>"}
    assert (streams["<stdin>"]["reads"], streams["<stdin>"]["bytes_read"]) == (1, 5)
    assert (streams["<stdout>"]["writes"], streams["<stdout>"]["bytes_written"]) == (1, 10)
    assert (streams["<stderr>"]["writes"], streams["<stderr>"]["bytes_written"]) == (1, 4)
    for row in streams.values():
        assert row["flags"] & FLAGS["inherited"]
        assert row["flags"] & FLAGS["offsets_unknown"]
        assert not any(row[name] for name in row if name.endswith(("_consecutive", "_forward", "_backward")))
        assert not row["writes_unaligned_file"] + row["reads_unaligned_file"]


def detail(captured: Captured, table: str, name: str, **columns: Any) -> list[dict[str, Any]]:
    record = captured.file(f"/inside/{name}")["record"]
    rows = [row for row in captured.rows(table) if row["record"] == record]
    return [row for row in rows if all(row[key] == value for key, value in columns.items())]


def test_sizes(captured: Captured) -> None:
    counts = {row["bucket"]: row["count"] for row in detail(captured, "sizes", "sizes", direction="write")}
    assert counts == {0: 2, 1: 1, 2: 2, 3: 1, 12: 6, 13: 1, 20: 1}
    common = detail(captured, "common", "sizes", what="size")
    assert (common[0]["value"], len(common)) == (4096, 4)
    assert common[0]["count"] >= 6
    assert not any(row["exact"] for row in common)
    assert not detail(captured, "common", "sizes", what="stride")


def test_strides(captured: Captured) -> None:
    strides = {
        row["value"]: row["count"] for row in detail(captured, "common", "strides", what="stride", exact=1)
    }
    assert strides == {512: 19, 44544: 1, 3584: 4}
    (size,) = detail(captured, "common", "strides", what="size")
    assert (size["value"], size["count"], size["exact"]) == (512, 25, 1)
    assert captured.file("/inside/strides")["writes_forward"] == 24


def test_times(captured: Captured) -> None:
    (process,) = captured.rows("processes")
    for row in captured.files():
        if row["kind"] in ROLLUPS:
            continue
        for counter in headrace.counters():
            if counter.unit == "at_ns" and row[counter.name]:
                assert process["start_at_ns"] <= row[counter.name] <= process["end_at_ns"], counter.name
        for direction in ("read", "write"):
            first, last = row[f"first_{direction}_at_ns"], row[f"last_{direction}_at_ns"]
            assert first <= last
            assert (last > 0) == (row[f"{direction}s"] + row[f"{direction}_errors"] > 0)
            assert row[f"{direction}_max_ns"] <= row[f"{direction}_ns"]
            if first and row["first_open_at_ns"]:
                assert row["first_open_at_ns"] <= first
            if row["closes"] and row["opens"]:
                assert last <= row["last_close_at_ns"]


def test_sums_agree(captured: Captured) -> None:
    files = [row for row in captured.files() if row["kind"] not in ROLLUPS]
    for direction, name in (("read", "bytes_read"), ("write", "bytes_written")):
        total = sum(row[name] for row in files)
        assert sum(row["bytes"] for row in captured.rows("series") if row["direction"] == direction) == total
        histogram = sum(row["count"] for row in captured.rows("sizes") if row["direction"] == direction)
        assert histogram == sum(row[f"{direction}s"] for row in files)
    profiles = captured.rows("profiles")
    copied = 4000  # counted with the write alone
    assert sum(row["bytes"] for row in profiles) + copied == sum(
        row["bytes_read"] + row["bytes_written"] for row in files
    )
    calls = {row["function"]: (row["calls"], row["errors"]) for row in profiles}
    assert calls["sendfile"] == calls["copy_file_range"] == (1, 0)
    assert calls["rename"] == (3, 0)
    assert calls["pwrite"][0] == 2 + 25 + 1


def test_calls_by_number(
    program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    """syscall(SYS_pwritev2, …) and its like count as the C library's function, and are followed as it is."""
    here = tmp_path / "here"
    here.mkdir()
    found = capture([program("numbered")], cwd=here)
    assert found.status == 0, found.stderr
    file = found.file(f"{here}/a")
    assert (file["writes"], file["bytes_written"]) == (4, 15 + 15 + 10 + 7)
    assert (file["reads"], file["bytes_read"]) == (2, 30)
    assert file["truncates"] == 1
    assert found.file(f"{here}/below/relative")["bytes_written"] == 3
    assert found.file(f"{here}/back")["bytes_written"] == 4
    assert found.file(f"{here}/child")["bytes_written"] == 2
    functions = {row["function"] for row in found.rows("profiles")}
    assert {"pwritev", "pwritev2", "preadv", "preadv2", "splice", "truncate", "mkdirat"} <= functions
    assert {"chdir", "linkat", "fstatat"} <= functions
