"""The derived views: what belongs together by job, project, device and node."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from headrace import catalog

HOUR = datetime.timedelta(hours=1)
T0 = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)
SECOND = 10**9


def rows(name: str, *values: dict[str, Any]) -> pyarrow.Table:
    schema = catalog.arrow_schema(name)
    columns = [field for field in schema if any(field.name in value for value in values)]
    return pyarrow.Table.from_pylist(list(values), schema=pyarrow.schema(columns))


def log(number: int, start: datetime.datetime = T0, **more: Any) -> dict[str, Any]:
    figures = {
        "log": number,
        "format": "headrace",
        "start": start,
        "end": start + HOUR,
        "elapsed_ns": 3600 * SECOND,
        "processes": 8,
        "bytes_read": 1 << 20,
        "bytes_written": 3 << 20,
        "slowest_ns": 2 * SECOND,
        "complete": True,
        "uses_mpiio": number % 2 == 0,
        "user": "u1",
        "nodes": 2,
    }
    return figures | more


def job(name: str, start: datetime.datetime = T0, **more: Any) -> dict[str, Any]:
    facts = {
        "scheduler": "slurm",
        "job": name,
        "user": "u1",
        "account": "a1",
        "start": start,
        "end": start + 2 * HOUR,
        "state": "completed",
        "nodes": 4,
        "cores": 64,
    }
    return facts | more


def query(root: Path, sql: str) -> list[tuple[Any, ...]]:
    return catalog.open(root).connect().execute(sql).fetchall()


def add(root: Path, **tables: list[dict[str, Any]]) -> None:
    catalog.write_tables(
        root, {name: rows(name, *values) for name, values in tables.items() if values}, "a test"
    )


def test_all_views_of_an_empty_catalog(tmp_path: Path) -> None:
    connection = catalog.create(tmp_path / "c").connect()
    for view in ("logs", "files", "jobs", "log_jobs", "device_minutes", "sources"):
        assert connection.execute(f"SELECT count(*) FROM {view}").fetchone() == (0,)


def test_a_job_has_the_sums_of_its_logs(tmp_path: Path) -> None:
    of = {"scheduler": "slurm", "scheduler_job": "7"}
    add(
        tmp_path / "c",
        logs=[log(1, **of), log(2, T0 + HOUR, slowest_ns=9 * SECOND, complete=False, **of), log(3)],
        scheduler_jobs=[job("7"), job("8", state="failed")],
    )
    found = query(
        tmp_path / "c",
        "SELECT job, covered, logs, bytes_read, bytes_written, slowest_ns, complete, uses_mpiio, core_hours, nodes "
        "FROM jobs ORDER BY job NULLS LAST",
    )
    assert found == [
        ("7", True, 2, 2 << 20, 6 << 20, 9 * SECOND, False, True, 128.0, 4),
        ("8", False, 0, None, None, None, None, None, 128.0, 4),
        (None, True, 1, 1 << 20, 3 << 20, 2 * SECOND, True, False, 8.0, 2),
    ]


def test_a_sum_with_a_log_that_does_not_know_is_not_known(tmp_path: Path) -> None:
    of, known = {"scheduler": "slurm", "scheduler_job": "7"}, {"unaligned": 3, "creates": 2, "files_new": 1}
    add(
        tmp_path / "c",
        logs=[
            log(1, **of, **known),
            log(2, T0 + HOUR, **of),
            log(3, scheduler="slurm", scheduler_job="8", **known),
        ],
        scheduler_jobs=[job("7"), job("8")],
    )
    found = query(
        tmp_path / "c", "SELECT job, unaligned, creates, files_new, bytes_read FROM jobs ORDER BY job"
    )
    assert found == [("7", None, None, None, 2 << 20), ("8", 3, 2, 1, 1 << 20)]


def test_a_job_that_was_run_again_has_the_logs_of_each_run(tmp_path: Path) -> None:
    of = {"scheduler": "slurm", "scheduler_job": "7"}
    add(
        tmp_path / "c",
        logs=[log(1, **of), log(2, T0 + 5 * HOUR, **of), log(3, T0 + 900 * HOUR, **of)],
        scheduler_jobs=[job("7", state="node_fail"), job("7", T0 + 5 * HOUR)],
    )
    found = query(tmp_path / "c", 'SELECT epoch("start"), logs, covered FROM jobs ORDER BY "start"')
    # The third one is of a later job of that number, which nobody told of.
    first = int(T0.timestamp())
    assert found == [(first + hours * 3600, 1, True) for hours in (0, 5, 900)]


def test_records_that_overlap_count_once_and_the_later_one_wins(tmp_path: Path) -> None:
    add(tmp_path / "c", scheduler_jobs=[job("7", end=None, state="running", exit_status=None)])
    add(tmp_path / "c", scheduler_jobs=[job("7", exit_status=0)])
    add(tmp_path / "c", scheduler_jobs=[job("7", exit_status=0)])
    assert query(tmp_path / "c", "SELECT job, state, exit_status FROM scheduled") == [("7", "completed", 0)]


def test_the_state_is_of_a_record_that_knows_the_end(tmp_path: Path) -> None:
    running = job("7", end=None, state="running", exit_status=None)
    add(tmp_path / "c", scheduler_jobs=[running, job("7", state=None, exit_status=3)])
    add(tmp_path / "c", scheduler_jobs=[job("8", exit_status=0), job("8", end=T0 + 3 * HOUR, state=None)])
    add(tmp_path / "c", scheduler_jobs=[job("9", end=None, state="running"), job("9", end=None, state=None)])
    found = query(tmp_path / "c", "SELECT job, state, exit_status FROM scheduled ORDER BY job")
    assert found == [("7", None, 3), ("8", "completed", 0), ("9", "running", None)]


def test_a_log_is_of_the_last_job_of_its_number_also_if_its_scheduler_is_not_known(tmp_path: Path) -> None:
    later = job("7", T0 + HOUR / 60, scheduler=None, account="a2")
    add(tmp_path / "c", logs=[log(1, T0 + HOUR, scheduler_job="7")], scheduler_jobs=[job("7"), later])
    found = query(tmp_path / "c", "SELECT scheduler, account, covered, bytes_read FROM jobs ORDER BY account")
    assert found == [("slurm", "a1", False, None), (None, "a2", True, 1 << 20)]
    assert query(tmp_path / "c", "SELECT account FROM log_jobs") == [("a2",)]


def test_darshans_logs_know_the_number_alone(tmp_path: Path) -> None:
    of = {"format": "darshan", "scheduler_job": "123"}
    add(
        tmp_path / "c",
        logs=[log(1, **of), log(2, T0 + 90 * HOUR, **of)],
        scheduler_jobs=[job("123.server-a", scheduler="pbs"), job("124.server-a", scheduler="pbs")],
    )
    found = query(tmp_path / "c", "SELECT job, logs FROM jobs ORDER BY job")
    assert found == [("123.server-a", 1), ("124.server-a", 0), (None, 1)]


def test_other_servers_jobs_of_the_same_number_are_others(tmp_path: Path) -> None:
    add(
        tmp_path / "c",
        logs=[log(1, scheduler="pbs", scheduler_job="123.b")],
        scheduler_jobs=[job("123.a", scheduler="pbs"), job("123.b", scheduler="pbs")],
    )
    assert query(tmp_path / "c", "SELECT job, logs FROM jobs ORDER BY job") == [("123.a", 0), ("123.b", 1)]


def test_projects_by_account_and_user_and_the_last_row_that_fits(tmp_path: Path) -> None:
    of = {"scheduler": "slurm", "scheduler_job": "7"}
    add(
        tmp_path / "c",
        logs=[log(1, **of), log(2), log(3, user="u9")],
        scheduler_jobs=[job("7"), job("8", user="u2"), job("9", account="a3")],
        projects=[
            {"project": "Climate", "label": "Earth", "account": "a1"},
            {"project": "Files alone", "path": "/data"},
            {"project": "Fusion", "account": "a1", "user": "u2"},
        ],
    )
    found = query(tmp_path / "c", "SELECT job, project, label FROM jobs WHERE job IS NOT NULL ORDER BY job")
    assert found == [("7", "Climate", "Earth"), ("8", "Fusion", "Fusion"), ("9", "a3", "a3")]
    add(tmp_path / "c", projects=[{"project": "Users", "user": "u1"}])
    found = query(tmp_path / "c", "SELECT log, project FROM log_jobs ORDER BY log")
    assert found == [(1, "Users"), (2, "Users"), (3, None)]


def test_nodes_of_the_scheduler_or_the_log_or_the_site(tmp_path: Path) -> None:
    of = {"scheduler": "slurm", "scheduler_job": "7"}
    add(
        tmp_path / "c",
        logs=[log(1, **of), log(2, nodes=None, **of), log(3, nodes=None), log(4, nodes=None, processes=9)],
        scheduler_jobs=[job("7")],
        site=[{"key": "processes_per_node", "value": "2"}, {"key": "processes_per_node", "value": "4"}],
    )
    assert query(tmp_path / "c", "SELECT nodes FROM log_jobs ORDER BY log") == [(4,), (4,), (2,), (3,)]


def test_throughput_is_the_papers(tmp_path: Path) -> None:
    """II-D: bytes by the slowest process's time in I/O, by nodes; not defined where there was no I/O."""
    add(tmp_path / "c", logs=[log(1), log(2, slowest_ns=0), log(3, slowest_ns=None), log(4, nodes=None)])
    found = query(tmp_path / "c", "SELECT mib_per_s_per_node FROM log_jobs ORDER BY log")
    assert found == [(pytest.approx(4 / 2 / 2),), (None,), (None,), (None,)]


