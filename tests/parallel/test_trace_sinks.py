"""What files a trace has (--trace-sink), and that nothing gets lost between them."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import headrace
import pytest
from capture_tools import COMMAND
from headrace.analysis import traces

Compiled = Callable[[str, str], Path]
SINKS = ["shared:2", "process", "node", "memory"]
KILLS = int(os.environ.get("HEADRACE_TRACE_KILLS", "50")) // 12
SEED = 20261124


def command(place: Path, sink: str, *program: object, ranks: int = 3, mpi: str = "openmpi") -> list[str]:
    if sink == "node":
        (place / "local").mkdir(exist_ok=True)
        sink = f"node:{place / 'local'}"
    options = ["--trace", "--trace-memory", "1M", "--trace-sink", sink, "-o", str(place / "job.hr")]
    return [COMMAND, "run", "-q", *options, "--", f"mpirun.{mpi}", "-np", str(ranks), *map(str, program)]


def start(words: list[str]) -> subprocess.Popen[bytes]:
    environment = dict(os.environ)
    return subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, start_new_session=True
    )


def run(words: list[str]) -> None:
    assert start(words).wait(60) == 0


def headrace_trace(*words: object, status: int = 0) -> Any:
    done = subprocess.run([COMMAND, "trace", *map(str, words)], capture_output=True, check=False, timeout=60)
    assert done.returncode == status, done.stdout.decode() + done.stderr.decode()
    return done.stdout.decode()


def files_of(place: Path) -> list[str]:
    directory = place / "job.trace.hr.d"
    return sorted(path.name for path in directory.iterdir()) if directory.exists() else []


def writes(table: list[dict[str, Any]]) -> Counter[int]:
    """Of an MPI program's ranks."""
    found: Counter[int] = Counter()
    for row in table:
        if row["function"] == "pwrite":
            found[row["process"]] += row["calls"]
    return found


def traced_writes(trace: Path) -> Counter[int]:
    opened = traces.Trace(trace)
    found: Counter[int] = Counter()
    read = opened.native.rows(range(len(opened.locations)), 0, (1 << 64) - 1)
    while batch := read.next(1 << 16).rows():
        for row in batch:
            if row["name"] == "pwrite" and row["kind"] == "io":
                found[opened.locations[row["location"]]["process"]] += 1
    return found


@pytest.mark.parametrize(("sink", "mpi"), [*[(sink, "openmpi") for sink in SINKS], ("shared:2", "mpich")])
def test_every_command_reads_all_files(compiled: Compiled, tmp_path: Path, sink: str, mpi: str) -> None:
    run(command(tmp_path, sink, compiled(mpi, "c/meetings.c"), tmp_path, 20, 600, "world", mpi=mpi))
    trace, files = tmp_path / "job.trace.hr", files_of(tmp_path)
    if sink == "shared:2":
        assert len(files) == 2 and all(name.startswith("slots-") for name in files)
    if sink == "process":
        assert len([name for name in files if name.startswith("rank-")]) == 3
    if sink == "node":
        assert len(files) == 1 and not list((tmp_path / "local").iterdir()), "it was copied, then removed"
    if sink == "memory":
        assert files == []
    headrace_trace("verify", trace)
    stats = json.loads(headrace_trace("stats", "--json", trace))
    assert [row["calls"] for row in stats["functions"] if row["name"] == "pwrite"] == [20 * 600 * 6]
    assert stats["lost_events"] == stats["lost_chunks"] == 0 and stats["damage"] == []
    headrace_trace("overview", trace)
    headrace_trace("cat", "--rank", "2", "--limit", "3", trace)
    headrace_trace("unify", "-o", tmp_path / "one.hr", trace)
    one = json.loads(headrace_trace("stats", "--json", tmp_path / "one.hr"))
    assert one["events"] == stats["events"] and not (tmp_path / "one.hr.d").exists()
    assert headrace.open_trace(trace).time() == headrace.open_trace(tmp_path / "one.hr").time()
    if files:
        assert json.loads(headrace_trace("info", "--json", f"{trace}.d"))["events"] == stats["events"]


