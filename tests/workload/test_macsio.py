"""`headrace bench macsio`: parts of a mesh, in files that ranks write by turns."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_tools import MPIS, Bench

SMALL = ["macsio", "--part-size", "2K", "--parts", "2.5", "--variables", "3"]
PAGES = ["--page-size", "64K", "--page-buffer", "1M"]
IMAGE = ["--latest", "--cache-image", "--chunk", "1K"]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("how", [[], PAGES, IMAGE])
def test_ranks_of_a_file_take_turns(tmp_path: Path, mpi: str, how: list[str]) -> None:
    import h5py

    found = Bench(tmp_path, mpi).figures(*SMALL, "--files", "2", *how, "--name", "kept", "--keep")
    assert found["right"] and found["checks"][0]["checked_bytes"] == 10 * 3 * 2048
    write, read = found["phases"]
    assert (write["calls"]["create"]["calls"], write["calls"]["open_to_write"]["calls"]) == (2, 2)
    assert write["calls"]["send"]["calls"] == read["calls"]["receive"]["calls"] == 2
    assert write["calls"]["make_dataset"]["calls"] == read["calls"]["open_dataset"]["calls"] == 30
    for name in ("write", "read"):
        assert found[f"{name}_summed_mbps"] > found[f"{name}_pessimist_mbps"] > 0
        times = found[f"{name}_profile"]
        parts_of_it = times["datasets"] + times["transfers"] + times["close_datasets"]
        assert times["mesh"] + 1e-5 >= parts_of_it > 0  # rounded
    domains = []
    for number in range(2):
        with h5py.File(tmp_path / "kept" / f"macsio_{number:05}") as file:
            domains += list(file)
            assert {len(group) for group in file.values()} == {3}
            assert {(data.shape, data.chunks) for group in file.values() for data in group.values()} == {
                ((2048,), (1024,) if "--chunk" in how else None)
            }
    assert domains == [f"domain_{number:07}" for number in range(10)]


@pytest.mark.parametrize("api", ["posix", "stdio", "mpiio", "null"])
def test_the_same_parts_as_rows_of_bytes(tmp_path: Path, api: str) -> None:
    found = Bench(tmp_path, "mpich").figures(*SMALL, "--files", "2", "--api", api)
    assert found["right"] and found["phases"][0]["bytes"] == 10 * 3 * 2048
    assert found["phases"][1]["calls"]["read"]["calls"] == 30


def test_each_dataset_waits_far_away(tmp_path: Path) -> None:
    """Without pages; a delay is right on average."""
    far = ["macsio", "--parts", "2", "--variables", "50", "--emulate", "500us", "--no-check"]
    found = Bench(tmp_path).figures(*far)
    assert found["write_profile"]["mesh"] >= 90 * 450e-6
    assert found["read_profile"]["transfers"] >= 90 * 450e-6


def test_a_cache_image_is_in_the_file_or_said_not_to_be(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    words = [*SMALL, "--keep", "--cache-image", "--name"]
    assert not any(
        "--cache-image" in remark for remark in bench.figures(*words, "new", "--latest")["remarks"]
    )
    assert b"MDCI" in (tmp_path / "new" / "macsio_00000").read_bytes()
    assert any("--cache-image does nothing" in remark for remark in bench.figures(*words, "old")["remarks"])
    assert b"MDCI" not in (tmp_path / "old" / "macsio_00000").read_bytes()


def test_a_later_run_reads_what_was_kept(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.figures(*SMALL, "--write", "--name", "kept")
    read = [*SMALL, "--read", "--name", "kept"]
    assert bench.figures(*read)["right"]
    done = bench.run(*read, "--part-size", "4K")
    assert done.returncode == 3 and "has 2048 elements, and not 4096" in done.stderr
    file = tmp_path / "kept" / "macsio_00000"
    data = bytearray(file.read_bytes())
    data[-100] ^= 1  # in the last dataset; what describes them is before
    file.write_bytes(data)
    assert bench.figures(*read, status=1)["checks"][0]["wrong_bytes"] == 1


def test_a_library_that_cannot_read_its_images_is_refused(tmp_path: Path) -> None:
    import h5py

    libraries = list(Path(h5py.__file__).parent.parent.glob("h5py.libs/libhdf5-*"))
    if h5py.version.hdf5_version != "2.0.0" or not libraries:
        pytest.skip("no HDF5 2.0.0")
    bench = Bench(tmp_path)
    words = [*SMALL, "--hdf5", str(libraries[0])]
    assert bench.figures(*words)["remarks"][0] == "HDF5 2.0.0"
    done = bench.run(*words, "--cache-image")
    assert done.returncode == 3 and "HDF5 2.0.0 cannot read again" in done.stderr
    assert bench.left() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--files", "2"], "--files is from 1 to the number of ranks, 1"),
        (["--files", "0"], "--files is from 1"),
        (["--parts", "0"], "--parts leaves no part"),
        (["--parts", "-1"], "--parts: '-1' is no number"),
        (["--parts", "3,5"], "--parts: '3,5' is no number"),
        (["--parts", "inf"], "--parts: 'inf' is no number"),
        (["--parts", "1000000000", "--variables", "1000"], "more than 4,294,967,295 datasets"),
        (["--chunk", "8K"], "--chunk is larger than --part-size"),
        (["--read"], "--name NAME"),
        (["--api", "pnetcdf"], "--api pnetcdf has no datasets"),
        (["--api", "posix", "--cache-image"], "are of --api hdf5"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run("macsio", *words)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert bench.left() == []
