"""`--emulate PROFILE`: what calls cost by a profile, counted and timed. Times have lower bounds alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench_tools import COMMAND, MPIS, Bench

CREDIT = 0.004  # what a process was late before may be taken off a delay
IOR = ["ior", "--block", "16K", "--transfer", "4K", "--no-check"]


def profile(path: Path, **tables: dict[str, str]) -> str:
    lines = ['title = "made for a test"']
    for table, values in tables.items():
        lines += [f"[{table}]", *(f'{key} = "{value}"' for key, value in values.items())]
    path.write_text("\n".join(lines))
    return str(path)


def states() -> set[Path]:
    return {path for place in ("/dev/shm", "/tmp") for path in Path(place).glob("headrace-emulate-*")}


def seconds(found: dict[str, Any], phase: str, *calls: str) -> float:
    (one,) = (each for each in found["phases"] if each["name"] == phase)
    return sum(one["calls"][call]["seconds"] for call in calls)


@pytest.mark.parametrize("name", ["200us", "intrepid", "jaguar", "hopper", "cetus", "small-lustre"])
def test_the_profiles_that_come_along(tmp_path: Path, name: str) -> None:
    found = Bench(tmp_path).figures(*IOR, "--emulate", name)
    assert found["emulate"] == name
    assert (found["emulated"]["writes"], found["emulated"]["reads"]) == (4, 4)
    assert found["emulated"]["creates"] == 1 and found["emulated"]["conflicts"] == 0


def test_reads_and_writes_take_their_time(tmp_path: Path) -> None:
    slow = profile(tmp_path / "slow.toml", latency={"read": "10ms", "write": "20ms"})
    (tmp_path / "files").mkdir()
    found = Bench(tmp_path / "files").figures(*IOR, "--emulate", slow)
    assert seconds(found, "write", "write") >= 4 * 0.020 - CREDIT
    assert seconds(found, "read", "read") >= 4 * 0.010 - CREDIT


@pytest.mark.parametrize("mpi", MPIS)
def test_one_service_creates_one_file_after_the_other(tmp_path: Path, mpi: str) -> None:
    slow = profile(tmp_path / "slow.toml", metadata={"create": "50ms"})
    (tmp_path / "files").mkdir()
    before = states()
    found = Bench(tmp_path / "files", mpi).figures(*IOR, "--per-process", "--emulate", slow)
    assert found["emulated"]["creates"] == 4
    # The last of four waits for the three before it, whichever that is.
    (write,) = (each for each in found["phases"] if each["name"] == "write")
    assert write["elapsed_seconds"] >= 4 * 0.050 - CREDIT
    assert states() <= before


@pytest.mark.parametrize("mpi", MPIS)
def test_all_share_the_bandwidth(tmp_path: Path, mpi: str) -> None:
    slow = profile(tmp_path / "slow.toml", bandwidth={"write": "1MB/s", "process_read": "500KB/s"})
    (tmp_path / "files").mkdir()
    found = Bench(tmp_path / "files", mpi).figures(*IOR, "--per-process", "--emulate", slow)
    write, read = found["phases"]
    assert write["elapsed_seconds"] >= 4 * 16384 / 1e6 - CREDIT
    assert read["seconds"] >= 16384 / 500e3 - CREDIT  # each for itself


@pytest.mark.parametrize("mpi", MPIS)
def test_writers_take_blocks_from_each_other(tmp_path: Path, mpi: str) -> None:
    slow = profile(tmp_path / "slow.toml", locks={"block": "64KiB", "conflict": "5ms"})
    (tmp_path / "files").mkdir()
    alone = Bench(tmp_path / "files", mpi).figures(
        "ior", "--block", "64K", "--transfer", "4K", "--no-check", "--emulate", slow
    )
    # Each rank has a block of its own, and reads what it wrote.
    assert alone["emulated"]["conflicts"] == 0
    shared = Bench(tmp_path / "files", mpi).figures(*IOR, "--emulate", slow)
    # All four have one block: three take it from another at least once.
    assert shared["emulated"]["conflicts"] >= 3
    assert shared["phases"][0]["elapsed_seconds"] >= 3 * 0.005 - CREDIT


def test_a_killed_run_leaves_no_state(tmp_path: Path) -> None:
    import subprocess
    import time

    before = states()
    bench = Bench(tmp_path)
    words = bench.command(*IOR, "--emulate", "1s", "--name", "killed")
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as running:
        while not (tmp_path / "killed" / "data").exists():
            assert running.poll() is None
            time.sleep(0.005)
        running.kill()
    assert states() <= before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = 'x'\n[latency]\nread = 'soon'\n", "line 3: [latency] read: 'soon' is not a time"),
        ("title = 'x'\n[latency]\nraed = '1ms'\n", "line 3: [latency] raed: there is no such key"),
        ("[latency]\nread = [1]\n", "line 2: read: '[1]' is neither"),
        ("[latency]\nread = '1ms'\n", "there is no title"),
        ("\xff", "line 1: "),
    ],
)
def test_a_bad_profile_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text, encoding="latin-1")
    before = states()
    done = Bench(tmp_path).run(*IOR, "--emulate", str(file))
    assert done.returncode == 2 and f"{file}: " in done.stderr and said in done.stderr
    assert states() <= before


def test_profiles_are_found(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    done = bench.run(*IOR, "--emulate", "intrepdi")
    assert done.returncode == 2
    assert "there are 200us, cetus, hopper, intrepid, jaguar, small-lustre" in done.stderr
    done = bench.run(*IOR, "--emulate", str(tmp_path / "none.toml"))
    assert done.returncode == 3 and "No such file" in done.stderr


def test_profiles_are_toml() -> None:
    """What is read of them is what any other reader of TOML finds there."""
    tomllib = pytest.importorskip("tomllib")
    share = Path(__file__).parents[2] / "src/programs/headrace/share/profiles"
    for file in share.glob("*.toml"):
        found = tomllib.loads(file.read_text())
        assert found["title"]
        assert set(found) <= {"title", "latency", "metadata", "bandwidth", "locks", "system"}


def asked(tmp_path: Path, profile: str, **environment: str) -> dict[str, str]:
    """What a program sees of an emulated file system: its kind, the stripes, and hints for ROMIO."""
    program = """
