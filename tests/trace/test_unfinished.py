"""The call that a thread never came back from is in the log and in the trace, and said in words."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from headrace.analysis.unfinished import of_trace
from headrace.commands._terminal import Terminal
from headrace.commands._unfinished import unfinished_lines
from trace_tools import COMMAND, HERE, compile_program

Rows = list[dict[str, Any]]
WRITE = 1 if os.uname().machine == "x86_64" else 64  # number of the system call


@pytest.fixture(scope="session")
def stuck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(
        "cc -O1 -pthread", [HERE / "c" / "stuck.c"], tmp_path_factory.mktemp("stuck") / "stuck"
    )


def wait_until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end, "it did not come so far"
        time.sleep(0.01)


def calls_in_kernel(pid: int) -> list[int]:
    """Numbers of the system calls that its threads wait in."""
    found = []
    for place in Path(f"/proc/{pid}/task").glob("*/syscall"):
        with contextlib.suppress(OSError, ValueError):
            found.append(int(place.read_text().split()[0]))
    return sorted(found)


class Hung:
    """A run of the program until all its threads hang."""

    def __init__(self, program: Path, place: Path, how: str, *options: str) -> None:
        self.place, self.fifo, self.log = place, place / "fifo", place / "job.hr"
        for name in (self.fifo, Path(f"{self.fifo}.other")):
            os.mkfifo(name)
        run = [COMMAND, "run", "-q", *options, "-o", str(self.log), "--", str(program), str(self.fifo), how]
        self.launcher = subprocess.Popen(
            run, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        wait_until(lambda: self.pid() != 0 and self.hangs())

    def pid(self) -> int:
        try:
            return int(
                Path(f"/proc/{self.launcher.pid}/task/{self.launcher.pid}/children").read_text().split()[0]
            )
        except (OSError, IndexError):
            return 0

    def hangs(self) -> bool:
        by_number = {63: "read", 56: "openat", 32: "flock"}
        if os.uname().machine == "x86_64":
            by_number = {0: "read", 257: "openat", 73: "flock"}
        names = sorted(by_number.get(number, "") for number in calls_in_kernel(self.pid()))
        return names == ["flock", "openat", "read", "read"]

    def facts(self, *command: str) -> dict[str, Any]:
        words = [sys.executable, "-m", "headrace", *command, "--json"]
        return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)

    def words(self, *command: str) -> str:
        words = [sys.executable, "-m", "headrace", *command]
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "400"}
        )
        return done.stdout


@pytest.fixture
def hung(stuck: Path, tmp_path: Path) -> Iterator[Callable[..., Hung]]:
    made: list[Hung] = []

    def begin(how: str, *options: str) -> Hung:
        made.append(Hung(stuck, tmp_path, how, *options))
        return made[-1]

    yield begin
    for each in made:
        if each.launcher.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it holds the launcher's pipes
                os.kill(each.pid() or each.launcher.pid, signal.SIGKILL)
            each.launcher.kill()
        each.launcher.communicate()


def check_calls(threads: Rows, hung: Hung, main: bool) -> None:
    said = {
        (row["thread"] == 1, *((call["function"], call["path"]) for call in row["calls"])) for row in threads
    }
    fifo = str(hung.fifo)
    assert said >= {
        (False, ("open", f"{fifo}.other")),
        (False, ("flock", f"{fifo}.locked")),
        (False, ("fgets", fifo)),
    }
    assert ((True, ("read", fifo)) in said) == main
    assert len(threads) == 3 + main
    assert all(
        row["calls"][0]["layer"] == ("stdio" if row["calls"][0]["function"] == "fgets" else "posix")
        for row in threads
    )


def test_a_kill(hung: Callable[..., Hung]) -> None:
    run = hung("hang", "--trace")
    began = time.monotonic()
    os.kill(run.pid(), signal.SIGUSR1)  # its handler writes: the read around it is still the current call
    time.sleep(0.5)
    lasted = time.monotonic() - began
    os.kill(run.pid(), signal.SIGKILL)
    assert run.launcher.wait(60) != 0
    for threads in (
        run.facts("show", str(run.log))["unfinished"],
        run.facts("trace", "info", str(run.place / "job.trace.hr"))["unfinished"],
    ):
        check_calls(threads, run, True)
        assert {row["ended"] for row in threads} == {"killed"}
        assert all(row["for_ns"] >= lasted * 0.9e9 for row in threads), "as long as it hung"
    for told in (
        run.words("show", str(run.log)),
        run.words("trace", "info", str(run.place / "job.trace.hr")),
    ):
        assert f"in read of {run.fifo} for " in told
        assert "when it was killed." in told


def test_a_trace_has_the_begin(hung: Callable[..., Hung]) -> None:
    run = hung("hang", "--trace")
    os.kill(run.pid(), signal.SIGKILL)
    run.launcher.wait(60)
    trace = str(run.place / "job.trace.hr")
    rows = [json.loads(line) for line in run.words("trace", "cat", "--json", trace).splitlines()]
    begun = {(row["name"], row["path"]) for row in rows if row["kind"] == "io_begin"}
    assert ("read", str(run.fifo)) in begun and ("fgets", str(run.fifo)) in begun
    functions = {row["name"]: row["unfinished"] for row in run.facts("trace", "stats", trace)["functions"]}
    assert functions["read"] == functions["fgets"] == functions["flock"] == 1
    assert subprocess.run([COMMAND, "trace", "verify", trace], check=False).returncode == 0
    assert "process ends" in run.words("trace", "cat", trace)
    places = run.facts("trace", "overview", trace)["rows"]
    longest = [max(sum(times) for times in zip(*row["class_ns"].values(), strict=True)) for row in places]
    assert all(longest)


def test_without_a_trace(hung: Callable[..., Hung]) -> None:
    run = hung("hang")
    os.kill(run.pid(), signal.SIGKILL)
    run.launcher.wait(60)
    threads = run.facts("show", str(run.log))["unfinished"]
    said = {call["function"]: call["path"] for row in threads for call in row["calls"]}
    fifo = str(run.fifo)
    assert said == {"read": fifo, "fgets": fifo, "flock": f"{fifo}.locked", "open": None}


def test_an_exit_with_threads_in_calls(hung: Callable[..., Hung]) -> None:
    run = hung("exit", "--trace")
    assert run.launcher.stdin is not None
    run.launcher.stdin.close()
    run.launcher.stdin = None
    assert run.launcher.wait(60) == 0
    threads = run.facts("show", str(run.log))["unfinished"]
    check_calls(threads, run, False)
    assert {row["ended"] for row in threads} == {"exit"}
    assert " was in " not in run.words("show", str(run.log))  # nothing hung: it ended by itself


def test_nothing_is_said_of_calls_that_came_back(tmp_path: Path) -> None:
    log = tmp_path / "job.hr"
    command = ["sh", "-c", "ls / > out; cat out > /dev/null; kill -9 $$"]
    subprocess.run(
        [COMMAND, "run", "-q", "--trace", "-o", str(log), "--", *command], cwd=tmp_path, check=False
    )
    words = [sys.executable, "-m", "headrace", "show", "--json", str(log)]
    facts = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    assert facts["unfinished"] == []


def test_a_running_job(hung: Callable[..., Hung], tmp_path: Path) -> None:
    (tmp_path / "spools").mkdir()
    run = hung("hang", "--spool", str(tmp_path / "spools"))
    time.sleep(1.2)  # so long they hang
    (spools,) = (str(place) for place in (tmp_path / "spools").iterdir())
    now = tmp_path / "now.hr"
    subprocess.run([COMMAND, "snapshot", "-q", "-o", now, spools], check=True)
    threads = run.facts("show", str(now))["unfinished"]
    assert len(threads) == 4
    assert {row["ended"] for row in threads} == {"running"}
    assert all(row["for_ns"] > 1.1e9 for row in threads)
    assert f"is in read of {run.fifo} for " in run.words("show", str(now))


def test_a_job_that_nobody_saw_to_its_end(hung: Callable[..., Hung], tmp_path: Path) -> None:
    """How long a call lasted is not told from the calls of other threads."""
    (tmp_path / "spools").mkdir()
    run = hung("hang", "--trace", "--spool", str(tmp_path / "spools"))
    pid = run.pid()
    (spools,) = (str(place) for place in (tmp_path / "spools").iterdir())
    os.kill(run.launcher.pid, signal.SIGKILL)
    run.launcher.wait()
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or calls_in_kernel(pid) == [])

    def is_collected() -> bool:  # a process that is ending still counts as running
        subprocess.run([COMMAND, "collect", "-q", spools], check=False, capture_output=True)
        return run.log.exists()

    wait_until(is_collected)
    threads = run.facts("show", str(run.log))["unfinished"]
    check_calls(threads, run, True)
    assert {row["for_ns"] for row in threads} == {None}
    assert f"was in read of {run.fifo} when it was killed." in run.words("show", str(run.log))


@pytest.mark.parametrize(
    "value",
    [
        '{"function": [], "layer": 1, "path": {}, "start_at_ns": 1, "seen_at_ns": 2, "ended": []}',
        '{"function": "", "layer": "", "path": "", "start_at_ns": Infinity, "seen_at_ns": 2, "ended": ""}',
        "[" * 100_000,
        "{}",
        "7",
    ],
    ids=["types", "infinity", "depth", "empty", "number"],
)
def test_facts_of_another_version(value: str) -> None:
    found = of_trace({"unfinished.1.1.0": value, "unfinished.x": "{}"}, [])
    assert all(line for line in unfinished_lines(found, Terminal(80, False, False)))


def test_a_line_that_finds_no_room(tmp_path: Path) -> None:
    """A stream that is written by lines has less than no room while one of them waits."""
    source, log = tmp_path / "lines.c", tmp_path / "job.hr"
    source.write_text(
        "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
        "int main(int n, char** words) {\n"
        '  int end = open(words[n - 1], O_RDWR);\n  FILE* out = fdopen(end, "r+");\n'
        "  setvbuf(out, NULL, _IOLBF, 1 << 16);\n  char* line = calloc(1, 60001);\n"
        "  for (int i = 0; i < 60000; i++) line[i] = 'a';\n  line[59999] = '\\n';\n"
        '  for (;;) { fwrite("b", 1, 1, out); fwrite(line, 1, 60000, out); }\n}\n'
    )
    program = compile_program("cc -O1", [source], tmp_path / "lines")
    os.mkfifo(tmp_path / "fifo")
    run = [COMMAND, "run", "-q", "-o", log, "--", program, tmp_path / "fifo"]
    with subprocess.Popen(run, stdout=subprocess.DEVNULL) as launcher:
        children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children")
        wait_until(lambda: any(calls_in_kernel(int(pid)) == [WRITE] for pid in children.read_text().split()))
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
    words = [sys.executable, "-m", "headrace", "show", "--json", log]
    facts = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    assert [call["function"] for row in facts["unfinished"] for call in row["calls"]] == ["fwrite"]
