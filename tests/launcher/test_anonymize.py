"""`headrace run --anonymize` and `headrace collect --anonymize`: nothing that is written has a name in it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import headrace
import headrace._native
from headrace.commands._checks import preload_library
from launcher_tools import Launcher

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from chunk_bytes import all_bytes

Facts = Callable[[Path], dict[str, Any]]
SECRET = "Zq7secret"
SCRIPT = f"echo {SECRET} > {SECRET}.dat; cat {SECRET}.dat > /dev/null"


def in_secret_directory(capturing: Launcher) -> Path:
    directory = capturing.directory / f"{SECRET}-directory"
    directory.mkdir(exist_ok=True)
    return directory


def test_a_run_writes_no_names(capturing: Launcher, facts: Facts) -> None:
    directory = in_secret_directory(capturing)
    log = capturing.directory / "a.hr"
    done = capturing.run("run", "--anonymize", "-o", log, "--", "sh", "-c", SCRIPT, SECRET, cwd=directory)
    assert done.returncode == 0, done.stderr
    left = all_bytes(log)
    assert SECRET.encode() not in left
    assert headrace._native.version.encode() in left
    known = facts(log)
    assert (known["anonymized"], known["complete"], known["exit_status"]) == ("1", "yes", 0)
    assert "user_id" not in known
    with headrace.open(log) as opened:
        written = [row for row in opened.files_by_path().to_pylist() if row["path"].endswith(".dat")]
        assert [(row["bytes_written"], row["bytes_read"]) for row in written] == [(len(SECRET) + 1,) * 2]
        assert written[0]["path"].startswith(known["working_directory"] + "/~")
        assert set(opened.processes["host"].to_pylist()) == {known["host"]}
        assert all(row["point"] for row in opened.mounts.to_pylist())
    assert capturing.jobs() == []


def test_without_it_names_stay(capturing: Launcher, facts: Facts) -> None:
    log = capturing.directory / "a.hr"
    capturing.run("run", "-o", log, "--", "sh", "-c", SCRIPT)
    assert SECRET.encode() in all_bytes(log)
    assert facts(log)["anonymized"] == "0"


def test_a_log_of_this_version_loses_no_fact_but_the_user(capturing: Launcher, facts: Facts) -> None:
    log, out = capturing.directory / "a.hr", capturing.directory / "b.hr"
    capturing.run("run", "-o", log, "--emulate", "200us", "--", "sh", "-c", SCRIPT)
    done = capturing.run("anonymize", log, "-o", out)
    assert (done.returncode, done.stderr) == (
        0,
        b"headrace: left out, because it may hold names: fact 'emulated'\n",
    )
    assert facts(out)["capture"] == facts(log)["capture"] == "all"
    assert facts(out)["emulate"].startswith("~")
    assert set(facts(log)) - set(facts(out)) == {"user_id", "emulated"}


def test_the_name_of_the_log_says_nothing_of_the_command(capturing: Launcher) -> None:
    program = capturing.directory / SECRET
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert capturing.run("run", "--anonymize", "--", program).returncode == 0
    assert [log.name.split("-")[1] for log in capturing.logs()] == ["run"]


def test_what_cannot_be_captured_has_no_name_either(capturing: Launcher) -> None:
    log = capturing.directory / "a.hr"
    environment = {**capturing.environment, "HEADRACE_LIBRARY": f"/{SECRET}/library.so"}
    done = capturing.run("run", "--anonymize", "-o", log, "--", "sh", "-c", SCRIPT, env=environment)
    assert done.returncode == 0
    assert SECRET.encode() not in all_bytes(log)


def kill_a_run(capturing: Launcher, log: Path, *options: str) -> None:
    """A launcher that is killed when one of its processes has ended and been stored, another one has not."""
    directory = in_secret_directory(capturing)
    ready = capturing.directory / "ready"
    script = (
        f"sh -c 'echo x > {SECRET}.1'; sleep 1.3; : > {ready}; exec sh -c 'sleep 0.5; echo y > {SECRET}.1'"
    )
    process = capturing.start("run", *options, "-o", log, "--", "sh", "-c", script, cwd=directory)
    while not ready.exists():
        time.sleep(0.01)
    process.kill()
    process.wait()
    time.sleep(1.0)


def test_a_killed_run_is_collected_with_the_same_tokens(capturing: Launcher, facts: Facts) -> None:
    log = capturing.directory / "a.hr"
    kill_a_run(capturing, log, "--anonymize")
    done = capturing.run("collect")
    assert done.returncode == 0, done.stderr
    assert SECRET.encode() not in all_bytes(log)
    assert b"anonymize\0" not in all_bytes(log)
    with headrace.open(log) as opened:
        rows = [
            row for row in opened.files.to_pylist() if row["kind"] == "file" and row["bytes_written"] == 2
        ]
        assert len(rows) == 2, "written once by each of two processes"
        assert len({row["path"] for row in rows}) == 1
        identities = opened.processes["process"].to_pylist()
        assert len(identities) == len(set(identities)), "nothing is collected twice"
    assert facts(log)["complete"] == "yes"
    assert capturing.jobs() == []


def test_records_without_a_launcher_are_collected_so_when_asked(capturing: Launcher) -> None:
    directory = in_secret_directory(capturing)
    log = capturing.directory / "a.hr"
    run_with = {**capturing.environment, "LD_PRELOAD": str(preload_library())}
    subprocess.run(["sh", "-c", SCRIPT], env=run_with, cwd=directory, check=True, timeout=60)
    done = capturing.run("collect", "--anonymize", "-o", log)
    assert done.returncode == 0, done.stderr
    assert SECRET.encode() not in all_bytes(log)
    with headrace.open(log) as opened:
        assert opened.job["anonymized"] == "1"
        rows = [row for row in opened.files.to_pylist() if row["path"].endswith(".dat")]
        assert sum(row["bytes_written"] for row in rows) == len(SECRET) + 1


def test_names_are_not_added_to_a_log_that_has_some(capturing: Launcher) -> None:
    log = capturing.directory / "a.hr"
    kill_a_run(capturing, log)
    if not log.exists():  # the killed launcher had stored nothing
        assert capturing.run("collect", "--anonymize").returncode == 0
        assert SECRET.encode() not in all_bytes(log)
        return
    done = capturing.run("collect", "--anonymize")
    assert done.returncode == 1
    assert b"begun without --anonymize" in done.stderr
    assert capturing.run("collect").returncode == 0
