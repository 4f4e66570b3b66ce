"""What else went on while a job ran: every figure by hand, and what is not recorded in words."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import headrace
import pytest
from headrace import catalog, meanwhile
from headrace.catalog.add import add
from live_tools import make_log
from made_catalog import MIB, START, hours, job, log, sample, scan, write

BEGIN = START + timedelta(minutes=30)
LENGTH = 600.0
Row = dict[str, Any]
Tables = dict[str, list[Row]]


def minutes(number: float) -> datetime:
    return START + timedelta(minutes=number)


def samples(host: str, first: int, last: int, written: int, **known: Any) -> list[Row]:
    return [sample(minute, 0, written, host=host, **known) for minute in range(first, last)]


def site(**more: list[Row]) -> Tables:
    """Two servers of one file system: 60 MiB a minute each, and 600 in the job's first five."""
    rows = samples("oss1", 0, 120, 60 * MIB) + samples("oss2", 0, 120, 60 * MIB)
    for row in rows:
        if minutes(30) <= row["start"] < minutes(35):
            row["write_bytes"] = 600 * MIB
    tables: Tables = {
        "samples": rows,
        "devices": [{"host": "oss*", "device": "*", "server": None, "file_system": "lus"}],
        "scheduler_jobs": [job("1", start=minutes(0), end=minutes(10))],
        "logs": [log(1, start=minutes(0), end=minutes(10), scheduler="slurm", scheduler_job="1")],
    }
    return tables | more


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return make_log(tmp_path / "own.hr", BEGIN, LENGTH, 1200 * MIB, job="77")


def look(tmp_path: Path, tables: Tables, path: Path, names: meanwhile.Names | None = None) -> Row:
    place = tmp_path / f"catalog{len(list(tmp_path.glob('catalog*')))}"
    with headrace.open(path) as opened:
        return meanwhile.look(catalog.open(write(place, tables)), opened, 1, names)


def said(facts: Row, *kinds: str) -> str:
    return "\n".join(each["text"] for each in facts["said"] if not kinds or each["kind"] in kinds)


def file_row(number: int, first: datetime, last: datetime, written: int, **known: Any) -> Row:
    row: Row = {
        "log": number,
        "instance": 0,
        "path": f"/lus/{number}",
        "mount": "/lus",
        "file_system": "lustre",
    }
    return row | {"first_open": first, "last_io": last, "bytes_read": 0, "bytes_written": written} | known


def test_devices_beside_the_usual(tmp_path: Path, own: Path) -> None:
    facts = look(tmp_path, site(), own)
    (system,) = facts["file_systems"]
    assert (system["name"], system["used"], system["devices"], system["servers"]) == ("lus", True, 2, 2)
    assert system["written_bytes"] == 2 * 5 * (600 + 60) * MIB and system["read_bytes"] == 0
    assert system["covered"] == 1 and system["rate"] == 11 * MIB
    assert (system["usual"], system["quiet"], system["peak"]) == (2 * MIB, 2 * MIB, 20 * MIB)
    assert system["below"] == pytest.approx(115 / 120) and system["steps"] == 120
    assert (system["own_read_bytes"], system["own_written_bytes"]) == (0, 1200 * MIB)
    assert [row["server"] for row in facts["servers"]] == ["oss1", "oss2"]
    assert facts["servers"][0]["usual"] == 1 * MIB and facts["servers"][0]["rate"] == 5.5 * MIB
    assert said(facts, "activity") == (
        "While this job ran, lus moved 6.45 GiB, 11 MiB/s on average: more than in 96 % of all intervals with"
        " samples, 5.5 times the usual 2 MiB/s, 55 % of the peak.\n"
        "This job's calls moved 1.17 GiB there, 18 % of that."
    )
    assert facts["uncovered"] == [] and facts["gaps"] == []


def test_the_picture_has_all_bytes_and_nulls_where_nothing_is_known(tmp_path: Path, own: Path) -> None:
    tables = site()
    tables["samples"] = [row for row in tables["samples"] if not minutes(36) <= row["start"] < minutes(37)]
    facts = look(tmp_path, tables, own)
    picture = facts["picture"]
    (line,) = picture["lines"]
    assert picture["span_ns"] == 60 * 10**9 and picture["begin_at_ns"] == -5 * 60 * 10**9
    assert len(line["read"]) == len(line["covered"]) == 20
    assert line["written"][5] == 1200 * MIB and line["written"][4] == 120 * MIB
    assert line["written"][11] is None and line["covered"][11] is None and line["covered"][12] == 1
    mine = picture["own"]
    # A log without a course over time: its mean is drawn.
    assert mine["is_mean"] and mine["written"][5:15] == [120 * MIB] * 10
    assert mine["written"][:5] == mine["written"][15:] == [None] * 5
    assert "sda of oss1, sda of oss2 were not recorded for 60 s of 10 min." in said(facts, "missing")


