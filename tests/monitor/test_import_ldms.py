"""Importing CSV of LDMS: counters of which the differences are exact."""

from __future__ import annotations

import csv
import datetime
import io
from pathlib import Path
from typing import Any

import pytest
from headrace import _errors, foreign_samples
from hypothesis import given, settings
from hypothesis import strategies as st

BASE = 1_795_521_600  # 2026-11-24T12:00:00Z
FIELDS: tuple[str, ...] = (
    "reads_comp",
    "reads_merg",
    "sect_read",
    "time_read",
    "writes_comp",
    "writes_merg",
    "sect_written",
)
FIELDS += (
    "time_write",
    "ios_in_progress",
    "time_ios",
    "weighted_time",
    "disk.byte_read",
    "disk.byte_written",
)
HEAD = "#Time,Time_usec,ProducerName,component_id,job_id,app_id"


def at(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(BASE + seconds, datetime.timezone.utc)


def disk_header(*devices: str) -> str:
    names = [f"{field}{rate}#{device}" for device in devices for field in FIELDS for rate in ("", ".rate")]
    return ",".join([HEAD, *names])


def disk_line(seconds: int, count: int, host: str = "oss1", devices: int = 1, **others: int) -> str:
    """Every counter is `count`, with a rate beside it as LDMS writes it."""
    values = [f"{others.get(field, count)},0.500000" for _ in range(devices) for field in FIELDS]
    return ",".join([f"{BASE + seconds}.002500,2500,{host},1,0,0", *values])


def imported(*lines: str, end: str = "\n") -> foreign_samples.Imported:
    return foreign_samples.parse(Path("disks.csv"), ("\n".join(lines) + end).encode())


def rows(*lines: str, table: str = "samples") -> list[dict[str, Any]]:
    found = imported(*lines)
    assert found.problems == []
    return found.tables[table].to_pylist() if table in found.tables else []


def test_differences_of_diskstats() -> None:
    (row,) = rows(disk_header("sda"), disk_line(0, 1000), disk_line(10, 1007))
    assert row == {
        "host": "oss1", "boot": "", "kind": "block", "device": "sda", "start": at(0.0025), "end": at(10.0025),
        "reads": 7, "read_bytes": 7 * 512, "writes": 7, "write_bytes": 7 * 512, "read_ms": 7, "write_ms": 7,
        "busy_ms": 7, "queue_ms": 7, "metadata": None,
    }  # fmt: skip


def test_hosts_and_devices_are_kept_apart() -> None:
    lines = [
        disk_line(step, step * scale, host, 2) for step in (0, 10) for host, scale in (("a", 1), ("b", 5))
    ]
    found = {(row["host"], row["device"]): row["reads"] for row in rows(disk_header("sda", "dm-0"), *lines)}
    assert found == {("a", "sda"): 10, ("a", "dm-0"): 10, ("b", "sda"): 50, ("b", "dm-0"): 50}


def test_partitions_are_left_out() -> None:
    header = disk_header("sda", "sda1", "loop0")
    assert {
        row["device"] for row in rows(header, disk_line(0, 1, devices=3), disk_line(1, 2, devices=3))
    } == {"sda"}


def test_holes_resets_wraps_and_clocks() -> None:
    lines = [(0, 100), (10, 110), (40, 140), (50, 3), (60, 4), (20, 5), (30, 6), (40, 7)]
    text = [disk_header("sda"), *(disk_line(when, count) for when, count in lines)]
    found = imported(*text)
    assert found.tables["samples"]["reads"].to_pylist() == [10, 30, 1], (
        "what is in another sample is left out"
    )
    assert len(found.problems) == 2 and all("in part in another sample" in told for told in found.problems)
    gaps = [(gap["start"], gap["end"], gap["reason"]) for gap in found.tables["sample_gaps"].to_pylist()]
    moments = [(10, 40, "missed"), (40, 50, "reset"), (60, 20, "imported")]
    assert gaps == [(at(a + 0.0025), at(b + 0.0025), why) for a, b, why in moments]
    wrapped = [disk_line(0, 5, time_ios=2**32 - 10), disk_line(10, 6, time_ios=90)]
    assert rows(disk_header("sda"), *wrapped)[0]["busy_ms"] == 100


@pytest.mark.parametrize("seconds", [1, 10, 60, 240])
@pytest.mark.parametrize(
    "back", [("time_read", "time_ios"), ("time_read",), ("time_ios",), ("weighted_time",)]
)
def test_a_machine_that_soon_counts_more_than_before_was_started_again(
    back: tuple[str, ...], seconds: int
) -> None:
    """Its milliseconds alone are fewer, which do not wrap in so short a time."""
    lines = [
        disk_line(0, 800, **dict.fromkeys(back, 900)),
        disk_line(seconds, 1000, **dict.fromkeys(back, 300)),
    ]
    text = [disk_header("sda"), *lines, disk_line(2 * seconds, 1010)]
    assert [row["busy_ms"] for row in rows(*text)] == [1010 - (300 if "time_ios" in back else 1000)]
    assert [gap["reason"] for gap in rows(*text, table="sample_gaps")] == ["reset"]


@given(
    st.integers(1, 3600), st.floats(0, 1), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1),
    st.integers(0, 4096),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_wraps_are_seen_wherever_they_fall(
    seconds: int, share: float, busy: int, read: int, depth: int
) -> None:
    """Of a disk with up to so many requests at a time."""
    grown = int(1000 * seconds * share)
    first = disk_line(0, 5, time_ios=busy, time_read=read)
    second = disk_line(seconds, 6, time_ios=(busy + grown) % 2**32, time_read=(read + grown * depth) % 2**32)
    (row,) = rows(disk_header("sda"), first, second)
    assert (row["busy_ms"], row["read_ms"]) == (grown, grown * depth % 2**32)


def test_lines_that_are_there_twice_count_once() -> None:
    lines = [disk_line(0, 1), disk_line(10, 5), disk_line(10, 5), disk_line(20, 6)]
    assert [row["reads"] for row in rows(disk_header("sda"), *lines)] == [4, 1]
    assert rows(disk_header("sda"), *lines, table="sample_gaps") == []


def test_targets_of_lustre() -> None:
    common = f"{HEAD.removesuffix(',job_id,app_id')},fs_name"
    ost = [
        f"{common},ost,read_bytes.sum,write_bytes.sum,setattr,punch,sync,statfs,ping,filesfree",
        f"{BASE}.000000,0,oss1,1,scratch,scratch-OST0000,4096,100,1,1,1,1,50,9",
        f"{BASE + 60}.000000,0,oss1,1,scratch,scratch-OST0000,8192,350,2,3,1,1,99,8",
    ]
    (row,) = rows(*ost)
    assert (row["kind"], row["device"]) == ("lustre_ost", "scratch-OST0000")
    assert (row["read_bytes"], row["write_bytes"], row["metadata"], row["reads"]) == (4096, 250, 3, None)
    mdt = [
        f"{common},mdt,open,close,close.sum,rename,samedir_rename",
        f"{BASE}.000000,0,mds1,1,scratch,scratch-MDT0000,1,1,900,0,0",
        f"{BASE + 60}.000000,0,mds1,1,scratch,scratch-MDT0000,11,10,4900,1,1",
    ]
    (row,) = rows(*mdt)
    assert (row["kind"], row["metadata"], row["read_bytes"]) == ("lustre_mdt", 20, None)
    client = [
        f"{common},llite,read_bytes.sum,write_bytes.sum,brw_read.sum,open,read,write",
        f"{BASE}.000000,0,n1,1,scratch,scratch-ffff,0,0,0,0,0,0",
        f"{BASE + 60}.000000,0,n1,1,scratch,scratch-ffff,10,20,99,1,2,3",
    ]
    (row,) = rows(*client)
    assert (row["kind"], row["reads"], row["read_bytes"], row["writes"], row["metadata"]) == (
        "lustre_llite",
        2,
        10,
        3,
        1,
    )
    oss = [
        f"{HEAD},oss.lstats.read_bytes#ost.fs-OST0001,oss.lstats.read_bytes.rate#ost.fs-OST0001,oss.lstats.write_bytes#ost.fs-OST0001",
        f"{BASE}.000000,0,oss1,1,0,0,0,0.0,0",
        f"{BASE + 60}.000000,0,oss1,1,0,0,70,1.2,80",
    ]
    (row,) = rows(*oss)
    assert (row["device"], row["read_bytes"], row["write_bytes"]) == ("fs-OST0001", 70, 80)


def test_forms_of_the_header() -> None:
    """Milliseconds, quotes, user data, and a header again where files were put together."""
    header = disk_header("sda").replace("#Time,", "#Time_msec,")
    lines = [
        disk_line(step, step).replace(f"{BASE + step}.002500,2500", f"{BASE + step}002,500")
        for step in (0, 9)
    ]
    (row,) = rows(header, *lines)
    assert (row["start"], row["end"]) == (at(0.0025), at(9.0025))
    quoted = "#" + ",".join(f'"{name}"' for name in disk_header("sda")[1:].split(","))
    assert len(rows(quoted, disk_line(0, 1), disk_line(1, 2), quoted, disk_line(2, 5))) == 2
    user = f"{HEAD},reads_comp#sda.userdata,reads_comp#sda.value"
    (row,) = rows(user, f"{BASE}.000000,0,a,1,0,0,77,5", f"{BASE + 1}.000000,0,a,1,0,0,77,8")
    assert (row["reads"], row["read_bytes"]) == (3, None)


def test_lines_that_cannot_be_read_are_said() -> None:
    good = [disk_header("sda"), disk_line(0, 1), disk_line(10, 2)]
    for bad, said in (
        (disk_line(20, 3)[:60], "line 4: has"),
        (disk_line(20, 3).replace(f"{BASE + 20}.002500", "noon"), "its time 'noon' is no number of seconds"),
        (disk_line(20, 3).replace(",3,", ",-3,"), "'sda' is no integer"),
        (disk_line(20, 3).replace(",3,", ",3.5,"), "'sda' is no integer"),
    ):
        found = imported(*good, bad, disk_line(30, 5))
        assert [row["reads"] for row in found.tables["samples"].to_pylist()] == [1, 3]
        assert [gap["reason"] for gap in found.tables["sample_gaps"].to_pylist()] == ["missed"]
        assert said in found.problems[0]
    found = imported(*good, disk_line(20, 12345), end="")
    assert found.tables["samples"].num_rows == 1
    assert "its last line is not whole" in found.problems[0]
    many = imported(*good, *["x"] * 100)
    assert len(many.problems) == 21
    assert "… and more" in many.problems[-1]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("#Time,ProducerName,reads_comp#sda", "no column 'Time_usec'"),
        ("#Time,Time_usec,ProducerName,reads_comp#sda,reads_comp#sda", "'reads_comp#sda' twice"),
        ("#Time,Time_usec,ProducerName,MemFree", "those that docs/monitor.md lists"),
        (
            "#Time,Time_usec,ProducerName,ost,job_id,snapshot_time,read_bytes.sum",
            "those that docs/monitor.md lists",
        ),
        ("Time,Time_usec,ProducerName,reads_comp#sda", "CSV of LDMS with its line '#Time,…' in front"),
    ],
)
def test_headers_that_do_not_do(header: str, said: str) -> None:
    with pytest.raises(_errors.LogError) as caught:
        imported(header, disk_line(0, 1))
    assert said in str(caught.value)


