"""Importing JSON of iostat and sadf: by hand, where every figure is known, and broken in every way."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from headrace import _errors, catalog, foreign_samples
from headrace.catalog import add
from hypothesis import given, settings
from hypothesis import strategies as st

UTC = datetime.timezone.utc
NOON = datetime.datetime(2026, 11, 24, 12, tzinfo=UTC)


def at(seconds: float) -> datetime.datetime:
    return NOON + datetime.timedelta(seconds=seconds)


def disk(name: str = "sda", **rates: float) -> dict[str, Any]:
    keys = {"reads": "r/s", "writes": "w/s", "read_kib": "rkB/s", "write_kib": "wkB/s", "util": "util"}
    plain = dict.fromkeys(keys, 0.0) | rates
    return {"disk_device": name, **{keys[key]: value for key, value in plain.items()}}


def iostat(*records: tuple[float, list[dict[str, Any]]]) -> dict[str, Any]:
    rows = [{"timestamp": f"{at(when):%Y-%m-%dT%H:%M:%S+0000}", "disk": disks} for when, disks in records]
    return {"sysstat": {"hosts": [{"nodename": "oss1", "statistics": rows}]}}


def sadf(*records: tuple[float, int, list[dict[str, Any]]], boots: list[float] = ()) -> dict[str, Any]:  # type: ignore[assignment]
    rows = [{"timestamp": stamp(when, interval=length), "disk": disks} for when, length, disks in records]
    restarts = [{"boot": stamp(boot)} for boot in boots]
    return {"sysstat": {"hosts": [{"nodename": "oss1", "statistics": rows, "restarts": restarts}]}}


def stamp(when: float, **more: int) -> dict[str, Any]:
    return {"date": f"{at(when):%Y-%m-%d}", "time": f"{at(when):%H:%M:%S}", "utc": 1, **more}


def imported(content: object) -> foreign_samples.Imported:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return foreign_samples.parse(Path("io.json"), text)


def rows(content: object, table: str = "samples") -> list[dict[str, Any]]:
    tables = imported(content).tables
    return tables[table].to_pylist() if table in tables else []


def test_rates_of_iostat_become_counts_of_their_interval() -> None:
    busy = disk(reads=10.5, writes=2.0, read_kib=512.0, write_kib=0.25, util=50.0)
    more = {"r_await": 2.0, "w_await": 0.5, "aqu-sz": 0.1}
    first, second = rows(iostat((0, [disk(reads=99)]), (60, [busy | more]), (120, [disk()])))
    assert first == {
        "host": "oss1", "boot": "", "kind": "block", "device": "sda", "start": at(0), "end": at(60),
        "reads": 630, "read_bytes": 512 * 1024 * 60, "writes": 120, "write_bytes": 15 * 1024,
        "read_ms": 1260, "write_ms": 60, "busy_ms": 30_000, "queue_ms": 6000, "metadata": None,
    }  # fmt: skip
    assert (second["start"], second["end"], second["reads"]) == (at(60), at(120), 0)
    assert (second["read_ms"], second["queue_ms"]) == (None, None)


@pytest.mark.parametrize(
    ("keys", "read_bytes", "write_bytes"),
    [
        ({"rsec/s": 2.0, "wsec/s": 1.0}, 10_240, 5_120),
        ({"rMB/s": 0.5, "wMB/s": 1.0}, 5 << 20, 10 << 20),
        ({"rGB/s": 0.01, "wGB/s": 0.0}, 107_374_182, 0),
        ({"tps": 7.0, "kB_read/s": 0.1, "kB_wrtn/s": 0.2, "kB_read": 3, "kB_wrtn": 5}, 3072, 5120),
        ({"tps": 7.0, "MB_read/s": 0.1, "MB_wrtn/s": 0.2, "MB_read": 1, "MB_wrtn": 2}, 1 << 20, 2 << 20),
        ({"tps": 7.0, "Blk_read/s": 0.1, "Blk_wrtn/s": 0.2, "Blk_read": 1, "Blk_wrtn": 2}, 512, 1024),
    ],
)
def test_units_of_iostat(keys: dict[str, float], read_bytes: int, write_bytes: int) -> None:
    one = {"disk_device": "sda", **keys}
    (row,) = rows(iostat((0, [one]), (10, [one])))
    assert (row["read_bytes"], row["write_bytes"]) == (read_bytes, write_bytes)
    assert (row["reads"], row["busy_ms"]) == (None, None)  # the disk's transfers together are neither


def test_stamps_drift_by_a_second_and_the_sum_fits_the_clock() -> None:
    """alarm() comes a little late each time, so that once a stamp jumps by two."""
    found = rows(iostat(*((when, [disk(reads=100)]) for when in (0, 1, 2, 3, 5, 6))))
    assert [found[0]["start"], found[-1]["end"]] == [at(0), at(6)]
    assert [row["reads"] for row in found] == [100, 100, 100, 200, 100]  # six seconds in five records


steps = st.sampled_from([1, 2, 9, 10, 11, 10, 10, 300, -50, 0])


@settings(max_examples=200, deadline=None)
@given(st.lists(steps, min_size=1, max_size=30), st.lists(st.integers(9, 11), max_size=30), st.data())
def test_what_comes_later_changes_no_sample(
    steps: list[int], lengths: list[int], data: st.DataObject
) -> None:
    """Exported at noon and again at midnight, a catalog knows the samples of the morning by their spans."""
    moments = [10_000 + sum(steps[:number]) for number in range(len(steps))]
    one = [{"disk-device": "sda", "rkB": 1.0, "wkB": 2.0}]
    of_iostat = iostat(*((when, [disk(reads=1)]) for when in moments))
    of_sadf = sadf(*((when, length, one) for when, length in zip(moments, lengths, strict=False)))
    for content in (of_iostat, of_sadf):
        records = content["sysstat"]["hosts"][0]["statistics"]
        try:
            whole = rows(content)
        except _errors.LogForeignError:
            continue
        del records[data.draw(st.integers(0, len(records))) :]
        try:
            begin = rows(content)
        except _errors.LogForeignError:
            begin = []
        assert begin == whole[: len(begin)]


def test_samples_that_are_exported_again_with_more_count_once(tmp_path: Path) -> None:
    """sadc comes a little late now and then, and its interval is rounded."""
    one = [{"disk-device": "sda", "rkB": 100.0, "wkB": 0.0}]
    records = [(600 * number + (number % 3 == 2), 600, one) for number in range(1, 144)]
    for name, several in (("noon", records[:72]), ("midnight", records)):
        (tmp_path / f"{name}.json").write_text(json.dumps(sadf(*several)))
    add.add(tmp_path / "c", sorted(tmp_path.glob("*.json")))
    query = "SELECT count(*), sum(read_bytes) FROM device_minutes"
    counted, read = catalog.open(tmp_path / "c").connect().execute(query).fetchone()
    assert (counted, read) == (143, records[-1][0] * 100 * 1024)


def test_a_clock_that_is_put_and_a_stop_are_gaps() -> None:
    content = iostat(*((when, [disk(reads=1)]) for when in (0, 10, 20, 3000, 3010, 50, 60)))
    assert [(row["start"], row["end"]) for row in rows(content)] == [
        (at(0), at(10)), (at(10), at(20)), (at(3000), at(3010)), (at(50), at(60)),
    ]  # fmt: skip
    assert rows(content, "sample_gaps") == [
        {"host": "oss1", "device": "", "start": at(20), "end": at(3000), "reason": "imported"},
        {"host": "oss1", "device": "", "start": at(3010), "end": at(50), "reason": "imported"},
    ]


def test_a_device_that_is_away_has_a_gap_of_its_own() -> None:
    content = iostat((0, []), (10, [disk(), disk("sdb")]), (20, [disk()]), (30, [disk(), disk("sdb")]))
    assert rows(content, "sample_gaps") == [
        {"host": "oss1", "device": "sdb", "start": at(10), "end": at(20), "reason": "imported"}
    ]


def test_partitions_and_disks_of_memory_are_left_out() -> None:
    names = [
        "sda",
        "sda1",
        "nvme0n1",
        "nvme0n1p2",
        "nvme1n1",
        "loop0",
        "zram1",
        "dm-0",
        "md127",
        "ramdisk",
        "sdb2",
    ]
    disks = [disk(name) for name in names]
    found = {row["device"] for row in rows(iostat((0, disks), (1, disks)))}
    assert found == {"sda", "nvme0n1", "nvme1n1", "dm-0", "md127", "ramdisk", "sdb2"}


def test_local_times_are_those_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    __import__("time").tzset()
    try:
        for text in (
            "11/24/26 13:00:{}",
            "11/24/2026 01:00:{} PM",
            "24.11.2026 13:00:{}",
            "2026-11-24T12:00:{}Z",
        ):
            content = iostat((0, [disk()]), (1, [disk()]))
            for number, record in enumerate(content["sysstat"]["hosts"][0]["statistics"]):
                record["timestamp"] = text.format(f"{number:02}")
            assert rows(content)[0]["start"] == NOON
        content = sadf((3600, 10, [{"disk-device": "sda", "rkB": 0.0, "wkB": 0.0}]))
        content["sysstat"]["hosts"][0]["statistics"][0]["timestamp"]["utc"] = 0
        assert rows(content)[0]["end"] == NOON
    finally:
        monkeypatch.undo()
        __import__("time").tzset()


def test_the_hour_that_is_there_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Summer ends at 02:00 in Chicago: local stamps go from 01:59 to 01:00 again."""
    monkeypatch.setenv("TZ", "America/Chicago")
    __import__("time").tzset()
    begin = datetime.datetime(2026, 11, 1, 5, 30, tzinfo=UTC)
    moments = [begin + datetime.timedelta(minutes=15 * number) for number in range(12)]
    try:
        local = [moment.astimezone().replace(tzinfo=None) for moment in moments]
        content = iostat(*((0, [disk(reads=1)]) for _ in moments))
        for record, moment in zip(content["sysstat"]["hosts"][0]["statistics"], local, strict=True):
            record["timestamp"] = f"{moment:%m/%d/%y %H:%M:%S}"
        of_sadf = sadf(*((0, 900, [{"disk-device": "sda", "rkB": 0.0, "wkB": 0.0}]) for _ in moments))
        for record, moment in zip(of_sadf["sysstat"]["hosts"][0]["statistics"], local, strict=True):
            record["timestamp"] |= {"date": f"{moment:%Y-%m-%d}", "time": f"{moment:%H:%M:%S}", "utc": 0}
        assert [row["end"] for row in rows(content)] == moments[1:]
        assert [row["end"] for row in rows(of_sadf)] == moments
        assert rows(content, "sample_gaps") == rows(of_sadf, "sample_gaps") == []
        (tmp_path / "io.json").write_text(json.dumps(content))
        add.add(tmp_path / "c", [tmp_path / "io.json"])
        found = catalog.open(tmp_path / "c").connect().execute("SELECT count(*) FROM device_minutes")
        assert found.fetchone() == (11,)
    finally:
        monkeypatch.undo()
        __import__("time").tzset()


