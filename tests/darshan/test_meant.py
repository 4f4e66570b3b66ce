"""What Headrace reads in a made log is what the log was made to say, also where PyDarshan cannot tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import headrace
import pytest
from darshan_tools import TABLES
from made_darshan import MADE, Log
from made_darshan.counters import in_newest
from made_darshan.uses import RUN_S


@pytest.fixture(scope="module", params=MADE)
def pair(request: pytest.FixtureRequest, log_of: Callable[[str], Path]) -> tuple[headrace.JobLog, Log]:
    return headrace.open(log_of(request.param)), MADE[request.param]()


def test_every_counter(pair: tuple[headrace.JobLog, Log]) -> None:
    log, meant = pair
    for module, table in TABLES.items():
        records = meant.modules.get(module, [])
        assert (table in log.tables) == bool(records)
        if not records:
            continue
        found, version = log.table(table).to_pydict(), meant.versions[module]
        assert found.pop("id") == [each.id for each in records]
        assert found.pop("rank") == [each.rank for each in records]
        if "file" in found:
            known = module == "PNETCDF_VAR" or version > 1
            assert found.pop("file") == [each.file * known for each in records]
        values = [in_newest(module, version, each.values) for each in records]
        assert list(found) == list(values[0])
        for name, column in found.items():
            assert column == [each[name] for each in values], name


def test_every_traced_operation(pair: tuple[headrace.JobLog, Log]) -> None:
    log, meant = pair
    wanted = []
    for module, layer, with_threads in (("DXT_POSIX", "posix", 2), ("DXT_MPIIO", "mpiio", 3)):
        version = meant.versions.get(module, 0)
        offsets, threads = (module, version) != ("DXT_MPIIO", 1), version >= with_threads
        for trace in meant.modules.get(module, []):
            for direction, segments in (("write", trace.writes), ("read", trace.reads)):
                wanted += [
                    (layer, direction, offset if offsets else -1, size, round(start * 1e9), round(end * 1e9),
                     thread * threads)
                    for offset, size, start, end, thread in segments
                ]  # fmt: skip
    if not wanted:
        return
    columns = ("layer", "direction", "offset", "bytes", "start_at_ns", "end_at_ns", "thread")
    found = log.table("segments").select(columns).to_pydict()
    assert list(zip(*found.values(), strict=True)) == wanted
    hosts = {row["rank"]: row["host"] for row in log.processes.to_pylist()}
    assert [hosts[rank] for rank in range(meant.ranks)] == ["node0", "node0", "node1", "node1"]


def test_stripes_and_time_lines(pair: tuple[headrace.JobLog, Log]) -> None:
    log, meant = pair
    if stripes := meant.modules.get("LUSTRE", []):
        assert log.table("darshan_lustre")["id"].to_pylist() == [each.id for each in stripes]
        parts = log.table("darshan_lustpart").to_pylist()
        components = [each for file in stripes for each in file.components]
        assert [(row["stripe_size"], row["stripe_count"], row["pool"]) for row in parts] == [
            (*each.counters[:2], each.pool) for each in components
        ]
        targets = [target for file in stripes for target in file.targets]
        assert log.table("darshan_lustosts")["ost"].to_pylist() == targets
    if lines := meant.modules.get("HEATMAP", []):
        found = log.table("darshan_heatmap").to_pydict()
        assert found["id"] == [each.id for each in lines]
        assert found["rank"] == [each.rank for each in lines]
        bins = log.table("darshan_heatbins").to_pydict()
        assert bins["bytes_written"] == [value for each in lines for value in each.written]
        assert bins["bytes_read"] == [value for each in lines for value in each.read]


def test_the_job(pair: tuple[headrace.JobLog, Log]) -> None:
    log, meant = pair
    fine = meant.format >= "3.41"
    assert log.job["start_utc_ns"] == meant.start_s * 10**9 + meant.start_ns * fine
    assert log.job["end_utc_ns"] - log.job["start_utc_ns"] == (RUN_S + (not fine)) * 10**9
    assert " ".join(log.job["command"]) == meant.command
    assert (log.job["user_id"], int(log.job["darshan_processes"])) == (meant.user, meant.ranks)
    told = {row["what"]: row for row in log.gaps.to_pylist()}
    for module in meant.opaque:
        assert told[f"Darshan's module {module}"]["unit"] == "bytes of the Darshan log"
    lost = [f"Darshan ran out of memory for its module {name}" for name in meant.partial]
    assert log.job["complete"] == ("no: " + "; ".join(lost) if lost else "yes")
