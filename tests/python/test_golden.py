"""A job log of the first version, captured from a small checkpointing program, reads the same for ever.

    sh -c './checkpoint dumps 40; ls dumps | sort > list.txt; kill -9 $$'

The figures follow from the source of that program: 4 checkpoints of 256 rows, each row followed by the header
that is written again, and 256 rows read back.
"""

from __future__ import annotations

import json
from pathlib import Path

import headrace
import pytest
from commands import headrace as command

GOLDEN = Path(__file__).parents[1] / "golden/job-v1.hr"
ROWS, ROW_BYTES, HEADER_BYTES = 256, 512, 12


@pytest.fixture
def log() -> headrace.JobLog:
    return headrace.open(GOLDEN)


def test_it_is_whole(log: headrace.JobLog) -> None:
    assert log.verify() == []
    assert log.closed_properly
    assert log.job["complete"] == "yes"
    assert log.job["exit_status"] == 137
    assert log.job["command"][0] == "sh"
    for name in log.tables:
        log.table(name).validate(full=True)


def test_processes(log: headrace.JobLog) -> None:
    rows = log.processes.to_pylist()
    assert {row["executable"].rpartition("/")[2] for row in rows} == {"dash", "checkpoint", "ls", "sort"}
    assert all(row["captured"] == 1 for row in rows)
    (shell,) = [row for row in rows if row["ended"] == "killed"]
    assert shell["exit_status"] == 137
    (checkpoint,) = [row for row in rows if row["executable"].endswith("/checkpoint")]
    assert checkpoint["parent"] == shell["process"]
    assert checkpoint["arguments"] == ["./checkpoint", "dumps", "40"]
    assert checkpoint["working_directory"] == "/tmp/demo"


def test_checkpoints(log: headrace.JobLog) -> None:
    files = {row["path"]: row for row in log.files_by_path().to_pylist()}
    for step in (10, 20, 30, 40):
        row = files[f"/tmp/demo/dumps/state-00{step}.ckpt.tmp"]
        assert row["final_path"] == f"/tmp/demo/dumps/state-00{step}.ckpt"
        assert row["writes"] == 2 * ROWS + 1
        assert row["bytes_written"] == ROWS * ROW_BYTES + (ROWS + 1) * HEADER_BYTES
        assert row["write_end"] == ROWS * ROW_BYTES + HEADER_BYTES
        assert row["syncs"] == row["renames"] == row["opens"] == row["closes"] == 1
    read = files["/tmp/demo/dumps/state-0040.ckpt"]
    assert read["bytes_read"] == ROWS * ROW_BYTES + HEADER_BYTES
    assert read["reads_consecutive"] >= ROWS


def test_show() -> None:
    run = command("show", GOLDEN, "--json")
    totals = json.loads(run.stdout)["totals"]
    assert totals["write"]["calls"] == 4 * (2 * ROWS + 1)
    assert "renamed to state-0040.ckpt" in command("show", GOLDEN).stdout
