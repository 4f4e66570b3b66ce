"""Samples that are long, shifted, partial or without bytes: what a study makes of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.study import Figure, Settings, Study, build
from headrace.study.figures import throughput as figures
from made_catalog import MIB, START, Row, hours, sample, site, write

MINUTE = timedelta(minutes=1)


def made(path: Path, samples: list[Row], settings: Settings | None = None, **more: list[Row]) -> Study:
    tables = site() | {"samples": samples, "sample_gaps": [], "calendar": []} | more
    return build(catalog.open(write(path / "at", tables)), settings)


def figure(study: Study, name: str) -> Figure:
    return next(each for each in study.figures() if each.id == name)


def rows(study: Study, name: str) -> list[dict[str, Any]]:
    return figure(study, name).data.to_pylist()


def whole(study: Study) -> dict[str, Any]:
    return next(row for row in rows(study, "throughput_totals") if row["file_system"] == "all")


def spanning(begin: float, minutes: float, rate: float = MIB, device: str = "sda", **more: Any) -> Row:
    """A sample of so many minutes from a minute on."""
    lasts = {"start": START + begin * MINUTE, "end": START + (begin + minutes) * MINUTE}
    return sample(0, int(rate * 60 * minutes), 0, device) | lasts | more


def test_a_long_sample_counts_for_as_long_as_it_is(tmp_path: Path) -> None:
    """A day in one sample counted as one minute: the mean was seventy times too high."""
    study = made(tmp_path, [spanning(minute, 1) for minute in range(20)] + [spanning(20, 1440)])
    found = whole(study)
    assert (found["mean"], found["peak"], found["days"]) == (MIB, MIB, 1460 / 1440)
    assert found["read_per_day"] == 86400 * MIB
    assert "1 samples of more than a hundred intervals" in figure(study, "throughput").filter
    days = [row for row in rows(study, "devices_applications") if row["direction"] == "read"]
    assert [row["device_bytes"] for row in days] == [86400 * MIB, 20 * 60 * MIB]


def test_intervals_begin_where_most_samples_do(tmp_path: Path) -> None:
    """Of samples from half past to half past, each lay in two intervals, and every burst was half as high."""
    study = made(
        tmp_path, [spanning(minute + 0.5, 1, MIB * (10 if minute == 7 else 1)) for minute in range(10)]
    )
    found = whole(study)
    assert (found["peak"], found["mean"]) == (10 * MIB, 1.9 * MIB)
    read = [row for row in rows(study, "throughput") if row["direction"] == "read"]
    assert read[0]["start"] == START + 0.5 * MINUTE
    assert len(read) == 10


def test_time_that_is_sampled_in_part_is_not_quiet(tmp_path: Path) -> None:
    """Nine of ten servers are lost for a while: that looked as if the file system did nothing."""
    samples = [
        spanning(minute, 1, host=f"oss{host}")
        for host in range(10)
        for minute in range(60)
        if host == 0 or minute < 10 or minute >= 50
    ]
    study = made(tmp_path, samples)
    curve = {row["share_of_peak"]: row["share_of_time"] for row in rows(study, "burstiness")}
    assert curve[0.99] == 0
    assert rows(study, "idle") == []
    assert "40 intervals of which less than half is sampled" in figure(study, "burstiness").filter
    read = [row["bytes_per_s"] for row in rows(study, "throughput") if row["direction"] == "read"]
    assert read == [10 * MIB] * 10 + [None] + [10 * MIB] * 10


def test_servers_that_come_later_make_nothing_partial(tmp_path: Path) -> None:
    samples = [
        spanning(minute, 1, host=f"oss{host}")
        for host in range(10)
        for minute in range(60)
        if host == 0 or minute >= 50
    ]
    read = [
        row["bytes_per_s"]
        for row in rows(made(tmp_path, samples), "throughput")
        if row["direction"] == "read"
    ]
    assert read == [MIB] * 50 + [10 * MIB] * 10


def test_samples_without_bytes_are_no_quiet_time(tmp_path: Path) -> None:
    """Of a metadata target only operations are known."""
    nothing = {"read_bytes": None, "write_bytes": None, "kind": "lustre_mdt", "host": "mds1"}
    study = made(
        tmp_path / "both", [spanning(minute, 1) for minute in range(10)] + [spanning(0, 60) | nothing]
    )
    assert whole(study)["mean"] == MIB
    assert figure(made(tmp_path / "alone", [spanning(0, 60) | nothing]), "throughput").missing


def test_only_gaps_of_whole_hosts_are_drawn(tmp_path: Path) -> None:
    def gap(device: str, host: str = "oss1") -> Row:
        span = {"start": hours(1), "end": hours(2), "reason": "lost"}
        return {"host": host, "device": device, **span}

    study = made(tmp_path, [sample(0, 1, 1)], sample_gaps=[gap("sda"), gap("", "oss2"), gap("", "oss3")])
    assert [band["text"] for band in figure(study, "throughput").options["bands"]] == [
        "no samples of 2 hosts: lost"
    ]


def test_gaps_of_the_period_are_drawn_however_many_came_before(tmp_path: Path) -> None:
    gaps = [
        {"host": "oss1", "device": "", "start": hours(each), "end": hours(each + 0.5), "reason": "lost"}
        for each in range(520)
    ]
    study = made(tmp_path, [sample(0, 1, 1)], Settings(start=hours(510)), sample_gaps=gaps)
    assert len(figure(study, "throughput").options["bands"]) == 10


def test_a_clock_that_was_put_back_takes_no_hours_away(tmp_path: Path) -> None:
    gap = {"host": "oss1", "device": "", "start": hours(2), "end": hours(1), "reason": "clock"}
    found = rows(made(tmp_path, [sample(0, 1, 1)], sample_gaps=[gap]), "sample_gaps")
    assert [(row["reason"], row["gaps"], row["hours"]) for row in found] == [("clock", 1, 0.0)]


def test_many_intervals_are_drawn_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "_POINTS", 10)
    samples = [spanning(minute, 1, MIB * (1 + minute % 2)) for minute in range(20)]
    study = made(tmp_path, samples)
    read = [row["bytes_per_s"] for row in rows(study, "throughput") if row["direction"] == "read"]
    assert read == [1.5 * MIB] * 10
    assert "intervals of 120 s" in figure(study, "throughput").definition


def test_devices_are_what_jobs_are_held_against(tmp_path: Path) -> None:
    study = made(tmp_path, [sample(0, 0, 30 * 1024 * MIB)])
    found = {
        (row["project"], row["direction"]): row["share_of_devices"] for row in rows(study, "top_projects")
    }
    assert found["Weather", "written"] == 1 / 30
    assert found["Weather", "read"] is None
    alone = made(tmp_path / "alone", [sample(0, 0, MIB)], Settings(projects=("Weather",)))
    assert {row["share_of_devices"] for row in rows(alone, "top_projects")} == {None}


@pytest.mark.parametrize("most", [1 << 40, 1 << 62])
def test_sums_end_where_64_bits_do(tmp_path: Path, most: int) -> None:
    study = made(tmp_path, [sample(minute, most, 0) for minute in range(9)])
    assert whole(study)["bytes_read"] == min(9 * most, 2**63 - 1)
