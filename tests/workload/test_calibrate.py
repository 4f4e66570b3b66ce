"""`headrace bench calibrate`: a profile of the machine, which `--emulate` takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench_tools import Bench


def test_a_profile_is_measured_and_taken(tmp_path: Path) -> None:
    files, profile = tmp_path / "files", tmp_path / "here.toml"
    files.mkdir()
    bench = Bench(files)
    done = bench.run("calibrate", "--size", "2M", "-o", str(profile), "--json")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    found = json.loads(done.stdout)
    assert found["constants"]["latency_write_ns"] > 0 and found["constants"]["metadata_create_ns"] > 0
    rates = {(rate["call"], rate["processes"]): rate["per_second"] for rate in found["rates"]}
    assert all(rate > 0 for rate in rates.values()) and ("create", 1) in rates and ("create", 2) in rates
    assert bench.left() == []
    text = profile.read_text()
    assert text.startswith("# measured by headrace bench calibrate on ")
    taken = bench.figures("ior", "--block", "8K", "--transfer", "4K", "--no-check", "--emulate", str(profile))
    assert taken["emulated"]["creates"] == 1
    again = bench.run("calibrate", "-o", str(profile))
    assert again.returncode == 2 and "is there already" in again.stderr and profile.read_text() == text


def test_an_emulated_file_system_is_found_again(tmp_path: Path) -> None:
    slow = tmp_path / "slow.toml"
    slow.write_text(
        "title = 'slow'\n[latency]\nread = '3ms'\nwrite = '3ms'\n[metadata]\ncreate = '6ms'\nstat = '4ms'\n"
        "[bandwidth]\nprocess_write = '20MB/s'\n"
    )
    files = tmp_path / "files"
    files.mkdir()
    done = Bench(files).run("calibrate", "--size", "1M", "--json", "--emulate", str(slow))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["constants"]
    # Nothing is quicker than the profile has it, but for what a process is given back of being late.
    assert found["metadata_create_ns"] + found["metadata_latency_ns"] >= 5.5e6
    assert found["metadata_stat_ns"] + found["metadata_latency_ns"] >= 3.5e6
    assert found["latency_write_ns"] >= 1e6
    assert found["bandwidth_process_write_bytes_per_second"] <= 22e6


LOCKS = """title = 'locks'
[latency]
write = '500us'
[metadata]
queue = 'directory'
create = '1ms'
close = '3ms'
[locks]
block = '3MiB'
conflict = '9ms'
"""


@pytest.mark.parametrize("processes", ["1", "2"])
def test_what_cannot_be_measured_comes_from_the_emulated_profile(tmp_path: Path, processes: str) -> None:
    emulated, output, files = tmp_path / "locks.toml", tmp_path / "found.toml", tmp_path / "files"
    emulated.write_text(LOCKS)
    files.mkdir()
    words = (
        "--size",
        "1M",
        "--processes",
        processes,
        "--emulate",
        str(emulated),
        "--json",
        "-o",
        str(output),
    )
    done = Bench(files).run("calibrate", *words)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    text = output.read_text()
    assert 'block = "3MiB"  # not measured: from the emulated profile' in text
    assert 'queue = "directory"  # not measured: from the emulated profile' in text
    assert str(emulated) in text.splitlines()[0] and found["emulated"] == str(emulated)
    assert found["constants"]["locks_block_bytes"] == 3 << 20
    assert found["not_measured"]["locks_block_bytes"] == "emulated profile"
    # One alone meets nobody; two that do have measured it.
    assert ("locks_conflict_ns" in found["not_measured"]) == (processes == "1")
    assert found["constants"]["locks_conflict_ns"] >= (9e6 if processes == "1" else 4e6)
    # Part of what creating and opening took, so once more would be too much.
    assert found["constants"]["metadata_close_ns"] is None and "close = " not in text
    assert found["constants"]["metadata_create_ns"] + found["constants"]["metadata_latency_ns"] >= 3e6
    taken = Bench(files).run("ior", "--block", "8K", "--transfer", "4K", "--emulate", str(output))
    assert taken.returncode == 0, taken.stderr


def test_no_locks_are_found_below_a_profile_without(tmp_path: Path) -> None:
    found = json.loads(Bench(tmp_path).run("calibrate", "--size", "1M", "--emulate", "1ms", "--json").stdout)
    assert found["constants"]["locks_block_bytes"] == found["constants"]["locks_conflict_ns"] == 0


def test_one_process_here_knows_nothing_of_locks(tmp_path: Path) -> None:
    found = json.loads(Bench(tmp_path).run("calibrate", "--size", "1M", "--processes", "1", "--json").stdout)
    assert found["emulated"] is None and found["not_measured"] == {}
    assert found["constants"]["locks_block_bytes"] is found["constants"]["locks_conflict_ns"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "1P"], "is no size"),
        (["--size", "10"], "give 1M at least"),
        (["--size", "900000G"], "would fit"),
        (["--processes", "0"], "give 1 to 256"),
        (["--forever", "1"], "there is no option --forever"),
    ],
)
def test_mistakes_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run("calibrate", *words)
    assert done.returncode in (2, 3) and said in done.stderr, done.stderr
    assert bench.left() == []


def test_help_fits_a_terminal(tmp_path: Path) -> None:
    done = Bench(tmp_path).run("calibrate", "--help")
    assert done.returncode == 0 and "Example:" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) < 80
