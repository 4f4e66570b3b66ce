"""Figures of the sample logs as job logs have them; what each says does not add up is told."""

from __future__ import annotations

import json
from pathlib import Path

import headrace
import pytest
from commands import headrace as command
from darshan_tools import NAMES, sample
from made_logs import LogMaker


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_is_shown(name: str) -> None:
    run = command("show", sample(name), "--json")
    assert run.returncode == 0, run.stderr
    summary = json.loads(run.stdout)
    assert summary["job"]["run_ns"] > 0
    assert summary["totals"]["files"] > 0


def test_report_diff_and_export(tmp_path: Path) -> None:
    log = sample("ior-hdf5")
    assert command("report", log, "-o", tmp_path / "r.html").returncode == 0
    assert command("diff", log, sample("ior-pnetcdf")).returncode == 0
    assert command("export", log, "--to", "parquet", "-o", tmp_path / "tables").returncode == 0
    assert (tmp_path / "tables" / "darshan_h5d.parquet").exists()


def test_counters_of_a_shared_file() -> None:
    log = headrace.open(sample("ior-hdf5"))
    files = log.files.to_pandas()
    mpiio = files[(files["layer"] == "mpiio") & (files["kind"] == "file")].iloc[0]
    assert mpiio["opens"] > mpiio["opens_collective"] == 16
    datasets = files[files["kind"] == "dataset"]
    assert (datasets["layer"] == "hdf5").all()
    assert datasets["path"].str.contains(":").all()
    processes = log.processes.to_pandas()
    assert sorted(processes["rank"]) == [-1, 0, 1, 2, 3]
    assert (processes["ranks"] == 4).all()


def test_collective_transfers_of_hdf5_are_no_numbers() -> None:
    """Darshan's H5D has a mark; 0.0 % collective would be wrong."""
    shown = json.loads(command("show", sample("ior-hdf5"), "--json").stdout)
    (layer,) = [row for row in shown["layers"] if row["layer"] == "hdf5"]
    values = {
        row["value"]
        for row in headrace.open(sample("ior-hdf5")).table("properties").to_pylist()
        if row["key"] == "hdf5.transfer"
    }
    assert values <= {"collective", "independent"}
    assert layer["transfer"] == (values.pop() if len(values) == 1 else "mixed")
    counted = layer["together"]["writes_collective"]
    assert (counted is None) == (layer["transfer"] != "independent")
    top = shown["libraries"]["files"][0]["layers"][0]
    assert top["transfer"] == layer["transfer"]
    text = command("show", sample("ior-hdf5")).stdout
    assert ("0.0 % of writes collective" in text.split("Of mpiio")[0]) == (counted == 0)


@pytest.mark.parametrize(
    ("marks", "said", "cell"),
    [
        (["collective", "collective"], "collective transfers were asked for, how many", "asked for"),
        (["collective", "independent"], "asked for of some datasets", "in part"),
        (["independent", "independent"], "0.0 % of writes collective", "0.0 %"),
        ([None, "collective"], "whether transfers were collective is not known", "\N{EN DASH}"),
    ],
)
def test_what_darshan_marks_of_transfers(
    marks: list[str | None], said: str, cell: str, tmp_path: Path
) -> None:
    maker = LogMaker(darshan_job_id="7")
    maker.process(1, rank=0, ranks=1, instance=3)
    maker.file(1, "/f.h5", layer="hdf5", opens=1, meta_ns=5)
    for number, mark in enumerate(marks):
        record = maker.file(1, f"/f.h5:/d{number}", "dataset", layer="hdf5", writes=2, bytes_written=8)
        maker.add("properties", process=1, record=0, key="hdf5.chunk", value="1")
        if mark:
            maker.add("properties", process=1, record=record, key="hdf5.transfer", value=mark)
    log = maker.write(tmp_path / "a.hr")
    text = command("show", log).stdout
    assert said in " ".join(text.split())
    (row,) = [line for line in text.splitlines() if line.strip().startswith("hdf5") and " B" in line][-1:]
    assert cell in row


