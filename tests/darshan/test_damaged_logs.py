"""Cut and damaged logs of every format: what is missing is said, and the rest is as it was made."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import headrace
import pytest
from commands import headrace as command
from darshan_tools import Peer
from made_darshan import MADE, pack
from made_darshan.program import job_of
from made_darshan.record_bytes import record_bytes

LogOf = Callable[[str], Path]
KINDS = ["3.0.1", "3.1.8-big", "3.5.0-big", "bzip2", "later"]  # old and new headers, each compression
_VERSIONS = 1072  # where a header of format 3.41 has them


@pytest.mark.parametrize("name", KINDS)
def test_every_cut_is_told_or_refused(name: str, log_of: LogOf, tmp_path: Path) -> None:
    whole, path = log_of(name).read_bytes(), tmp_path / "cut.darshan"
    read = 0
    for part in range(40):
        path.write_bytes(whole[: len(whole) * part // 40])
        try:
            log = headrace.open(path)
        except headrace.LogError as error:
            assert "cut.darshan" in str(error)
            continue
        read += 1
        assert "the file is shorter than its header says" in log.job["complete"]
        told = log.gaps.to_pandas().set_index("what")["amount"]
        assert told["the file's end"] == len(whole) - path.stat().st_size
    assert read > 20


@pytest.mark.parametrize("name", KINDS)
def test_changed_bytes_never_harm(name: str, log_of: LogOf, tmp_path: Path) -> None:
    whole, path, rng = log_of(name).read_bytes(), tmp_path / "changed.darshan", random.Random(name)
    for _ in range(40):
        changed = bytearray(whole)
        for _ in range(rng.randrange(1, 20)):
            changed[rng.randrange(1400 if rng.random() < 0.5 else len(changed))] = rng.randrange(256)
        path.write_bytes(changed)
        try:
            assert headrace.open(path).job["complete"]
        except headrace.LogError as error:
            assert "changed.darshan" in str(error)


def test_records_that_count_streams_too_are_left_out(tmp_path: Path) -> None:
    """Darshan before 3.1 counted calls on streams in POSIX: no reader can tell them apart."""
    log = job_of("3.0.1")
    first, second, *rest = log.modules["POSIX"]
    mixed = replace(second, values=second.values | {"POSIX_FOPENS": 1, "POSIX_FREADS": 5})
    log.modules["POSIX"] = [first, mixed, *rest]
    path = tmp_path / "mixed.darshan"
    path.write_bytes(pack(log))
    opened = headrace.open(path)
    ids = [each.id for each in (first, *rest)]
    assert opened.table("darshan_posix")["id"].to_pylist() == ids
    assert [each["id"] for each in Peer(path).records("POSIX")] == ids
    told = opened.gaps.to_pandas().set_index("what").loc["Darshan's module POSIX"]
    assert (told["amount"], told["unit"]) == (1, "records")
    assert "calls on streams and on descriptors together" in opened.job["complete"]


@pytest.mark.parametrize(
    ("module", "number"), [("POSIX", 1), ("LUSTRE", 8), ("HEATMAP", 15), ("DXT_POSIX", 10)]
)
def test_versions_of_records_that_are_not_known(
    module: str, number: int, log_of: LogOf, tmp_path: Path
) -> None:
    changed = bytearray(log_of("3.5.0").read_bytes())
    struct.pack_into("<I", changed, _VERSIONS + 4 * number, 9)
    path = tmp_path / "new.darshan"
    path.write_bytes(changed)
    opened = headrace.open(path)
    assert opened.job["complete"] == f"no: Darshan's module {module}: version 9 of its records is not known"
    assert opened.table("darshan_stdio").num_rows == len(MADE["3.5.0"]().modules["STDIO"])


@pytest.mark.parametrize("module", ["POSIX", "H5D", "LUSTRE", "HEATMAP"])
def test_a_record_that_was_begun_is_told(module: str, tmp_path: Path) -> None:
    log = job_of("3.5.0")
    packed = [record_bytes(module, log.versions[module], "<", each) for each in log.modules.pop(module)]
    log.opaque[module] = b"".join(packed)[:-20]
    path = tmp_path / "begun.darshan"
    path.write_bytes(pack(log))
    opened = headrace.open(path)
    table = {"POSIX": "posix", "H5D": "h5d", "LUSTRE": "lustre", "HEATMAP": "heatmap"}[module]
    assert opened.table(f"darshan_{table}").num_rows == len(packed) - 1
    assert f"Darshan's module {module}: its records end inside one" in opened.job["complete"]


@pytest.mark.parametrize(
    "name", ["3.1.8-big", "3.5.0-big"]
)  # not compressed: damage is nowhere noticed but by sense
def test_what_is_read_of_a_damaged_log_is_in_the_log_that_is_written(
    name: str, log_of: LogOf, tmp_path: Path
) -> None:
    whole, path, rng = log_of(name).read_bytes(), tmp_path / "damaged.darshan", random.Random(name)
    again = 0
    for _ in range(30):
        changed = bytearray(whole[: rng.choice((len(whole), len(whole) * 9 // 10))])
        for _ in range(rng.randrange(1, 12)):
            changed[rng.randrange(1400, len(changed))] = rng.randrange(256)
        path.write_bytes(changed)
        try:
            first = headrace.open(path)
        except headrace.LogError:
            continue
        run = command("convert", path, "-o", tmp_path / "again.darshan", "--force")
        assert run.returncode == 0, run.stderr
        second = headrace.open(tmp_path / "again.darshan")
        for table in (each for each in first.tables if each.startswith("darshan_") or each == "segments"):
            rows = first.table(table).num_rows
            if not rows or table == "darshan_names":  # ids without a name get one
                continue
            assert second.table(table).num_rows == rows, (table, second.job["complete"])
        again += 1
    assert again > 5
