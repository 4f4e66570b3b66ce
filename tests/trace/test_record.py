"""`headrace run --trace`: every call that returned is in the trace, however the program ends."""

from __future__ import annotations

import os
import random
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import headrace
import pytest
from headrace.analysis import traces

COMMAND = os.environ.get("HEADRACE_TEST_COMMAND", str(Path(sys.prefix) / "bin" / "headrace"))
HERE = Path(__file__).parent
KILLS = int(os.environ.get("HEADRACE_TRACE_KILLS", "50"))
SEED = 20261122


@pytest.fixture(scope="session")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("steps") / "steps"
    subprocess.run(
        ["cc", "-O1", "-Wall", "-Werror", "-pthread", "-o", program, HERE / "c" / "steps.c"], check=True
    )
    return program


class Steps:
    """c/steps.c with its own account of what it wrote."""

    def __init__(self, program: Path, place: Path, threads: int) -> None:
        self.account, self.threads = place / "account", threads
        self.account.write_bytes(bytes(4096))
        self.log, self.trace = place / "job.hr", place / "job.trace.hr"
        self.command = [str(program), str(place / "data"), str(self.account), str(threads)]

    def start(self, count: int, *options: str) -> subprocess.Popen[bytes]:
        run = [COMMAND, "run", "-q", "--trace", *options, "-o", str(self.log), "--"]
        return subprocess.Popen([*run, *self.command, str(count)], stderr=subprocess.PIPE)

    def counts(self) -> list[int]:
        """Process id, then what each thread has written."""
        return list(struct.unpack_from(f"{1 + self.threads}Q", self.account.read_bytes()))


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    """Of a log, or a trace."""
    with headrace.JobLog(path) as log:
        return list(log.table(table).to_pylist())


