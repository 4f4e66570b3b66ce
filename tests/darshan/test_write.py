"""Job logs written as Darshan logs: what PyDarshan and Drishti read there is what was captured."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import headrace
import pytest
from commands import headrace as command
from darshan_tools import Peer, at_hand, pydarshan
from made_logs import START_NS, LogMaker

_PROGRAM = """
import os, sys
path = sys.argv[1]
ends = os.pipe()
os.write(ends[1], os.read(os.open("/proc/self/stat", os.O_RDONLY), 64))
os.read(ends[0], 64)
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


# What Darshan watches; pipes, sockets and excluded paths are in Headrace's log alone.
_KINDS = ["file", "directory_rollup", "directory", "stream"]


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
    assert {"pipe", "excluded_rollup"} <= set(files["kind"])
    files = files[(files["layer"] == "posix") & files["kind"].isin(_KINDS)]
    asked_for = (files["kind"] == "directory") & (files["directory_reads"] == 0)
    assert asked_for.any()
    files = files[~asked_for].set_index("path")
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


def test_a_job_that_was_gathered_later_ran_as_long_as_its_processes(tmp_path: Path) -> None:
    maker = LogMaker(end_utc_ns=str(START_NS + 90_000_000_000))
    del maker.job["exit_status"]  # no launcher lived to say it
    maker.process(1, end_at_ns=3_000_000_000)
    made = tmp_path / "a.darshan"
    assert command("convert", maker.write(tmp_path / "a.hr"), "--to", "darshan", "-o", made).returncode == 0
    assert Peer(made).job["run_time"] == pytest.approx(3)


def test_pydarshan_finds_the_time_line(captured: tuple[headrace.JobLog, Path]) -> None:
    log, path = captured
    series = log.series.to_pandas().groupby("direction")["bytes"].sum()
    assert log.series.num_rows > 0
    heatmap = Peer(path).heatmaps()["POSIX"]._data
    for direction in ("read", "write"):
        assert sum(int(line.sum()) for line in heatmap[direction].values()) == series.get(direction, 0)


def test_headrace_reads_what_it_wrote(captured: tuple[headrace.JobLog, Path]) -> None:
    log, path = captured
    before, after = (one.merged("path").to_pandas() for one in (log, headrace.open(path)))
    before = before[
        before["kind"].isin(_KINDS) & ~((before["kind"] == "directory") & (before["directory_reads"] == 0))
    ]
    before, after = before.set_index("path"), after.set_index("path")
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


def test_images_of_one_process_are_one_rank(tmp_path: Path) -> None:
    """A launcher forks itself, and the fork executes the program: `sh` does the same."""
    maker = LogMaker()
    maker.process(1, arguments=b"mpirun\0./dump\0")
    for rank in range(2):
        process = {"pid": 500 + rank, "parent_pid": 1001}
        maker.process(10 + rank, parent=1, ended="exec", arguments=b"mpirun\0./dump\0", **process)
        program = {"rank": rank, "ranks": 2, "instance": 7, "arguments": b"./dump\0out\0"}
        maker.process(20 + rank, parent=10 + rank, **process, **program)
        maker.file(10 + rank, "/scratch/both", writes=1, bytes_written=3)
        maker.file(20 + rank, "/scratch/both", writes=1, bytes_written=4)
    maker.process(30, parent=20, arguments=b"sh\0-c\0gzip\0")
    maker.process(31, parent=30, arguments=b"gzip\0")
    maker.file(31, "/scratch/both", writes=1, bytes_written=5)
    maker.file(1, "/tmp/hosts", reads=1, bytes_read=2048)
    made = tmp_path / "a.darshan"
    done = command("convert", maker.write(tmp_path / "a.hr"), "--to", "darshan", "-o", made)
    assert done.returncode == 0
    assert "what 1 process outside of them did" in done.stderr
    assert "1 record of a file with 2 KiB" in done.stderr
    peer = Peer(made)
    assert peer.job["nprocs"] == 2, "mpirun is no rank"
    assert " ".join(headrace.open(made).job["command"]) == "./dump out"
    written = peer.counters("POSIX")[0].index("POSIX_BYTES_WRITTEN")
    found = {record["rank"]: int(record["counters"][written]) for record in peer.records("POSIX")}
    assert found == {0: 12, 1: 7}, "what a rank starts is the rank's"
    assert len(peer.records("POSIX")) == 2