def test_samples_are_cut_at_the_jobs_ends(tmp_path: Path) -> None:
    path = make_log(tmp_path / "own.hr", BEGIN + timedelta(seconds=30), 60)
    facts = look(tmp_path, site(), path)
    (system,) = facts["file_systems"]
    assert system["written_bytes"] == 1200 * MIB and system["rate"] == 20 * MIB
    path = make_log(tmp_path / "short.hr", BEGIN, 3)
    facts = look(tmp_path, site(), path)
    assert facts["file_systems"][0]["written_bytes"] == 60 * MIB
    assert "Samples are 60 s long, longer than this job" in said(facts, "missing")


@pytest.mark.parametrize("length", [10, 60])
def test_longer_samples_are_usual_by_their_parts(tmp_path: Path, own: Path, length: int) -> None:
    """Each was one minute with all of its bytes, beside which what is usual looked like nothing."""
    tables = site()
    for row in tables["samples"]:
        row["write_bytes"] = 60 * MIB
    for host in ("oss1", "oss2"):
        longer = {"start": minutes(120), "end": minutes(120 + length), "write_bytes": 60 * length * MIB}
        tables["samples"].append(sample(0, 0, 0, host=host) | longer)
    (system,) = look(tmp_path, tables, own)["file_systems"]
    assert (system["usual"], system["peak"], system["quiet"]) == (2 * MIB, 2 * MIB, 2 * MIB)
    assert system["steps"] == 120 + length


def test_a_sample_of_days_says_nothing_of_a_minute(tmp_path: Path, own: Path) -> None:
    tables = site()
    day = {"start": minutes(120), "end": minutes(120 + 1440), "write_bytes": 1440 * 60 * MIB}
    tables["samples"].append(sample(0, 0, 0, host="oss1") | day)
    (system,) = look(tmp_path, tables, own)["file_systems"]
    assert (system["usual"], system["peak"], system["steps"]) == (2 * MIB, 20 * MIB, 120)


def test_records_that_nobody_ended_are_not_of_today(tmp_path: Path, own: Path) -> None:
    """A job of years ago, whose record has no end, ran beside every job since."""
    old, late = START - timedelta(days=31), START - timedelta(days=3)
    tables = site(scheduler_jobs=[job("8", start=old, end=None), job("9", start=late, end=None)])
    assert [row["job"] for row in look(tmp_path, tables, own)["jobs"]] == ["9"]


def test_other_jobs(tmp_path: Path, own: Path) -> None:
    tables = site()
    tables["scheduler_jobs"] += [
        job("77", start=BEGIN, end=BEGIN + timedelta(minutes=10)),
        job("78", start=minutes(35), end=minutes(50), nodes=8),
        job("79", start=minutes(0), end=None, nodes=4, account="sea") | {"name": "cfd"},
        job("80", start=minutes(40), end=minutes(50)),
    ]
    of_78: Row = {"scheduler": "slurm", "scheduler_job": "78", "start": minutes(35), "end": minutes(45)}
    tables["logs"] += [
        log(2, **of_78, bytes_written=1000 * MIB, files=2),
        log(3, start=minutes(20), end=minutes(31), executable="/apps/alone", bytes_written=0, host="n9"),
        log(4, scheduler="slurm", scheduler_job="77", start=minutes(32), end=minutes(33)),
    ]
    tables["files"] = [
        file_row(2, minutes(38), minutes(42), 800 * MIB),
        file_row(2, minutes(39), minutes(39), 200 * MIB, last_io=None),
        file_row(3, minutes(21), minutes(30), 64 * MIB, file_system="ext4"),
    ]
    facts = look(tmp_path, tables, own)
    rows = {row["job"]: row for row in facts["jobs"]}
    assert list(rows) == ["78", None, "79"] and facts["jobs_in_all"] == 3
    assert rows["78"]["bytes_meanwhile"] == 600 * MIB and rows["78"]["same"] == ["/lus"]
    assert (
        rows["78"]["share"] == 0.5 and rows["78"]["logs"] == 1 and rows["78"]["bytes_written"] == 1000 * MIB
    )
    assert (
        rows["79"]["bytes_meanwhile"] is None and rows["79"]["share"] == 1 and rows["79"]["project"] == "sea"
    )
    assert rows["79"]["end_at_ns"] is None and rows["79"]["begin_at_ns"] == -30 * 60 * 10**9
    assert rows[None]["program"] == "alone" and rows[None]["same"] == [], (
        "a local file system of another node"
    )
    assert facts["job"]["steps"] == 1
    text = said(facts, "jobs")
    assert (
        "3 other jobs ran at the same time, 2 of them with logs; what the others moved is not recorded."
        in text
    )
    assert "Most was moved by job 78 of sky (a): about 600 MiB." in text
    assert "1 more log of the same job" in said(facts, "missing")


