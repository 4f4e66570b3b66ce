"""Lines of `sacct -P`: free texts with line breaks, other marks between columns, and headers that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from headrace.catalog import sacct
from test_scheduler_records import added, by_job, parsed

WHEN = "2026-11-24T10:01:00|2026-11-24T10:11:00"
BASH = 'srun bash -c "echo hello &&\necho goodbye"'


def _parsed(text: str) -> tuple[list[dict[str, object]], list[str]]:
    return parsed(sacct.jobs, text.split("\n"))


@pytest.mark.parametrize(
    ("header", "record"),
    [
        ("JobIDRaw|Start|End|SubmitLine|State", f"{{job}}|{WHEN}|{{text}}|COMPLETED"),
        ("JobIDRaw|Start|End|State|SubmitLine", f"{{job}}|{WHEN}|COMPLETED|{{text}}"),
        ("SubmitLine|JobIDRaw|Start|End|State", f"{{text}}|{{job}}|{WHEN}|COMPLETED"),
        ("JobIDRaw|Comment|Start|End|SubmitLine|State", f"{{job}}|as it is|{WHEN}|{{text}}|COMPLETED"),
    ],
)
def test_a_line_break_in_a_free_text_is_a_part_of_it(header: str, record: str) -> None:
    texts = {"600": BASH, "602": "sbatch y", "603": "a\n\nb\n"}
    lines = [header, *(record.format(job=job, text=text) for job, text in texts.items())]
    found, bad = _parsed("\n".join(lines))
    assert bad == []
    jobs = by_job(found)
    assert set(jobs) == set(texts)
    assert {job: str(row["command"]).rstrip("\n") for job, row in jobs.items()} == {
        job: text.rstrip("\n") for job, text in texts.items()
    }
    assert {row["state"] for row in found} == {"completed"}


def test_bars_and_line_breaks_together() -> None:
    text = f"JobIDRaw|Start|End|SubmitLine|State\n601|{WHEN}|sbatch x | tee\nlog | cat|COMPLETED\n602|{WHEN}|y|FAILED"
    found, bad = _parsed(text)
    assert bad == []
    assert [(row["job"], row["command"], row["state"]) for row in found] == [
        ("601", "sbatch x | tee\nlog | cat", "completed"),
        ("602", "y", "failed"),
    ]


def test_a_cut_record_takes_nothing_of_the_next() -> None:
    found, bad = _parsed(f"JobIDRaw|Start|End|SubmitLine|State\n600|2026-11-24T10:01:00\n601|{WHEN}|y|FAILED")
    assert [row["job"] for row in found] == ["601"]
    assert bad == ["line 2: has 2 columns, and the first line has 5"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.txt", "JobID:User:Start:State\n7:ann:2026-11-24T10:01:00:FAILED\n", "without --delimiter"),
        ("a.txt", f"600|{WHEN}|FAILED\n601|{WHEN}|FAILED\n", "without -n"),
        ("a.txt", "JobIDRaw|User|State\n7|ann|FAILED\n", "--format"),
        ("a.csv", "job;user;start\n7;ann;1767265200\n", "separated by ';'"),
        ("a.txt", "job\tuser\tstart\n7\tann\t1767265200\n", "separated by tabs"),
        ("a.csv", "7,ann,2026-11-24T10:01:00\n", "names the columns"),
    ],
)
def test_what_is_nearly_a_table_of_jobs_gets_a_hint(tmp_path: Path, name: str, text: str, said: str) -> None:
    found, (told,) = added(tmp_path, name, text)
    assert found == []
    assert said in told and name in told


def test_a_bar_at_the_end_of_each_line_is_none() -> None:
    """As `sacct -p` writes them."""
    found, bad = _parsed(f"JobIDRaw|Start|End|State|\n600|{WHEN}|FAILED|")
    assert (bad, [row["state"] for row in found]) == ([], ["failed"])


def test_one_line_that_is_left_out_is_told_as_one(tmp_path: Path) -> None:
    """And one job is a job."""
    text = f"JobIDRaw|Start|End|State\n1|{WHEN}|COMPLETED\n2|x|{WHEN}|COMPLETED\n"
    found, (said,) = added(tmp_path, "jobs.txt", text)
    assert [row["job"] for row in found] == ["1"]
    assert said.endswith("(it is left out, 1 job is added)")