@pytest.mark.parametrize("sink", SINKS)
def test_ranks_without_events(compiled: Compiled, tmp_path: Path, sink: str) -> None:
    words = command(tmp_path, sink, compiled("openmpi", "c/meetings.c"), tmp_path, 1, 10, "world")
    run([*words[:3], "--trace-ranks", "1", *words[3:]])
    trace = tmp_path / "job.trace.hr"
    listed = json.loads(headrace_trace("info", "--json", "--locations", trace))["location_list"]
    assert {row["rank"] for row in listed if row["events"]} == {1}
    checks = {row["name"]: row for row in json.loads(headrace_trace("verify", "--json", trace))["checks"]}
    assert checks["streams"]["holds"] is True, "each is there all the same"
    assert checks["chunks"]["holds"] is True


def test_what_is_missing_is_told(compiled: Compiled, tmp_path: Path) -> None:
    run(command(tmp_path, "process", compiled("openmpi", "c/meetings.c"), tmp_path, 4, 1000, "world"))
    (gone,) = (tmp_path / "job.trace.hr.d").glob("rank-000001*")
    gone.rename(tmp_path / "elsewhere.hr")
    info = json.loads(headrace_trace("info", "--json", tmp_path / "job.trace.hr"))
    assert info["lost_events"] > 8000
    assert [row["reason"] for row in info["damage"]] == [f"{gone}: is missing, with what 1 process did"]
    said = headrace_trace("info", tmp_path / "job.trace.hr")
    assert "is missing" in said and "at byte 0" not in said
    # A link is not followed, wherever it leads.
    gone.symlink_to(tmp_path / "elsewhere.hr")
    assert json.loads(headrace_trace("info", "--json", tmp_path / "job.trace.hr"))["lost_events"] > 8000
    said = headrace_trace("verify", tmp_path / "job.trace.hr", status=1)
    assert "is missing" in said and "damaged places" not in said


def test_an_earlier_trace_keeps_its_files(compiled: Compiled, tmp_path: Path) -> None:
    words = command(tmp_path, "shared:2", compiled("openmpi", "c/meetings.c"), tmp_path, 4, 1000, "world")
    for _ in range(3):
        run(words)
        headrace_trace("verify", tmp_path / "job.trace.hr")
    kept = json.loads(headrace_trace("info", "--json", tmp_path / "job.trace.hr.old"))
    assert kept["lost_events"] == kept["lost_chunks"] == 0 and kept["damage"] == []
    names = {path.name for path in tmp_path.iterdir() if path.name.startswith("job.trace")}
    assert names == {"job.trace.hr", "job.trace.hr.d", "job.trace.hr.old", "job.trace.hr.old.d"}
    assert len(files_of(tmp_path)) == 2


def test_nothing_is_kept_and_the_log_says_so(compiled: Compiled, tmp_path: Path) -> None:
    run(command(tmp_path, "null", compiled("openmpi", "c/meetings.c"), tmp_path, 8, 1500, "world"))
    assert [path.name for path in tmp_path.iterdir() if "trace" in path.name] == []
    with headrace.open(tmp_path / "job.hr") as log:
        job = {row["key"]: row["value"] for row in log.table("job").to_pylist()}
        assert job["trace_sink"] == "null"
        events, _, _, size, *_ = job["trace_dropped"].split()
        assert int(events) > 2 * 8 * 1500 * 6 and int(size) > 50_000
        assert [row for row in log.table("gaps").to_pylist() if "trace" in row["what"]] == []


