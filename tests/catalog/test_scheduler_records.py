"""Records of batch schedulers, as their programs write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.catalog import schedulers
from headrace.catalog.add import add

# Cobalt sorts the keys, quotes values with spaces, quotes or commas, and writes None for what it does not know.
COBALT = """\
04/02/2019 19:31:56;Q;327220;account=proj etime=1554251516.32 qtime=1554251516.32 queue=prod resource=xc user=ann
04/02/2019 19:32:17;S;327220;Resource_List.ncpus=3000 Resource_List.nodect=3000 account=proj args= ctime=1554251516.32 cwd=/lus/p exe=/home/ann/run.sh exec_host="0-4,6-7" group=users jobname="it's \\"mine\\"" mode=script qtime=1554251516.32 queue=R.pm2 resource=xc session=None start=1554251537.81 user=ann
04/02/2019 19:32:18;TS;327220;location="0-4,6-7" resource=xc start=1554251538.1 task_id=1
04/02/2019 19:35:40;TE;327220;end=1554251740.1 location="0-4,6-7" start=1554251538.1 task_id=1 task_runtime=202.0
04/02/2019 19:35:40;E;327220;Exit_status=0 Resource_List.ncpus=3000 Resource_List.nodect=3000 Resource_List.walltime=1:00:00 account=proj approx_total_etime=20 args="-n 3,4" ctime=1554251516.32 cwd=/lus/p end=1554251740.88 etime=1554251516.32 exe=/home/ann/run.sh exec_host="0-4,6-7" group=users jobname="it's \\"mine\\"" mode=script priority_core_hours=2824063 qtime=1554251516.32 queue=R.pm2 resources_used.location="0-4,6-7" resources_used.nodect=3000 resources_used.walltime=0:03:23 session=None start=1554251537.81 user=ann
04/02/2019 19:36:00;HA;327221;hold_type=user resource=xc start=1554251760.0 user=bob
04/02/2019 19:40:40;E;327222;Exit_status=None Resource_List.ncpus=8 Resource_List.nodect=1 ctime=1554251900.0 end=1554252040.0 exe=/bin/b args= mode=c16 qtime=None queue=prod start=1554252000.0 user=bob
"""
PBS = """\
01/01/2026 11:00:00;L;license;floating license hour:3 day:3 month:3
01/01/2026 11:00:00;S;5.server;user=bob queue=batch start=1767265200 Resource_List.nodect=2
01/01/2026 12:00:00;E;5.server;user=bob account="a b" jobname='x "y"' queue=batch ctime=1767261600 qtime=1767261600 start=1767265200 end=1767268800 Exit_status=271 Resource_List.nodect=2 Resource_List.ncpus=32 Resource_List.mpiprocs=16
01/01/2026 13:00:00;E;5.server;user=bob queue=batch start=1767270000 end=1767271000 Exit_status=0
"""


def by_job(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["job"]: row for row in rows}


def test_cobalt() -> None:
    scheduler, (rows, bad) = schedulers.accounting(COBALT.split("\n"))
    assert (scheduler, bad) == ("cobalt", [])
    jobs = by_job(rows)
    assert set(jobs) == {"327220", "327222"}
    job = jobs["327220"]
    assert (job["user"], job["account"], job["queue"], job["name"]) == (
        "ann",
        "proj",
        "R.pm2",
        'it\'s "mine"',
    )
    assert (job["state"], job["exit_status"], job["nodes"], job["cores"]) == ("completed", 0, 3000, 3000)
    assert job["command"] == "/home/ann/run.sh -n 3,4"
    assert [job[name].timestamp() for name in ("submit", "start", "end")] == [
        1554251516.32, 1554251537.81, 1554251740.88
    ]  # fmt: skip
    assert (jobs["327222"]["exit_status"], jobs["327222"]["submit"], jobs["327222"]["state"]) == (
        None,
        None,
        "completed",
    )


def test_pbs_and_a_job_that_was_run_again() -> None:
    scheduler, (rows, bad) = schedulers.accounting(PBS.split("\n"))
    assert (scheduler, bad) == ("pbs", [])
    first, second = rows
    assert (first["account"], first["name"], first["state"]) == ("a b", 'x "y"', "failed")
    assert (first["nodes"], first["cores"], first["processes"], first["exit_status"]) == (2, 32, 16, 271)
    assert (second["job"], second["state"]) == ("5.server", "completed")


@pytest.mark.parametrize(
    ("names", "values", "expected"),
    [
        ("JobIDRaw|JobName|Start|State", "7|a|b|1767265200|FAILED", "a|b"),
        ("JobIDRaw|Start|State|SubmitLine", "7|1767265200|FAILED|srun a | tee b", "srun a | tee b"),
    ],
)
def test_a_bar_in_a_name_moves_no_column(names: str, values: str, expected: str) -> None:
    """sacct does not escape it: what is too many belongs to the one column of free text."""
    (row,), bad = schedulers.sacct([names, values])
    assert bad == []
    assert expected in (row["name"], row["command"])
    assert row["state"] == "failed"


def test_lines_that_cannot_be_read_are_left_out_and_told() -> None:
    """One user's job must not take a year's accounting away."""
    lines = [
        "JobIDRaw|JobName|Start|State|SubmitLine|NNodes|ExitCode",
        "7|a|1767265200|FAILED|srun a | tee b|1|0:0",
        "8|a|soon|FAILED|srun a|1|0:0",
        "9|a|1767265200|FAILED|srun a|many|0:0",
        "10|a|1767265200|COMPLETED|srun a|1.5K|²:0",
        "11|a|1767265200",
    ]
    (row,), bad = schedulers.sacct(lines)
    assert (row["job"], row["nodes"], row["exit_status"]) == ("10", 1536, None)
    assert [reason.partition(":")[0] for reason in bad] == ["line 2", "line 3", "line 4", "line 6"]
    assert "has 8 columns, and the first line has 7" in bad[0]
    _, (rows, bad) = schedulers.accounting([*PBS.split("\n"), "01/01/2026 12:00:00;E;9.ser"])
    assert len(rows) == 2
    assert bad == ["line 6: is no record of an accounting log"]
    rows, bad = schedulers.table(
        ["job,start", "a,1767265200", "b,soon"], {"job": "job", "start": "start"}, "x"
    )
    assert [row["job"] for row in rows] == ["a"]
    assert len(bad) == 1


def test_a_state_of_nothing() -> None:
    (row,), _ = schedulers.sacct(["JobIDRaw|Start|State", "7|1767265200| "])
    assert row["state"] == "unknown"


def test_a_line_of_unclosed_quotes_takes_no_time() -> None:
    line = "01/01/2026 12:00:00;E;5;start=1767265200 end=1767268800 " + "a=\"b=' " * 40_000
    _, ((row,), _) = schedulers.accounting([line])
    assert row["job"] == "5"


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    records = tmp_path / "sacct.txt"
    records.write_text("\ufeffJobIDRaw|User|Start|End|State\r\n7|ann|1767265200|1767268800|COMPLETED\r\n")
    report = add(tmp_path / "c", [records])
    assert report.bad == []
    assert catalog.open(tmp_path / "c").table("scheduler_jobs")["job"].to_pylist() == ["7"]
