"""What launchers leave: `headrace collect` finds it, and completes the logs of those that were killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from launcher_tools import COMMAND, Launcher

Facts = Callable[[Path], dict[str, Any]]


def kill_a_run(capturing: Launcher, *options: str) -> Path:
    """Kills a launcher before it has stored anything; its command has ended when this returns."""
    ready = capturing.directory / "ready"
    ready.unlink(missing_ok=True)
    before = set(capturing.jobs())
    process = capturing.start("run", *options, "--", "sh", "-c", f": > {ready}; exec sleep 0.3")
    while not ready.exists():
        time.sleep(0.005)
    process.kill()
    process.wait()
    time.sleep(0.6)
    (directory,) = set(capturing.jobs()) - before
    return directory


def test_finds_killed_runs_by_itself(capturing: Launcher, facts: Facts) -> None:
    for name in ["a.hr", "b.hr"]:
        kill_a_run(capturing, "-o", name)
    done = capturing.run("collect")
    assert done.returncode == 0, done.stderr
    assert capturing.jobs() == []
    assert [log.name for log in capturing.logs()] == ["a.hr", "b.hr"]
    assert facts(capturing.directory / "a.hr")["complete"] == "yes"


@pytest.mark.parametrize("options", [[], ["-o", "a.hr"], ["-o", "b.hr"]])
def test_goes_on_behind_a_collection_that_was_killed(
    capturing: Launcher, tmp_path: Path, options: list[str]
) -> None:
    """In the middle of storing: there are figures of processes, but not yet their rows."""
    directory = kill_a_run(capturing, "-o", "a.hr")
    subprocess.run(["cp", "-a", directory, tmp_path / "kept"], check=True)
    assert capturing.run("collect", *options, directory).returncode == 0
    (path,) = capturing.logs()
    whole = figures(path)
    text = path.read_bytes()
    cut = text.index(b"\x89HRC\r\n\x1a\x01TABL\x01\x00\x01\x00processes\0")
    assert text.index(b"profiles\0") < cut
    path.write_bytes(text[:cut])
    subprocess.run(["cp", "-a", tmp_path / "kept", directory], check=True)
    done = capturing.run("collect", *options, directory)
    assert done.returncode == 0, done.stderr
    assert capturing.logs() == [path]
    assert figures(path) == whole


def figures(path: Path) -> list[Any]:
    import headrace

    with headrace.open(path) as log:
        assert log.job["complete"] == "yes"
        files = log.files.select(["process", "path", "opens", "writes", "bytes_written"])
        calls = log.profiles.select(["process", "function", "calls"])
        return [log.processes["process"].to_pylist(), files.to_pylist(), calls.to_pylist()]


def test_finds_them_where_the_launcher_puts_them(
    capturing: Launcher, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # Of the places that are searched only $TMPDIR can be this test's alone, so what was left is moved there.
    temporary = tmp_path_factory.mktemp("temporary")
    directory = kill_a_run(capturing, "-o", "a.hr")
    moved = temporary / directory.name
    subprocess.run(["cp", "-a", directory, moved], check=True)
    for file in directory.iterdir():
        file.unlink()
    directory.rmdir()
    environment = {k: v for k, v in capturing.environment.items() if k != "HEADRACE_SPOOL"}
    # Other jobs of this user on this machine are not this test's to collect: an -o for several is refused.
    done = capturing.run("collect", "-o", "c.hr", env={**environment, "TMPDIR": str(temporary)})
    if done.returncode == 125:
        assert str(moved) in done.stderr.decode()
    else:
        assert (done.returncode, moved.exists()) == (0, False)


def test_leaves_live_launchers_alone(capturing: Launcher, facts: Facts) -> None:
    ready, end = capturing.directory / "ready", capturing.directory / "end"
    script = f": > {ready}; until [ -e {end} ]; do sleep 0.01; done"
    process = capturing.start("run", "-o", "a.hr", "--", "sh", "-c", script)
    while not ready.exists():
        time.sleep(0.005)
    done = capturing.run("collect")
    assert (done.returncode, capturing.logs()) == (0, [])
    assert b"nothing to collect" in done.stderr
    end.touch()
    assert process.wait(timeout=30) == 0
    assert facts(capturing.directory / "a.hr")["complete"] == "yes"


def test_one_output_is_not_for_several_jobs(capturing: Launcher) -> None:
    first, second = kill_a_run(capturing), kill_a_run(capturing)
    done = capturing.run("collect", "-o", "c.hr")
    assert done.returncode == 125
    assert str(first) in done.stderr.decode()
    assert str(second) in done.stderr.decode()
    assert capturing.run("collect", "-q").returncode == 0
    assert len(capturing.logs()) == 2


def test_one_output_is_not_for_all_jobs_of_a_place(capturing: Launcher) -> None:
    place = kill_a_run(capturing).parent
    kill_a_run(capturing)
    # A file of this name makes it no directory of records.
    (place / "job").write_text("name=somebody's\n")
    left = capturing.jobs()
    for options in ([], ["--anonymize"]):
        done = capturing.run("collect", *options, "-o", "c.hr", place)
        assert done.returncode == 125
        assert b"records of several jobs" in done.stderr
        assert all(str(each) in done.stderr.decode() for each in left)
    assert capturing.jobs() == left and capturing.logs() == []
    assert capturing.run("collect", "-q", place).returncode == 0
    assert len(capturing.logs()) == 2
    assert (place / "job").exists()
    (place / "job").unlink()


def test_what_is_not_of_a_job_is_left_alone(capturing: Launcher) -> None:
    theirs = capturing.directory / "theirs"
    theirs.mkdir()
    for name in ("job", "data"):
        (theirs / name).write_text("name=value\n")
    done = capturing.run("collect", theirs)
    assert done.returncode == 0 and b"nothing to collect" in done.stderr
    assert sorted(each.name for each in theirs.iterdir()) == ["data", "job"]


def test_makes_the_log_that_was_not_begun(capturing: Launcher, facts: Facts) -> None:
    directory = kill_a_run(capturing, "-o", "a.hr")
    assert not (capturing.directory / "a.hr").exists()
    assert capturing.run("collect", directory).returncode == 0
    assert [log.name for log in capturing.logs()] == ["a.hr"]
    assert facts(capturing.directory / "a.hr")["complete"] == "yes"


def test_never_mixes_or_replaces_logs_of_other_jobs(capturing: Launcher, facts: Facts) -> None:
    assert capturing.run("run", "-o", "a.hr", "true").returncode == 0
    before = (capturing.directory / "a.hr").read_bytes()
    directory = kill_a_run(capturing, "-o", "a.hr")
    done = capturing.run("collect", directory)
    assert done.returncode == 0
    assert b"of another job" in done.stderr
    assert (capturing.directory / "a.hr").read_bytes() == before
    (other,) = [log for log in capturing.logs() if log.name != "a.hr"]
    assert facts(other)["command"][0] == "sh"


def test_removes_the_empty_shared_directory(capturing: Launcher) -> None:
    library = Path(COMMAND).parent.parent / "lib" / "headrace" / "libheadrace.so"
    subprocess.run(
        ["sh", "-c", ": > one"],
        env={**capturing.environment, "LD_PRELOAD": str(library)},
        cwd=capturing.directory,
        check=True,
    )
    shared = capturing.spools / f"headrace-{os.geteuid()}"
    assert shared.is_dir()
    assert capturing.run("collect", "-o", "a.hr").returncode == 0
    assert not shared.exists()


def test_mistakes_say_what_to_do(capturing: Launcher) -> None:
    (capturing.directory / "file").write_text("notes")
    for arguments in [["/nonexistent"], ["file"], ["-o", "-"], ["-o", ""], ["--quiet=1"], ["--nonsense"]]:
        done = capturing.run("collect", *arguments)
        assert done.returncode == 125, (arguments, done.stderr)
    assert b"/nonexistent: No such file or directory; give" in capturing.run("collect", "/nonexistent").stderr
    for options in (["file"], ["-o", "x.hr", "file"], ["file", "-o", "x.hr"]):
        done = capturing.run("collect", *options)
        assert done.returncode == 125
        assert b"headrace: file: is neither a Headrace log nor a directory; give" in done.stderr
    (capturing.directory / "empty").touch()
    assert b"empty: is empty, and so no log; give" in capturing.run("collect", "empty").stderr
    done = capturing.run("collect", "-o", "file")
    assert b"file exists and is no Headrace log; give another name with -o" in done.stderr


def test_daemon_is_a_child_of_what_started_it(capturing: Launcher, facts: Facts) -> None:
    import headrace

    late = capturing.directory / "late"
    script = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(0.5)\n"
        f"        open({str(late)!r}, 'w').close()\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    )
    (capturing.directory / "daemon.py").write_text(script)
    done = capturing.run("run", "-o", "a.hr", "--", sys.executable, "daemon.py")
    assert done.returncode == 0
    deadline = time.monotonic() + 20
    while facts(capturing.directory / "a.hr")["complete"] != "yes":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with headrace.open(capturing.directory / "a.hr") as log:
        rows = log.processes.to_pylist()
        files = log.files.to_pylist()
    (daemon,) = [row["process"] for row in files if row["path"] == str(late)]
    parents = {row["process"]: row["parent"] for row in rows}
    assert parents[daemon] in parents, rows


def test_a_log_alone_gets_a_word_on_what_to_do(tmp_path: Path) -> None:
    log = tmp_path / "job.hr"
    subprocess.run([COMMAND, "run", "-q", "-o", log, "--", "/bin/true"], check=True, timeout=60)
    before = log.read_bytes()
    done = subprocess.run([COMMAND, "collect", log], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 125
    for said in (f"{log}: is a log already", f"`headrace show {log}`", "directory of records", "-o FILE"):
        assert said in done.stderr
    assert log.read_bytes() == before