def test_ranks_of_a_shared_file() -> None:
    log = headrace.open(sample("example"))
    posix = log.table("darshan_posix").to_pylist()[0]
    rows = log.files.to_pandas().set_index("record")["layer"]
    facts = {
        row["key"]: row["value"]
        for row in log.table("properties").to_pylist()
        if rows[row["record"]] == "posix"
    }
    [shared] = [row for row in log.table("shared").to_pylist() if rows[row["record"]] == "posix"]
    assert (shared["ranks"], shared["who"]) == (2048, "0-2047")
    assert shared["slowest_rank"] == posix["POSIX_SLOWEST_RANK"]
    assert shared["fastest_rank"] == posix["POSIX_FASTEST_RANK"]
    assert shared["time_most_ns"] / 1e9 == pytest.approx(posix["POSIX_F_SLOWEST_RANK_TIME"])
    assert shared["time_least_ns"] / 1e9 == pytest.approx(posix["POSIX_F_FASTEST_RANK_TIME"])
    assert shared["time_variance_ns2"] / 1e18 == pytest.approx(posix["POSIX_F_VARIANCE_RANK_TIME"])
    assert shared["bytes_variance"] == pytest.approx(posix["POSIX_F_VARIANCE_RANK_BYTES"])
    assert shared["bytes_least"] == shared["opened_size"] == (1 << 64) - 1, "Darshan does not say it"
    assert facts["lustre.stripe_count"] == "24"


def test_modules_without_a_place_are_told() -> None:
    gaps = headrace.open(sample("mpi-io-test-x86_64-3.4.7")).gaps.to_pylist()
    told = [row for row in gaps if row["what"] == "Darshan's module APMPI"]
    assert [(row["amount"], row["unit"]) for row in told] == [(538, "bytes of the Darshan log")]
    gaps = headrace.open(sample("mpi-io-test-ppc64-3.1.0")).gaps.to_pylist()
    assert "Darshan's module BG/Q" in [row["what"] for row in gaps]


def test_a_partial_log_is_not_complete() -> None:
    log = headrace.open(sample("imbalanced-io"))
    assert log.job["complete"] == "no: Darshan ran out of memory for its module POSIX"
    assert "Darshan's module POSIX" in log.gaps["what"].to_pylist()


def test_a_trace_gives_a_time_line_where_darshan_has_none() -> None:
    log = headrace.open(sample("dxt"))
    segments, series = log.table("segments").to_pandas(), log.series.to_pandas()
    assert len(segments) > 0
    assert series["bytes"].sum() == segments[segments["layer"] == "posix"]["bytes"].sum()
    assert series["operations"].sum() == len(segments)


def test_converted_log_says_the_same(tmp_path: Path) -> None:
    path = sample("ior_hdf5_example")
    run = command("convert", path, "-o", tmp_path / "job.hr")
    assert run.returncode == 0, run.stderr
    first, second = headrace.open(path), headrace.open(tmp_path / "job.hr")
    for name in first.tables:
        assert second.table(name).equals(first.table(name)), name
    assert second.closed_properly
    assert second.verify() == []
    again = command("convert", path, "-o", tmp_path / "job.hr")
    assert again.returncode == 4
    assert "--force" in again.stderr


def test_a_log_without_names_still_says_what_is_missing() -> None:
    run = command("show", "--anonymize", sample("mpi-io-test-x86_64-3.4.7"))
    assert "Darshan's module APMPI" in run.stdout
    assert "snyder" not in run.stdout


def test_a_slow_object_server_is_found() -> None:
    """2,048 ranks, a file each, on 24 servers of which one was slow."""
    facts = json.loads(command("show", sample("sample-badost"), "--json").stdout)
    against = facts["servers_against_ranks"]
    assert len(facts["servers"]) == 24
    assert (against["ranks"], against["slow"], against["standing_out"]) == (2048, 85, ["14"])
    assert against["sentence"].endswith("All 85 ranks with files there are slow: the server explains them.")
    whole = json.loads(command("show", sample("example"), "--json").stdout)["servers_against_ranks"]
    assert "one record for all ranks" in whole["sentence"]
