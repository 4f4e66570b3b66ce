"""`headrace bench links`: HDF5 files of much metadata, made, closed, opened again and visited."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_tools import Bench

SMALL = ["links", "--groups", "3", "--datasets", "20", "--links", "2", "--latest"]
PAGES = ["--page-size", "64K", "--page-buffer", "1M"]


@pytest.mark.parametrize(
    "how", [[], ["--cache-image"], PAGES, ["--cache-image", *PAGES], ["--cache-image", "--core"]]
)
def test_objects_are_made_and_visited(tmp_path: Path, how: list[str]) -> None:
    import h5py

    found = Bench(tmp_path).figures(*SMALL, *how, "--name", "kept", "--keep")
    create, visit = found["phases"]
    assert (create["calls"]["make_dataset"]["calls"], create["calls"]["link"]["calls"]) == (60, 120)
    assert visit["calls"]["open_dataset"]["calls"] == 60 and "read" not in visit["calls"]
    assert found["right"] and found["checks"][0]["checked_bytes"] == 60 * 256
    for name in ("create", "visit"):
        assert found[f"{name}_per_second"] > 0
        assert found[f"{name}_seconds"] >= sum(found[f"{name}_profile"].values()) - 1e-5 > 0
    assert (b"MDCI" in (tmp_path / "kept" / "links.0").read_bytes()) == ("--cache-image" in how)
    if "--cache-image" in how:  # which HDF5 2.0.0, in wheels of h5py, cannot read
        return
    with h5py.File(tmp_path / "kept" / "links.0") as file:
        assert {len(group) for group in file.values()} == {60} and len(file) == 3
        group = file["group_00002"]
        assert group["link_00019_2"] == group["data_00019"] and group["data_00019"].chunks == (64,)


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_ranks_have_files_of_their_own(tmp_path: Path, mpi: str) -> None:
    bench = Bench(tmp_path, mpi, ranks=2)
    found = bench.figures(*SMALL, "--cache-image", "--name", "kept", "--keep")
    assert found["right"] and found["phases"][0]["calls"]["make_group"]["calls"] == 6
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["links.0", "links.1"]


def test_a_visit_far_away_reads_what_describes_each_dataset(tmp_path: Path) -> None:
    """Without an image; a delay is right on average."""
    found = Bench(tmp_path).figures(*SMALL, "--emulate", "1ms", "--no-check")
    assert found["visit_profile"]["objects"] >= 50 * 0.9e-3
    assert found["checks"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--api", "posix"], "links are of --api hdf5"),
        (["--groups", "0"], "are 1 or more"),
        (["--chunk", "512"], "--chunk is from 1 to --size"),
        (["--groups", "100000", "--datasets", "100000"], "more than 4,294,967,295 objects"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run("links", *words)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert bench.left() == []