def test_counters_that_no_device_has() -> None:
    huge = disk_line(10, 1, sect_read=10**20 - 1)
    with pytest.raises(_errors.LogForeignError, match=r"read_bytes of 'sda' would be .* no device counts"):
        imported(disk_header("sda"), disk_line(0, 1), huge)
    found = imported(disk_header("sda"), disk_line(-20, 0), disk_line(-10, 1), disk_line(0, 1), huge)
    assert found.tables["samples"].num_rows == 2 and "a gap instead" in found.problems[0]
    assert found.tables["sample_gaps"].num_rows == 1


def test_lines_out_of_order_are_put_in_order() -> None:
    text = [disk_header("sda"), *(disk_line(when, 10 + when) for when in (0, 20, 10, 30))]
    found = imported(*text)
    assert found.tables["samples"]["reads"].to_pylist() == [10, 10, 10]
    assert any("order of their times" in told for told in found.notes)


cells = st.text(max_size=6) | st.integers(-5, 2**66).map(str) | st.just(f"{BASE}.5") | st.just("nan")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(cells, min_size=1, max_size=7), max_size=5))
def test_any_lines_are_read_or_refused(lines: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows(
        [["#Time", "Time_usec", "ProducerName", "reads_comp#sda", "sect_read#sda"], *lines]
    )
    try:
        found = imported(text.getvalue())
    except _errors.LogError:
        return
    assert all(row["reads"] >= 0 for row in found.tables["samples"].to_pylist())


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=20))
@settings(max_examples=50, deadline=None)
def test_sums_are_exact(steps: list[int]) -> None:
    counts = [sum(steps[: number + 1]) for number in range(len(steps))]
    lines = (
        disk_line(when, count, time_ios=0) for when, count in enumerate(counts)
    )  # busy: no longer than time
    found = rows(disk_header("sda"), *lines)
    assert sum(row["read_bytes"] for row in found) == (counts[-1] - counts[0]) * 512