def test_sadf_knows_bytes_and_no_numbers_of_reads() -> None:
    old = {
        "disk-device": "dev8-0",
        "tps": 5.0,
        "rd_sec": 2.0,
        "wr_sec": 4.0,
        "avgqu-sz": 0.5,
        "util-percent": 10.0,
    }
    new = {"disk-device": "dev8-0", "tps": 5.0, "rkB": 1.0, "wkB": 2.0, "aqu-sz": 0.5, "util-percent": 10.0}
    for one in (old, new):
        (row,) = rows(sadf((600, 600, [one])))
        assert row == {
            "host": "oss1", "boot": "", "kind": "block", "device": "dev8-0", "start": at(0), "end": at(600),
            "reads": None, "read_bytes": 600 << 10, "writes": None, "write_bytes": 1200 << 10,
            "read_ms": None, "write_ms": None, "busy_ms": 60_000, "queue_ms": 300_000, "metadata": None,
        }  # fmt: skip


def test_restarts_and_holes_of_sadf_are_gaps() -> None:
    one = [{"disk-device": "sda", "rkB": 0.0, "wkB": 0.0}]
    content = sadf((600, 600, one), (1800, 600, one), (5000, 600, one), (4000, 300, one), boots=[3000])
    assert [(gap["start"], gap["end"], gap["reason"]) for gap in rows(content, "sample_gaps")] == [
        (at(600), at(1200), "imported"), (at(1800), at(4400), "reboot"), (at(5000), at(3700), "clock"),
    ]  # fmt: skip
    del content["sysstat"]["hosts"][0]["restarts"]
    for record in content["sysstat"]["hosts"][0]["statistics"]:
        record["timestamp"]["tz"] = "UTC"  # as of later versions
        del record["timestamp"]["utc"]
    assert [gap["reason"] for gap in rows(content, "sample_gaps")] == ["imported", "imported", "clock"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"r/s": "many"}, "record 2: 'sda': 'r/s' is 'many'"),
        ({"r/s": -1.0}, "'r/s' is '-1.0', which no disk can have"),
        ({"r/s": 1e300}, "which no disk can have"),
        ({"r/s": 10**400}, "which no disk can have"),
        ({"r/s": True}, "which no disk can have"),
        ({"r/s": 9e18}, "which no device counts"),
        ({"rkB/s": None}, "has no 'rkB/s' nor the same in another unit"),
        ({"disk_device": ""}, "record 2: a disk has no name"),
        ({"disk_device": 7}, "a disk has no name"),
        ({"disk_device": "sd\ud800"}, "record 2: a disk has no name that is text"),
    ],
)
def test_figures_that_cannot_be(change: dict[str, Any], said: str) -> None:
    with pytest.raises(_errors.LogCorruptError, match=r"io\.json") as caught:
        imported(iostat((0, []), (60, [disk() | change])))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("statistics", 1, "timestamp"), "gestern", "set S_TIME_FORMAT=ISO"),
        (("statistics", 1, "timestamp"), None, "run iostat with -t"),
        (
            ("statistics", 1, "timestamp"),
            {"date": "2026-13-01", "time": "00:00:00"},
            "has no 'date' and 'time'",
        ),
        (("statistics", 1, "disk"), 5, "record 2: 'disk' is no list of objects"),
        (("statistics", 1), "x", "record 2 of 'oss1' is no object"),
        (("statistics",), None, "needs its 'nodename' and 'statistics'"),
        (("nodename",), "", "needs its 'nodename'"),
        (("nodename",), "oss\udfff1", "needs its 'nodename'"),
        (("nodename",), "x" * 256, "needs its 'nodename'"),
    ],
)
def test_records_of_another_form(path: tuple[Any, ...], value: Any, said: str) -> None:
    content = iostat((0, []), (60, [disk()]))
    into = content["sysstat"]["hosts"][0]
    for key in path[:-1]:
        into = into[key]
    into[path[-1]] = value
    with pytest.raises((_errors.LogCorruptError, _errors.LogForeignError)) as caught:
        imported(content)
    assert said in str(caught.value)