def operations(trace: Path) -> list[int]:
    """How many each location has, the most first."""
    # Threads but the first have their begin, and their end if it came so far.
    return sorted(
        ((row["events"] - (row["thread"] != 1)) // 2 for row in rows(trace, "locations")), reverse=True
    )


def completed(trace: Path) -> list[int]:
    """How many writes each thread but the first came back from, the most first."""
    opened = traces.Trace(trace)
    found = []
    for number, location in enumerate(opened.locations):
        functions = opened.stats(locations=[number])["functions"] if location["thread"] != 1 else []
        found += [row["calls"] for row in functions if row["name"] == "pwrite"]
    return sorted(found, reverse=True)


def test_every_call_is_there(steps: Path, tmp_path: Path) -> None:
    run = Steps(steps, tmp_path, 3)
    started = run.start(10_000)
    assert started.wait(60) == 0
    calls = Counter({row["function"]: row["calls"] for row in rows(run.log, "profiles")})
    assert calls["pwrite"] == 30_000
    assert operations(run.trace)[:3] == [10_000] * 3
    assert sum(operations(run.trace)) == sum(calls.values())
    assert {row["name"] for row in rows(run.trace, "handles")} >= {str(tmp_path / "data")}
    functions = {row["name"]: row["class"] for row in rows(run.trace, "references")}
    assert functions["pwrite"] == "write"
    assert functions["open"] == "metadata"
    assert run.trace.stat().st_size < 2.5 * 2 * 30_000, "threads that disturb each other"


def test_what_completed_before_a_kill_is_there(steps: Path, tmp_path: Path) -> None:
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    for number in range(KILLS):
        place = tmp_path / str(number)
        place.mkdir()
        run = Steps(steps, place, chance.choice([1, 2, 3]))
        started = run.start(0)
        while (pid := run.counts()[0]) == 0:
            time.sleep(0.001)
            assert started.poll() is None
        time.sleep(chance.random() * 0.03)
        os.kill(pid, signal.SIGKILL)
        assert started.wait(60) == -signal.SIGKILL
        counts = sorted(run.counts()[1:], reverse=True)
        assert min(row["thread"] for row in rows(run.trace, "locations")) == 1, "the one that opened the file"
        found = completed(run.trace)
        found += [0] * (len(counts) - len(found))
        # The one that was in the system when the kill came may have returned without being accounted for.
        assert all(0 <= there - done <= 1 for there, done in zip(found, counts, strict=True)), (found, counts)


def test_memory_is_bounded_and_what_is_lost_is_told(steps: Path, tmp_path: Path) -> None:
    run = Steps(steps, tmp_path, 2)
    assert run.start(30_000, "--trace-memory", "1M", "--trace-flush", "end").wait(60) == 0
    kept = sum(operations(run.trace))
    lost = sum(row["lost"] for row in rows(run.trace, "locations"))
    calls = sum(row["calls"] for row in rows(run.log, "profiles"))
    assert kept - 1 + lost == calls, "the mark where recording stops is one"
    assert lost > 0
    gaps = {row["what"]: (row["amount"], row["reason"]) for row in rows(run.log, "gaps")}
    assert gaps["events of the trace"][0] == lost
    assert "--trace-memory" in gaps["events of the trace"][1]


def test_children_have_traces_of_their_own(tmp_path: Path) -> None:
    script = (
        "import os\n"
        f"out = os.open({str(tmp_path / 'out')!r}, os.O_WRONLY | os.O_CREAT)\n"
        "for child in range(3):\n"
        "    if os.fork() == 0:\n"
        "        for i in range(100 * child + 50): os.pwrite(out, b'x', i)\n"
        "        os._exit(0)\n"
        "    os.wait()\n"
        "os.pwrite(out, b'y', 0)\n"
    )
    log = tmp_path / "job.hr"
    command = [COMMAND, "run", "-q", "--trace", "-o", str(log), "--", sys.executable, "-c", script]
    subprocess.run(command, check=True, timeout=60)
    by_process: Counter[int] = Counter()
    for row in rows(log, "profiles"):
        by_process[row["process"]] += row["calls"]
    traced: Counter[int] = Counter()
    for row in rows(tmp_path / "job.trace.hr", "locations"):
        traced[row["process"]] += row["events"] // 2
    writes = sorted(row["calls"] for row in rows(log, "profiles") if row["function"] == "pwrite")
    assert writes == [1, 50, 150, 250]
    assert all(traced[process] == calls for process, calls in by_process.items() if calls < 300)


def test_an_earlier_trace_is_kept(steps: Path, tmp_path: Path) -> None:
    run = Steps(steps, tmp_path, 1)
    for count in (10, 20):
        assert run.start(count).wait(60) == 0
    assert operations(run.trace)[0] == 20
    earlier = tmp_path / "job.trace.hr.old"
    assert operations(earlier)[0] == 10
    subprocess.run([COMMAND, "run", "-q", "-o", str(run.log), "--", "true"], check=True)
    assert not run.trace.exists(), "it would be taken for one of this run"
    assert operations(earlier)[0] == 20


def test_names_are_not_hidden_in_part(tmp_path: Path) -> None:
    command = [COMMAND, "run", "--trace", "--anonymize", "-o", str(tmp_path / "job.hr"), "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert "leave out --anonymize or --trace" in done.stderr


def test_launchers_of_single_ranks_write_one_trace(steps: Path, tmp_path: Path) -> None:
    """Under mpirun each rank may have a launcher of its own; all join one log, and so one trace."""

    source = tmp_path / "rank.c"
    source.write_text(
        "#include <fcntl.h>\n#include <mpi.h>\n#include <unistd.h>\n"
        "int main(int count, char** values) {\n  MPI_Init(&count, &values);\n  int rank;\n"
        "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  int file = open(values[1], O_WRONLY | O_CREAT, 0600);\n"
        "  for (int i = 0; i < 100 * (rank + 1); ++i) if (pwrite(file, &i, 4, 4 * i) != 4) return 1;\n"
        "  MPI_Finalize();\n  return close(file);\n}\n"
    )
    program, log = tmp_path / "rank", tmp_path / "job.hr"
    subprocess.run(["mpicc.openmpi", "-o", program, source], check=True)
    rank = [COMMAND, "run", "-q", "--trace", "-o", str(log), "--", program, tmp_path / "data"]
    subprocess.run(
        ["timeout", "100", "mpirun.openmpi", "-np", "3", *rank], check=True, capture_output=True,
    )  # fmt: skip
    calls: Counter[int] = Counter()
    for row in rows(log, "profiles"):
        calls[row["process"]] += row["calls"]
    traced = {
        row["process"]: row for row in rows(tmp_path / "job.trace.hr", "locations") if row["thread"] == 1
    }
    assert sorted(row["rank"] for row in traced.values()) == [0, 1, 2]
    assert all(row["events"] >= 2 * 100 * (row["rank"] + 1) for row in traced.values())
    assert set(traced) <= set(calls)
    assert not (tmp_path / "job.trace.hr.old").exists()


def test_other_files_stay(tmp_path: Path) -> None:
    mine = tmp_path / "job.trace.hr"
    mine.write_text("not a trace")
    command = [COMMAND, "run", "--trace", "-o", str(tmp_path / "job.hr"), "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert "job.trace.hr" in done.stderr
    assert mine.read_text() == "not a trace"


def test_a_killed_launcher_leaves_events_for_collect(steps: Path, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir(mode=0o700)
    run = Steps(steps, tmp_path, 2)
    started = run.start(0, "--spool", str(spool))
    while (pid := run.counts()[0]) == 0 or min(run.counts()[1:]) == 0:
        time.sleep(0.001)
    started.kill()
    started.wait(60)
    os.kill(pid, signal.SIGKILL)
    (left,) = spool.iterdir()
    for _ in range(50):  # as long as the system has not ended the process
        subprocess.run([COMMAND, "collect", "-q", "-o", str(run.log), str(left)], check=False, timeout=60)
        if not left.exists():
            break
        time.sleep(0.1)
    written = sorted(run.counts()[1:], reverse=True)
    assert completed(run.trace) == pytest.approx(written, abs=1)


def test_a_trace_without_names_is_not_made(steps: Path, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir(mode=0o700)
    run = Steps(steps, tmp_path, 1)
    library = subprocess.run(
        [COMMAND, "config", "--preload"], capture_output=True, text=True, check=True
    ).stdout.strip()
    environment = {**os.environ, "HEADRACE_TRACE": "1", "HEADRACE_SPOOL": str(spool), "LD_PRELOAD": library}
    subprocess.run([*run.command, "20"], env=environment, check=True)
    (records,) = spool.iterdir()
    subprocess.run([COMMAND, "collect", "-q", "--anonymize", "-o", str(run.log), str(records)], check=True)
    assert not run.trace.exists()
    assert any(row["what"] == "events of the trace" for row in rows(run.log, "gaps"))


def test_a_trace_agrees_with_its_log(steps: Path, tmp_path: Path) -> None:
    run = Steps(steps, tmp_path, 2)
    assert run.start(2000).wait(60) == 0
    command = [sys.executable, "-m", "headrace", "trace", "verify", str(run.trace)]
    verified = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "the same in the trace" in " ".join(verified.stdout.split())
    assert "fails" not in verified.stdout


def test_single_bytes_are_joined(tmp_path: Path) -> None:
    source, log = tmp_path / "bytes.c", tmp_path / "job.hr"
    source.write_text(
        '#include <stdio.h>\nint main(int count, char** values) {\n  FILE* file = fopen(values[1], "w");\n'
        "  for (int i = 0; i < 1000; ++i) putc('x', file);\n  return fclose(file) + (count != 2);\n}\n"
    )
    subprocess.run(["cc", "-o", tmp_path / "bytes", source], check=True)
    command = [
        COMMAND,
        "run",
        "-q",
        "--trace",
        "-o",
        str(log),
        "--",
        str(tmp_path / "bytes"),
        str(tmp_path / "out"),
    ]
    subprocess.run(command, check=True)
    trace = tmp_path / "job.trace.hr"
    assert sum(operations(trace)) < 100 < sum(row["calls"] for row in rows(log, "profiles"))
    verified = subprocess.run(
        [COMMAND, "trace", "verify", str(trace)], capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0, verified.stdout


def test_children_of_handlers_write_nothing_into_their_parents_events(tmp_path: Path) -> None:
    program, log = tmp_path / "handler_forks", tmp_path / "job.hr"
    subprocess.run(["cc", "-O1", "-o", program, HERE / "c" / "handler_forks.c"], check=True)
    run = [COMMAND, "run", "-q", "--trace", "-o", str(log), "--"]
    own = [str(program), str(tmp_path / "data"), "1000"]
    done = subprocess.run([*run, *own], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, "a child was killed, or could not write"
    written = int(done.stdout)
    parents = [row for row in rows(log, "processes") if row["parent"] == 0]
    assert len(parents) == 1
    mine = parents[0]["process"]
    calls = {row["function"]: row["calls"] for row in rows(log, "profiles") if row["process"] == mine}
    assert calls["fwrite"] == written
    calls.pop("fputc_unlocked", 0)  # what handlers found in the buffer of calls that they interrupted
    trace = traces.Trace(tmp_path / "job.trace.hr")
    stored = trace.stats(locations=trace.choose(process=mine))
    traced = {row["name"]: row["calls"] for row in stored["functions"]}
    traced.pop("fputc_unlocked", 0)
    assert traced == calls


def test_a_trace_is_as_private_as_its_log(steps: Path, tmp_path: Path) -> None:
    run = Steps(steps, tmp_path, 1)
    old = os.umask(0o027)
    try:
        assert run.start(10).wait(60) == 0
    finally:
        os.umask(old)
    assert run.trace.stat().st_mode == run.log.stat().st_mode
