"""The MPI library's own files: recorded, and apart from the program's in every figure of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import headrace
import pytest
from commands import headrace as run
from made_logs import MIB, LogMaker

OWN = {
    "/tmp/ompi.node1.1000": "directory",
    "/tmp/ompi.node1.1000/pid.7/contact.txt": "file",
    "/dev/shm/vader_segment.node1.0.1.0": "file",
    "/dev/shm/ucx_shm_posix_1183ebce": "file",
    "/scratch/dump.h5.locktest.1": "file",
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    maker = LogMaker()
    maker.process(9, executable="/usr/bin/mpirun")
    for rank in range(2):
        maker.process(rank + 1, parent=9, rank=rank, ranks=2, instance=7)
        maker.file(rank + 1, "/scratch/dump.h5", opens=1, writes=2, bytes_written=MIB, write_ns=1_000_000)
        record = maker.file(rank + 1, f"/scratch/out.{rank}", writes=1, bytes_written=10, write_ns=5000)
        maker.add("sizes", record=record, direction="write", bucket=4, count=1)
    for path, kind in OWN.items():
        record = maker.file(
            1,
            path,
            kind,
            opens=1,
            stats=2,
            writes=3,
            bytes_written=5 * MIB,
            write_ns=20_000_000,
            meta_ns=7000,
        )
        maker.add("sizes", record=record, direction="write", bucket=22, count=3)
    return maker.write(tmp_path / "a.hr")


def facts(*arguments: Any) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_files_that_had_one_name_in_turn_are_all_its_own(tmp_path: Path) -> None:
    """A file that is opened again and again has another one for its locks each time."""
    maker = LogMaker()
    for number in (1, 2, 3):
        process = maker.process(number, rank=number - 1, ranks=3, instance=7)
        opened = {"identity": number, "opens": 1, "first_open_at_ns": number, "unlinks": 1}
        maker.file(process, "/scratch/dump.h5.locktest.0", **opened)
    maker.file(1, "/scratch/dump.h5", identity=9, opens=1, first_open_at_ns=1)
    assert facts("show", maker.write(tmp_path / "a.hr"))["totals"]["files"] == 1


def test_they_are_in_no_figure_of_the_program(log: Path) -> None:
    found = facts("show", log)
    assert found["totals"]["files"] == 3
    assert found["totals"]["directories"] == 0
    assert found["totals"]["write"]["bytes"] == 2 * MIB + 20
    assert {row["path"] for row in found["rows"]} == {"/scratch/dump.h5", "/scratch/out.0", "/scratch/out.1"}
    assert found["layers"][0]["write"]["calls"] == 6
    assert found["sizes"]["write"] == [{"over": 8, "to": 16, "operations": 2}]
    strategies = found["parallel"]["strategies"]
    assert {name: row["files"] for name, row in strategies.items()} == {
        "unique": 2,
        "partially shared": 0,
        "shared": 1,
    }
    assert found["parallel"]["performance"]["bytes"] == 2 * MIB + 20
    assert found["parallel"]["io_ns"]["most"] == 1_005_000
    assert {row["path"] for row in found["directories"]} == {"/scratch"}


def test_nothing_vanishes(log: Path) -> None:
    apart, together = facts("show", log), facts("show", log, "--mpi-files")
    own = apart["mpi_files"]
    assert (own["files"], own["directories"], own["counted"]) == (4, 1, False)
    assert own["write"]["bytes"] == 25 * MIB
    assert own["rows_in_all"] == 5
    assert {row["path"]: row["kind"] for row in own["rows"]} == OWN
    assert own["rows"][0]["calls"] == 6
    assert together["mpi_files"]["counted"]
    assert together["rows_in_all"] == 8
    for key in ("files", "directories", "io_ns"):
        assert together["totals"][key] == apart["totals"][key] + own[key], key
    for part in ("read", "write", "metadata"):
        for key in apart["totals"][part].keys() & {"calls", "bytes", "time_ns", "errors"}:
            assert together["totals"][part][key] == apart["totals"][part][key] + own[part][key], (part, key)
    (other,) = [row for row in apart["other"] if row["kind"] == "mpi_files"]
    assert other["time_ns"] == own["io_ns"]
    assert not [row for row in together["other"] if row["kind"] == "mpi_files"]


def test_the_terminal_says_both(log: Path) -> None:
    text = " ".join(run("show", log).stdout.split())
    assert "I/O of 3 files" in text
    assert (
        "Besides, the MPI library's own files (4 files, 1 directory): 30 calls, 0 B read, 25 MiB written"
        in text
    )
    assert "The MPI library's own files, most time first (3 of 5)" in text
    assert "--mpi-files counts them among the program's" in text
    counted = " ".join(run("show", log, "--mpi-files").stdout.split())
    assert "I/O of 7 files, 1 directory" in counted
    assert "(4 files, 1 directory, 100 ms) are counted among the program's" in counted
    plain = LogMaker()
    plain.process(1)
    plain.file(1, "/scratch/ompi.dat", writes=1)
    other = plain.write(log.with_name("b.hr"))
    assert "MPI library" not in run("show", other).stdout
    assert facts("show", other)["mpi_files"] is None


def test_reports_and_comparisons_do_the_same(log: Path) -> None:
    report = facts("report", log)
    assert report["summary"]["totals"]["files"] == 3
    assert len(report["summary"]["mpi_files"]["rows"]) == 5
    assert report["treemap"]["files"] == 3
    assert facts("report", log, "--mpi-files")["treemap"]["files"] == 7
    moved = {row["key"]: row["values"] for row in facts("diff", log, log)["totals"]}
    assert moved["files"] == [3, 3]
    assert moved["mpi_files_ns"] == [100_035_000] * 2
    shares = [
        facts("scaling", log, log, *options)["runs"][0]["time_ns"]["io"] for options in ([], ["--mpi-files"])
    ]
    assert shares[1] - shares[0] == 100_035_000 / 2


def test_tables_have_them_and_can_part_them(log: Path) -> None:
    with headrace.open(log) as opened:
        assert opened.files.num_rows == 4 + 5
        for whose, files in (("", 8), ("program", 3), ("mpi", 5)):
            assert opened.merged("all", whose=whose).to_pylist()[0]["files"] == files
        with pytest.raises(headrace.UsageError, match="'program' or of 'mpi'"):
            opened.merged("all", whose="nobody")


def test_a_log_without_names_still_tells_them_apart(log: Path, tmp_path: Path) -> None:
    written = tmp_path / "anonymous.hr"
    assert run("anonymize", log, "-o", written).returncode == 0
    for found in (facts("show", written), facts("show", log, "--anonymize")):
        assert (found["mpi_files"]["files"], found["mpi_files"]["directories"]) == (4, 1)
        assert found["totals"]["files"] == 3
        text = json.dumps(found)
        assert "node1" not in text
        assert "contact" not in text


def test_shared_pointers_are_theirs_without_names_too(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    for path in ("/s/.dump.h5.shfp.16213.1751003312", "/s/dump.h5_cid--1-0.sm", "/s/dump.h5"):
        maker.file(1, path, opens=1)
    log = maker.write(tmp_path / "pointers.hr")
    for options in ([], ["--anonymize"]):
        found = facts("show", log, *options)
        assert (found["totals"]["files"], found["mpi_files"]["files"]) == (1, 2)
