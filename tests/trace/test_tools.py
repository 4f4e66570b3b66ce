"""What `headrace run --trace` leaves for the commands that read it: facts, numbers of threads, and hints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from headrace.analysis.traces import Trace
from trace_tools import COMMAND, HERE, Traced, compile_program


@pytest.fixture(scope="module")
def late_main(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("late_main") / "late_main"
    return compile_program("cc -O1 -pthread", [HERE / "c" / "late_main.c"], out)


def headrace(*words: str | Path) -> subprocess.CompletedProcess[str]:
    run = [COMMAND, *map(str, words)]
    return subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)


def test_the_first_thread_is_number_one_whenever_it_is_seen(late_main: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [late_main, tmp_path])
    opened = {Path(row["path"]).name: row for row in traced.rows() if row.get("name") == "open"}
    assert {name: opened[name]["thread"] for name in ("first", "second", "child")} == {
        "first": 1, "second": 2, "child": 1,
    }  # fmt: skip
    assert opened["child"]["process"] != opened["first"]["process"]
    begun = [row["thread"] for row in traced.rows() if row["kind"] == "enter" and row["layer"] == "thread"]
    assert begun == [2]
    traced.verify()


def test_the_command_is_a_fact_of_the_trace(late_main: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [late_main, tmp_path])
    command = [str(late_main), str(tmp_path)]
    assert json.loads(Trace(traced.trace).facts["command"]) == command
    assert json.loads(traced.command("info", "--json"))["command"] == json.dumps(command)
    assert f"command    {late_main}" in traced.command("info")


def test_show_says_that_there_is_a_trace(late_main: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [late_main, tmp_path])
    assert "with an event trace: headrace trace overview /" in headrace("show", traced.log).stdout
    assert json.loads(headrace("show", "--json", traced.log).stdout)["log"]["trace"] == str(traced.trace)
    traced.trace.unlink()
    assert "with an event trace" not in headrace("show", traced.log).stdout


@pytest.mark.parametrize(
    ("options", "unmatched"),
    [
        (("--trace",), []),
        (("--trace=posix,hdf5",), ["trace: hdf5"]),
        (("--trace=-stdio",), []),
        (("--trace=all,-stdio",), []),
        (("--trace=messages",), ["trace: messages"]),
        (("--trace=-stdio", "--trace-phase", "step"), ["trace_phase: step"]),
        (("--trace", "--trace-only", "op*,pwrit,clos?"), ["trace_only: pwrit"]),
        (("--trace", "--trace-skip", "opne"), ["trace_skip: opne"]),
        (("--trace", "--trace-skip", "open,x"), []),
        (("--trace", "--trace-phase", "step:1-2,4"), ["trace_phase: step"]),
        (("--trace", "--trace-ranks", "0-3"), ["trace_ranks: 0-3"]),
        (("--trace", "--trace-python", "own,solver"), ["trace_python: own", "trace_python: solver"]),
    ],
)
def test_settings_that_nothing_matched_are_told(
    late_main: Path, tmp_path: Path, options: tuple[str, ...], unmatched: list[str]
) -> None:
    traced = Traced(tmp_path, [late_main, tmp_path], options)
    assert json.loads(traced.command("info", "--json"))["unmatched"] == unmatched
    told = " ".join(traced.command("info").split())
    assert ("Settings that nothing matched:" in told) == bool(unmatched)
    assert all(each in told for each in unmatched)


def test_functions_of_python_that_are_there_are_no_slip(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("def work():\n    open('/dev/null').close()\nwork()\n")
    options = ("--trace", "--trace-python", "own,nosuch")
    traced = Traced(tmp_path, [sys.executable, program], options)
    assert json.loads(traced.command("info", "--json"))["unmatched"] == ["trace_python: nosuch"]


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        (("--trace", "posix", "--"), 127, "; to record these modules alone write --trace=posix\n"),
        (("--trace", "nosuch-command"), 127, "nosuch-command: command not found\n"),
        (("--trace-python", ",", "--", "true"), 125, 'trace_python is own, all or a list of packages'),
        (("--trace-python", "a b", "--", "true"), 125, 'trace_python is own, all or a list of packages'),
        (("--trace-python", "1a", "--", "true"), 125, 'trace_python is own, all or a list of packages'),
        (("--trace-only", "open,", "--", "true"), 125, "trace_only is patterns of names"),
        (("--trace-skip", ",", "--", "true"), 125, "trace_skip is patterns of names"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, options: tuple[str, ...], status: int, says: str
) -> None:
    done = headrace("run", "-o", tmp_path / "job.hr", *options)
    assert (done.returncode, says in done.stderr) == (status, True), done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("module", ["posix", "stdio"])
def test_exported_archives_are_read_without_a_word(tmp_path: Path, module: str) -> None:
    """Also of a program that used no other kind of I/O."""
    pytest.importorskip("headrace._otf2")
    program = compile_program("cc -O1", [HERE / "c" / "chosen.c"], tmp_path / "chosen")
    traced = Traced(tmp_path, [program, tmp_path], (f"--trace={module}",))
    out = tmp_path / "archive"
    assert headrace("trace", "export", traced.trace, "--to", "otf2", "-o", out).returncode == 0
    read = subprocess.run(["otf2-print", out / "traces.otf2"], capture_output=True, text=True, check=False)
    assert (read.returncode, read.stderr) == (0, "")


def test_an_empty_trace_is_an_archive(tmp_path: Path) -> None:
    pytest.importorskip("headrace._otf2")
    traced = Traced(tmp_path, ["true"])
    assert Trace(traced.trace).locations == []
    out = tmp_path / "archive"
    done = headrace("trace", "export", traced.trace, "--to", "otf2", "-o", out)
    assert (done.returncode, done.stderr) == (0, f"headrace: {traced.trace}: there are no events\n")
    read = subprocess.run(["otf2-print", out / "traces.otf2"], capture_output=True, text=True, check=False)
    assert (read.returncode, read.stderr) == (0, "")


def test_doctor_looks_at_traces() -> None:
    checks = {check["name"]: check for check in json.loads(headrace("doctor", "--json").stdout)}
    assert checks["event trace"]["state"] != "fails", checks["event trace"]
    assert "room for the events of" in checks["event trace"]["found"]
