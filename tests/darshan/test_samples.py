"""Figures of the sample logs as job logs have them; what each says does not add up is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import headrace
import pytest
from commands import headrace as command
from darshan_tools import NAMES, at_hand
from made_darshan.program import INPUT, RANKS
from made_darshan.server_job import RANKS as JOB_RANKS
from made_darshan.server_job import SERVERS, SLOW
from made_logs import LogMaker

LogOf = Callable[[str], Path]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("-big")])
def test_every_sample_is_shown(name: str, log_of: LogOf) -> None:
    run = command("show", log_of(name), "--json")
    assert run.returncode == 0, run.stderr
    summary = json.loads(run.stdout)
    assert summary["job"]["run_ns"] > 0
    assert summary["totals"]["files"] > 0


@pytest.mark.parametrize(("one", "other"), at_hand(("3.5.0", "3.4.1"), ("ior-hdf5", "ior-pnetcdf")))
def test_report_diff_and_export(one: str, other: str, log_of: LogOf, tmp_path: Path) -> None:
    log = log_of(one)
    assert command("report", log, "-o", tmp_path / "r.html").returncode == 0
    assert command("diff", log, log_of(other)).returncode == 0
    assert command("export", log, "--to", "parquet", "-o", tmp_path / "tables").returncode == 0
    assert (tmp_path / "tables" / "darshan_h5d.parquet").exists()


@pytest.mark.parametrize(("name", "collective"), at_hand(("3.5.0", RANKS), ("ior-hdf5", 16)))
def test_counters_of_a_shared_file(name: str, collective: int, log_of: LogOf) -> None:
    log = headrace.open(log_of(name))
    files = log.files.to_pandas()
    mpiio = files[(files["layer"] == "mpiio") & (files["kind"] == "file")].iloc[0]
    assert mpiio["opens"] > mpiio["opens_collective"] == collective
    datasets = files[files["kind"] == "dataset"]
    assert {"hdf5"} <= set(datasets["layer"]) <= {"hdf5", "pnetcdf"}
    assert datasets["path"].str.contains(":").all()
    processes = log.processes.to_pandas()
    assert sorted(processes["rank"]) == [-1, 0, 1, 2, 3]
    assert (processes["ranks"] == 4).all()


@pytest.mark.parametrize(("name",), at_hand(("3.5.0",), ("ior-hdf5",)))
def test_collective_transfers_of_hdf5_are_no_numbers(name: str, log_of: LogOf) -> None:
    """Darshan's H5D has a mark; 0.0 % collective would be wrong."""
    path = log_of(name)
    shown = json.loads(command("show", path, "--json").stdout)
    (layer,) = [row for row in shown["layers"] if row["layer"] == "hdf5"]
    values = {
        row["value"]
        for row in headrace.open(path).table("properties").to_pylist()
        if row["key"] == "hdf5.transfer"
    }
    assert set() < values <= {"collective", "independent"}
    assert layer["transfer"] == (values.pop() if len(values) == 1 else "mixed")
    counted = layer["together"]["writes_collective"]
    assert (counted is None) == (layer["transfer"] != "independent")
    text = command("show", path).stdout
    assert ("0.0 % of writes collective" in text.split("Of mpiio")[0]) == (counted == 0)
    libraries = [each for file in shown["libraries"]["files"] for each in file["layers"]]
    assert {each["transfer"] for each in libraries if each["layer"] == "hdf5"} == {layer["transfer"]}


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


@pytest.mark.parametrize(("name", "stripes"), at_hand(("3.1.3", 4), ("3.5.0", 4), ("example", 24)))
def test_ranks_of_a_shared_file(name: str, stripes: int, log_of: LogOf) -> None:
    log = headrace.open(log_of(name))
    posix = log.table("darshan_posix").to_pylist()[0]
    layers = log.files.to_pandas().set_index("record")["layer"]
    (shared, *_) = [row for row in log.table("shared").to_pylist() if layers[row["record"]] == "posix"]
    facts = {
        row["key"]: row["value"]
        for row in log.table("properties").to_pylist()
        if row["record"] == shared["record"]
    }
    ranks = int(log.job["darshan_processes"])
    assert (shared["ranks"], shared["who"]) == (ranks, f"0-{ranks - 1}")
    assert shared["slowest_rank"] == posix["POSIX_SLOWEST_RANK"]
    assert shared["fastest_rank"] == posix["POSIX_FASTEST_RANK"]
    assert shared["time_most_ns"] / 1e9 == pytest.approx(posix["POSIX_F_SLOWEST_RANK_TIME"])
    assert shared["time_least_ns"] / 1e9 == pytest.approx(posix["POSIX_F_FASTEST_RANK_TIME"])
    assert shared["time_variance_ns2"] / 1e18 == pytest.approx(posix["POSIX_F_VARIANCE_RANK_TIME"])
    assert shared["bytes_variance"] == pytest.approx(posix["POSIX_F_VARIANCE_RANK_BYTES"])
    assert shared["bytes_least"] == shared["opened_size"] == (1 << 64) - 1, "Darshan does not say it"
    assert facts["lustre.stripe_count"] == str(stripes)