def test_darshan_finds_the_command_of_a_log_without_mounts(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1, arguments=b"./dump\0out\nput\0")
    maker.file(1, "/scratch/both", writes=1, bytes_written=3)
    made = tmp_path / "a.darshan"
    assert command("convert", maker.write(tmp_path / "a.hr"), "--to", "darshan", "-o", made).returncode == 0
    peer = Peer(made)
    assert peer.report.metadata["exe"] == "./dump out put"
    assert peer.report.mounts == [("/", "UNKNOWN")]


def _drishti(path: Path) -> str:
    pydarshan()
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


@pytest.mark.parametrize(("name",), at_hand(("partial",), ("ior-hdf5",), ("imbalanced-io",)))
def test_drishti_says_the_same_of_a_copy(name: str, log_of: Callable[[str], Path], tmp_path: Path) -> None:
    path = log_of(name)
    copy = tmp_path / f"{name}.darshan"
    assert command("convert", path, "--to", "darshan", "-o", copy).returncode == 0
    assert _drishti(copy) == _drishti(path)


def test_drishti_reads_a_captured_job(captured: tuple[headrace.JobLog, Path]) -> None:
    _, path = captured
    assert "write" in _drishti(path)


def test_the_format_follows_the_name(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1, rank=0, ranks=1, instance=3)
    maker.file(1, "/data/out", writes=1, bytes_written=8, write_ns=5, opens=1)
    log = maker.write(tmp_path / "a.hr")
    made = tmp_path / "b.darshan"
    assert command("convert", log, "-o", made).returncode == 0
    assert made.read_bytes()[1:2] == b"."
    assert command("convert", made, "-o", tmp_path / "c.hr").returncode == 0
    assert (tmp_path / "c.hr").read_bytes().startswith(b"\x89HRC")
    for arguments, said in (
        (("--to", "hr", "-o", tmp_path / "d.darshan"), "leave --to out"),
        (("--to", "darshan", "-o", tmp_path / "d.trace.hr"), "is named as a trace"),
        (("-o", tmp_path / "d.otf2"), "headrace trace export --to otf2"),
        (("-o", tmp_path / "d.parquet"), "headrace export --to parquet"),
    ):
        done = command("convert", log, *arguments)
        assert done.returncode == 2 and said in " ".join(done.stderr.split()), done.stderr
    assert not list(tmp_path.glob("d.*"))


def test_what_is_not_the_programs_is_not_in_it(tmp_path: Path) -> None:
    """Directories that only named what lies below, and files that the MPI library made for itself."""
    maker = LogMaker()
    maker.process(1, rank=0, ranks=1, instance=3)
    maker.file(1, "/data/out", writes=1, bytes_written=8, write_ns=5, opens=1)
    maker.file(1, "/", "directory", opens=1)
    maker.file(1, "/data", "directory", opens=1, directory_reads=2)
    for path in ("/data/out.locktest.2", "/dev/shm/vader_segment.node.0.1"):
        maker.file(1, path, opens=1, writes=1, bytes_written=1)
    done = command("convert", maker.write(tmp_path / "a.hr"), "-o", tmp_path / "a.darshan")
    assert done.returncode == 0
    assert set(Peer(tmp_path / "a.darshan").report.name_records.values()) & {
        "/data/out", "/", "/data", "/data/out.locktest.2", "/dev/shm/vader_segment.node.0.1",
    } == {"/data/out", "/data"}  # fmt: skip
    said = " ".join(done.stderr.split())
    assert "2 records of files that the MPI library made for itself are not in it" in said
