"""The scripts for schedulers, as what they are: programs with the environment that schedulers give them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from deployment_tools import COUNTS, Site

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="epilogs run as root")
NOBODY = 65534


@pytest.fixture
def job(site: Site) -> Iterator[dict[str, str]]:
    """The environment of a job of user nobody, whose records lie where the scripts put them."""
    site.logs.mkdir(mode=0o755)
    site.configure(f"log_directory = {site.logs}\n")
    site.shell("headrace make-log-directories --days 1")
    site.work.chmod(0o777)
    (site.work / "simulation").chmod(0o755)
    for name in ("slurm-task-prolog", "slurm-epilog"):
        site.shell(f"headrace config --file {name} > {site.slurm}/{name}; chmod 755 {site.slurm}/{name}")
    number = f"test{os.getpid()}"
    yield {
        "SLURM_JOB_ID": number,
        "SLURM_JOB_UID": str(NOBODY),
        "SLURM_JOB_USER": "nobody",
        "HOME": "/nonexistent",
    }
    shutil.rmtree(f"/dev/shm/headrace-job-{number}", ignore_errors=True)


def as_nobody(site: Site, command: list[str], environment: dict[str, str]) -> str:
    """Its output; what makes it nobody does not run in its environment."""
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env", "-i"]
    words = [f"{name}={value}" for name, value in environment.items()]
    return subprocess.run(
        [*become, *words, *command], cwd=site.work, check=True, capture_output=True, text=True
    ).stdout


def task(site: Site, job: dict[str, str], command: str, **environment: str) -> None:
    """What slurmd does: runs the prolog as the user, and the task with what that prints."""
    environment = {"PATH": os.environ["PATH"], **job, **environment}
    printed = as_nobody(site, ["/bin/sh", f"{site.slurm}/slurm-task-prolog"], environment)
    for line in printed.splitlines():
        word, assignment = line.split(" ", 1)
        assert word == "export"
        name, value = assignment.split("=", 1)
        environment[name] = value
    as_nobody(site, ["/bin/bash", "-c", command], environment)


def epilog(site: Site, job: dict[str, str]) -> None:
    done = subprocess.run(
        ["/bin/sh", f"{site.slurm}/slurm-epilog"], cwd="/", env={"PATH": "/usr/bin", **job},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout + done.stderr == ""


def test_a_job_of_slurm(site: Site, job: dict[str, str]) -> None:
    task(site, job, "./simulation")
    task(site, job, "./simulation die || true")
    epilog(site, job)
    (log,) = site.found()
    assert log.stat().st_uid == NOBODY
    assert f"nobody_simulation_{job['SLURM_JOB_ID']}-" in log.name
    assert merged(log) == {key: tuple(2 * figure for figure in figures) for key, figures in COUNTS.items()}
    assert not Path(f"/dev/shm/headrace-job-{job['SLURM_JOB_ID']}").exists()
    epilog(site, job)  # nothing left: nothing happens
    assert site.found() == [log]


def merged(log: Path) -> dict[tuple[str, str], tuple[int, ...]]:
    """Figures over all processes."""
    import headrace

    sums: dict[tuple[str, str], tuple[int, ...]] = {}
    with headrace.open(log) as opened:
        for row in opened.table("files").to_pylist():
            key = (Path(row["path"]).name, row["layer"])
            if key in COUNTS:
                figures = (row["reads"], row["bytes_read"], row["writes"], row["bytes_written"])
                sums[key] = tuple(map(sum, zip(sums.get(key, (0, 0, 0, 0)), figures, strict=True)))
    return sums


def test_jobs_are_kept_apart(site: Site, job: dict[str, str]) -> None:
    other = {**job, "SLURM_JOB_ID": job["SLURM_JOB_ID"] + "b"}
    task(site, job, "./simulation")
    task(site, other, "cat state.dat > /dev/null")
    epilog(site, job)
    epilog(site, other)
    first, second = sorted(site.found(), key=lambda log: "_cat_" in log.name)
    assert merged(first) == COUNTS
    assert [figures[1:] for figures in merged(second).values()] == [(100_000, 0, 0)]  # cat's


def test_users_opt_out_of_slurm(site: Site, job: dict[str, str]) -> None:
    task(site, job, "./simulation", HEADRACE="off")
    assert not Path(f"/dev/shm/headrace-job-{job['SLURM_JOB_ID']}").exists()
    epilog(site, job)
    assert site.found() == []


def test_another_users_directory_is_not_used(site: Site, job: dict[str, str]) -> None:
    records = Path(f"/dev/shm/headrace-job-{job['SLURM_JOB_ID']}")
    records.mkdir(mode=0o777)  # root's
    task(site, job, "./simulation")
    assert list(records.iterdir()) == []
    epilog(site, job)
    assert records.exists() and site.found() == []
    records.rmdir()
    records.symlink_to(site.work)
    task(site, job, "./simulation")
    epilog(site, job)
    assert site.found() == []
    records.unlink()


def test_a_preload_of_the_user_stays(site: Site, job: dict[str, str]) -> None:
    environment = {"PATH": os.environ["PATH"], **job, "LD_PRELOAD": "/usr/lib/libmine.so"}
    prolog = ["/bin/sh", f"{site.slurm}/slurm-task-prolog"]
    assert f"export LD_PRELOAD={site.library}:/usr/lib/libmine.so" in as_nobody(site, prolog, environment)


# PBS: a model of the part of its hook interface that the hook uses.
PBS = """
import json, os, sys
EXECJOB_LAUNCH, EXECJOB_EPILOGUE, LOG_WARNING = 1, 2, 3
class Job: id, euser = os.environ["TEST_ID"], "nobody"
class Event:
    type, env, job = int(os.environ["TEST_TYPE"]), json.loads(os.environ["TEST_ENV"]), Job()
    def accept(self): print(json.dumps(self.env))
