"""A process that was killed unseen lived at least until its last call; no share of its life is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commands import headrace as command
from made_logs import LogMaker


def killed(path: Path, status: int) -> tuple[Any, str]:
    log = LogMaker()
    del log.job["exit_status"]
    log.process(1, end_at_ns=14_000_000, ended="killed", exit_status=status)
    log.file(1, "/data/d", writes=1, bytes_written=8, write_ns=1_000_000)
    log.write(path)
    return json.loads(command("show", path, "--json").stdout), command("show", path).stdout


def test_a_kill_that_nobody_saw(tmp_path: Path) -> None:
    facts, text = killed(tmp_path / "a.hr", -1)
    assert facts["job"]["run_at_least"] and facts["processes"][0]["run_at_least"]
    assert facts["totals"]["processes_at_least"] == 1
    assert facts["totals"]["io_share_of_process_time"] is facts["totals"]["io_share_of_run_time"] is None
    assert "ran at least 14 ms" in text and "≥ 14 ms" in text
    assert "Nobody saw when the process was killed" in " ".join(text.split())
    assert "% of the" not in text


def test_a_kill_that_was_seen(tmp_path: Path) -> None:
    facts, text = killed(tmp_path / "a.hr", 137)
    assert not facts["job"]["run_at_least"] and not facts["processes"][0]["run_at_least"]
    assert facts["totals"]["io_share_of_process_time"] == 1 / 14
    assert "at least" not in text and "≥" not in text


def test_the_page_knows_it(tmp_path: Path) -> None:
    from headrace import logs
    from headrace.analysis.job_facts import job_facts
    from headrace.reports.job import tables

    killed(tmp_path / "a.hr", -1)
    with logs.open(str(tmp_path / "a.hr")) as log:
        found = tables(job_facts(log))["processes"].columns["run_at_least"]
    assert b"".join(map(bytes, found.data)) == b"\x01"