import ctypes, json, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def kind(path):
    info = ctypes.create_string_buffer(256)
    assert libc.statfs(path.encode(), info) == 0
    return struct.unpack_from("q", info)[0]
layout = ctypes.create_string_buffer(4096)
fd = os.open("made", os.O_CREAT | os.O_RDWR)
of_file = ctypes.create_string_buffer(256)
assert libc.fstatfs(fd, of_file) == 0
stripes = libc.ioctl(fd, ctypes.c_ulong(0x4008669B), layout)
print(json.dumps({"here": kind("."), "file": struct.unpack_from("q", of_file)[0], "else": kind("/"),
    "stripes": struct.unpack_from("II16xIH", layout) if stripes == 0 else None,
    "hints": os.environ.get("ROMIO_HINTS")}))
"""
    words = [
        COMMAND,
        "run",
        "--emulate",
        profile,
        "-o",
        str(tmp_path / "job.hr"),
        "--",
        sys.executable,
        "-c",
        program,
    ]
    files = tmp_path / "files"
    files.mkdir(exist_ok=True)
    env = {**os.environ, **environment}
    done = subprocess.run(words, cwd=files, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_the_file_system_is_what_the_profile_says(tmp_path: Path) -> None:
    lustre, gpfs, none = (asked(tmp_path, name) for name in ("jaguar", "intrepid", "200us"))
    assert lustre["here"] == lustre["file"] == 0x0BD00BD0
    assert lustre["stripes"] == [0x0BD10BD0, 1, 1 << 20, 1]
    assert gpfs["here"] == gpfs["file"] == 0x47504653 and gpfs["stripes"] is None
    assert lustre["else"] == gpfs["else"] == none["else"], "not of other file systems"
    assert none["here"] == none["file"] != gpfs["here"]


def test_hints_of_the_profile_reach_romio_unless_there_are_others(tmp_path: Path) -> None:
    assert str(asked(tmp_path, "intrepid")["hints"]).endswith("/profiles/blue-gene.hints")
    assert asked(tmp_path, "jaguar")["hints"] is None
    assert asked(tmp_path, "intrepid", ROMIO_HINTS="/mine")["hints"] == "/mine"
    mine = tmp_path / "mine.toml"
    mine.write_text('title = "mine"\n[system]\nromio_hints = "mine.hints"\n')
    done = Bench(tmp_path).run(*IOR, "--emulate", str(mine))
    assert done.returncode == 3 and "romio_hints: " in done.stderr and "No such file" in done.stderr


SHARED = ["combustion", "--strategy", "shared", "--patches", "1", "--smallest", "64K", "--largest", "128K"]


def test_mpi_libraries_choose_as_they_would_there(tmp_path: Path) -> None:
    """Open MPI leaves Lustre to ROMIO. A ROMIO without the driver of GPFS on Blue Gene has its hints."""
    bench = Bench(tmp_path, "openmpi")
    assert "MPI-IO by ROMIO" in bench.figures(*SHARED, "--emulate", "jaguar")["remarks"]
    assert "MPI-IO by OMPIO" in bench.figures(*SHARED, "--emulate", "200us")["remarks"]
    remarks = bench.figures(*SHARED, "--emulate", "intrepid")["remarks"]
    assert "MPI-IO by OMPIO" in remarks and any("takes no hints from the profile" in each for each in remarks)
    bench.environment["OMPI_MCA_io"] = "romio321"
    before = bench.figures(*SHARED, "--checkpoints", "1", "--emulate", "200us")["emulated"]["writes"]
    found = bench.figures(*SHARED, "--checkpoints", "1", "--emulate", "intrepid")
    assert any(
        "hints that a driver of the emulated file system would choose" in each for each in found["remarks"]
    )
    assert before == 4 and found["emulated"]["writes"] == 1, "one of few writes for all"