def test_nobody_else_and_this_log_in_the_catalog(tmp_path: Path, own: Path) -> None:
    path = write(tmp_path / "catalog", site())
    add(path, [own])
    with headrace.open(own) as opened:
        facts = meanwhile.look(catalog.open(path), opened)
    assert "No other job ran at the same time, as far as the catalog knows." in said(facts, "jobs")
    assert facts["jobs"] == [] and facts["job"]["in_catalog"]
    assert "not in the catalog" not in said(facts)


def test_servers_that_were_not_sampled(tmp_path: Path, own: Path) -> None:
    tables = site(
        sample_gaps=[
            {"host": "oss2", "device": "", "start": minutes(31), "end": minutes(33), "reason": "restart"},
            {"host": "oss1", "device": "sda", "start": minutes(34), "end": minutes(34), "reason": "clock"},
            {"host": "oss1", "device": "", "start": minutes(80), "end": minutes(81), "reason": "missed"},
        ]
    )
    tables["samples"] = [
        row for row in tables["samples"]
        if row["host"] == "oss1" or not minutes(31) <= row["start"] < minutes(33)
    ]  # fmt: skip
    facts = look(tmp_path, tables, own)
    assert facts["uncovered"] == [
        {"server": "oss2", "host": "oss2", "devices": ["sda"], "missing_ns": 120 * 10**9}
    ]
    assert facts["gaps_in_all"] == 2 and facts["gaps"][0]["begin_at_ns"] == 60 * 10**9
    missing = said(facts, "missing")
    assert "sda of oss2 was not recorded for 2 min of 10 min (restart)." in missing
    assert "The clock of oss1 was put while this job ran." in missing
    assert facts["file_systems"][0]["covered"] == pytest.approx(0.9)


def test_nothing_is_there(tmp_path: Path, own: Path) -> None:
    facts = look(tmp_path, {}, own)
    assert facts["picture"] is None and facts["file_systems"] == facts["jobs"] == []
    assert [each["kind"] for each in facts["said"]] == ["missing"] * 4
    text = said(facts)
    assert (
        "no samples of devices" in text
        and "has no job logs" in text
        and "This log is not in the catalog" in text
    )


def test_outside_of_the_catalogs_time(tmp_path: Path) -> None:
    path = make_log(tmp_path / "late.hr", hours(100), LENGTH)
    facts = look(tmp_path, site(), path)
    text = said(facts, "missing")
    assert "Samples of devices in the catalog are from 2026-03-01 00:00:00 to 2026-03-01 02:00:00 UTC" in text
    assert "and this job began at 2026-03-05 04:00:00." in text
    assert "Job logs in the catalog are from" in text
    assert facts["picture"] is None and facts["file_systems"] == []


def test_within_but_not_sampled(tmp_path: Path, own: Path) -> None:
    tables = site(
        sample_gaps=[
            {"host": "oss1", "device": "", "start": minutes(20), "end": minutes(50), "reason": "reboot"}
        ]
    )
    tables["samples"] = [row for row in tables["samples"] if not minutes(20) <= row["start"] < minutes(50)]
    facts = look(tmp_path, tables, own)
    assert "No device was sampled while this job ran: what they did is not recorded (reboot)." in said(
        facts, "missing"
    )
    assert facts["picture"] is None and len(facts["uncovered"]) == 2


def test_a_log_that_does_not_say_when(tmp_path: Path) -> None:
    path = make_log(tmp_path / "never.hr", BEGIN, LENGTH, start_utc_ns="0", end_utc_ns="0")
    facts = look(tmp_path, site(), path)
    assert said(facts) == "The log does not say when the job ran, so nothing else can be found of that time."
    path = make_log(
        tmp_path / "far.hr", BEGIN, LENGTH, start_utc_ns=str(2**63 - 1), end_utc_ns=str(2**63 - 1)
    )
    assert look(tmp_path, site(), path)["jobs"] == []


