"""One file for a site: read by commands and by programs without a launcher."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from deployment_tools import COUNTS, Site, counts


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("way", ["run", "preload"])
def test_logs_go_to_the_day(site: Site, way: str) -> None:
    site.logs.mkdir(mode=0o755)
    site.configure(f"log_directory = {site.logs}\nlog_mode = 0440\n")
    site.shell("headrace make-log-directories --days 2")
    days = sorted(site.logs.glob("*/*/*"))
    assert len(days) == 2 and all(mode_of(day) == 0o1777 for day in days)
    if way == "run":
        site.shell("headrace run -- ./simulation", PBS_JOBID="12[3].server")
    else:
        site.shell(f"LD_PRELOAD={site.library} ./simulation", PBS_JOBID="12[3].server")
        site.shell(
            "headrace collect --quiet", SLURM_JOB_ID="another"
        )  # the job that collects is not the one captured
    (log,) = site.found()
    assert counts(log) == COUNTS
    assert mode_of(log) == 0o440
    assert "_simulation_12[3].server-" in log.name
    import headrace

    with headrace.open(log) as opened:
        job = opened.job
    assert (job["scheduler"], job["scheduler_job"]) == ("pbs", "12[3].server")


def test_a_named_log_is_the_users(site: Site) -> None:
    site.logs.mkdir()
    site.configure(f"log_directory = {site.logs}\nlog_mode = 0400\n")
    site.shell("umask 022; headrace run -o mine.hr -- ./simulation")
    assert mode_of(site.work / "mine.hr") == 0o644
    assert not list(site.logs.iterdir())


def test_an_anonymous_log_has_an_anonymous_name(site: Site) -> None:
    site.logs.mkdir()
    site.configure(f"log_directory = {site.logs}\n")
    site.shell("headrace run --anonymize -- ./simulation", SLURM_JOB_ID="4711")
    (log,) = site.found()
    assert log.name.startswith("anonymous_run-") and "4711" not in log.name
    import headrace

    with headrace.open(log) as opened:
        assert "4711" not in str(opened.job)


def test_a_log_directory_that_is_missing_is_said(site: Site) -> None:
    site.configure(f"log_directory = {site.logs}\n")
    site.shell("headrace run -- ./simulation", TMPDIR=str(site.directory))
    assert str(site.logs) in site.said
    (log,) = site.directory.glob("*_simulation-*.hr")
    assert counts(log) == COUNTS


def test_mistakes_are_named_with_file_and_line(site: Site) -> None:
    site.configure("memory = 1M\nlog_mode = 0777\n")
    place = f"{site.prefix}/etc/headrace.conf:2: "
    site.shell("headrace run -o a.hr -- ./simulation")
    assert place in site.said  # and the program ran
    site.shell("headrace make-log-directories", status=125)
    assert place in site.said
    printed = site.shell("headrace doctor --json || true")
    (check,) = (check for check in json.loads(printed) if check["name"] == "configuration")
    assert check["state"] == "fails" and place in check["found"]
    site.shell(f"LD_PRELOAD={site.library} ./simulation")
    assert site.said == ""
    assert len(site.left()) == 1


def test_programs_without_a_launcher_read_it_too(site: Site) -> None:
    site.configure(f"exclude = {site.work}/state\nmemory = 1M\nlog_directory={site.logs}\n")
    site.logs.mkdir(mode=0o1777)
    site.shell(f"LD_PRELOAD={site.library} ./simulation; headrace collect --quiet")
    (log,) = site.found()
    assert set(counts(log)) == {("steps.txt", "stdio")}
    import headrace

    with headrace.open(log) as opened:
        (process,) = opened.table("processes").to_pylist()
    assert process["memory_limit_bytes"] == 1 << 20


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_two_users_share_a_day(site: Site) -> None:
    site.logs.mkdir(mode=0o755)
    site.configure(f"log_directory = {site.logs}\n")
    site.shell("headrace make-log-directories --days 1")
    site.work.chmod(0o777)
    site.spools.chmod(0o777)
    as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent"
    site.shell(f"{as_nobody} headrace run --quiet -- /bin/true; headrace run --quiet -- /bin/true")
    logs = site.found()
    assert sorted(log.stat().st_uid for log in logs) == [0, 65534]
    (own,) = (log for log in logs if log.stat().st_uid == 0)
    site.shell(f"{as_nobody} rm -f {own}", status=1)
    site.shell(f"{as_nobody} cat {own}", status=1)
    assert own.exists()