def test_devices_by_patterns_and_the_last_row_that_fits(tmp_path: Path) -> None:
    def sample(host: str, device: str) -> dict[str, Any]:
        return {"host": host, "device": device, "kind": "block", "start": T0, "end": T0 + HOUR, "reads": 1}

    add(
        tmp_path / "c",
        samples=[
            sample("oss1", "sda"),
            sample("oss1", "sdb+x"),
            sample("oss22", "sdb"),
            sample("x.y", "vd1"),
        ],
        devices=[
            {"host": "*", "device": "sda", "file_system": ""},
            {"host": "oss[!2]", "device": "sd[ab]+x", "server": "one", "file_system": "scratch"},
            {"host": "oss??", "device": "*", "file_system": "home"},
            {"host": "xay", "device": "*", "file_system": "never"},
        ],
    )
    found = query(
        tmp_path / "c", "SELECT host, device, server, file_system FROM device_minutes ORDER BY host"
    )
    assert found == [
        ("oss1", "sdb+x", "one", "scratch"),
        ("oss22", "sdb", "oss22", "home"),
        ("x.y", "vd1", "x.y", None),
    ]


def test_no_other_file_is_read_and_nothing_is_written(tmp_path: Path) -> None:
    import duckdb

    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    add(tmp_path / "c", logs=[log(1)])
    connection = catalog.open(tmp_path / "c").connect()
    for sql in (
        f"SELECT * FROM read_csv('{secret}')",
        f"SELECT * FROM '{secret}'",
        f"SELECT * FROM read_text('{tmp_path}/*')",
        f"COPY logs TO '{tmp_path}/out.csv'",
        f"ATTACH '{tmp_path}/x.db' AS x",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "LOAD httpfs",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(sql)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "secret.csv"]