@pytest.mark.parametrize(
    ("begin", "end", "text"),
    [
        (
            BEGIN + timedelta(seconds=15),
            BEGIN + timedelta(minutes=10),
            "The log begins 15 s before the scheduler's",
        ),
        (BEGIN, BEGIN + timedelta(minutes=9), "The log ends 60 s after the scheduler's"),
        (
            BEGIN + timedelta(hours=1),
            BEGIN + timedelta(hours=2),
            "1 h later than the log, which looks like a time zone",
        ),
        (
            BEGIN - timedelta(hours=40),
            BEGIN - timedelta(hours=39),
            "40 h earlier than the log, which looks like another",
        ),
        (BEGIN, BEGIN + timedelta(minutes=10), ""),
    ],
)
def test_clocks_that_differ(tmp_path: Path, own: Path, begin: datetime, end: datetime, text: str) -> None:
    tables = site()
    tables["scheduler_jobs"].append(job("77", start=begin, end=end))
    missing = said(look(tmp_path, tables, own), "missing")
    assert text in missing
    assert bool(text) == ("clocks differ" in missing or "than the log" in missing)


def test_the_calendar(tmp_path: Path, own: Path) -> None:
    tables = site(
        calendar=[{"start": minutes(35), "end": minutes(60), "kind": "maintenance", "text": "disks"}]
    )
    facts = look(tmp_path, tables, own)
    assert said(facts, "calendar") == "The calendar has an entry for 5 min of its time: maintenance, disks."


def test_no_device_map(tmp_path: Path, own: Path) -> None:
    tables = site(devices=[])
    facts = look(tmp_path, tables, own)
    assert [(row["name"], row["used"]) for row in facts["file_systems"]] == [(None, None)]
    assert "While this job ran, the sampled devices moved" in said(facts, "activity")
    assert "is not known" in said(facts, "missing")


def test_a_scan_says_which_mount_a_file_system_has(tmp_path: Path) -> None:
    path = make_log(tmp_path / "own.hr", BEGIN, LENGTH, MIB, mount="/mnt/fast")
    assert look(tmp_path, site(), path)["file_systems"][0]["used"] is None
    tables = site(scans=[scan(1, START, 1, 1, root="/mnt/fast/", file_system="lus")])
    assert look(tmp_path, tables, path)["file_systems"][0]["used"] is True


def test_lustre_counts_once_and_knows_jobs(tmp_path: Path, own: Path) -> None:
    tables = site()
    targets = samples("oss1", 0, 120, MIB, device="lus-OST0000", kind="lustre_ost", metadata=6)
    tables["samples"] = [row for row in tables["samples"] if row["host"] == "oss1"] + targets
    counted: Row = {"host": "oss1", "device": "lus-OST0000", "reads": 0, "read_bytes": 0, "writes": 1}
    counted |= {"start": minutes(39), "end": minutes(41), "write_bytes": 10 * MIB, "metadata": 4}
    tables["server_jobs"] = [counted | {"job": name} for name in ("77", "dd.0")]
    facts = look(tmp_path, tables, own)
    (system,) = facts["file_systems"]
    assert system["written_bytes"] == 10 * MIB and system["devices"] == 1 and system["metadata"] == 60
    (other,) = facts["jobs"]
    assert (
        other["job"] == "dd.0" and other["server_written_bytes"] == 5 * MIB and other["server_metadata"] == 2
    )


def test_devices_of_other_hosts_count_beside_targets(tmp_path: Path, own: Path) -> None:
    """Without a map all are of one file system; targets of one host say nothing of another's disks."""
    tables = site(devices=[])
    target = samples("mds1", 0, 120, 60 * MIB, kind="lustre_ost", device="OST0")
    below = samples("mds1", 0, 120, 60 * MIB)
    tables["samples"] = tables["samples"] + target + below
    (system,) = look(tmp_path, tables, own)["file_systems"]
    assert (system["devices"], system["servers"]) == (3, 3)
    assert system["written_bytes"] == (2 * (5 * 600 + 5 * 60) + 10 * 60) * MIB


