"""The command line as a whole: help, start time, exit statuses, clear errors."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import headrace
from headrace import _errors
from made_logs import simulation


def test_help_lists_every_command() -> None:
    run = headrace("--help")
    assert run.returncode == 0
    for name in ("run", "collect", "show", "diff", "scaling", "export", "anonymize", "doctor"):
        assert re.search(rf"^  {name} +\w", run.stdout, re.MULTILINE), name


def test_version() -> None:
    assert re.fullmatch(r"headrace \d+\.\d+\.\d+\n", headrace("--version").stdout)


@pytest.mark.parametrize("command", ["show", "diff", "scaling", "export", "anonymize", "doctor"])
def test_every_help_has_an_example(command: str) -> None:
    run = headrace(command, "--help")
    assert run.returncode == 0
    assert f"Example:\n    headrace {command}" in run.stdout


def test_commands_load_only_what_they_need(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    for arguments in (
        ["--help"],
        ["show", str(log)],
        ["show", str(log), "--json"],
        ["diff", str(log), str(log)],
        ["doctor", "--help"],
    ):
        code = (
            "import sys, headrace.commands; headrace.commands.main(sys.argv[1:]);"
            "print([m for m in ('pyarrow', 'pandas', 'numpy', 'rich') if m in sys.modules], file=sys.stderr)"
        )
        run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
        assert run.stderr == "[]\n"


@pytest.mark.alone
def test_start_time(capsys: pytest.CaptureFixture[str]) -> None:
    """Prints it; asserts loosely, because machines differ."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        headrace("show", "--help")
        times.append(time.perf_counter() - start)
    with capsys.disabled():
        print(f"\nstart of `headrace show --help`: {min(times):.2f} s at best of 3 (goal 0.25)")
    assert min(times) < 5


def bad_files(directory: Path) -> dict[str, int]:
    """Names with the exit status each must give."""
    whole = simulation(directory / "whole.hr").read_bytes()
    contents = {
        "empty.hr": b"",
        "text.hr": b"no log at all, but long enough for a header\n" * 9,
        "darshan.hr": b"3.41\0\0\0\0" + (6567223).to_bytes(8, "little") + bytes(2000),
        "cut.hr": whole[:70],
        "zeros.hr": bytes(5000),
    }
    for name, data in contents.items():
        (directory / name).write_bytes(data)
    (directory / "directory.hr").mkdir()
    (directory / "loop.hr").symlink_to("loop.hr")
    os.mkfifo(directory / "fifo.hr")
    return dict.fromkeys([*contents, "directory.hr", "loop.hr", "fifo.hr", "missing.hr"], 3)


@pytest.mark.parametrize("command", [["show"], ["show", "--json"], ["export", "--to", "json", "-o", "out"]])
def test_bad_logs_give_one_clear_line(tmp_path: Path, command: list[str]) -> None:
    for name, status in bad_files(tmp_path).items():
        run = headrace(*command, name, cwd=tmp_path)
        assert (run.returncode, run.stdout) == (status, ""), (name, run)
        assert re.fullmatch(rf"headrace: [^\n]*{re.escape(name)}[^\n]*\n", run.stderr), (name, run.stderr)
    assert not (tmp_path / "out").exists()


def test_a_pipe_is_called_one(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    command = f"cat {log} | {sys.executable} -m headrace show /dev/stdin"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert run.returncode == 3
    assert run.stderr.startswith("headrace: /dev/stdin: is a pipe, and pipes are not supported")


def test_unreadable_log(tmp_path: Path, obeying: list[str]) -> None:
    log = simulation(tmp_path / "a.hr")
    log.chmod(0)
    command = [*obeying, sys.executable, "-m", "headrace", "show", log]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 3
    assert "ermission denied" in run.stderr


def test_hostile_file_names_are_escaped_in_errors(tmp_path: Path) -> None:
    run = headrace("show", "\x1b[31m\n\udcff.hr", cwd=tmp_path)
    assert run.returncode == 3
    assert "\\x1b[31m\\n" in run.stderr
    assert "\x1b" not in run.stderr
    assert run.stderr.count("\n") == 1


def test_wrong_usage_is_2() -> None:
    for arguments in (["nonsense"], ["show"], ["show", "a.hr", "--sort", "color"], ["export", "a.hr"]):
        run = headrace(*arguments)
        assert run.returncode == 2, arguments
        assert run.stderr


@pytest.mark.parametrize("processes", [1, 300])
def test_a_reader_that_has_left_is_no_error(tmp_path: Path, processes: int) -> None:
    """Whether the output is written by the command, or when it is over."""
    log = simulation(tmp_path / "a.hr", processes=processes)
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "headrace", "show", str(log), "--json"]
    run = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (run.returncode, run.stderr) == (141, "")


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr", processes=300)
    command = f"{sys.executable} -m headrace show {log} --json | head -1; echo ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert run.stdout.splitlines()[0] == "{"
    assert run.stdout.splitlines()[1] in ("0", "141")
    assert run.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    command = [sys.executable, "-m", "headrace", "show", str(log)]
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 4
    assert "No space left" in run.stderr
    assert "Traceback" not in run.stderr


def test_the_tree_of_errors_is_the_one_drawn() -> None:
    drawn = re.findall(r"(\w+Error)\b(?:.*exit (\d))?", _errors.__doc__ or "")
    classes = {name: c for name, c in vars(_errors).items() if inspect.isclass(c)}
    assert {name for name, _ in drawn} >= set(classes) - {"MissingPackageWarning"}
    for name, status in drawn:
        if status:
            assert classes[name].exit_status == int(status)
        assert issubclass(classes[name], _errors.HeadraceError)


@pytest.mark.parametrize(
    ("code", "kind"),
    [("foreign", "LogForeignError"), ("limit", "LogTooLargeError"), ("never heard of", "HeadraceError")],
)
def test_native_codes(code: str, kind: str) -> None:
    error = _errors.from_native(code, "text")
    assert (type(error).__name__, str(error)) == (kind, "text")


def test_long_work_shows_progress_on_a_terminal_only() -> None:
    code = (
        "import time; from headrace.commands._terminal import working\n"
        "with working('reading the log', after_seconds=0.1): time.sleep(1)"
    )
    command = f"{sys.executable} -c {shlex.quote(code)}"
    watched = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, text=True)
    assert "reading the log" in watched.stdout
    unwatched = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (unwatched.stdout, unwatched.stderr) == ("", "")


def test_a_native_program_without_the_command_is_told(tmp_path: Path) -> None:
    """An older one hands back what it does not know: neither has it, and they would go round for ever."""
    directory = tmp_path / "bin"
    directory.mkdir()
    python = directory / "python3"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    old = directory / "headrace"
    start = (
        f"import sys; sys.executable = {str(python)!r}; from headrace.commands import main; sys.exit(main())"
    )
    old.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{start}" "$@"\n')
    for path in (python, old):
        path.chmod(0o755)
    done = subprocess.run([old, "mount", "x"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "is older than this package and has no 'mount'" in done.stderr


@pytest.mark.parametrize(
    "words", ["show --help", "trace stats --help", "run --help", "--help", "scan diff --help"]
)
def test_help_that_names_a_page_says_where_pages_are(words: str) -> None:
    done = headrace(*words.split())
    assert done.returncode == 0 and "docs/" in done.stdout
    assert "headrace config --documents" in " ".join(done.stdout.split())