def test_names_are_no_sql(tmp_path: Path) -> None:
    evil = "x'; DROP VIEW logs; --"
    root = tmp_path / f'c {evil}"] '
    add(root, logs=[log(1, source=evil, user=evil)], site=[{"key": evil, "value": evil}])
    assert query(root, 'SELECT source, "user" FROM log_jobs') == [(evil, evil)]


def test_a_record_of_no_scheduler_keeps_its_log(tmp_path: Path) -> None:
    add(tmp_path / "c", logs=[log(1, scheduler_job="7")], scheduler_jobs=[job("7", scheduler=None)])
    assert query(tmp_path / "c", "SELECT job, covered, bytes_read FROM jobs") == [("7", True, 1 << 20)]
    assert query(tmp_path / "c", "SELECT account FROM log_jobs") == [("a1",)]


def test_logs_and_jobs_are_of_one_project_where_the_record_has_no_user(tmp_path: Path) -> None:
    of = {"scheduler": "slurm", "scheduler_job": "7"}
    add(
        tmp_path / "c",
        logs=[log(1, **of)],
        scheduler_jobs=[job("7", user=None)],
        projects=[{"account": "a1", "project": "P"}],
    )
    assert query(tmp_path / "c", "SELECT project FROM jobs") == [("P",)]
    assert query(tmp_path / "c", "SELECT project FROM log_jobs") == [("P",)]


