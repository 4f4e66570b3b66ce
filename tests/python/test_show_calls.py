"""The sections of `headrace show` about layers, functions, directories, and calls over time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commands import headrace
from made_logs import LogMaker, large, simulation


def facts(log: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(headrace("show", log, "--json").stdout)
    return result


def two_layers(path: Path) -> Path:
    maker = LogMaker()
    maker.process(1)
    buffer = {"system_reads": 2, "system_bytes_read": 8192, "system_writes": 1, "system_bytes_written": 10}
    for layer, reads, counters in (("posix", 3, {}), ("stdio", 50, buffer)):
        record = maker.file(
            1,
            f"/data/{layer}",
            layer=layer,
            reads=reads,
            bytes_read=reads * 8,
            read_ns=reads * 1000,
            **counters,
        )
        maker.add("sizes", record=record, direction="read", bucket=3, count=reads)
    for direction, operations in (("read", 40), ("write", 0), ("metadata", 20)):
        row = {"start_at_ns": 0, "width_ns": 10**9, "bytes": 0, "operations": operations}
        maker.add("series", process=1, direction=direction, **row)
    maker.add(
        "profiles", process=1, function="fread", calls=50, errors=2, bytes=400, time_ns=9000, max_ns=700
    )
    maker.add(
        "profiles", process=1, function="read", calls=3, errors=0, bytes=24, time_ns=90_000, max_ns=50_000
    )
    return maker.write(path)


def test_layers_and_what_their_buffers_did(tmp_path: Path) -> None:
    log = two_layers(tmp_path / "a.hr")
    text = headrace("show", log).stdout
    assert "The system's layers, which add up" in text
    assert "stdio, the C library's streams" in text
    found = {layer["layer"]: layer for layer in facts(log)["layers"]}
    assert found["stdio"]["read"]["calls"] == 50
    assert "buffer" not in found["posix"]
    assert set(found["stdio"]["buffer"]) == {
        "flushes", "system_reads", "system_writes", "system_bytes_read", "system_bytes_written",
    }  # fmt: skip
    assert found["stdio"]["buffer"]["system_reads"] in (0, 2), "0 where this version has no such counter"
    assert "Layers" not in headrace("show", simulation(tmp_path / "b.hr")).stdout, (
        "posix alone: nothing to say"
    )


def test_sizes_say_the_layers(tmp_path: Path) -> None:
    lines = headrace("show", two_layers(tmp_path / "a.hr")).stdout.splitlines()
    place = lines.index("Sizes of reads")
    assert lines[place + 1].split() == ["stdio", "posix"]
    assert lines[place + 2].split()[:10] == ["4", "B", "<", "…", "≤", "8", "B", "53", "100", "%"]
    assert lines[place + 2].split()[10:12] == ["50", "3"]


def test_functions(tmp_path: Path) -> None:
    log = two_layers(tmp_path / "a.hr")
    assert [(row["function"], row["time_ns"]) for row in facts(log)["functions"]] == [
        ("read", 90_000),
        ("fread", 9000),
    ]
    text = headrace("show", log).stdout
    assert "Functions, most time first" in text
    assert "90 µs" in text
    assert "30 µs" in text, "per call"


def test_calls_over_time(tmp_path: Path) -> None:
    text = headrace("show", two_layers(tmp_path / "a.hr")).stdout
    assert "Bytes" not in text.split("calls |")[0].splitlines()[-1]
    assert "peak 60/s" in text
    assert "calls |" not in headrace("show", simulation(tmp_path / "b.hr")).stdout, "the log does not say"


def test_directories_when_files_are_left_out(tmp_path: Path) -> None:
    log = large(tmp_path / "a.hr", files=300)
    text = headrace("show", log).stdout
    assert "Directories, most time first" in text
    assert "Directories" not in headrace("show", log, "--files", "300").stdout
    rows = facts(log)["directories"]
    assert len(rows) == 5
    assert rows == sorted(rows, key=lambda row: -row["time_ns"])


def test_mounts_of_files_are_said_when_there_are_several(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    for number, point in ((1, "/scratch"), (2, "/home")):
        maker.add("mounts", mount=number, point=point, type="ext4", source="s", options="")
        maker.file(1, f"{point}/file", mount=number, reads=1, bytes_read=1, read_ns=5)
    log = maker.write(tmp_path / "a.hr")
    assert "on /scratch" in headrace("show", log).stdout
    assert {row["path"]: row["mount"] for row in facts(log)["rows"]} == {
        "/scratch/file": "/scratch",
        "/home/file": "/home",
    }
    assert "· on" not in headrace("show", simulation(tmp_path / "b.hr")).stdout


def test_time_of_asynchronous_requests_is_said_not_to_be_known(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.file(1, "/data/a", writes=3, bytes_written=3 << 20, write_ns=3000)
    log = maker.write(tmp_path / "plain.hr")
    assert "Asynchronous" not in headrace("show", log).stdout
    maker.add(
        "profiles",
        process=1,
        function="aio_return",
        calls=2,
        errors=0,
        bytes=2 << 20,
        time_ns=400,
        max_ns=300,
    )
    text = " ".join(headrace("show", maker.write(tmp_path / "a.hr")).stdout.split())
    assert "Asynchronous I/O (aio), 2 MiB: these calls only begin it and fetch its result" in text
    assert "MPI-IO" not in text


def test_what_begins_a_transfer_or_goes_around_the_library_is_said(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.file(1, "/data/a", layer="mpiio", writes=3, writes_nonblocking=2, bytes_written=3 << 20)
    maker.add("gaps", process=1, what="io_uring", amount=1, unit="rings", reason="not captured")
    log = maker.write(tmp_path / "a.hr")
    text = " ".join(headrace("show", log).stdout.split())
    assert "Nonblocking MPI-IO, 2 calls: their time is what starting them" in text
    assert "io_uring, 1 ring: what was read and written through it is in no figure" in text
    units = [(row["amount"], row["unit"]) for row in facts(log)["asynchronous"]]
    assert units == [(2, "calls"), (1, "rings")]