figure = st.one_of(st.integers(0, 10**6), st.integers(0, 2**63), st.sampled_from([2**32, 2**53, 2**63 - 1]))


@given(
    st.lists(st.tuples(st.integers(1, 600), st.fixed_dictionaries(dict.fromkeys(FIELDS, figure))), max_size=6)
)
def test_no_sample_says_more_than_a_device_can_do(steps: list[tuple[int, dict[str, int]]]) -> None:
    """Whatever stands in the counters, as after a disk of other units or a damaged file."""
    when, lines = 0, [disk_line(0, 0)]
    for seconds, counters in steps:
        when += seconds
        lines.append(disk_line(when, 0, **counters))
    try:
        found = imported(disk_header("sda"), *lines)
    except _errors.HeadraceError:
        return
    for row in found.tables["samples"].to_pylist():
        seconds = (row["end"] - row["start"]).total_seconds()
        assert max(row["read_bytes"], row["write_bytes"]) <= seconds * 2**44
        assert row["busy_ms"] <= 1100 * seconds + 2000


def test_petabytes_in_a_second_are_a_gap_that_is_said() -> None:
    found = imported(
        disk_header("sda"),
        disk_line(0, 1),
        disk_line(1, 2, sect_read=2**45),
        disk_line(2, 3, sect_read=2**45),
    )
    assert [row["read_bytes"] for row in found.tables["samples"].to_pylist()] == [0]
    (said,) = found.problems
    assert "which no device moves" in said
    assert len(found.tables["sample_gaps"]) == 1