def test_a_corrected_map_of_devices_counts(tmp_path: Path) -> None:
    samples = [{"host": "oss1", "device": "sda", "start": T0, "end": T0 + HOUR}]
    wrong = [{"host": "*", "device": "*", "server": "x", "file_system": "wrong"}] * 2000
    right = [{"host": "oss*", "device": "sd?", "server": None, "file_system": "scratch"}]
    add(tmp_path / "c", samples=samples, devices=wrong)
    add(tmp_path / "c", devices=right)
    assert query(tmp_path / "c", "SELECT server, file_system FROM device_minutes") == [("oss1", "scratch")]
    places = [row[0] for row in query(tmp_path / "c", "SELECT place FROM devices")]
    assert len(set(places)) == len(places)


def test_a_sample_that_came_by_several_files_counts_once(tmp_path: Path) -> None:
    """A store and what it was exported to doubled what the devices moved."""
    one = {"host": "h", "kind": "block", "device": "sda", "start": T0, "end": T0 + HOUR, "read_bytes": 7}
    add(tmp_path / "c", samples=[one, one | {"start": T0 + HOUR, "end": T0 + 2 * HOUR}])
    add(tmp_path / "c", samples=[one, one | {"device": "sdb"}, one | {"kind": "lustre_ost"}])
    assert query(tmp_path / "c", "SELECT sum(read_bytes), count(*) FROM device_minutes") == [(28, 4)]
    assert query(tmp_path / "c", "SELECT count(*) FROM samples") == [(5,)]


def test_a_sample_is_known_by_its_end(tmp_path: Path) -> None:
    """Of the first record of an export nobody knows to the second when it began."""
    known = {"host": "oss1", "device": "sda", "kind": "block", "end": T0 + HOUR, "read_bytes": 7}
    late = {**known, "start": T0 + datetime.timedelta(seconds=1)}
    add(tmp_path / "c", samples=[{**known, "start": T0}, late])
    sql = 'SELECT sum(read_bytes), count(*), min("start") FROM device_minutes'
    assert query(tmp_path / "c", sql) == [(7, 1, T0)]


def test_sums_without_room_and_numbers_that_are_none_are_null(tmp_path: Path) -> None:
    """One such log or file made views of no use for everybody."""
    of = {"scheduler": "slurm", "scheduler_job": "7"}
    most = 2**63 - 1
    add(
        tmp_path / "c",
        logs=[
            log(1, elapsed_ns=most, instances=most, **of),
            log(2, elapsed_ns=most, instances=most, **of),
            log(3, nodes=None),
        ],
        scheduler_jobs=[job("7")],
        site=[{"key": "processes_per_node", "value": "8"}, {"key": "processes_per_node", "value": "nan"}],
    )
    found = query(tmp_path / "c", "SELECT job, elapsed_ns, instances, nodes FROM jobs ORDER BY job")
    assert found == [("7", None, None, 4), (None, 3600 * SECOND, None, 1)]
    add(
        tmp_path / "c",
        site=[{"key": "processes_per_node", "value": value} for value in ("1e-300", "inf", "-4")],
    )
    assert query(tmp_path / "c", "SELECT nodes FROM log_jobs WHERE log = 3") == [(1,)]


