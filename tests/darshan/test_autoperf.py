"""AutoPerf's modules: every figure of every record, and what Headrace's own tables make of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import headrace
import pytest
from commands import headrace as command
from darshan_tools import FOREIGN
from made_darshan import MADE
from made_darshan.autoperf import Plain

LogOf = Callable[[str], Path]
TABLES = {"APMPI": ("darshan_apmpihd", "darshan_apmpi"), "APXC": ("darshan_apxchd", "darshan_apxc")}


def _same(path: Path, name: str) -> None:
    log = headrace.open(path)
    for module, tables in TABLES.items():
        records = [each for each in MADE[name]().modules[module] if isinstance(each, Plain)]
        for table, meant in zip(tables, (records[:1], records[1:]), strict=True):
            found = log.table(table).to_pydict()
            assert found.pop("id") == [each.id for each in meant]
            assert found.pop("rank") == [each.rank for each in meant]
            assert set(found) == set(meant[0].values)
            for column, values in found.items():
                assert values == [each.values[column] for each in meant], column


@pytest.mark.parametrize("name", ["autoperf", "autoperf-big"])
def test_every_figure_is_read_and_written(name: str, log_of: LogOf, tmp_path: Path) -> None:
    path = log_of(name)
    _same(path, name)
    steps = [path, tmp_path / "job.hr", tmp_path / "copy.darshan"]
    assert command("convert", steps[0], "-o", steps[1]).returncode == 0
    assert command("convert", steps[1], "--to", "darshan", "-o", steps[2]).returncode == 0
    _same(steps[2], name)
    assert not {"Darshan's module APMPI", "Darshan's module APXC"} & set(
        headrace.open(path).gaps["what"].to_pylist()
    )


def test_ranks_have_their_time_in_mpi(log_of: LogOf) -> None:
    log = headrace.open(log_of("autoperf"))
    ranks = {row["process"]: row["rank"] for row in log.processes.to_pylist()}
    rows = {(ranks[row["process"]], row["function"]): row for row in log.table("profiles").to_pylist()}
    assert {function for _, function in rows} == {"MPI_Send", "MPI_Irecv", "MPI_Allreduce", "MPI_Waitall"}
    sent = rows[2, "MPI_Send"]
    assert (sent["layer"], sent["calls"], sent["bytes"]) == ("mpi", 5, 500)
    assert (sent["time_ns"], sent["own_ns"], sent["max_ns"]) == (2_500_000_000, 2_500_000_000, 750_000_000)
    assert rows[0, "MPI_Allreduce"]["time_ns"] == 3_500_000_000 + 1_500_000_000, "with the wait for others"
    assert rows[1, "MPI_Waitall"]["bytes"] == 0
    shown = command("show", log_of("autoperf"))
    assert "MPI_Allreduce" in shown.stdout
    hosts = {row["rank"]: row["host"] for row in log.processes.to_pylist()}
    assert (hosts[0], hosts[3]) == ("node0", "node1")


@pytest.mark.parametrize("module", TABLES)
def test_a_module_that_does_not_begin_with_its_header_is_told(module: str, tmp_path: Path) -> None:
    from made_darshan import pack

    log = MADE["autoperf"]()
    log.modules[module] = log.modules[module][1:]
    path = tmp_path / "headless.darshan"
    path.write_bytes(pack(log))
    assert f"module {module}: it does not begin with its header record" in headrace.open(path).job["complete"]


@pytest.mark.skipif("mpi-io-test-x86_64-3.4.7" not in FOREIGN, reason="no logs of other sites here")
def test_a_log_of_another_site() -> None:
    log = headrace.open(FOREIGN["mpi-io-test-x86_64-3.4.7"])
    records = log.table("darshan_apmpi").to_pylist()
    ours = log.table("profiles").to_pandas().groupby("process")["time_ns"].sum()
    assert sorted(round(row["MPI_TOTAL_COMM_TIME"] * 1e9) for row in records) == pytest.approx(
        sorted(ours), abs=200
    )
