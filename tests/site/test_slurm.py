"""A real Slurm of one node on this machine: its controller, its daemon, and jobs of a user."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from deployment_tools import COUNTS, Site
from test_schedulers import NOBODY, merged

DAEMONS = ("munged", "slurmctld", "slurmd")
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or any(shutil.which(name, path="/usr/sbin:/usr/bin") is None for name in DAEMONS),
    reason="needs root, slurmctld, slurmd and munge",
)


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


class Slurm:
    def __init__(self, directory: Path, prolog: Path, epilog: Path) -> None:
        self.directory = directory
        host = socket.gethostname().split(".")[0]
        key, self.socket = directory / "munge.key", directory / "munge.socket"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        (directory / "state").mkdir()
        self.configuration = directory / "slurm.conf"
        self.configuration.write_text(
            f"""ClusterName=test
SlurmctldHost={host}
AuthType=auth/munge
AuthInfo=socket={self.socket}
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/state
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
TaskProlog={prolog}
Epilog={epilog}
NodeName={host} CPUs=2
PartitionName=all Nodes={host} Default=YES State=UP OverSubscribe=YES
"""
        )
        self.environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SLURM_CONF": str(self.configuration)}

    def start(self) -> None:
        where = self.directory
        self.command(
            "munged", "--force", f"--key-file={where}/munge.key", f"--socket={self.socket}",
            f"--pid-file={where}/munged.pid", f"--log-file={where}/munged.log", f"--seed-file={where}/seed",
        )  # fmt: skip
        self.command("slurmctld", "-f", str(self.configuration))
        self.command("slurmd", "-f", str(self.configuration))
        self.wait(lambda: "idle" in self.command("sinfo", "--noheader"))

    def stop(self) -> None:
        for name in reversed(DAEMONS):
            pid = self.directory / f"{name}.pid"
            if not pid.exists():
                continue
            process = Path("/proc") / pid.read_text().strip()
            subprocess.run(["kill", process.name], check=False)
            until = time.monotonic() + 20
            while process.exists() and time.monotonic() < until:  # it still writes its state
                time.sleep(0.05)

    def command(self, *words: str, cwd: Path | None = None) -> str:
        run = subprocess.run(
            words, env=self.environment, cwd=cwd, capture_output=True, text=True, timeout=60, check=False
        )
        assert run.returncode == 0, f"{words}\n{run.stdout}{run.stderr}{self.logs()}"
        return run.stdout

    def logs(self) -> str:
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.directory.glob("*.log")))

    def wait(self, condition: object, seconds: float = 40) -> None:
        assert callable(condition)
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, self.logs()
            time.sleep(0.1)


@pytest.fixture
def slurm(site: Site) -> Iterator[Slurm]:
    site.work.chmod(0o777)
    site.logs.mkdir(mode=0o755)
    site.configure(f"log_directory = {site.logs}\nnever_capture = srun\n")
    site.shell("headrace make-log-directories --days 2")
    for name in ("slurm-task-prolog", "slurm-epilog"):
        site.shell(f"headrace config --file {name} > {site.slurm}/{name}; chmod 755 {site.slurm}/{name}")
    made = site.directory / "daemons"
    made.mkdir(mode=0o755)
    running = Slurm(made, site.slurm / "slurm-task-prolog", site.slurm / "slurm-epilog")
    try:
        running.start()
        yield running
    finally:
        running.stop()


def submitted(slurm: Slurm, site: Site, script: str) -> str:
    """Runs a batch job of nobody to its end; its id."""
    (site.work / "job.sh").write_text(f"#!/bin/bash\n{script}\n")
    printed = slurm.command(
        "sbatch", "--parsable", "--wait", f"--uid={NOBODY}", f"--gid={NOBODY}", "-n2", "--output=job.out",
        "job.sh", cwd=site.work,
    )  # fmt: skip
    return printed.strip()


def test_jobs_of_a_real_slurm(site: Site, slurm: Slurm) -> None:
    """A batch job with a step of two tasks, of which one is killed; then one whose user opts out."""
    # Each task in a directory of its own: one must not empty the file that the other is reading.
    in_own = "mkdir -p $SLURM_PROCID && cd $SLURM_PROCID && ../simulation"
    number = submitted(slurm, site, f"srun bash -c '{in_own} $([ $SLURM_PROCID = 0 ] && echo die)' || true")
    slurm.wait(lambda: len(site.found()) == 2 and not Path(f"/dev/shm/headrace-job-{number}").exists())
    (log,) = (log for log in site.found() if "_simulation_" in log.name)  # the other is of the batch script
    assert log.stat().st_uid == NOBODY
    assert f"nobody_simulation_{number}-" in log.name
    assert merged(log) == {key: tuple(2 * figure for figure in figures) for key, figures in COUNTS.items()}
    import headrace

    with headrace.open(log) as opened:
        rows = opened.table("processes").to_pylist()
        assert opened.job["scheduler_job"] == number
    programs = [Path(row["executable"]).name for row in rows]
    assert programs.count("simulation") == 2 and "srun" not in programs
    silent = submitted(slurm, site, f"export HEADRACE=off\nsrun bash -c '{in_own}'")
    slurm.wait(lambda: not Path(f"/dev/shm/headrace-job-{silent}").exists())
    time.sleep(1)
    assert [other for other in site.found() if "_simulation_" in other.name] == [log]
    assert "drain" not in slurm.command("sinfo", "--noheader")
