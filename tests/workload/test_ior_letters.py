"""`headrace bench ior`, `mdtest` and `macsio` take the command lines of IOR, mdtest and MACSio."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from bench_tools import Bench


def test_letters_of_ior_mean_the_same(tmp_path: Path) -> None:
    words = ["ior", "-a", "POSIX", "-w", "-r", "-t1m", "-b", "16m", "-s", "2", "-F", "-vv", "-g", "-z", "-e"]
    figures = Bench(tmp_path).figures(*words)
    settings = figures["settings"]
    assert (settings["block"], settings["transfer"], settings["segments"]) == (16 << 20, 1 << 20, 2)
    assert settings["per_process"] and settings["random"] and settings["sync"]
    assert [phase["name"] for phase in figures["phases"]] == ["write", "read"]
    assert Bench(tmp_path).figures("ior", "-wFt", "4k", "-b8k")["settings"]["block"] == 8192


def test_a_path_of_ior_is_that_of_the_runs_directory(tmp_path: Path) -> None:
    place = tmp_path
    bench = Bench(tmp_path)
    kept = bench.figures("ior", "-w", "-k", "-t", "4k", "-b", "64k", "-o", str(place / "mine"))
    assert kept["directory"] == str(place / "mine")
    assert (place / "mine" / "data").stat().st_size == 65536
    assert bench.figures("ior", "-r", "-t", "4k", "-b", "64k", "-o", str(place / "mine"))["right"]


def test_iterations_have_their_spread(tmp_path: Path) -> None:
    figures = Bench(tmp_path).figures("ior", "-i", "3", "-t", "64k", "-b", "1m")
    assert figures["iterations"] == 3
    writes = [phase["mbps"] for phase in figures["phases"] if phase["name"] == "write"]
    assert len(writes) == 3
    assert figures["write_mbps"] == pytest.approx(max(writes), abs=0.01)
    assert figures["write_mbps_min"] == pytest.approx(min(writes), abs=0.01)
    assert figures["write_mbps_mean"] == pytest.approx(sum(writes) / 3, abs=0.01)
    done = Bench(tmp_path).run("ior", "-i", "2", "-t", "64k", "-b", "1m")
    assert "of 2 iterations" in done.stdout and "stddev" in done.stdout
    assert Bench(tmp_path).left() == []


def test_direct_io_goes_past_the_cache_or_is_refused(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    done = bench.run("ior", "-B", "-t", "64k", "-b", "1m")
    if done.returncode != 0:
        assert "has no O_DIRECT" in done.stderr
        pytest.skip("the file system of this directory has no O_DIRECT")
    traced = subprocess.run(
        ["strace", "-f", "-e", "trace=openat", *bench.command("ior", "-B", "-t", "64k", "-b", "1m")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "O_DIRECT" in traced.stderr
    assert bench.left() == []


def test_letters_of_mdtest_mean_the_same(tmp_path: Path) -> None:
    words = ["mdtest", "-n", "10", "-z", "1", "-b", "2", "-u", "-w", "3901", "-e", "3901", "-i", "2", "-d"]
    figures = Bench(tmp_path).figures(*words, str(tmp_path))
    assert figures["settings"] == {
        "files": 10,
        "directories": 10,
        "depth": 1,
        "branch": 2,
        "tree": 3,
        "unique": True,
        "bytes": 3901,
        "shift": 0,
    }
    assert (
        figures["iterations"] == 2
        and figures["file_create_per_second"] >= figures["file_create_per_second_min"]
    )
    only = Bench(tmp_path).figures("mdtest", "-F", "-n", "5")
    assert not any(phase["name"].startswith("directory") for phase in only["phases"])
    only = Bench(tmp_path).figures("mdtest", "-D", "-n", "5")
    assert not any(phase["name"].startswith("file") for phase in only["phases"])


def test_names_of_macsio_mean_the_same(tmp_path: Path) -> None:
    words = ["macsio", "--interface", "hdf5", "--parallel_file_mode", "MIF", "1", "--part_size", "8K"]
    settings = Bench(tmp_path).figures(*words, "--avg_num_parts", "2", "--vars_per_part", "3")["settings"]
    assert (settings["files"], settings["part_size"], settings["variables"]) == (1, 8192, 3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ior", "-N", "4"], "mpirun -n N"),
        (["ior", "-D", "30"], "no deadline"),
        (["ior", "-X"], "there is no option -X here"),
        (["ior", "-t"], "-t needs a value"),
        (["ior", "-i", "0"], "--iterations is 1 or more"),
        (["ior", "-B", "-t", "1000", "-b", "1000"], "multiples of 4096"),
        (["ior", "-B", "-a", "STDIO"], "--direct is of --api posix"),
        (["mdtest", "-C"], "all is made, looked at, read and removed"),
        (["mdtest", "-w", "10", "-e", "5"], "files are read whole"),
        (["mdtest", "-F", "-D"], "leave nothing to do"),
        (["macsio", "--parallel_file_mode", "SIF", "1"], "a single shared file (SIF) is not made here"),
    ],
)
def test_what_has_no_meaning_here_is_refused_with_words(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    command = [*bench.command(words[0], "-q"), *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr and done.stderr.count("\n") == 1
    assert bench.left() == []
