"""`headrace bench h5perf`: arrays in HDF5 files, with and without what HDF5 has against small accesses."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_tools import MPIS, Bench

ONE = ["h5perf", "--size", "256K", "--access", "1K"]
PAGES = ["--page-size", "64K", "--page-buffer", "512K"]


@pytest.mark.parametrize(
    ("words", "shape"),
    [
        (ONE, (262144,)),
        ([*ONE, "--sieve", "off"], (262144,)),
        ([*ONE, *PAGES], (262144,)),
        ([*ONE, "--core", "--latest"], (262144,)),
        (["h5perf", "--size", "64x4K", "--access", "16x1K"], (64, 4096)),
        (["h5perf", "--size", "64x4K", "--access", "16x1K", "--chunk", "32x2K", *PAGES], (64, 4096)),
        (["h5perf", "--size", "4x64x1K", "--access", "1x16x512"], (4, 64, 1024)),
    ],
)
def test_an_array_is_written_and_read(tmp_path: Path, words: list[str], shape: tuple[int, ...]) -> None:
    import h5py

    bench = Bench(tmp_path)
    found = bench.figures(*words, "--name", "kept", "--keep")
    assert found["right"] and found["checks"][0]["checked_bytes"] == 262144
    assert found["write_mbps"] >= found["write_open_close_mbps"] > 0
    assert found["read_mbps"] >= found["read_open_close_mbps"] > 0
    assert found["remarks"][0].startswith("HDF5 ")
    with h5py.File(tmp_path / "kept" / "array.0") as file:
        assert file["data"].shape == shape
        assert (file["data"].chunks is not None) == ("--chunk" in words)


@pytest.mark.parametrize("api", ["posix", "stdio", "null"])
def test_the_same_boxes_by_other_back_ends(tmp_path: Path, api: str) -> None:
    found = Bench(tmp_path).figures("h5perf", "--size", "64x4K", "--access", "16x1K", "--api", api)
    assert found["right"] and found["phases"][0]["calls"]["write"]["calls"] == 16


@pytest.mark.parametrize("mpi", MPIS)
def test_ranks_have_files_of_their_own(tmp_path: Path, mpi: str) -> None:
    bench = Bench(tmp_path, mpi, ranks=2)
    found = bench.figures(*ONE, "--name", "kept", "--keep")
    assert found["right"] and found["phases"][0]["bytes"] == 2 * 262144
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["array.0", "array.1"]
    assert Bench(tmp_path, mpi, ranks=2).figures(
        "ior", "--api", "hdf5", "--per-process", "--block", "64K", "--transfer", "16K"
    )["right"]


def test_a_page_buffer_helps_far_away(tmp_path: Path) -> None:
    """A delay before each read and write, as of a distant file system: 512 writes, or 8 of pages."""
    bench = Bench(tmp_path)
    slow = [*ONE, "--sieve", "off", "--emulate", "200us", "--no-check"]
    without, with_pages = (
        bench.figures(*slow),
        bench.figures(*slow, "--page-size", "64K", "--page-buffer", "512K"),
    )
    writes = without["phases"][0]["calls"]["write"]
    assert writes["seconds"] / writes["calls"] >= 150e-6
    assert with_pages["write_mbps"] > 2 * without["write_mbps"]
    assert with_pages["read_mbps"] > 2 * without["read_mbps"]


def test_delays_are_of_the_files_alone(tmp_path: Path) -> None:
    found = Bench(tmp_path).figures("ior", "--block", "8K", "--transfer", "1K", "--emulate", "5ms")
    write, read = found["phases"]
    # A delay is right on average; what the one before was late, 4 ms at most, is taken off the next.
    assert min(write["calls"]["write"]["seconds"], read["calls"]["read"]["seconds"]) >= 0.036
    assert write["calls"]["close"]["seconds"] < write["calls"]["write"]["seconds"]
    assert found["emulate"] == "5ms"


def test_wrong_data_of_a_box_is_found(tmp_path: Path) -> None:
    """A program that changes the file between writing and comparing."""
    import subprocess
    import time

    bench = Bench(tmp_path)
    words = ["h5perf", "--size", "64x4K", "--access", "16x1K", "--name", "kept", "--keep", "--api", "posix"]
    slow = bench.command(*words, "--emulate", "8ms")
    with subprocess.Popen(slow, stdout=subprocess.PIPE, text=True, env=bench.environment) as running:
        file = tmp_path / "kept" / "array.0"
        while not file.exists() or file.stat().st_size < 64 * 4096:
            assert running.poll() is None
            time.sleep(0.005)
        with file.open("r+b") as stream:
            stream.seek(40 * 4096 + 1500)
            byte = stream.read(1)
            stream.seek(-1, 1)
            stream.write(bytes([byte[0] ^ 1]))
        said = running.communicate(timeout=60)[0]
    assert running.returncode == 1 and f"at {40 * 4096 + 1500} of {file}" in said


@pytest.mark.parametrize(
    "pattern",
    [
        [],
        ["ior"],
        ["h5perf"],
        ["macsio"],
        ["links"],
        ["combustion"],
        ["dump"],
        ["startup"],
        ["mdtest"],
        ["flash"],
    ],
)
def test_help_fits_a_terminal(tmp_path: Path, pattern: list[str]) -> None:
    done = Bench(tmp_path).run(*pattern, "--help")
    assert done.returncode == 0 and "Example:" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) < 80


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "10K", "--access", "3K"], "does not divide --size"),
        (["--size", "10Kx10K", "--access", "1K"], "different numbers of dimensions"),
        (["--size", "1x1x1x1", "--access", "1x1x1x1"], "one to three dimensions"),
        (["--size", "axb"], "--size: 'a' is no size"),
        (["--page-buffer", "1M"], "--page-buffer keeps pages"),
        (["--page-size", "1M", "--page-buffer", "1K"], "smaller than one page"),
        (["--api", "posix", "--core"], "are of --api hdf5"),
        (["--hdf5", "/nothing/libhdf5.so"], "--hdf5"),
        (["--emulate", "fast"], "--emulate: 'fast' is no time up to 60s"),
        (["--emulate", "200"], "such as 200us"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run("h5perf", *words)
    assert done.returncode in (2, 3) and said in done.stderr, done.stderr
    assert bench.left() == []
