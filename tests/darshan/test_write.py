"""Job logs written as Darshan logs: what PyDarshan and Drishti read there is what was captured."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import headrace
import pytest
from commands import headrace as command
from darshan_tools import Peer, sample

pytest.importorskip("darshan")

_PROGRAM = """
import os, sys
path = sys.argv[1]
with open(path, "wb", buffering=0) as out:
    for _ in range(10):
        out.write(bytes(5000))
    out.seek(100)
    out.write(bytes(300))
    os.fsync(out.fileno())
with open(path, "rb", buffering=0) as data:
    while data.read(4096):
        pass
"""


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[headrace.JobLog, Path]]:
    directory = tmp_path_factory.mktemp("captured")
    log = directory / "job.hr"
    launcher = Path(sys.executable).parent / "headrace"
    arguments = [launcher, "run", "-o", log, "--", sys.executable, "-c", _PROGRAM, directory / "data"]
    subprocess.run([*map(str, arguments)], check=True, timeout=60, capture_output=True)
    run = command("convert", log, "--to", "darshan", "-o", directory / "job.darshan")
    assert run.returncode == 0, run.stderr
    yield headrace.open(log), directory / "job.darshan"


def _by_name(peer: Peer, module: str) -> dict[str, dict[str, Any]]:
    counters, reals = peer.counters(module)
    rows = {}
    for record in peer.records(module):
        values = dict(zip(counters, record["counters"].tolist(), strict=True))
        values |= dict(zip(reals, record["fcounters"].tolist(), strict=True))
        name = peer.report.name_records[record["id"]]
        rows[name.lower() if name.startswith("<") else name] = values
    return rows


def test_a_captured_job_has_the_same_figures(captured: tuple[headrace.JobLog, Path]) -> None:
    log, path = captured
    peer = Peer(path)
    files = log.files.to_pandas()
    files = files[files["layer"] == "posix"].set_index("path")
    rows = _by_name(peer, "POSIX")
    assert set(rows) == set(files.index)
    for name, values in rows.items():
        ours = files.loc[name]
        assert values["POSIX_OPENS"] == ours["opens"] + ours["duplicates"]
        for theirs, column in [
            ("POSIX_READS", "reads"),
            ("POSIX_WRITES", "writes"),
            ("POSIX_BYTES_READ", "bytes_read"),
            ("POSIX_BYTES_WRITTEN", "bytes_written"),
            ("POSIX_SEEKS", "seeks"),
            ("POSIX_STATS", "stats"),
        ]:
            assert values[theirs] == ours[column], (name, theirs)
        assert values["POSIX_F_WRITE_TIME"] == pytest.approx(ours["write_ns"] / 1e9)
    data = next(values for name, values in rows.items() if name.endswith("/data"))
    assert data["POSIX_SIZE_WRITE_1K_10K"] == 10
    assert data["POSIX_SIZE_WRITE_100_1K"] == 1
    assert data["POSIX_MAX_BYTE_WRITTEN"] == 49999
    assert peer.job["nprocs"] == 1
    assert log.job["end_utc_ns"] - log.job["start_utc_ns"] == pytest.approx(
        peer.job["run_time"] * 1e9, abs=1e3
    )


def test_headrace_reads_what_it_wrote(captured: tuple[headrace.JobLog, Path]) -> None:
    log, path = captured
    before, after = (one.merged("path").to_pandas().set_index("path") for one in (log, headrace.open(path)))
    assert set(before.index) == set(after.index)
    after = after.loc[before.index]
    for column in [
        "opens",
        "reads",
        "writes",
        "bytes_read",
        "bytes_written",
        "seeks",
        "switches",
        "read_end",
    ]:
        assert list(before[column]) == list(after[column]), column
    assert headrace.open(path).series.to_pandas()["bytes"].sum() == pytest.approx(
        log.series.to_pandas()["bytes"].sum()
    )


def _drishti(path: Path) -> str:
    program = Path(sys.executable).parent / "drishti"
    run = subprocess.run(
        [program, "--light", path],
        capture_output=True,
        text=True,
        timeout=120,
        env={"COLUMNS": "200", "PATH": ""},
    )
    assert run.returncode == 0, run.stderr
    lines = [line for line in run.stdout.splitlines() if path.name not in line and "generated at" not in line]
    return "\n".join(line for line in lines if "seconds" not in line and "DARSHAN" not in line)


@pytest.mark.parametrize("name", ["ior-hdf5", "imbalanced-io"])
def test_drishti_says_the_same_of_a_copy(name: str, tmp_path: Path) -> None:
    path = sample(name)
    copy = tmp_path / f"{name}.darshan"
    assert command("convert", path, "--to", "darshan", "-o", copy).returncode == 0
    assert _drishti(copy) == _drishti(path)


def test_drishti_reads_a_captured_job(captured: tuple[headrace.JobLog, Path]) -> None:
    _, path = captured
    assert "write" in _drishti(path)
