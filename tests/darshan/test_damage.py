"""Damaged Darshan logs are refused or read in part, and say so, the file, the place and what to do next."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import headrace
import pytest
from commands import headrace as command

from benchmarks.dxt_opening import make_log


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "trace.darshan"
    make_log(path, 64 * 500)
    return path


def test_the_made_log_is_whole(log: Path) -> None:
    opened = headrace.open(log)
    assert opened.job["complete"] == "yes"
    assert opened.table("segments").num_rows == 64 * 500
    assert opened.gaps.num_rows == 0
    assert set(opened.processes["host"].to_pylist()) == {f"node{number}" for number in range(8)}


def test_a_cut_trace_is_read_as_far_as_it_goes(log: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.darshan"
    cut.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    opened = headrace.open(cut)
    assert 0 < opened.table("segments").num_rows < 64 * 500
    assert "the file ends at byte" in opened.job["complete"]
    told = opened.gaps.to_pandas().set_index("what")
    assert told.loc["Darshan's module DXT_POSIX", "amount"] > 0
    assert told.loc["the file's end", "amount"] == log.stat().st_size - cut.stat().st_size
    run = command("show", cut)
    assert run.returncode == 0
    assert "not complete" in run.stdout


def _job_record(log: Path) -> tuple[int, int]:
    """Where it begins and ends: it stands between the header and the names."""
    return 1328, int.from_bytes(log.read_bytes()[32:40], "little")


def test_damage_of_the_job_record_is_said(log: Path, tmp_path: Path) -> None:
    changed = bytearray(log.read_bytes())
    changed[_job_record(log)[1] - 1] ^= 0xFF  # of the checksum: nobody knows what is wrong
    path = tmp_path / "job.darshan"
    path.write_bytes(changed)
    opened = headrace.open(path)
    assert opened.job["complete"].startswith("no: Darshan's job record: it is damaged, so command")
    assert "Darshan's job record" in opened.gaps["what"].to_pylist()
    text = " ".join(command("show", path).stdout.split())
    assert "log not complete: Darshan's job record: it is damaged" in text
    assert "may be wrong: what was compressed is damaged at byte" in text


def test_a_job_record_that_cannot_be_right_is_said(log: Path, tmp_path: Path) -> None:
    whole = log.read_bytes()
    begin, end = _job_record(log)
    record = bytearray(zlib.decompress(whole[begin:end]))
    record[40:48] = (3).to_bytes(8, "little")  # processes
    record[24:32] = bytes(8)  # the end
    path = tmp_path / "job.darshan"
    packed = zlib.compress(bytes(record))
    moved = bytearray(whole)
    moved[begin:end] = packed
    shift = len(packed) - (end - begin)
    for place in [32, *range(48, 48 + 64 * 16, 16)]:
        offset = int.from_bytes(moved[place : place + 8], "little")
        moved[place : place + 8] = (offset + shift if offset else 0).to_bytes(8, "little")
    path.write_bytes(moved)
    complete = headrace.open(path).job["complete"]
    assert "it says that there were 3 processes, and there are records of rank 63" in complete
    assert "the times of start and end make no sense" in complete


def test_without_its_job_nothing_is_said(log: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.darshan"
    cut.write_bytes(log.read_bytes()[:1340])
    run = command("show", cut)
    assert run.returncode == 3
    assert "job record cannot be read" in run.stderr
    assert "cut.darshan" in run.stderr
    cut.write_bytes(log.read_bytes()[:500])
    with pytest.raises(headrace.LogTruncatedError, match="ends at byte 500"):
        headrace.open(cut)


def test_formats_that_are_not_known(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.darshan"
    other.write_bytes(b"2.06" + log.read_bytes()[4:])
    with pytest.raises(headrace.LogUnsupportedError, match=r"format 2\.06, and 3\.00"):
        headrace.open(other)


@pytest.mark.parametrize("seed", range(4))
def test_changed_bytes_never_harm(log: Path, tmp_path: Path, seed: int) -> None:
    whole = log.read_bytes()
    path = tmp_path / "changed.darshan"
    rng = random.Random(seed)
    for _ in range(30):
        changed = bytearray(whole)
        for _ in range(rng.randrange(1, 20)):
            changed[rng.randrange(2000 if rng.random() < 0.5 else len(changed))] = rng.randrange(256)
        path.write_bytes(changed)
        try:
            opened = headrace.open(path)
        except headrace.LogError as error:
            assert "changed.darshan" in str(error)
            continue
        if opened.table("segments").num_rows != 64 * 500:
            assert opened.job["complete"].startswith("no: ")
