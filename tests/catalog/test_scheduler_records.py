"""Records of batch schedulers, as their programs write them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.catalog import accounting, checks, job_csv, sacct
from headrace.catalog.add import add
from headrace.catalog.schedulers import LeftOut

Row = dict[str, Any]

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


def parsed(jobs: Callable[..., Iterator[Row]], lines: list[str], *more: Any) -> tuple[list[Row], list[str]]:
    """Rows, and why lines are left out."""
    left_out = EachLeftOut()
    return list(jobs((line + "\n" for line in lines), *more, left_out)), left_out.all


class EachLeftOut(LeftOut):
    def __init__(self) -> None:
        super().__init__()
        self.all: list[str] = []

    def add(self, why: str) -> None:
        super().add(why)
        self.all.append(why)


def by_job(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["job"]: row for row in rows}


def test_cobalt() -> None:
    rows, bad = parsed(accounting.jobs, COBALT.split("\n"))
    assert ({row["scheduler"] for row in rows}, bad) == ({"cobalt"}, [])
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
    rows, bad = parsed(accounting.jobs, PBS.split("\n"))
    assert ({row["scheduler"] for row in rows}, bad) == ({"pbs"}, [])
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
    (row,), bad = parsed(sacct.jobs, [names, values])
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
    (row,), bad = parsed(sacct.jobs, lines)
    assert (row["job"], row["nodes"], row["exit_status"]) == ("10", 1536, None)
    assert [reason.partition(":")[0] for reason in bad] == ["line 2", "line 3", "line 4", "line 6"]
    assert "has 8 columns, and the first line has 7" in bad[0]
    rows, bad = parsed(accounting.jobs, [*PBS.split("\n"), "01/01/2026 12:00:00;E;9.ser"])
    assert len(rows) == 2
    assert bad == ["line 6: is no record of an accounting log"]
    columns = {"job": "job", "start": "start"}
    rows, bad = parsed(job_csv.jobs, ["job,start", "a,1767265200", "b,soon"], columns, "x")
    assert [row["job"] for row in rows] == ["a"]
    assert len(bad) == 1


def test_a_state_of_nothing() -> None:
    (row,), _ = parsed(sacct.jobs, ["JobIDRaw|Start|State", "7|1767265200| "])
    assert row["state"] == "unknown"


def test_a_line_of_unclosed_quotes_takes_no_time() -> None:
    line = "01/01/2026 12:00:00;E;5;start=1767265200 end=1767268800 " + "a=\"b=' " * 40_000
    (row,), _ = parsed(accounting.jobs, [line])
    assert row["job"] == "5"


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    records = tmp_path / "sacct.txt"
    records.write_text("\ufeffJobIDRaw|User|Start|End|State\r\n7|ann|1767265200|1767268800|COMPLETED\r\n")
    report = add(tmp_path / "c", [records])
    assert report.bad == []
    assert catalog.open(tmp_path / "c").table("scheduler_jobs")["job"].to_pylist() == ["7"]


def added(tmp_path: Path, name: str, text: str) -> tuple[list[Row], list[str]]:
    """Rows of `scheduler_jobs` after a file was added, and what was said of it."""
    (tmp_path / name).write_text(text)
    report = add(tmp_path / "c", [tmp_path / name])
    return catalog.open(tmp_path / "c").table("scheduler_jobs").to_pylist(), [why for _, why in report.bad]


def test_a_quote_that_is_not_closed_is_told_with_what_it_takes(tmp_path: Path) -> None:
    """All rows behind it were gone, and nobody said so."""
    rows = ["1,ok,1767265200", '2,"bad,1767265200', "3,ok,1767265200", "4,ok,1767265200"]
    found, (said,) = added(tmp_path, "jobs.csv", "\n".join(["job,name,start", *rows, ""]))
    assert [row["job"] for row in found] == ["1"]
    assert "jobs.csv: line 3 to 5:" in said and "quote" in said
    rows[2:3] = ['3,"ok",1767265200', "5,a,1767265200,b", "6,1767265200"]
    found, (said,) = added(tmp_path, "jobs.csv", "\n".join(["job,name,start", *rows, ""]))
    assert sorted(row["job"] for row in found) == ["1", "1", "4"]
    assert "line 3 to 4:" in said and "(3 such lines are left out, 2 jobs are added)" in said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("jobs.txt", "JobIDRaw|User|Start\n7|ann|1767265200\n8|ann|17672"),
        ("jobs.csv", "job,user,start\n7,ann,1767265200\n8,ann,17672"),
        ("20260101", PBS.split("\n")[2] + "\n01/01/2026 11:00:00;S;6.server;user=bob start=17672"),
    ],
)
def test_a_last_line_that_does_not_end_is_left_out(tmp_path: Path, name: str, text: str) -> None:
    """Of a file that is being written it made jobs of 1970."""
    found, (said,) = added(tmp_path, name, text)
    assert len(found) == 1 and found[0]["job"][0] in "75"
    assert "does not end" in said and f"line {text.count(chr(10)) + 1}:" in said
    found, said_then = added(tmp_path, name, text + "65200\n")
    assert len(found) == 3 and said_then == []


def test_an_array_of_pbs_is_its_jobs(tmp_path: Path) -> None:
    """The record of all of them together counted once more."""
    lines = [
        PBS.split("\n")[2].replace(";5.server;", f";{job};")
        for job in ("9[].server", "9[1].server", "9[2].server", "8[]")
    ]
    rows, bad = parsed(accounting.jobs, lines)
    assert [row["job"] for row in rows] == ["9[1].server", "9[2].server"] and bad == []


def test_a_job_of_pbs_that_is_put_back_into_its_queue_has_ended() -> None:
    begun = "01/01/2026 11:00:00;S;5.server;user=bob queue=batch start=1767265200"
    back = (
        "01/01/2026 11:30:00;R;5.server;user=bob queue=batch start=1767265200 end=1767267000 Exit_status=-11"
    )
    again = begun.replace("1767265200", "1767270000")
    rows, bad = parsed(accounting.jobs, [begun, back, again])
    assert bad == []
    assert [(row["state"], row["start"].timestamp()) for row in rows] == [
        ("requeued", 1767265200), ("running", 1767270000)
    ]  # fmt: skip
    assert rows[0]["end"].timestamp() == 1767267000
    rows, _ = parsed(accounting.jobs, [begun, back.replace("end=1767267000 ", "")])
    assert [row["state"] for row in rows] == ["running"]


def test_what_pbs_calls_no_project_is_none() -> None:
    line = PBS.split("\n")[1].replace("queue=batch", "project=_pbs_project_default queue=batch")
    (row,), _ = parsed(accounting.jobs, [line])
    assert row["account"] is None
    (row,), _ = parsed(accounting.jobs, [line.replace("_pbs_project_default", "p7")])
    assert row["account"] == "p7"


def test_a_start_of_0_is_none() -> None:
    """A job that was deleted before it began took core hours since 1970."""
    line = "01/01/2026 12:00:00;E;5.server;user=bob start=0 end=1767268800 Resource_List.ncpus=32"
    assert parsed(accounting.jobs, [line]) == ([], [])


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("20260301", "2026-03-01T00:00:00+00:00"),
        ("1772323200", "2026-03-01T00:00:00+00:00"),
        ("17723", None),
        ("20261301", None),
        ("-5", None),
    ],
)
def test_numbers_that_are_times(text: str, moment: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    rows, bad = parsed(job_csv.jobs, ["job,start", f"7,{text}"], {"job": "job", "start": "start"}, "x")
    monkeypatch.undo()
    time.tzset()
    assert [row["start"].isoformat() for row in rows] == ([moment] if moment else [])
    assert bad == ([] if moment else [f"line 2: start is no time: '{text}'"])


@pytest.mark.parametrize(
    ("start", "end", "elapsed", "minutes"),
    [
        ("01:50:00", "01:10:00", "", 20),
        ("01:50:00", "01:10:00", "1200", 20),
        ("01:50:00", "02:10:00", "1200", 20),
        ("01:50:00", "02:10:00", "4800", 80),
        ("01:10:00", "01:50:00", "2400", 40),
        ("01:10:00", "01:50:00", "6000", 100),
        ("00:30:00", "01:30:00", "7200", 120),
        ("03:00:00", "04:00:00", "60", 60),  # it was suspended
    ],
)
def test_the_hour_that_a_clock_goes_through_twice(
    start: str, end: str, elapsed: str, minutes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/Chicago")
    time.tzset()
    line = f"7|2026-11-01T{start}|2026-11-01T{end}|{elapsed}"
    rows, bad = parsed(sacct.jobs, ["JobIDRaw|Start|End|ElapsedRaw", line])
    monkeypatch.undo()
    time.tzset()
    assert bad == []
    assert (rows[0]["end"] - rows[0]["start"]).total_seconds() == 60 * minutes


@pytest.mark.parametrize("column", ["Constraints", "AdminComment", "SystemComment", "Extra", "Licenses"])
def test_bars_in_other_columns_of_free_text_move_no_column_either(column: str) -> None:
    names = f"JobIDRaw|JobName|User|Account|Start|{column}"
    rows, bad = parsed(sacct.jobs, [names, "7|run|ann|a1|1767265200|intel|amd"])
    assert rows == [] and bad == ["line 2: has 7 columns, and the first line has 6"]
    (row,), bad = parsed(sacct.jobs, [names.replace("JobName|", ""), "7|ann|a1|1767265200|intel|amd"])
    assert row["account"] == "a1" and bad == []


def test_memory_does_not_grow_with_a_file_of_records(tmp_path: Path) -> None:
    """It was fourteen times the file's size."""
    program = """
import resource, sys
from pathlib import Path
from headrace.catalog.add import add
report = add(sys.argv[1], [Path(sys.argv[2])], 1)
print(report.rows, len(report.bad), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    used = []
    for lines in (20_000, 400_000):
        file = tmp_path / f"{lines}.txt"
        with file.open("w") as out:
            out.write("JobIDRaw|User|Account|JobName|Start|End|State\n")
            out.writelines(
                f"{n}|ann|a1|a job|{1767265200 + n}|{1767268800 + n}|COMPLETED\n" for n in range(lines)
            )
        root = tmp_path / f"c{lines}"
        command = [sys.executable, "-c", program, root, file]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=250).stdout.split()
        assert said[:2] == [str(lines), "0"]
        assert catalog.open(root).table("sources").num_rows == 1
        used.append(int(said[2]))
        file.unlink()
    assert used[1] < used[0] + (200 << 10)  # KiB
    assert checks.problems(catalog.open(tmp_path / "c400000")) == []