def test_short_reports_and_missing_devices_say_what_to_run() -> None:
    short = {"disk_device": "sda", "tps": 1.0, "kB/s": 3.0, "await": 0.5, "util": 2.0}
    with pytest.raises(_errors.LogCorruptError, match="run iostat without -s"):
        imported(iostat((0, [short]), (1, [short])))
    with pytest.raises(_errors.LogForeignError, match="two at least are needed"):
        imported(iostat((0, [disk()])))
    with pytest.raises(_errors.LogForeignError, match="sadf -j FILE -- -d"):
        imported(sadf((600, 600, [])))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"sysstat": 5}', "has no list of 'hosts'"),
        (b'{"sysstat": {"hosts": [1]}}', "has no list of 'hosts'"),
        (b'{"sysstat": {"hosts": []}}', "no sample"),
        (b'{"sysstat": ' + b"[" * 100_000, "io.json: is nested deeper|no record before that is whole"),
        (b'{"sysstat": ' + b"9" * 5000 + b"}", "no JSON that can be read"),
        (
            b'{"sysstat": {"hosts": [{"nodename": "a", "statistics": [{"disk": [{"r/s": 0,55}]}]}]}}',
            "LC_ALL=C",
        ),
        (b"nothing", "neither JSON of iostat"),
    ],
)
def test_other_content(content: bytes, said: str) -> None:
    with pytest.raises(_errors.LogError, match=said):
        imported(content)