@pytest.mark.parametrize(
    ("name", "module", "amount"),
    at_hand(
        ("3.5.0-big", "DAOS", 96),
        ("3.1.0-big", "BG/Q", 96),
        ("mpi-io-test-ppc64-3.1.0", "BG/Q", 55),
    ),
)
def test_modules_without_a_place_are_told(name: str, module: str, amount: int, log_of: LogOf) -> None:
    gaps = headrace.open(log_of(name)).gaps.to_pylist()
    told = [row for row in gaps if row["what"] == f"Darshan's module {module}"]
    assert [(row["amount"], row["unit"]) for row in told] == [(amount, "bytes of the Darshan log")]


@pytest.mark.parametrize(
    ("name", "modules"),
    at_hand(
        ("partial", ["POSIX", "PNETCDF_VAR", "STDIO"]),
        ("partial-old", ["POSIX", "LUSTRE", "STDIO"]),
        ("imbalanced-io", ["POSIX"]),
    ),
)
def test_a_partial_log_is_not_complete(name: str, modules: list[str], log_of: LogOf) -> None:
    log = headrace.open(log_of(name))
    lost = "; ".join(f"Darshan ran out of memory for its module {module}" for module in modules)
    assert log.job["complete"] == f"no: {lost}"
    assert {f"Darshan's module {module}" for module in modules} <= set(log.gaps["what"].to_pylist())


@pytest.mark.parametrize(("name",), at_hand(("3.1.3",), ("3.3.0-big",), ("dxt",)))
def test_a_trace_gives_a_time_line_where_darshan_has_none(name: str, log_of: LogOf) -> None:
    log = headrace.open(log_of(name))
    segments, series = log.table("segments").to_pandas(), log.series.to_pandas()
    posix = segments[segments["layer"] == "posix"]
    assert len(posix) > 0
    assert series["bytes"].sum() == posix["bytes"].sum()
    assert series["operations"].sum() == len(posix)


@pytest.mark.parametrize(("name",), at_hand(("3.2.1",), ("3.5.0-big",), ("ior_hdf5_example",)))
def test_converted_log_says_the_same(name: str, log_of: LogOf, tmp_path: Path) -> None:
    path = log_of(name)
    run = command("convert", path, "-o", tmp_path / "job.hr")
    assert run.returncode == 0, run.stderr
    first, second = headrace.open(path), headrace.open(tmp_path / "job.hr")
    for table in first.tables:
        assert second.table(table).equals(first.table(table)), table
    assert second.closed_properly
    assert second.verify() == []
    again = command("convert", path, "-o", tmp_path / "job.hr")
    assert again.returncode == 4
    assert "--force" in again.stderr


@pytest.mark.parametrize(
    ("name", "secret", "module"),
    at_hand(("3.5.0-big", INPUT, "DAOS"), ("mpi-io-test-ppc64-3.1.0", "snyder", "BG/Q")),
)
def test_a_log_without_names_still_says_what_is_missing(
    name: str, secret: str, module: str, log_of: LogOf
) -> None:
    assert secret in command("show", log_of(name)).stdout
    run = command("show", "--anonymize", log_of(name))
    assert f"Darshan's module {module}" in run.stdout
    assert secret not in run.stdout


@pytest.mark.parametrize(
    ("name", "servers", "ranks", "slow"),
    at_hand(("slow-server", SERVERS, JOB_RANKS, JOB_RANKS // SERVERS), ("sample-badost", 24, 2048, 85)),
)
def test_a_slow_object_server_is_found(name: str, servers: int, ranks: int, slow: int, log_of: LogOf) -> None:
    """Each rank has a file of its own, and one of the servers was slow."""
    facts = json.loads(command("show", log_of(name), "--json").stdout)
    against = facts["servers_against_ranks"]
    assert len(facts["servers"]) == servers
    assert (against["ranks"], against["slow"], against["standing_out"]) == (ranks, slow, [str(SLOW)])
    told = f"All {slow} ranks with files there are slow: the server explains them."
    assert against["sentence"].endswith(told)


@pytest.mark.parametrize(("name",), at_hand(("3.5.0",), ("example",)))
def test_one_record_for_all_ranks_tells_nothing_of_servers(name: str, log_of: LogOf) -> None:
    shown = json.loads(command("show", log_of(name), "--json").stdout)
    assert "one record for all ranks" in shown["servers_against_ranks"]["sentence"]
