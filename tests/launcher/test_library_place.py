"""Where the capture library is: a path that the loader takes apart, one that is gone before the job ends."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import headrace
import pytest
from launcher_tools import Launcher

LIBRARIES = Path(sys.prefix) / "lib/headrace"
Facts = Callable[[Path], dict[str, Any]]


@pytest.fixture(params=["Mön espace/vénv", "with:colon", "all of: them"])
def apart(request: pytest.FixtureRequest, capturing: Launcher) -> Launcher:
    """Its library is in a directory whose path has spaces or colons."""
    place = capturing.directory / str(request.param)
    shutil.copytree(LIBRARIES, place, ignore=shutil.ignore_patterns("headrace-*", "link"))
    capturing.environment["HEADRACE_LIBRARY"] = str(place / "libheadrace.so")
    return capturing


def reasons(log: Path) -> list[str]:
    with headrace.open(log) as opened:
        return [row["reason"] for row in opened.processes.to_pylist() if row["reason"]]


def written(log: Path, file: Path) -> int:
    with headrace.open(log) as opened:
        return sum(row["bytes_written"] for row in opened.files.to_pylist() if row["path"] == str(file))


def test_a_path_that_the_loader_takes_apart(apart: Launcher, facts: Facts) -> None:
    log, file = apart.directory / "a.hr", apart.directory / "three-bytes"
    script = "printf abc > three-bytes; env | grep -c -e LD_PRELOAD -e HEADRACE_SPOOL=; /bin/cat three-bytes"
    done = apart.run("run", "--trace", "-o", log, "--", "sh", "-c", script)
    bare = subprocess.run(
        ["sh", "-c", script], cwd=apart.directory, env=apart.environment, capture_output=True
    )
    assert (done.stdout, done.stderr) == (bare.stdout, b"")
    assert written(log, file) == 3 and reasons(log) == []
    assert facts(log)["complete"] == "yes"
    assert apart.jobs() == [], "the link is left"


def test_waits_of_threads_are_seen_through_the_link(apart: Launcher) -> None:
    log = apart.directory / "a.hr"
    done = apart.run("run", "--trace=sync", "-o", log, "--", "sh", "-c", ":")
    assert (done.returncode, done.stderr) == (0, b"")


def test_who_outlives_the_link_starts_programs_without_complaints(apart: Launcher) -> None:
    script = "rm -r $SPOOLS/headrace-*; /bin/cat /dev/null; env true; sh -c 'env true'; exec /bin/echo done"
    apart.environment["SPOOLS"] = str(apart.spools)
    done = apart.run("run", "-o", apart.directory / "a.hr", "--", "sh", "-c", script)
    assert (done.returncode, done.stdout) == (0, b"done\n")
    assert b"ld.so" not in done.stderr


@pytest.mark.parametrize(
    "job", [{"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2"}, {"PBS_JOBID": "7"}], ids=["slurm", "pbs"]
)
def test_jobs_on_several_nodes_are_told_what_to_do(
    apart: Launcher, facts: Facts, job: dict[str, str]
) -> None:
    """Only this node would have the link."""
    log = apart.directory / "a.hr"
    apart.environment |= job
    done = apart.run("run", "-o", log, "--", "sh", "-c", "echo runs")
    place = Path(apart.environment["HEADRACE_LIBRARY"])
    assert (done.returncode, done.stdout) == (0, b"runs\n")
    assert f"make a link, ln -s '{place.parent}' LINK".encode() in done.stderr
    assert facts(log)["complete"].startswith("no: nothing was captured: ")
    assert apart.jobs() == []
    link = apart.directory / "link"
    link.symlink_to(place.parent)
    apart.environment["HEADRACE_LIBRARY"] = f"{link}/libheadrace.so"
    done = apart.run("run", "-o", log, "--", "sh", "-c", "printf abc > three-bytes")
    assert (done.stderr, written(log, apart.directory / "three-bytes")) == (b"", 3)


def test_a_job_on_one_node_has_the_link(apart: Launcher) -> None:
    apart.environment |= {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "1"}
    assert apart.run("run", "-o", apart.directory / "a.hr", "--", "true").stderr == b""


def test_ranks_on_hosts_that_are_named(apart: Launcher) -> None:
    launcher = apart.directory / "mpirun"
    launcher.symlink_to("/bin/echo")
    done = apart.run("run", "-o", apart.directory / "a.hr", "--", launcher, "--host", "a,b", "./app")
    assert done.stdout == b"--host a,b ./app\n"
    assert b"nothing was captured: " in done.stderr and b"ln -s" in done.stderr


def test_emulation_says_what_to_do(apart: Launcher) -> None:
    done = apart.run("run", "--emulate", "200us", "-o", apart.directory / "a.hr", "--", "true")
    assert done.returncode == 125
    assert b"libheadrace-emulate.so: the loader cannot preload" in done.stderr and b"ln -s" in done.stderr


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_ranks_of_this_node(apart: Launcher, mpi: str) -> None:
    launcher = shutil.which(f"mpirun.{mpi}")
    if launcher is None:
        pytest.skip(f"{mpi} is not installed")
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    apart.environment |= {**root, "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    log = apart.directory / "a.hr"
    script = "printf abc > file-$$"
    done = apart.run("run", "-o", log, "--", launcher, "-np", "2", "sh", "-c", script)
    assert done.returncode == 0 and b"ld.so" not in done.stderr, done.stderr
    assert sum(written(log, file) for file in apart.directory.glob("file-*")) == 6


def test_a_library_that_is_removed_while_the_job_runs(capturing: Launcher) -> None:
    """As an uninstallation does it."""
    place = capturing.directory / "lib"
    shutil.copytree(LIBRARIES, place, ignore=shutil.ignore_patterns("headrace-*", "link"))
    capturing.environment["HEADRACE_LIBRARY"] = str(place / "libheadrace.so")
    log = capturing.directory / "a.hr"
    done = capturing.run("run", "-o", log, "--", "sh", "-c", f"rm -r {place}; /bin/true; env true")
    assert b"ld.so" not in done.stderr
    told = reasons(log)
    assert len(told) >= 2 and all(reason.startswith("library-removed: ") for reason in told), told


def test_no_path_is_printed_for_a_list_that_would_take_it_apart(apart: Launcher) -> None:
    done = apart.run("config", "--preload")
    assert (done.returncode, done.stdout) == (125, b"") and b"make a link, ln -s" in done.stderr
    assert b"preload:        none: " in apart.run("config").stdout