def test_what_is_whole_of_a_cut_file_is_used() -> None:
    """As iostat leaves it when it is killed."""
    whole = json.dumps(iostat(*((when, [disk(reads=when)]) for when in (0, 1, 2, 3)))).encode()
    for end in range(1, len(whole)):
        try:
            found = imported(whole[:end])
        except _errors.LogError:
            continue
        assert found.tables["samples"].to_pylist() == rows(whole)[: found.tables["samples"].num_rows]
        assert "records before it are used" in found.problems[0]
        assert "io.json: ends, or is no JSON, at line 1, column" in found.problems[0]
    assert imported(whole[:-4]).tables["samples"].num_rows == 3


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
jsons = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner)
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.fixed_dictionaries({}, optional={
    "timestamp": st.just("2026-11-24T12:00:00+0000") | st.just(stamp(0, interval=5)) | jsons,
    "disk": st.lists(st.just(disk()) | st.dictionaries(st.sampled_from([*disk(), "tps"]), jsons)) | jsons,
}), max_size=4), jsons)  # fmt: skip
def test_any_json_is_read_or_refused(records: list[Any], restarts: Any) -> None:
    content = {"sysstat": {"hosts": [{"nodename": "a", "statistics": records, "restarts": restarts}]}}
    try:
        found = imported(content)
    except _errors.LogError:
        return
    assert all(row["read_bytes"] >= 0 for row in found.tables["samples"].to_pylist())
