"""Jobs that were recorded are done again: same calls, bytes and sizes, and a report says so or why not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import headrace
import pytest
from bench_tools import COMMAND, Bench, launcher

Counts = dict[tuple[str, str], tuple[int, int, int]]

C_PROGRAM = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static char b[70000];
int main(void) {
  struct stat s;
  memset(b, 1, sizeof b);
  mkdir("d", 0777);
  int f = open("d/a", O_CREAT | O_TRUNC | O_RDWR, 0666);
  if (write(f, b, 5000) != 5000 || lseek(f, 100, SEEK_SET) != 100 || read(f, b, 300) != 300) return 1;
  if (pwrite(f, b, 50, 9000) != 50) return 1;
  fstat(f, &s);
  int g = dup(f);
  fsync(f);
  close(f);
  if (write(g, b, 7) != 7) return 1;
  close(g);
  if (stat("d/none", &s) == 0 || open("d/none", O_RDONLY) >= 0) return 1;
  FILE* o = fopen("d/t", "w");
  for (int i = 0; i < 300; i++) fprintf(o, "line %d\n", i);
  fwrite(b, 1, 30000, o);
  fseek(o, 10, SEEK_SET);
  fwrite(b, 1, 3, o);
  fclose(o);
  o = fopen("d/t", "r");
  if (!fgets(b, 100, o) || fread(b, 1, 20000, o) != 20000) return 1;
  rewind(o);
  if (fread(b, 1, 60000, o) == 60000) return 1;
  fclose(o);
  f = open("given", O_RDONLY);
  for (int i = 0; i < 10; i++)
    if (pread(f, b, 1000, 3000 * i) != 1000) return 1;
  close(f);
  f = open("log", O_WRONLY | O_APPEND);
  if (write(f, b, 100) != 100 || write(f, b, 200) != 200) return 1;
  close(f);
  rename("d/a", "d/b");
  if (stat("d/b", &s) != 0 || s.st_size != 9050) return 1;
  return unlink("d/t");
}
"""

PYTHON_PROGRAM = """
import json, os
os.makedirs("out/deep")
for number in range(5):
    with open(f"out/deep/{number}.json", "w") as file:
        json.dump({"number": list(range(1000 * number))}, file)
for name in sorted(os.listdir("out/deep")):
    with open(f"out/deep/{name}") as file:
        json.load(file)
with open("given", "rb") as file:
    file.seek(5000)
    assert len(file.read(12345)) == 12345
with open("out/data", "wb", buffering=0) as file:
    for number in range(50):
        file.write(bytes(1000 + number))
os.remove("out/deep/0.json")
"""