current = Event()
def event(): return current
def logmsg(level, text): sys.exit(text)
"""


def test_a_job_of_pbs(site: Site, job: dict[str, str]) -> None:
    import json

    (site.directory / "pbs.py").write_text(PBS)
    site.shell("headrace config --file pbs-hook.py > hook.py")
    number = job["SLURM_JOB_ID"]

    def hook(kind: int, environment: dict[str, str]) -> dict[str, str]:
        told = {"TEST_ID": number, "TEST_TYPE": str(kind), "TEST_ENV": json.dumps(environment)}
        run = subprocess.run(
            [sys.executable, "hook.py"], cwd=site.work, check=True, capture_output=True, text=True,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(site.directory), **told},
        )  # fmt: skip
        return dict(json.loads(run.stdout))

    assert "LD_PRELOAD" not in hook(1, {"HEADRACE": "off"})
    environment = hook(1, {"PATH": "/usr/bin:/bin", "PBS_JOBID": number, "LD_PRELOAD": "/usr/lib/libmine.so"})
    assert environment["LD_PRELOAD"] == f"{site.library}:/usr/lib/libmine.so"
    environment["LD_PRELOAD"] = str(site.library)
    as_nobody(site, ["./simulation"], environment)
    hook(2, {})
    (log,) = site.found()
    assert merged(log) == COUNTS
    assert log.stat().st_uid == NOBODY and f"_{number}-" in log.name


def test_a_job_starter_of_lsf(site: Site, job: dict[str, str]) -> None:
    line = site.shell("headrace config --file lsf.queues").splitlines()[-1]
    starter = line.split(" = ", 1)[1].replace("%USRCMD", "./simulation && cat steps.txt > /dev/null")
    site.shell(starter, LSB_JOBID="77")
    (log,) = site.found()
    assert "_77-" in log.name
    assert merged(log)[("state.dat", "posix")] == COUNTS[("state.dat", "posix")]