@pytest.mark.parametrize("lacking", [("read_bytes",), ("write_bytes",), ("read_bytes", "write_bytes")])
def test_samples_that_do_not_know_all_bytes(tmp_path: Path, own: Path, lacking: tuple[str, ...]) -> None:
    tables = site()
    for row in tables["samples"]:
        row |= dict.fromkeys(lacking)
    facts = look(tmp_path, tables, own)
    (system,) = facts["file_systems"]
    written = None if "write_bytes" in lacking else 2 * (5 * 600 + 5 * 60) * MIB
    assert (system["read_bytes"], system["written_bytes"]) == (
        None if "read_bytes" in lacking else 0,
        written,
    )
    assert ("moved is not recorded" in said(facts)) == (len(lacking) == 2)
    assert system["peak"] == (None if len(lacking) == 2 else 0 if not written else 20 * MIB)


def test_all_jobs_with_logs_are_counted(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headrace.meanwhile.others.MOST", 2)
    tables = site()
    for number in range(100, 105):
        tables["scheduler_jobs"].append(job(str(number), start=minutes(35), end=minutes(45)))
        of = {"scheduler": "slurm", "scheduler_job": str(number)}
        tables["logs"].append(log(number, start=minutes(35), end=minutes(45), **of))
    tables["scheduler_jobs"].append(job("200", start=minutes(35), end=minutes(45)))
    facts = look(tmp_path, tables, own)
    assert (len(facts["jobs"]), facts["jobs_in_all"], facts["jobs_with_logs"]) == (2, 6, 5)
    assert facts["jobs_on_same"] == 0
    assert "6 other jobs ran at the same time, 5 of them with logs" in said(facts)


@pytest.mark.parametrize("length", [0.0123, 1.7, 2.3])
def test_a_short_job_loses_no_byte_in_the_picture(tmp_path: Path, length: float) -> None:
    path = make_log(tmp_path / "short.hr", BEGIN + timedelta(microseconds=123_457), length, (1 << 40) + 1)
    own = look(tmp_path, site(), path)["picture"]["own"]
    assert sum(value or 0 for value in own["written"]) == (1 << 40) + 1


def test_names_are_hidden(tmp_path: Path, own: Path) -> None:
    tables = site(
        calendar=[{"start": minutes(35), "end": minutes(60), "kind": "secret", "text": "secret"}] * 2,
        sample_gaps=[
            {"host": "oss2", "device": "sda", "start": minutes(31), "end": minutes(33), "reason": "by bob"}
        ],
    )
    tables["samples"] = [row for row in tables["samples"] if row["start"] != minutes(32)]
    ended = {"name": "cfd", "state": "cancelled by bob"}
    tables["scheduler_jobs"] += [job("4711", start=minutes(35), end=minutes(45)) | ended]
    tables["logs"] += [log(2, start=minutes(35), end=minutes(45), scheduler="slurm", scheduler_job="4711")]
    tables["files"] = [file_row(2, minutes(36), minutes(37), MIB)]
    facts = look(tmp_path, tables, own, meanwhile.Names())
    assert [row["kind"] for row in facts["calendar"]] == ["note"]
    text = json.dumps(facts)
    for name in ("4711", "77", "ada", "sky", "cfd", "lus", "oss", "sda", "secret", "bob", str(tmp_path)):
        assert f'"{name}' not in text and f" {name}" not in text, name
    assert "file system 1" in text and "job 1" in text


def test_names_are_no_language(tmp_path: Path, own: Path) -> None:
    bad = "x'; DROP TABLE samples; --\\"
    tables = site(devices=[{"host": "oss*", "device": "*", "server": bad, "file_system": bad}])
    tables["scheduler_jobs"] += [job(bad, start=minutes(35), end=minutes(45), user=bad)]
    facts = look(tmp_path, tables, own)
    assert facts["file_systems"][0]["name"] == bad and facts["file_systems"][0]["peak"] == 20 * MIB
    assert facts["jobs"][0]["job"] == bad
    path = make_log(tmp_path / "bad.hr", BEGIN, LENGTH, job=bad)
    found = look(tmp_path, {"scheduler_jobs": [job(bad, start=BEGIN, end=minutes(40))]}, path)
    assert found["job"]["scheduled"]["is_this_run"] is True


def test_a_catalog_that_is_damaged(tmp_path: Path, own: Path) -> None:
    place = write(tmp_path / "catalog", site())
    for part in place.rglob("samples/*/*.parquet"):
        part.chmod(0o644)
        part.write_bytes(b"PAR1" + bytes(64) + b"PAR1")
    with headrace.open(own) as opened, pytest.raises(headrace.HeadraceError, match="verify"):
        meanwhile.look(catalog.open(place), opened)
