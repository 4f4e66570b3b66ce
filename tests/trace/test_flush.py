"""Events are stored while the program runs: whatever happens, nothing is lost and nothing there twice."""

from __future__ import annotations

import contextlib
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
KILLS = int(os.environ.get("HEADRACE_TRACE_KILLS", "25"))
SEED = 20261123
SMALL = ("--trace", "--trace-memory", "1M")


@pytest.fixture(scope="session")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("steps"), "steps")


def compiled(place: Path, name: str) -> Path:
    program = place / name
    subprocess.run(
        ["cc", "-O1", "-Wall", "-Werror", "-pthread", "-o", program, HERE / "c" / f"{name}.c"], check=True
    )
    return program


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    """Of a log, or a trace."""
    with headrace.JobLog(path) as log:
        return list(log.table(table).to_pylist())


def calls_of(log: Path) -> Counter[str]:
    calls: Counter[str] = Counter()
    for row in rows(log, "profiles"):
        calls[row["function"]] += row["calls"]
    return calls


def stats(trace: Path) -> dict[str, Any]:
    return traces.Trace(trace).stats()


def flushes(trace: Path) -> int:
    return sum(row["calls"] for row in stats(trace)["functions"] if row["name"] == "flush")


def verify(trace: Path) -> str:
    done = subprocess.run(
        [COMMAND, "trace", "verify", str(trace)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def gaps(log: Path) -> list[tuple[int, str]]:
    return [
        (row["amount"], row["reason"]) for row in rows(log, "gaps") if row["what"] == "events of the trace"
    ]


def run(place: Path, *command: object, options: tuple[str, ...] = SMALL, **more: Any) -> Path:
    """The trace."""
    start = [COMMAND, "run", "-q", *options, "-o", str(place / "job.hr"), "--", *map(str, command)]
    subprocess.run(start, check=True, timeout=100, **more)
    return place / "job.trace.hr"


def account(place: Path) -> Path:
    (place / "account").write_bytes(bytes(4096))
    return place / "account"


def test_a_long_program_loses_nothing(steps: Path, tmp_path: Path) -> None:
    trace = run(tmp_path, steps, tmp_path / "data", account(tmp_path), 2, 500_000)
    assert calls_of(tmp_path / "job.hr")["pwrite"] == 1_000_000
    assert "1,000,003 calls" in verify(trace)
    assert flushes(trace) > 25
    assert not gaps(tmp_path / "job.hr")


def test_many_threads_share_little_memory(steps: Path, tmp_path: Path) -> None:
    trace = run(tmp_path, steps, tmp_path / "data", account(tmp_path), 60, 2_000)
    assert calls_of(tmp_path / "job.hr")["pwrite"] == 120_000
    verify(trace)
    assert flushes(trace) < 100, "threads take each other's memory"


def test_the_trace_tells_of_its_own_doings(steps: Path, tmp_path: Path) -> None:
    trace = run(tmp_path, steps, tmp_path / "data", account(tmp_path), 1, 100_000)
    found = stats(trace)
    by_name = {row["name"]: row for row in found["functions"] if row["class"] == "tracing"}
    assert set(by_name) == {"flush", "open trace", "write trace", "commit trace"}
    assert len({row["calls"] for row in by_name.values()}) == 1
    assert found["class_ns"]["tracing"] == pytest.approx(by_name["flush"]["time_ns"], rel=0.01)


def test_kills_while_events_are_stored(steps: Path, tmp_path: Path) -> None:
    """Of the process, mostly while a flusher works for it; of the flusher too, or of who stands between."""
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    flushed = in_flight = 0
    for number in range(KILLS):
        place = tmp_path / str(number)
        place.mkdir()
        threads = chance.choice([1, 2, 3])
        command = [str(steps), str(place / "data"), str(account(place)), str(threads), "0"]
        log, trace = place / "job.hr", place / "job.trace.hr"
        started = subprocess.Popen([COMMAND, "run", "-q", *SMALL, "-o", str(log), "--", *command])
        while (pid := counts(place, threads)[0]) == 0:
            time.sleep(0.001)
            assert started.poll() is None
        time.sleep(chance.random() * 0.15)
        deadline = time.monotonic() + (0.3 if chance.random() < 0.8 else 0)
        while not (helpers := descendants(pid)) and time.monotonic() < deadline:
            pass
        time.sleep(chance.random() * 0.004)
        in_flight += bool(helpers)
        if chance.random() < 0.4:
            for helper in chance.sample(helpers, min(1, len(helpers))):
                kill(helper)
        os.kill(pid, signal.SIGKILL)
        assert started.wait(60) == -signal.SIGKILL
        written = sorted(counts(place, threads)[1:], reverse=True)
        found = found_writes(trace)
        found += [0] * (threads - len(found))
        lost = sum(row["lost"] for row in rows(trace, "locations"))  # a flusher was killed before its process
        assert sum(found) + lost >= sum(written)
        assert lost or all(there - done <= 1 for there, done in zip(found, written, strict=True)), (
            found,
            written,
        )
        flushed += flushes(trace)
    print(f"{flushed} flushes, {in_flight} kills during one")  # how many depends on the machine


def counts(place: Path, threads: int) -> list[int]:
    return list(struct.unpack_from(f"{1 + threads}Q", (place / "account").read_bytes()))


def descendants(pid: int) -> list[int]:
    """What its threads have started, and what that has started: here that can only be a flusher."""
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    except OSError:
        return found
    return found + [each for child in list(found) for each in descendants(child)]


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def found_writes(trace: Path) -> list[int]:
    """By thread, as chunks have them, the most first. Each writes its numbers in order: none is twice."""
    opened = traces.Trace(trace)
    read = opened.native.rows(range(len(opened.locations)), 0, (1 << 64) - 1)
    by_thread: Counter[int] = Counter()
    while batch := read.next(1 << 16).rows():
        for row in batch:
            if row["name"] == "pwrite" and row["place"] != (1 << 64) - 1:  # it came back
                assert row["place"] % 2**32 == by_thread[row["location"]] % 4096 * 8
                by_thread[row["location"]] += 1
    return sorted(by_thread.values(), reverse=True)


def test_a_program_without_a_launcher(steps: Path, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir(mode=0o700)
    library = subprocess.run([COMMAND, "config", "--preload"], capture_output=True, text=True, check=True)
    environment = {
        **os.environ, "HEADRACE_TRACE": "1", "HEADRACE_TRACE_MEMORY": "1M", "HEADRACE_SPOOL": str(spool),
        "LD_PRELOAD": library.stdout.strip(),
    }  # fmt: skip
    command = [steps, tmp_path / "data", account(tmp_path), "2", "60000"]
    subprocess.run(command, env=environment, check=True, timeout=60)
    (records,) = spool.iterdir()
    assert list(records.glob("*.part"))
    subprocess.run([COMMAND, "collect", "-q", "-o", tmp_path / "job.hr", records], check=True, timeout=60)
    assert "120,003 calls" in verify(tmp_path / "job.trace.hr")
    assert flushes(tmp_path / "job.trace.hr") > 2
    assert not records.exists() or not list(records.iterdir())


def test_the_program_sees_nothing_of_it(tmp_path: Path) -> None:
    """No child to wait for, no signal, no descriptor, no change of errno; forked children go on too."""
    program = compiled(tmp_path, "watchful")
    trace = run(tmp_path, program, tmp_path / "data")
    assert flushes(trace) > 3
    verify(trace)
    by_process = Counter({row["process"]: row["events"] for row in rows(trace, "locations")})
    assert len([events for events in by_process.values() if events > 60_000]) == 3, (
        "the parent and two children"
    )


def test_names_outlive_flushes(tmp_path: Path) -> None:
    """Regions that are open over several flushes, and files that were opened before them."""
    source = tmp_path / "phases.c"
    source.write_text(
        "#include <fcntl.h>\n#include <headrace/phases.h>\n#include <unistd.h>\n"
        "int main(int count, char** values) {\n"
        "  int file = open(values[1], O_RDWR | O_CREAT, 0600);\n"
        '  headrace_phase_begin("all");\n'
        '  for (int i = 0; i < 20; ++i) {\n    headrace_phase_begin("step");\n'
        "    for (int j = 0; j < 8000; ++j) if (pwrite(file, &j, 4, 4 * j) != 4) return 1;\n"
        '    headrace_phase_end("step");\n  }\n  headrace_phase_end("all");\n'
        "  return close(file) + (count != 2);\n}\n"
    )
    include = subprocess.run(
        [COMMAND, "config", "--include-dir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    subprocess.run(["cc", "-I", include, "-o", tmp_path / "phases", source], check=True)
    trace = run(tmp_path, tmp_path / "phases", tmp_path / "data")
    verify(trace)
    found = {row["name"]: row for row in stats(trace)["functions"]}
    assert found["step"]["calls"] == 20
    assert found["all"]["calls"] == 1
    assert found["flush"]["calls"] > 2
    assert found["all"]["unfinished"] == found["step"]["unfinished"] == 0


def test_what_is_stored_can_be_limited(steps: Path, tmp_path: Path) -> None:
    for option, why in [
        (("--trace-flush", "end"), "--trace-flush"),
        (("--trace-flushes", "3"), "--trace-flushes"),
        (("--trace-size", "100K"), "--trace-size"),
    ]:
        place = tmp_path / why.strip("-")
        place.mkdir()
        trace = run(place, steps, place / "data", account(place), 2, 100_000, options=(*SMALL, *option))
        lost = sum(row["lost"] for row in rows(trace, "locations"))
        stored = stats(trace)
        calls = sum(row["calls"] for row in stored["functions"] if row["class"] not in ("tracing", "program"))
        assert calls + lost == 200_003
        assert lost > 0
        ((amount, reason),) = gaps(place / "job.hr")
        assert amount == lost
        assert why in reason
        assert [row["calls"] for row in stored["functions"] if row["name"] == "recording stops"] == [1]
    assert flushes(tmp_path / "trace-flushes" / "job.trace.hr") == 3
    assert flushes(tmp_path / "trace-flush" / "job.trace.hr") == 0
    assert (tmp_path / "trace-size" / "job.trace.hr").stat().st_size < 300_000


@pytest.mark.parametrize("memory", ["64M", "1M"])
def test_a_limit_holds_for_what_is_stored_at_the_end_too(steps: Path, tmp_path: Path, memory: str) -> None:
    """Whether it is reached while the program runs or not; and what shows the trace says so first."""
    most = 150 << 10
    blocks = 128 << 10  # what is under way when it is reached: a flush, or a block of each thread
    options = ("--trace", "--trace-memory", memory, "--trace-size", str(most))
    trace = run(tmp_path, steps, tmp_path / "data", account(tmp_path), 2, 150_000, options=options)
    assert most <= trace.stat().st_size < most + blocks
    lost = sum(row["lost"] for row in rows(trace, "locations"))
    found = stats(trace)
    calls = sum(row["calls"] for row in found["functions"] if row["class"] not in ("tracing", "program"))
    assert calls + lost in range(300_003, 300_006)  # besides calls the ends of two threads
    assert [row["calls"] for row in found["functions"] if row["name"] == "recording stops"] == [1]
    ((amount, reason),) = gaps(tmp_path / "job.hr")
    assert (amount, "--trace-size" in reason) == (lost, True)

    says = f"Incomplete: {lost:,} calls are missing because the trace is as large as it may become"
    for command in ("info", "stats", "overview", "messages"):
        shown = subprocess.run([COMMAND, "trace", command, trace], capture_output=True, text=True, check=True)
        text = " ".join(shown.stdout.split())
        assert text.startswith(f"{says}: give more with --trace-size, or record less"), command
    cat = [COMMAND, "trace", "cat", "--limit", "1", str(trace)]
    assert says in subprocess.run(cat, capture_output=True, text=True, check=True).stderr
    log = subprocess.run(
        [COMMAND, "show", tmp_path / "job.hr"], capture_output=True, text=True, check=True
    ).stdout
    assert "give more with --trace-size, or record less" in " ".join(log.split())


def test_a_disk_without_room(steps: Path, tmp_path: Path) -> None:
    """The limit on file sizes stands for it: the trace is cut, the program goes on, the log tells."""
    script = 'ulimit -f 200; trap "" XFSZ; exec "$@"'
    command = ["bash", "-c", script, "bash", steps, tmp_path / "data", account(tmp_path), "1", "400000"]
    trace = run(tmp_path, *command, options=("--trace", "--trace-memory", "1M"))
    lost = sum(row["lost"] for row in rows(trace, "locations"))
    assert lost > 0
    assert calls_of(tmp_path / "job.hr")["pwrite"] == 400_000
    assert any("too large" in reason for _, reason in gaps(tmp_path / "job.hr")), gaps(tmp_path / "job.hr")


def test_without_a_flusher(steps: Path, tmp_path: Path) -> None:
    """A program that may start no other one loses events, and says why."""
    program = compiled(tmp_path, "confined")
    trace = run(tmp_path, program, tmp_path / "data")
    lost = sum(row["lost"] for row in rows(trace, "locations"))
    assert lost > 0
    assert any("seccomp" in reason for _, reason in gaps(tmp_path / "job.hr"))
