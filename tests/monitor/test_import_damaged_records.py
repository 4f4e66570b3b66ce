"""Records of iostat and sadf that lack something, count twice, or contradict themselves: they cost a gap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace._errors import LogCorruptError, LogForeignError
from headrace.catalog.add import add
from test_import_sysstat import at, disk, imported, iostat, rows, sadf


def _steady(name: str = "sda", **more: Any) -> dict[str, Any]:
    """10 reads a second of 100 KiB."""
    return disk(name, reads=10.0, read_kib=1000.0) | more


def _without(found: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key not in keys}


def _minutes(*disks: list[dict[str, Any]]) -> dict[str, Any]:
    return iostat(*((60 * number, each) for number, each in enumerate(disks)))


def test_a_group_of_iostat_is_its_disks_again() -> None:
    group = [_steady(), _steady("sdb"), _steady(" mygroup")]
    found = rows(_minutes(group, group))
    assert [(row["device"], row["read_bytes"]) for row in found] == [
        ("sda", 60 * 1000 * 1024),
        ("sdb", 60 * 1000 * 1024),
    ]
    assert any("' mygroup'" in told and "group" in told for told in imported(_minutes(group, group)).notes)


def test_a_catalog_takes_all_but_the_gap(tmp_path: Path) -> None:
    for name, content, said in [
        ("gap.json", _minutes([_steady()], [_steady()], [_without(_steady(), "rkB/s")], [_steady()]), 1),
        ("group.json", _minutes([_steady("sdx"), _steady(" all")], [_steady("sdx"), _steady(" all")]), 0),
    ]:
        path = tmp_path / name
        path.write_text(json.dumps(content))
        report = add(tmp_path / "c", [path])
        assert len(report.bad) == said, report.bad
    found = catalog.open(tmp_path / "c").table("samples")
    assert sorted(found["device"].to_pylist()) == ["sda", "sda", "sdx"]


def test_groups_alone_are_refused_with_the_option_that_left_the_disks_out() -> None:
    with pytest.raises(LogForeignError, match="without -T"):
        imported(_minutes([_steady(" mygroup")], [_steady(" mygroup")]))


def test_partitions_by_persistent_names_are_left_out() -> None:
    disks = [_steady("ata-ST1000-part1"), _steady("ata-ST1000"), _steady("wwn-0x5-part2")]
    assert {row["device"] for row in rows(_minutes(disks, disks))} == {"ata-ST1000", "wwn-0x5-part2"}


@pytest.mark.parametrize("missing", [("wkB/s",), ("rkB/s", "r/s"), ("disk_device",)])
def test_a_record_without_a_field_is_a_gap(missing: tuple[str, ...]) -> None:
    whole = [_steady(), _steady("sdb")]
    broken = [_without(whole[0], *missing), whole[1]]
    content = _minutes(whole, whole, broken, whole)
    assert [(row["device"], row["start"]) for row in rows(content)] == [
        ("sda", at(0)), ("sdb", at(0)), ("sdb", at(60)), ("sda", at(120)), ("sdb", at(120)),
    ]  # fmt: skip
    gaps = [(row["device"], row["start"], row["end"]) for row in rows(content, "sample_gaps")]
    assert gaps == [("sda", at(60), at(120))]
    assert any("record 3" in told for told in imported(content).problems)


@pytest.mark.parametrize("value", [-10.0, "10,5", float("nan"), float("inf"), True, [], 1e300])
def test_a_record_with_a_figure_that_cannot_be_is_a_gap(value: object) -> None:
    """iostat prints negative figures where a counter began anew, and nan where it divided by zero."""
    content = _minutes([_steady()], [_steady()], [_steady(**{"r/s": value}), _steady("sdb")], [_steady()])
    found = imported(content)
    assert [row["device"] for row in rows(content)] == ["sda", "sdb", "sda"]
    assert [told for told in found.problems if "which no disk can have: a gap instead" in told]
    gaps = [gap["device"] for gap in rows(content, "sample_gaps")]
    assert "sda" in gaps


@pytest.mark.parametrize("disks", [None, "sda", 5, [_steady(disk_device=None)], ["x"], {"sda": 1}])
def test_a_record_of_another_form_is_left_out(disks: Any) -> None:
    found = imported(_minutes([_steady()], [_steady()], disks, [_steady()]))
    assert [told for told in found.problems if "record 3" in told and "the record is left out" in told]
    assert len(rows(_minutes([_steady()], [_steady()], disks, [_steady()]))) == 2


def test_a_record_that_is_no_object_is_left_out() -> None:
    content = _minutes([_steady()], [_steady()], [_steady()])
    content["sysstat"]["hosts"][0]["statistics"].insert(2, "x")
    assert len(rows(content)) == 2
    assert any("record 3 of" in told and "is no object" in told for told in imported(content).problems)


def test_the_last_record_without_a_field_is_a_gap_too() -> None:
    content = _minutes([_steady()], [_steady()], [_without(_steady(), "rkB/s")])
    gaps = [(row["device"], row["start"], row["end"]) for row in rows(content, "sample_gaps")]
    assert gaps == [("sda", at(60), at(120))]


def test_null_is_no_figure() -> None:
    content = _minutes([_steady()], [_steady()], [_steady() | {"rkB/s": None}], [_steady(r_await=None)])
    assert [(row["start"], row["read_ms"]) for row in rows(content)] == [(at(0), None), (at(120), None)]


def test_a_record_without_its_time_is_left_out() -> None:
    content = _minutes(*[[_steady()]] * 5)
    del content["sysstat"]["hosts"][0]["statistics"][2]["timestamp"]
    found = [(row["start"], row["end"]) for row in rows(content)]
    assert found == [(at(0), at(60)), (at(180), at(240))]
    assert any("record 3" in told and "no time" in told for told in imported(content).problems)


def test_a_field_that_no_record_has_says_what_to_run() -> None:
    short = _without(_steady(), "rkB/s", "wkB/s") | {"kB/s": 3.0, "await": 1.0}
    with pytest.raises(LogCorruptError, match="without -s"):
        imported(_minutes([short], [short]))


def test_sadf_without_a_field_is_a_gap() -> None:
    def one(**more: float) -> list[dict[str, Any]]:
        return [{"disk-device": "sda", "tps": 1.0, "rkB": 4.0, "wkB": 0.0} | more]

    broken = [_without(one()[0], "rkB")]
    content = sadf((60, 60, one()), (120, 60, broken), (180, 60, one()))
    assert [row["start"] for row in rows(content)] == [at(0), at(120)]
    assert [(row["device"], row["start"]) for row in rows(content, "sample_gaps")] == [("sda", at(60))]


@pytest.mark.parametrize(
    "changes",
    [
        {"rareq-sz": 200.0},  # kB of a read: 10 a second of 200 kB are 2,000 kB a second
        {"r/s": 0.0, "rareq-sz": 100.0},
        {"wareq-sz": 4.0, "w/s": 32.0, "wkB/s": 12.0},
        {"avgrq-sz": 800.0},  # of old versions, in sectors and of both directions
        {"rrqm/s": 0.0, "rareq-sz": 0.0},
    ],
)
def test_figures_that_contradict_each_other_are_a_gap(changes: dict[str, float]) -> None:
    content = _minutes([_steady()], [_steady()], [_steady(**changes)], [_steady()])
    assert [row["start"] for row in rows(content)] == [at(0), at(120)]
    told = [each for each in imported(content).problems if "record 3" in each]
    assert len(told) == 1
    assert "contradict" in told[0]


@pytest.mark.parametrize(
    "figures",
    [
        {"rareq-sz": 100.0},
        {"rareq-sz": 100.4},  # rounded
        {"r/s": 0.01, "rareq-sz": 4.0, "rkB/s": 0.05},  # of 0.0125 reads a second
        {"w/s": 32.0, "wareq-sz": 4.0, "wkB/s": 128.0},
        {"avgrq-sz": 200.0},
    ],
)
def test_rounded_figures_contradict_nothing(figures: dict[str, float]) -> None:
    content = _minutes([_steady()], [_steady(**figures)])
    assert len(rows(content)) == 1
    assert imported(content).problems == []


def test_megabytes_are_rounded_more() -> None:
    one = _without(_steady(), "rkB/s", "wkB/s") | {"rMB/s": 0.0, "wMB/s": 0.12, "r/s": 0.0, "w/s": 32.0}
    content = _minutes([one], [one | {"wareq-sz": 4.0}])
    assert len(rows(content)) == 1
    assert imported(content).problems == []


def test_sadf_contradicts_itself() -> None:
    def one(**more: float) -> list[dict[str, Any]]:
        return [{"disk-device": "sda", "tps": 10.0, "rkB": 40.0, "wkB": 60.0, "areq-sz": 10.0} | more]

    content = sadf((60, 60, one()), (120, 60, one(**{"areq-sz": 400.0})), (180, 60, one()))
    assert [row["start"] for row in rows(content)] == [at(0), at(120)]
    assert any("contradict" in told for told in imported(content).problems)
