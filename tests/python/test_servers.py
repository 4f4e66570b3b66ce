"""Object servers against slow ranks: what stands out, and what does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import headrace as command
from made_logs import MIB, LogMaker


def job(path: Path, ranks: list[dict[str, Any]]) -> dict[str, Any]:
    """Each rank writes `bytes` in `ns` to a file of its own on the server or servers `osts`."""
    log = LogMaker()
    for rank, done in enumerate(ranks):
        log.process(
            rank + 1, rank=rank, ranks=len(ranks), instance=7, host=f"node{rank // 2}", end_at_ns=10**10
        )
        own = log.file(
            rank + 1, f"/scratch/r{rank}", writes=1, bytes_written=done.get("bytes", MIB), write_ns=done["ns"]
        )
        log.add("properties", process=rank + 1, record=own, key="lustre.osts", value=done["osts"])
    facts: dict[str, Any] = json.loads(command("show", log.write(path), "--json").stdout)
    return facts


def test_a_slow_server_stands_out(tmp_path: Path) -> None:
    facts = job(
        tmp_path / "a.hr",
        [{"ns": 10**9 if rank % 4 == 3 else 10**8, "osts": str(rank % 4)} for rank in range(16)],
    )
    against = facts["servers_against_ranks"]
    assert against["standing_out"] == ["3"]
    assert (against["slow"], against["slow_ranks"]) == (4, "3, 7, 11, 15")
    assert "All 4 ranks with files there are slow: the server explains them." in against["sentence"]
    assert "100 % of the time of the slow ranks went to files on server 3, and 0 %" in against["sentence"]
    first = facts["servers"][0]
    assert (first["server"], first["slow_share"], first["other_share"]) == ("3", 1, 0)
    assert (first["slow_ranks"], first["other_ranks"], first["io_ns"]) == (4, 0, 4 * 10**9)
    text = " ".join(command("show", tmp_path / "a.hr").stdout.split())
    assert "4 object servers 4 of 16 ranks took at least 1.5 times as long as the median" in text


def test_slow_ranks_on_all_servers_tell_nothing(tmp_path: Path) -> None:
    facts = job(
        tmp_path / "a.hr", [{"ns": 10**9 if rank < 4 else 10**8, "osts": str(rank % 4)} for rank in range(16)]
    )
    against = facts["servers_against_ranks"]
    assert (against["slow"], against["standing_out"]) == (4, [])
    assert "Nothing stands out" in against["sentence"]


def test_one_slow_rank_is_no_proof(tmp_path: Path) -> None:
    ranks: list[dict[str, Any]] = [{"ns": 10**8, "osts": str(rank)} for rank in range(8)]
    ranks[5]["ns"] = 10**9
    sentence = job(tmp_path / "a.hr", ranks)["servers_against_ranks"]["sentence"]
    assert "cannot tell a slow server from slow ranks" in sentence


def test_others_on_that_server_are_a_witness(tmp_path: Path) -> None:
    ranks: list[dict[str, Any]] = [{"ns": 10**8, "osts": str(rank % 4)} for rank in range(16)]
    ranks[3] |= {"ns": 10**9, "bytes": 10 * MIB}
    sentence = job(tmp_path / "a.hr", ranks)["servers_against_ranks"]["sentence"]
    assert "The other ranks did not need longer for a byte there than elsewhere." in sentence
    for rank in (7, 11, 15):
        ranks[rank] |= {"bytes": MIB // 4}
    sentence = job(tmp_path / "b.hr", ranks)["servers_against_ranks"]["sentence"]
    assert "The other ranks, too, needed 4 times as long for a byte there as elsewhere." in sentence


def test_nobody_is_slow(tmp_path: Path) -> None:
    against = job(tmp_path / "a.hr", [{"ns": 10**8 + rank, "osts": "1,2"} for rank in range(4)])
    facts = against["servers_against_ranks"]
    assert facts["slow"] == 0
    assert facts["sentence"].startswith("No rank is slow in these files")
    assert [row["io_ns"] for row in against["servers"]] == [2 * 10**8 + 3] * 2, (
        "parts, so that sums are right"
    )


def test_without_servers_or_ranks(tmp_path: Path) -> None:
    log = LogMaker()
    log.process(1)
    own = log.file(1, "/a", writes=1, bytes_written=8, write_ns=5)
    log.add("properties", process=1, record=own, key="lustre.osts", value="7, 3,3")
    facts = json.loads(command("show", log.write(tmp_path / "a.hr"), "--json").stdout)
    assert facts["servers_against_ranks"] is None
    assert [row["server"] for row in facts["servers"]] == ["3", "7"]
    nothing = LogMaker()
    nothing.process(1, rank=0, ranks=1, instance=1)
    facts = json.loads(command("show", nothing.write(tmp_path / "b.hr"), "--json").stdout)
    assert (facts["servers"], facts["servers_against_ranks"]) == ([], None)


@pytest.mark.parametrize("value", ["", ",", "x,y", "9" * 40, "-1"])
def test_lists_that_are_none(tmp_path: Path, value: str) -> None:
    facts = job(tmp_path / "a.hr", [{"ns": 10, "osts": value}, {"ns": 20, "osts": value}])
    assert isinstance(facts["servers"], list)
