"""Made logs are what they are meant to be: Darshan's own library, in PyDarshan, reads just that in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
from darshan_tools import TABLES, Peer
from made_darshan import MADE, Log
from made_darshan.counters import in_newest
from made_darshan.uses import RUN_S


@pytest.fixture(scope="module", params=MADE)
def pair(request: pytest.FixtureRequest, peer_log_of: Callable[[str], Path]) -> tuple[Log, Peer]:
    return MADE[request.param](), Peer(peer_log_of(request.param))


def test_every_counter(pair: tuple[Log, Peer]) -> None:
    log, peer = pair
    for module in TABLES:
        meant, found = log.modules.get(module, []), peer.records(module)
        assert [(each["id"], each["rank"]) for each in found] == [(each.id, each.rank) for each in meant]
        if not meant:
            continue
        version = log.versions[module]
        values = [in_newest(module, version, each.values) for each in meant]
        counts, reals = peer.counters(module)
        for place, name in enumerate(counts):
            assert [int(each["counters"][place]) for each in found] == [each[name] for each in values], name
        for place, name in enumerate(reals):
            ours = [each["fcounters"][place] for each in found]
            peer.same_reals(module, name, ours, [each[name] for each in values])
        if "file_rec_id" in found[0]:
            known = module == "PNETCDF_VAR" or version > 1
            assert [each["file_rec_id"] for each in found] == [each.file * known for each in meant]


def test_what_is_there(pair: tuple[Log, Peer]) -> None:
    log, peer = pair
    assert peer.job["log_ver"] == log.format
    assert (peer.job["uid"], peer.job["nprocs"], peer.job["jobid"]) == (log.user, log.ranks, log.job_id)
    assert peer.job["run_time"] == RUN_S + (log.format < "3.41")
    assert peer.report.metadata["exe"] == log.command
    assert sorted(map(tuple, peer.report.mounts)) == sorted(log.mounts)
    assert peer.report.name_records == log.names
    versions = {name: found["ver"] for name, found in peer.modules.items()}
    assert versions == {name: log.versions[name] for name in (*log.modules, *log.opaque)}
    if log.order == "<":  # Darshan's library leaves these of the other byte order as they are
        assert {name for name, found in peer.modules.items() if found["partial_flag"]} == set(log.partial)


def test_every_traced_operation(pair: tuple[Log, Peer]) -> None:
    log, peer = pair
    for module in ("DXT_POSIX", "DXT_MPIIO"):
        if not peer.knows_trace(module):
            continue
        offsets = (module, log.versions.get(module)) != ("DXT_MPIIO", 1)
        for one, other in zip(peer.dxt(module), log.modules.get(module, []), strict=True):
            assert (one["id"], one["rank"], one["hostname"]) == (other.id, other.rank, other.host)
            for kind, segments in (("write", other.writes), ("read", other.reads)):
                wanted = [(each[0] if offsets else -1, *each[1:4]) for each in segments]
                assert [tuple(each.values()) for each in one[f"{kind}_segments"]] == wanted


def test_stripes(pair: tuple[Log, Peer]) -> None:
    log, peer = pair
    for one, other in zip(peer.lustre(), log.modules.get("LUSTRE", []), strict=True):
        assert (one["id"], one["rank"]) == (other.id, other.rank)
        assert [each["pool_name"] for each in one["components"]] == [each.pool for each in other.components]
        assert [target for each in one["components"] for target in each["ost_ids"]] == other.targets
        kept = slice(0, 2 if log.versions["LUSTRE"] == 1 else 7)  # of old ones size and count are all
        for found, meant in zip(one["components"], other.components, strict=True):
            assert tuple(found["counters"][kept]) == meant.counters[kept]


def test_time_lines(pair: tuple[Log, Peer]) -> None:
    log, peer = pair
    heatmaps = peer.heatmaps()
    for line in log.modules.get("HEATMAP", []):
        found = heatmaps[log.names[line.id].removeprefix("heatmap:")]
        assert found._bin_width_seconds == line.width_s
        numpy.testing.assert_array_equal(found._data["write"][line.rank], line.written)
        numpy.testing.assert_array_equal(found._data["read"][line.rank], line.read)
