"""`headrace convert --to trace`: the event trace has each operation that PyDarshan finds in a DXT trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from darshan_tools import at_hand, pydarshan


def headrace(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "headrace", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def operations_of_pydarshan(path: Path) -> list[tuple[Any, ...]]:
    report = pydarshan().DarshanReport(os.fspath(path), read_all=False)
    found: list[tuple[Any, ...]] = []
    for module, layer in (("DXT_POSIX", "posix"), ("DXT_MPIIO", "mpiio")):
        if module not in report.modules:
            continue
        report.mod_read_all_dxt_records(module, dtype="dict")
        for record in report.records[module]:
            name = report.name_records.get(record["id"])
            for direction in ("read", "write"):
                for segment in record[f"{direction}_segments"]:
                    start, end = (round(segment[f"{which}_time"] * 1e9) for which in ("start", "end"))
                    length, offset = segment["length"], segment["offset"]
                    found.append(
                        (
                            layer,
                            direction,
                            record["rank"],
                            name,
                            start,
                            end,
                            length,
                            None if offset == -1 else offset,
                        )
                    )
    return found


LogOf = Callable[[str], Path]
TRACED = [
    *(("3.1.3",), ("3.5.0",), ("3.4.0-big",)),
    *(("dxt",), ("ior_hdf5_example",), ("nonmpi_dxt_anonymized",), ("sample-dxt-simple",)),
]


@pytest.mark.parametrize(("name",), at_hand(*TRACED))
def test_every_operation_is_there(name: str, log_of: LogOf, tmp_path: Path) -> None:
    expected = operations_of_pydarshan(log_of(name))
    trace = tmp_path / "job.trace.hr"
    run = headrace("convert", log_of(name), "--to", "trace", "-o", trace)
    assert run.returncode == 0, run.stderr
    printed = headrace("trace", "cat", "--json", trace).stdout
    rows = [json.loads(line) for line in printed.splitlines()]
    assert {row["kind"] for row in rows} == {"io"}
    found = [
        (
            row["layer"], row["name"], row["rank"], row["path"],
            row["time_ns"], row["time_ns"] + row["duration_ns"], row["moved"], row["offset"],
        )
        for row in rows
    ]  # fmt: skip

    def exact(operation: tuple[Any, ...]) -> tuple[Any, ...]:
        return operation[:4] + operation[6:]

    assert sorted(map(exact, found), key=str) == sorted(map(exact, expected), key=str)
    # Times are doubles in the log, whose last digits are rounded here and there.
    for mine, theirs in zip(
        sorted(row[4:6] for row in found), sorted(row[4:6] for row in expected), strict=True
    ):
        assert abs(mine[0] - theirs[0]) <= 1
    checked = json.loads(headrace("trace", "verify", "--json", trace).stdout)
    assert checked["holds"], checked
    said = headrace("trace", "info", trace).stdout
    assert f"{2 * len(expected):,} in" in said


@pytest.mark.parametrize(("name",), at_hand(("slow-server",), ("ior-hdf5",)))
def test_a_log_without_a_trace_says_how_to_get_one(name: str, log_of: LogOf, tmp_path: Path) -> None:
    run = headrace("convert", log_of(name), "--to", "trace", "-o", tmp_path / "x.trace.hr")
    assert run.returncode == 2
    assert "DXT_ENABLE_IO_TRACE=1" in run.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name",), at_hand(("3.5.0",), ("dxt",)))
def test_what_the_trace_has_not_is_told(name: str, log_of: LogOf, tmp_path: Path) -> None:
    run = headrace("convert", log_of(name), "--to", "trace", "-o", tmp_path / "x.trace.hr")
    assert "operations counted in the log, but not traced one by one" in run.stderr