def record(directory: Path, *command: str, options: tuple[str, ...] = ()) -> Path:
    """The log of a run, with a trace beside it."""
    log = directory / "job.hr"
    where = directory / "work"
    where.mkdir()
    (where / "given").write_bytes(os.urandom(40000))
    (where / "log").write_bytes(bytes(777))
    subprocess.run(
        [COMMAND, "run", *(options or ("--trace",)), "-o", str(log), "--", *command],
        cwd=where,
        check=True,
        timeout=100,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    return log


def record_c(directory: Path) -> Path:
    (directory / "program.c").write_text(C_PROGRAM)
    subprocess.run(["cc", "-w", "-o", directory / "program", directory / "program.c"], check=True, timeout=60)
    return record(directory, str(directory / "program"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    directory = tmp_path / "place"
    directory.mkdir()
    return directory


def replay(place: Path, log: Path, *words: str, mpi: str = "", ranks: int = 1) -> dict[str, Any]:
    return Bench(place, mpi, ranks).figures("replay", str(log), *words)


def sides(figures: dict[str, Any], *keys: str) -> list[tuple[Any, Any]]:
    return [(layer["job"][key], layer["replay"][key]) for layer in figures["layers"] for key in keys]


def check_same(figures: dict[str, Any]) -> None:
    assert figures["may_stand_for_the_job"], (figures["differences"], figures["first_different_call"])
    assert figures["differences"] == []
    keys = ["calls", "errors", "reads", "writes", "bytes_read", "bytes_written", "read_sizes", "write_sizes"]
    for job, again in sides(figures, *keys, "consecutive", "forward", "backward"):
        assert job == again


def by_function(log: Path, phase: str, layers: set[str]) -> Counts:
    """Calls, errors and bytes of functions, of all processes: in a phase, or (\"\") in all."""
    found: Counts = {}
    opened = headrace.open(str(log))
    for row in opened.table("phase_profiles" if phase else "profiles").to_pylist():
        if row["layer"] not in layers or (phase and (row["phase"] != phase or row["instance"] != 0)):
            continue
        key = row["layer"], row["function"]
        before = found.get(key, (0, 0, 0))
        found[key] = before[0] + row["calls"], before[1] + row["errors"], before[2] + row["bytes"]
    return found


def capture(place: Path, log: Path, mpi: str = "", ranks: int = 1) -> Path:
    """The log of a replay."""
    again = place.parent / "again.hr"
    words = [*launcher(mpi, ranks), COMMAND, "bench", "replay", str(log), "--dir", str(place), "-q"]
    subprocess.run(
        [COMMAND, "run", "-o", str(again), "--", *words],
        check=True,
        timeout=100,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    return again


def test_a_program_in_c_is_done_again(tmp_path: Path, place: Path) -> None:
    log = record_c(tmp_path)
    figures = replay(place, log)
    check_same(figures)
    assert figures["extra_calls"] == 0
    assert {layer["layer"] for layer in figures["layers"]} == {"posix", "stdio"}
    assert list(place.iterdir()) == []
    assert (tmp_path / "work" / "d" / "b").stat().st_size == 9050  # what the job left is not touched
    assert (tmp_path / "work" / "log").stat().st_size == 777 + 300


def test_files_are_as_the_job_left_them(tmp_path: Path, place: Path) -> None:
    log = record_c(tmp_path)
    figures = replay(place, log, "--keep")
    kept = Path(figures["directory"] + str(tmp_path / "work"))
    sizes = {str(file.relative_to(kept)): file.stat().st_size for file in kept.rglob("*") if file.is_file()}
    job = tmp_path / "work"
    expected = {str(file.relative_to(job)): file.stat().st_size for file in job.rglob("*") if file.is_file()}
    assert sizes.keys() == expected.keys()
    assert sizes["d/b"] == expected["d/b"]
    assert sizes["log"] == 300  # how large it was before nobody recorded: it was not read


def test_a_capture_of_the_replay_agrees_with_that_of_the_job(tmp_path: Path, place: Path) -> None:
    log = record_c(tmp_path)
    again = by_function(capture(place, log), "replay", {"posix", "stdio"})
    stands_for = {"fprintf": "fwrite", "fgets": "fread", "puts": "fwrite"}
    job: Counts = {}
    for (layer, function), counts in by_function(log, "", {"posix", "stdio"}).items():
        key = layer, stands_for.get(function, function)
        job[key] = tuple(map(sum, zip(job.get(key, (0, 0, 0)), counts, strict=True)))  # type: ignore[assignment]
    assert again == job


def test_diff_finds_the_same_reads_and_writes(tmp_path: Path, place: Path) -> None:
    words = ["bench", "ior", "--block", "256K", "--transfer", "16K", "--no-check", "-q", "--dir", "."]
    log = record(tmp_path, COMMAND, *words)
    again = capture(place, log)
    done = subprocess.run(
        [COMMAND, "diff", "--json", str(log), str(again)],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    totals = {row["key"]: row["values"] for row in json.loads(done.stdout)["totals"]}
    files = headrace.open(str(again)).table("files").to_pylist()
    own = [row for row in files if "/job." in row["path"]]  # it reads the log and the trace
    totals["read.bytes"][1] -= sum(row["bytes_read"] for row in own)
    totals["read.calls"][1] -= sum(row["reads"] for row in own)
    for name in ["read.bytes", "read.calls", "read.errors", "write.bytes", "write.calls", "write.errors"]:
        assert totals[name][0] == totals[name][1], name


def test_a_script_in_python_is_done_again(tmp_path: Path, place: Path) -> None:
    log = record(tmp_path, sys.executable, "-I", "-S", "-c", PYTHON_PROGRAM)
    figures = replay(place, log)
    differences = [text for text in figures["differences"] if not text.startswith("not replayed")]
    assert differences == []
    for job, again in sides(
        figures, "calls", "errors", "bytes_read", "bytes_written", "read_sizes", "write_sizes"
    ):
        assert job == again
    left = {row["reason"]: row["bytes"] for row in figures["left_out"]}
    assert not any(left.values()), left


@pytest.mark.parametrize("api", ["mpiio", "posix"])
def test_ranks_do_again_what_they_did(tmp_path: Path, place: Path, api: str) -> None:
    words = ["--api", api, "--block", "128K", "--transfer", "32K", "--segments", "2", "--dir", ".", "-q"]
    collective = ["--collective"] if api == "mpiio" else []
    command = [*launcher("openmpi", 2), COMMAND, "bench", "ior", *words, *collective]
    log = record(tmp_path, *command)
    figures = replay(place, log, mpi="openmpi", ranks=2)
    check_same(figures)
    layers = {layer["layer"]: layer["job"] for layer in figures["layers"]}
    assert layers[api]["bytes_written"] == 2 * 2 * 128 * 1024
    assert figures["waits_for_all"] > 0
    if api == "mpiio":
        assert layers["posix"]["bytes_written"] == 0  # what MPI-IO does below is not done twice
        again = by_function(capture(place, log, "openmpi", 2), "replay", {"mpiio"})
        assert again == by_function(log, "", {"mpiio"})
    assert list(place.iterdir()) == []


def test_a_wrong_number_of_ranks_is_refused_with_the_right_one(tmp_path: Path, place: Path) -> None:
    words = ["--block", "64K", "--transfer", "32K", "--dir", ".", "-q"]
    log = record(tmp_path, *launcher("openmpi", 2), COMMAND, "bench", "ior", *words)
    done = Bench(place).run("replay", str(log))
    assert done.returncode == 2
    assert "the job has 2 ranks, and this run 1: start it with mpirun -n 2" in done.stderr
    figures = replay(place, log, "--fold")
    assert figures["layers"][0]["replay"]["bytes_written"] == 2 * 65536
    assert any("one rank here" in text for text in figures["remarks"])


def test_think_time_is_waited(tmp_path: Path, place: Path) -> None:
    program = (
        "import time\nfor i in range(3):\n open('out', 'a').close()\n time.sleep(0.1)\nopen('out').close()"
    )
    log = record(tmp_path, sys.executable, "-I", "-S", "-c", program)
    assert replay(place, log, "--think-time")["seconds"] >= 0.3
    figures = replay(place, log)
    assert figures["seconds"] < figures["job_seconds"]


def test_what_settings_left_out_is_told(tmp_path: Path, place: Path) -> None:
    words = ["bench", "ior", "--block", "64K", "--transfer", "16K", "-q", "--dir", "."]
    log = record(tmp_path, COMMAND, *words, options=("--trace", "--trace-skip", "pread"))
    figures = replay(place, log)
    assert not figures["may_stand_for_the_job"]
    assert figures["left_out_by_settings"] > 0
    assert any("settings of the trace left out" in text for text in figures["differences"])


def test_a_file_that_cannot_be_had_is_told_as_a_difference(tmp_path: Path, place: Path) -> None:
    """A job without its log: whether it emptied a file is guessed, and told to be."""
    log = record_c(tmp_path)
    log.unlink()
    figures = replay(place, log.with_suffix(".trace.hr"))
    assert any("no job log beside the trace" in text for text in figures["remarks"])
    assert figures["layers"][0]["replay"]["bytes_written"] == figures["layers"][0]["job"]["bytes_written"]


def test_a_log_without_a_trace_is_replayed_from_its_sums_and_told_to_be(tmp_path: Path, place: Path) -> None:
    # A file for each rank: sums do not tell that ranks waited for each other before they read a common one.
    words = ["--block", "64K", "--transfer", "16K", "--per-process", "--dir", ".", "-q"]
    log = record(tmp_path, *launcher("openmpi", 2), COMMAND, "bench", "ior", *words)
    log.with_suffix(".trace.hr").unlink()
    figures = replay(place, log, mpi="openmpi", ranks=2)
    assert figures["approximate"]
    assert not figures["may_stand_for_the_job"]
    assert any("made from the sums of a log" in text for text in figures["remarks"])
    posix = next(layer for layer in figures["layers"] if layer["layer"] == "posix")
    assert posix["replay"]["bytes_written"] == 2 * 65536
    assert posix["replay"]["bytes_read"] == posix["job"]["bytes_read"]
    assert posix["replay"]["write_sizes"] == [{"bucket": 14, "calls": 8}]
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text"])
def test_damaged_traces_end_in_words(tmp_path: Path, place: Path, damage: str) -> None:
    log = record_c(tmp_path)
    trace = log.with_suffix(".trace.hr")
    whole = bytearray(trace.read_bytes())
    if damage == "flipped":
        for at in range(700, len(whole), 97):
            whole[at] ^= 0x55
    changed = {"cut": whole[: len(whole) // 2], "flipped": whole, "empty": b"", "text": b"#!/bin/sh\n" * 100}[
        damage
    ]
    trace.write_bytes(changed)
    done = Bench(place).run("replay", str(log), "--json")
    assert done.returncode in (0, 2, 3), done.stderr
    if done.returncode == 0:
        assert not json.loads(done.stdout)["may_stand_for_the_job"]
    else:
        assert "job" in done.stderr
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name the log of the job first"),
        (["nothing.hr"], "no such file"),
        (["job.hr", "--think"], "no option --think"),
        (["job.hr", "--block", "1M"], "no option --block"),
        (["job.hr", "more"], "'more' is no option"),
    ],
)
def test_mistakes_are_refused(place: Path, words: list[str], said: str) -> None:
    done = Bench(place).run("replay", *words)
    assert done.returncode in (2, 3)
    assert said in done.stderr
    assert list(place.iterdir()) == []


def test_a_log_without_calls_on_files_is_refused(tmp_path: Path, place: Path) -> None:
    log = record(tmp_path, shutil.which("true") or "true")
    done = Bench(place).run("replay", str(log))
    assert done.returncode in (2, 3)
    assert list(place.iterdir()) == []


def test_one_that_is_interrupted_leaves_nothing(tmp_path: Path, place: Path) -> None:
    program = "import time\nopen('a', 'w').close()\ntime.sleep(1.2)\nopen('b', 'w').close()"
    log = record(tmp_path, sys.executable, "-I", "-S", "-c", program)
    (place / "mine").write_text("stays")
    process = subprocess.Popen(
        Bench(place).command("replay", str(log), "--think-time", "-q"), stderr=subprocess.PIPE
    )
    end = time.monotonic() + 20
    while not list(place.rglob("a")) and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"interrupted" in said
    assert [path.name for path in place.iterdir()] == ["mine"]