def told(words: list[str], **environment: str) -> str:
    """What a run says."""
    surroundings = {**os.environ, **environment}
    done = subprocess.run(words, capture_output=True, text=True, env=surroundings, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return "".join(line + "\n" for line in done.stderr.splitlines() if line.startswith("headrace: "))


@pytest.mark.parametrize("memory", ["1M", "16M"])
def test_a_local_place_that_fails_is_told(compiled: Compiled, tmp_path: Path, memory: str) -> None:
    """With much memory nothing is lost; with little all that could not be stored is told."""
    program = compiled("openmpi", "c/meetings.c")
    words = command(tmp_path, "node:/proc", program, tmp_path, 8, 1500, "world")
    words[words.index("--trace-memory") + 1] = memory
    said = told(words)
    assert "/proc/headrace-" in said
    trace = tmp_path / "job.trace.hr"
    lost = sum(row["lost"] for row in traces.Trace(trace).locations)
    if memory == "16M":
        assert f"what should be there is in {trace}" in said and lost == 0
        headrace_trace("verify", trace)
    else:
        assert f"trace incomplete: {lost:,} calls" in said and lost > 0


def test_a_full_disk_with_slots_is_told(
    compiled: Compiled, tmp_path: Path, small_tmpfs: Callable[[str], Path]
) -> None:
    """What ranks recorded is in their slots, at another place, or counted."""
    place, rescue = small_tmpfs("300K"), tmp_path / "rescue"
    rescue.mkdir()
    program = compiled("openmpi", "c/meetings.c")
    said = told(command(place, "shared:2", program, tmp_path, 40, 1500, "world"), TMPDIR=str(rescue))
    first, rest = place / "job.trace.hr", rescue / "job.trace.hr"
    assert f"the trace goes on in {rest}" in said and f"its first part is {first}" in said
    headrace_trace("unify", "-o", rescue / "one.hr", first, rest)
    one = traces.Trace(rescue / "one.hr")
    lost = sum(row["lost"] for row in one.locations)
    assert lost > 0 and f"trace incomplete: {lost:,} calls not recorded" in said
    with headrace.open(rescue / "job.hr") as log:
        logged = writes(log.table("profiles").to_pylist())
    traced = traced_writes(rescue / "one.hr")
    assert 0 < sum(traced.values()) < sum(logged.values())
    assert sum(logged.values()) <= sum(traced.values()) + lost
    assert "No space left on device" in " ".join(headrace_trace("info", first).split())


def kill_one(sink: str, program: Path, place: Path, chance: random.Random) -> None:
    """A rank, mostly while it stores events, and sometimes who stores them."""
    mpi = program.name.rsplit(".", 1)[1]
    started = start(command(place, sink, program, place, 100_000, 500, "world", mpi=mpi))
    try:
        deadline = time.monotonic() + 30
        while not any(path.stat().st_size for path in place.glob("data.*")) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(chance.random() * 0.5)
        victim = chance.choice(processes_of(started.pid, program))
        for helper in children(victim) if chance.random() < 0.3 else []:
            kill(helper)
        kill(victim)
        started.wait(60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
    with headrace.open(place / "job.hr") as log:
        logged = writes(log.table("profiles").to_pylist())
        gaps = [row for row in log.table("gaps").to_pylist() if row["what"] == "events of the trace"]
        known = {row["process"] for row in log.table("processes").to_pylist() if row["rank"] >= 0}
    traced = traced_writes(place / "job.trace.hr")
    assert sum(logged.values()) > 0
    lost = sum(row["lost"] for row in traces.Trace(place / "job.trace.hr").locations)
    for process in known:
        assert logged[process] - 1 <= traced[process] + lost, (sink, gaps)
        assert traced[process] <= logged[process] + 1, "nothing is there twice"
    assert not list((place / "local").iterdir()) if sink == "node" else True


def processes_of(pid: int, program: Path) -> list[int]:
    found = []
    for child in children(pid):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{child}/exe").readlink() == program:
                found.append(child)
                continue  # what stands between it and its flusher looks like it
        found += processes_of(child, program)
    return found


def children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kills(compiled: Compiled, tmp_path: Path, number: int) -> None:
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    for each in range(number):
        place = tmp_path / str(each)
        place.mkdir()
        mpi = ("openmpi", "mpich")[each % 2]
        kill_one(SINKS[each % len(SINKS)], compiled(mpi, "c/meetings.c"), place, chance)
        shutil.rmtree(place)


def test_kills(compiled: Compiled, tmp_path: Path) -> None:
    kills(compiled, tmp_path, KILLS)


@pytest.mark.soak
def test_many_kills(compiled: Compiled, tmp_path: Path) -> None:
    kills(compiled, tmp_path, int(os.environ.get("HEADRACE_SOAK_KILLS", "1000")))
