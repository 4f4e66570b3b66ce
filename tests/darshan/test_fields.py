"""What the tables of a Darshan log say is what PyDarshan reads, field by field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import headrace
import numpy
import pytest
from commands import headrace as command
from darshan_tools import NAMES, TABLES, Peer


@pytest.fixture(
    scope="module", params=[(name, written) for name in NAMES for written in (False, True)], ids=str
)
def pair(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    log_of: Callable[[str], Path],
    peer_log_of: Callable[[str], Path],
) -> tuple[headrace.JobLog, Peer]:
    """A log as Headrace reads it; and as PyDarshan does, at once or after Headrace wrote it again."""
    name, written = request.param
    path = log_of(name)
    if not written:
        return headrace.open(path), Peer(peer_log_of(name))
    copy = tmp_path_factory.mktemp("written") / "copy.darshan"
    run = command("convert", path, "--to", "darshan", "-o", copy)
    assert run.returncode == 0, run.stderr
    return headrace.open(path), Peer(copy)


def test_every_counter_of_every_record(pair: tuple[headrace.JobLog, Peer]) -> None:
    log, peer = pair
    for module, table in TABLES.items():
        records = peer.records(module)
        if module not in peer.modules:
            assert table not in log.tables
            continue
        ours = log.table(table).to_pydict()
        assert ours["id"] == [int(record["id"]) for record in records]
        assert ours["rank"] == [int(record["rank"]) for record in records]
        counters, reals = peer.counters(module)
        for place, name in enumerate(counters):
            assert ours[name] == [int(record["counters"][place]) for record in records], name
        for place, name in enumerate(reals):
            peer.same_reals(module, name, [record["fcounters"][place] for record in records], ours[name])


def test_job_and_names(pair: tuple[headrace.JobLog, Peer]) -> None:
    log, peer = pair
    facts = log.job
    assert facts["user_id"] == peer.job["uid"]
    assert int(facts["darshan_job_id"]) == peer.job["jobid"]
    assert int(facts["darshan_processes"]) == peer.job["nprocs"]
    assert (facts["end_utc_ns"] - facts["start_utc_ns"]) / 1e9 == pytest.approx(
        peer.job["run_time"], abs=1e-6
    )
    names = log.table("darshan_names").to_pydict()
    assert dict(zip(names["id"], names["name"], strict=True)) == peer.report.name_records
    mounts = log.mounts.to_pydict()
    assert sorted(zip(mounts["point"], mounts["type"], strict=True)) == sorted(map(tuple, peer.report.mounts))


def test_every_segment(pair: tuple[headrace.JobLog, Peer]) -> None:
    log, peer = pair
    segments = log.table("segments").to_pandas()
    for module, layer in (("DXT_POSIX", "posix"), ("DXT_MPIIO", "mpiio")):
        if not peer.knows_trace(module):
            continue
        wanted = [
            (segment["start_time"], segment["end_time"], segment["offset"], segment["length"], direction)
            for record in peer.dxt(module)
            for direction in ("write", "read")
            for segment in record[f"{direction}_segments"]
        ]
        ours = segments[segments["layer"] == layer]
        assert len(ours) == len(wanted)
        if not wanted:
            continue
        start, end, offset, length, direction = zip(*wanted, strict=True)
        # Half a nanosecond is what rounding takes.
        assert numpy.abs(ours["start_at_ns"] / 1e9 - numpy.array(start)).max() <= 0.6e-9
        assert numpy.abs(ours["end_at_ns"] / 1e9 - numpy.array(end)).max() <= 0.6e-9
        assert list(ours["offset"]) == list(offset)
        assert list(ours["bytes"]) == list(length)
        assert list(ours["direction"]) == list(direction)


def test_stripes(pair: tuple[headrace.JobLog, Peer]) -> None:
    log, peer = pair
    wanted = peer.lustre()
    if not wanted:
        return
    files = log.table("darshan_lustre").to_pydict()
    assert files["id"] == [int(record["id"]) for record in wanted]
    assert files["rank"] == [int(record["rank"]) for record in wanted]
    parts = log.table("darshan_lustpart").to_pydict()
    components = [component for record in wanted for component in record["components"]]
    assert parts["stripe_size"] == [int(each["counters"][0]) for each in components]
    assert parts["stripe_count"] == [int(each["counters"][1]) for each in components]
    assert parts["mirror"] == [int(each["counters"][6]) for each in components]
    assert parts["pool"] == [each["pool_name"] for each in components]
    targets = [int(ost) for each in components for ost in each["ost_ids"]]
    assert log.table("darshan_lustosts")["ost"].to_pylist() == targets


def test_time_lines(pair: tuple[headrace.JobLog, Peer]) -> None:
    log, peer = pair
    wanted = {"read": 0, "write": 0}
    for name, heatmap in peer.heatmaps().items():
        for direction in wanted:
            if name in ("POSIX", "STDIO"):
                wanted[direction] += sum(int(row.sum()) for row in heatmap._data[direction].values())
    if "HEATMAP" not in peer.modules:
        return
    series = log.series.to_pandas()
    for direction, total in wanted.items():
        assert series[series["direction"] == direction]["bytes"].sum() == total
