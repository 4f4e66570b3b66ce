"""How the benchmark driver takes turns and what it reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import litter
from benchmarks.figures import estimate
from benchmarks.machine import cpu_model, file_system_type
from benchmarks.report import Cell, Result, Row, as_json, markdown
from benchmarks.rounds import Measure, Sample, Series, alternate, rotated
from benchmarks.variants import Variant, setting


def test_every_variant_leads_in_turn() -> None:
    order: list[str] = []

    def sample(variant: str) -> Sample:
        order.append(variant)
        return {"cost": float(len(order))}

    results = alternate([Measure("m", ("a", "b", "c"), sample)], 3, tell=lambda _: None)
    assert order == ["a", "b", "c", "b", "c", "a", "c", "a", "b"]
    assert results["m"]["cost"].values == {"a": [1, 6, 8], "b": [2, 4, 9], "c": [3, 5, 7]}
    assert rotated(["a", "b"], 7) == ["b", "a"]


def test_what_is_added_is_paired_by_round() -> None:
    series = Series({"bare": [100, 900], "headrace": [120, 920]})
    assert series.added("headrace").median == 20
    grown = Series({"bare": [110, 910], "headrace": [135, 935]}).minus(series)
    assert grown.added("headrace").median == 5


def result() -> Result:
    cells = [Cell("headrace", estimate([20.0] * 9), 25), Cell("peer", estimate([150.0] * 9))]
    row = Row("write", "1 B write", "ns CPU", estimate([450.0] * 9), cells)
    return Result({"kernel": "6.1"}, "python -m benchmarks", 9, {"headrace": "x.so"}, [row], ["a note"])


def test_the_report_has_goals_verdicts_and_the_command() -> None:
    text = markdown(result())
    assert "| 1 B write | ns CPU | 450 | headrace | +20.0 [+20.0 … +20.0] | ≤ +25 | met |" in text
    assert "| 1 B write | ns CPU | 450 | peer | +150 [+150 … +150] |  |  |" in text
    assert "python -m benchmarks" in text
    assert "- a note" in text
    assert json.loads(as_json(result()))["rows"][0]["cells"][1]["value"]["median"] == 150


def test_a_variant_s_settings_may_name_an_empty_directory() -> None:
    variant = Variant("peer", Path("/lib/peer.so"), settings=dict([setting("LOGS={scratch}/x=y")]))
    assert variant.environment(Path("/s")) == {"LOGS": "/s/x=y", "LD_PRELOAD": "/lib/peer.so"}
    for bad in ("LOGS", "=value"):
        with pytest.raises(ValueError, match="NAME=VALUE"):
            setting(bad)


def test_litter_is_what_appeared_and_is_ours(tmp_path: Path) -> None:
    own = tmp_path / "headrace-benchmarks-1"
    own.mkdir()
    (tmp_path / "headrace-old").touch()
    before = litter.entries(tmp_path)
    spool = tmp_path / "headrace-7" / "12.spool"
    spool.parent.mkdir()
    for path in (spool, tmp_path / "foreign", own / "file"):
        path.touch()
    assert litter.appeared(before, litter.entries(tmp_path), own) == {spool}


def test_machine_facts_are_read_from_text() -> None:
    assert cpu_model("processor: 0\nmodel name\t: Fast CPU @ 3 GHz\n") == "Fast CPU @ 3 GHz"
    mounts = "/dev/a / ext4 rw 0 0\ntmpfs /dev/shm tmpfs rw 0 0\ntmpfs /dev/sh ramfs rw 0 0\n"
    assert file_system_type(Path("/dev/shm/x"), mounts) == "tmpfs"
    assert file_system_type(Path("/dev/shmx"), mounts) == "ext4"
