"""What Darshan does not record is null in tables and JSON, and "not recorded" in text; never 0."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import headrace
import pytest
from commands import headrace as command
from darshan_tools import at_hand, pydarshan
from headrace import catalog
from headrace.catalog.add import add
from made_logs import LogMaker

LogOf = Callable[[str], Path]
LOGS = at_hand(("3.0.1",), ("3.5.0",), ("3.5.0-big",), ("ior-hdf5",), ("dxt",))
UNALIGNED = (
    "reads_unaligned_file",
    "writes_unaligned_file",
    "reads_unaligned_memory",
    "writes_unaligned_memory",
)


def _shown(path: Path, *options: str) -> Any:
    run = command("show", path, "--json", *options)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize(("name",), LOGS)
def test_tables_have_null(name: str, log_of: LogOf) -> None:
    for row in headrace.open(log_of(name)).files.to_pylist():
        for counter in ("closes", "read_errors", "write_errors", "meta_errors"):
            assert row[counter] is None, counter
        for way in ("read", "write", "meta"):
            longest = row[f"{way}_max_ns"]
            assert longest is None or (longest > 0) == (row[f"{way}_ns"] > 0), (row["layer"], way)
        if row["layer"] == "posix" and row["reads"] and row["writes"]:
            assert {row[counter] for counter in UNALIGNED} == {None}


def test_what_is_recorded_is_there(log_of: LogOf) -> None:
    rows = headrace.open(log_of("3.5.0")).files.to_pylist()
    posix = [row for row in rows if row["layer"] == "posix" and row["writes"]]
    assert posix and all(row["write_max_ns"] > 0 and row["meta_max_ns"] is None for row in posix)
    only_read = [row for row in posix if not row["reads"]]
    assert only_read and all(row["writes_unaligned_file"] is not None for row in only_read)
    stdio = [row for row in rows if row["layer"] == "stdio" and row["writes"]]
    assert stdio and all(row["write_max_ns"] is None for row in stdio)


@pytest.mark.parametrize(("name",), LOGS)
def test_facts_have_null(name: str, log_of: LogOf) -> None:
    facts = _shown(log_of(name))
    parts = [facts["totals"][part] for part in ("read", "write", "metadata")]
    parts += [row[part] for row in facts["rows"] for part in ("read", "write", "metadata")]
    parts += [row[part] for row in facts["layers"] for part in ("read", "write", "metadata")]
    assert {part["errors"] for part in parts} == {None}
    assert all(part["slowest_ns"] != 0 for part in parts if part["time_ns"])
    access = facts["parallel"]["access"]
    assert access["created"] is access["creates_per_rank"] is access["held_data"] is None


@pytest.mark.parametrize(("name",), LOGS)
def test_reads_and_writes_together_are_aligned_as_darshan_counted(name: str, log_of: LogOf) -> None:
    """In which of both the unaligned were is not known; how many there were is."""
    report = pydarshan().DarshanReport(str(log_of(name)), read_all=False)
    report.mod_read_all_records("POSIX")
    rows = report.records["POSIX"].to_df()["counters"]
    operations = int((rows["POSIX_READS"] + rows["POSIX_WRITES"]).sum())
    aligned = 1 - int(rows["POSIX_FILE_NOT_ALIGNED"].sum()) / operations
    assert _shown(log_of(name))["parallel"]["access"]["aligned_share"] == pytest.approx(aligned)


@pytest.mark.parametrize(("name",), LOGS)
def test_text_says_so(name: str, log_of: LogOf) -> None:
    text = command("show", log_of(name)).stdout
    totals = text[text.index("I/O of ") : text.index("in these calls")].splitlines()
    metadata = next(line for line in totals if line.strip().startswith("metadata"))
    assert metadata.count("not recorded") == 3, metadata
    assert "/call" not in metadata
    assert all(line.endswith("not recorded") for line in totals[2:5]), "of calls that failed"
    text = " ".join(text.split())
    assert "slowest 0 ns" not in text
    assert "creates are not recorded" in text
    assert "% aligned" in text, "of reads and writes together Darshan tells"
    assert "held data before is not recorded" in text
    assert "failed call" not in text


def test_other_commands_say_so(log_of: LogOf, tmp_path: Path) -> None:
    path = log_of("3.5.0")
    other = LogMaker()
    other.process(1, rank=0, ranks=1, instance=7)
    other.file(1, "/scratch/out.dat", writes=2, bytes_written=10, write_ns=5, read_errors=3, closes=1)
    hr = other.write(tmp_path / "other.hr")
    for pair in ((path, path), (path, hr), (hr, path)):
        run = command("diff", *pair)
        assert run.returncode == 0, run.stderr
        assert "failed reads" not in run.stdout, "one of both does not record them"
        run = command("diff", *pair, "--json")
        assert run.returncode == 0, run.stderr
        keys = {row["key"] for row in json.loads(run.stdout)["totals"]}
        assert "read.errors" not in keys and "read.calls" in keys
    run = command("report", path, "-o", tmp_path / "page.html")
    assert run.returncode == 0, run.stderr
    assert "not recorded" in (tmp_path / "page.html").read_text(encoding="utf-8")
    run = command("export", path, "--to", "parquet", "-o", tmp_path / "tables")
    assert run.returncode == 0, run.stderr
    import pyarrow.parquet

    (table,) = (tmp_path / "tables").rglob("files*.parquet")
    found = pyarrow.parquet.read_table(table)
    assert found["closes"].null_count == found.num_rows > 0


def test_a_catalog_says_so(log_of: LogOf, tmp_path: Path) -> None:
    assert add(tmp_path / "c", [log_of("3.5.0")]).bad == []
    (job,) = catalog.open(tmp_path / "c").table("logs").to_pylist()
    assert job["creates"] is job["files_new"] is None
    files = catalog.open(tmp_path / "c").table("files").to_pylist()
    assert job["unaligned"] == sum(file["unaligned"] or 0 for file in files)
    assert job["judged"] > 0


def test_calls_of_mpi_that_failed_are_not_recorded(log_of: LogOf) -> None:
    facts = _shown(log_of("autoperf"))
    assert {row["errors"] for row in facts["functions"] if row["layer"] == "mpi"} == {None}


@pytest.mark.parametrize(("name",), at_hand(("3.1.0",), ("sample-badost",), ("example",)))
def test_without_a_time_line_nothing_is_said_over_time(name: str, log_of: LogOf, tmp_path: Path) -> None:
    facts = _shown(log_of(name))
    assert facts["totals"]["write"]["bytes"] > 0
    over_time = facts["bandwidth"]
    assert {len(over_time[key]) for key in ("bytes_read", "reads", "writes", "metadata")} == {0}
    assert "over time" not in command("show", log_of(name)).stdout
    run = command("report", log_of(name), "-o", tmp_path / "page.html")
    assert run.returncode == 0, run.stderr


def test_a_time_line_of_bytes_has_no_calls(log_of: LogOf) -> None:
    over_time = _shown(log_of("3.5.0"))["bandwidth"]
    assert sum(over_time["bytes_written"]) > 0
    assert over_time["reads"] == over_time["writes"] == over_time["metadata"] == []


@pytest.mark.parametrize(("name",), LOGS)
def test_communication_that_nobody_recorded_is_null(name: str, log_of: LogOf) -> None:
    facts = _shown(log_of(name))
    parallel = facts["parallel"]
    assert parallel["mpi_ns"] is None
    assert set(parallel["mpi"].values()) == {None}
    rows = [*facts["processes"], *parallel["slowest_ranks"], *parallel["slowest_nodes"]]
    assert rows and {row["mpi_ns"] for row in rows} == {None}
    assert {row["mpiio_ns"] for row in facts["processes"]} == {None}
    diff = command("diff", log_of(name), log_of(name), "--json")
    assert "rank_mpi_ns" not in {row["key"] for row in json.loads(diff.stdout)["totals"]}


def test_communication_that_autoperf_recorded_is_there(log_of: LogOf) -> None:
    facts = _shown(log_of("autoperf"))
    assert facts["parallel"]["mpi"]["calls"] > 0 and facts["parallel"]["mpi_ns"]["most"] > 0
    assert any(row["mpi_ns"] for row in facts["processes"])


def test_a_captured_job_has_all(tmp_path: Path) -> None:
    log = tmp_path / "job.hr"
    launcher = Path(sys.executable).parent / "headrace"
    program = "open('x', 'w').write('y')"
    arguments = [launcher, "run", "-o", log, "--", sys.executable, "-c", program]
    subprocess.run([*map(str, arguments)], check=True, timeout=60, capture_output=True, cwd=tmp_path)
    facts = _shown(log)
    for part in ("read", "write", "metadata"):
        assert facts["totals"][part]["errors"] >= 0
        assert facts["totals"][part]["slowest_ns"] >= 0
    assert headrace.open(log).files["closes"].null_count == 0
    assert "not recorded" not in command("show", log).stdout