def test_devices_count_in_hours_without_samples_of_what_lies_above_them(tmp_path: Path) -> None:
    """One sample of Lustre took all that the devices of its server ever moved."""

    def sample(kind: str, device: str, hour: int) -> dict[str, Any]:
        start = T0 + hour * HOUR
        return {"host": "oss1", "kind": kind, "device": device, "start": start, "end": start + HOUR / 60}

    hours = [sample("block", "sda", hour) for hour in range(4)]
    lustre = [sample("lustre_ost", "scratch-OST0000", hour) for hour in (2, 3)]
    add(tmp_path / "c", samples=[*hours, *lustre, sample("lustre_llite", "scratch", 0)])
    found = query(tmp_path / "c", 'SELECT kind, hour("start") FROM storage_samples ORDER BY 2')
    assert found == [("block", 0), ("block", 1), ("lustre_ost", 2), ("lustre_ost", 3)]


def _minutes(first: float, count: int, length: float = 60, **known: Any) -> list[dict[str, Any]]:
    """Samples of a device that reads 1,000 bytes a second."""
    begin, step = T0 + datetime.timedelta(seconds=first), datetime.timedelta(seconds=length)
    one = {
        "host": "oss1",
        "device": "sda",
        "kind": "block",
        "boot": "",
        "read_bytes": round(1000 * length),
        **known,
    }
    return [
        one | {"start": begin + number * step, "end": begin + (number + 1) * step} for number in range(count)
    ]


@pytest.mark.parametrize(
    ("first", "second", "seconds"),
    [
        (
            _minutes(0, 10, boot="b"),
            _minutes(0.4, 10),
            600.4,
        ),  # monitor and iostat, which began a moment later
        (_minutes(0, 10, boot="b"), _minutes(-25, 10), 625),
        (_minutes(300, 600, 1, boot="b"), _minutes(0, 3, 600), 1800),  # sadf's ten minutes around it
        (_minutes(0, 3, 600, boot="b"), _minutes(300, 600, 1), 1800),
        (_minutes(0, 10), _minutes(30, 10), 630),  # iostat and LDMS
        (_minutes(0, 10, boot="b"), _minutes(600, 10), 1200),
        (_minutes(0, 10, boot="b"), _minutes(0, 10, device="sdb"), 1200),
        (_minutes(0, 10, boot="b"), _minutes(0, 10, host="oss2"), 1200),
    ],
)
def test_a_device_that_two_programs_sampled_counts_once(
    tmp_path: Path, first: list[dict[str, Any]], second: list[dict[str, Any]], seconds: float
) -> None:
    add(tmp_path / "c", samples=first)
    add(tmp_path / "c", samples=second)
    ((total, overlapping),) = query(
        tmp_path / "c",
        "SELECT sum(read_bytes), (SELECT count(*) FROM device_minutes a JOIN device_minutes b ON a.host = b.host"
        ' AND a.device = b.device AND a."start" < b."start" AND b."start" < a."end") FROM device_minutes',
    )
    assert total == pytest.approx(1000 * seconds, abs=20)
    assert overlapping == 0 or first[0]["end"] - first[0]["start"] < second[0]["end"] - second[0]["start"]


def test_exact_samples_go_before_those_of_rates(tmp_path: Path) -> None:
    exact = _minutes(0, 3, boot="b", read_bytes=777, busy_ms=5)
    rough = _minutes(-7, 4, read_bytes=60000)
    add(tmp_path / "c", samples=[*rough, *exact])
    found = query(tmp_path / "c", 'SELECT read_bytes, busy_ms FROM device_minutes ORDER BY "start"')
    assert found == [(7000, None), (777, 5), (777, 5), (777, 5), (pytest.approx(53000), None)][: len(found)]
    assert len(found) >= 4
