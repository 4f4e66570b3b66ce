"""Records of iostat and sadf that lack something, count twice, or contradict themselves: they cost a gap."""

from __future__ import annotations

import itertools
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
    assert found == [(at(0), at(60)), (at(120), at(180)), (at(180), at(240))]
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


def _stamped(*stamps: str) -> dict[str, Any]:
    content = _minutes(*[[_steady()] for _ in stamps])
    for record, stamp in zip(content["sysstat"]["hosts"][0]["statistics"], stamps, strict=True):
        record["timestamp"] = stamp
    return content


def test_a_time_of_no_form_costs_its_record() -> None:
    content = _stamped("2026-11-24T12:00:00+0000", "garbage", "2026-11-24T12:02:00+0000")
    found = imported(content)
    assert [(row["start"], row["end"]) for row in rows(content)] == [(at(60), at(120))]
    assert "record 2" in found.problems[0] and "the record is left out" in found.problems[0]
    with pytest.raises(LogCorruptError, match="S_TIME_FORMAT"):
        imported(_stamped("x", "y", "z"))


def test_sadf_without_a_time_costs_its_record() -> None:
    content = sadf((600, 600, [_sadf_disk()]), (1200, 600, [_sadf_disk()]), (1800, 600, [_sadf_disk()]))
    content["sysstat"]["hosts"][0]["statistics"][1]["timestamp"] = {"date": "x"}
    assert len(rows(content)) == 2
    assert "record 2" in imported(content).problems[0]


def _sadf_disk() -> dict[str, Any]:
    return {"disk-device": "sda", "rkB": 10.0, "wkB": 0.0}


def test_records_out_of_order_count_once() -> None:
    minutes = [f"2026-11-24T12:0{minute}:00+0000" for minute in (0, 2, 1, 3)]
    found = rows(_stamped(*minutes))
    assert [(row["start"], row["end"], row["reads"]) for row in found] == [
        (at(60 * minute), at(60 * minute + 60), 600) for minute in range(3)
    ]
    assert any("order of their times" in told for told in imported(_stamped(*minutes)).notes)
    backwards = [f"2026-11-24T12:00:{second:02d}+0000" for second in (0, 10, 20, 15, 25, 35)]
    spans = sorted((row["start"], row["end"]) for row in rows(_stamped(*backwards)))
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert any("in part in another sample" in told for told in imported(_stamped(*backwards)).problems)


def test_a_figure_beyond_all_is_a_gap() -> None:
    content = _minutes([_steady()], [_steady()], [_steady(**{"rkB/s": 1e15, "rareq-sz": None})], [_steady()])
    assert len(rows(content)) == 2
    assert any("no device counts: a gap instead" in told for told in imported(content).problems)


def test_more_than_all_of_the_time_is_no_time() -> None:
    content = _minutes([_steady()], [_steady(util=100.4)], [_steady(util=180.0)])
    assert [row["busy_ms"] for row in rows(content)] == [60_000, None]
    (told,) = imported(content).problems
    assert "record 3" in told and "180%" in told


def test_byte_order_marks_and_blank_lines(tmp_path: Path) -> None:
    names = ["JobIDRaw", "Account", "State", "Start", "End", "NNodes"]
    values = ["7", "a", "COMPLETED", "2026-11-24T10:00:00", "2026-11-24T11:00:00", "1"]
    bare, quoted = (
        "".join("|".join(f(each) for each in row) + "\n" for row in (names, values))
        for f in (str, _in_quotes)
    )
    job = "job,start,end\n7,2026-11-24T10:00:00,2026-11-24T11:00:00\n"
    texts = {
        "mark.json": "\ufeff" + json.dumps(_minutes([_steady()], [_steady()])),
        "mark.txt": "\ufeff" + bare,
        "blank.txt": "\n\n" + bare,
        "quoted.txt": quoted,
        "mark.csv": "\ufeff" + job,
        "blank.csv": "\r\n" + job,
    }
    for number, (name, text) in enumerate(texts.items()):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        report = add(tmp_path / f"c{number}", [path])
        assert report.bad == [], name
        table = "samples" if name.endswith("json") else "scheduler_jobs"
        (row,) = catalog.open(tmp_path / f"c{number}").table(table).to_pylist()
        assert table == "samples" or row["job"] == "7", name


def _in_quotes(text: str) -> str:
    return f'"{text}"'


def test_utf_16_is_told(tmp_path: Path) -> None:
    for name, text in (("a.json", '{"sysstat": {}}'), ("a.txt", "JobIDRaw|Start\n")):
        (tmp_path / name).write_text(text, encoding="utf-16")
        report = add(tmp_path / "c", [tmp_path / name])
        assert "UTF-16" in str(report.bad), report.bad
