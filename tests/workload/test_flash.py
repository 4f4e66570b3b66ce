"""`headrace bench flash`: checkpoints and plot files of an adaptive mesh code."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_tools import Bench

SMALL = ["flash", "--blocks", "2", "--cells", "4x4x8", "--variables", "3", "--plot-variables", "1"]
CHECKPOINT = 2 * (4 + 4 + 15 * 4 + (3 + 3 + 6) * 8 + 3 * 4 * 4 * 8 * 8)  # of a rank
PLOT = 2 * (4 + 4 + 15 * 4 + (3 + 3 + 6) * 4 + 4 * 4 * 8 * 4)


@pytest.mark.parametrize(
    ("mpi", "how"),
    [
        ("openmpi", ["--api", "hdf5"]),
        ("openmpi", ["--api", "hdf5", "--collective", "--split", "3", "--guard", "0"]),
        ("openmpi", ["--api", "mpiio", "--collective", "--split", "2"]),
        ("openmpi", ["--api", "posix", "--split", "4"]),
        ("mpich", ["--api", "hdf5", "--collective", "--collective-metadata", "--split", "2"]),
    ],
)
def test_ranks_write_and_read(tmp_path: Path, mpi: str, how: list[str]) -> None:
    ranks = 1 + int(how[how.index("--split") + 1]) if "--split" in how else 2
    bench = Bench(tmp_path, mpi, ranks)
    found = bench.figures(*SMALL, "--checkpoints", "2", *how)
    assert [phase["name"] for phase in found["phases"]] == ["checkpoint", "plotfile", "restart"]
    assert [phase["bytes"] for phase in found["phases"]] == [
        2 * ranks * CHECKPOINT,
        ranks * PLOT,
        ranks * CHECKPOINT,
    ]
    assert found["right"] and found["checks"][0]["checked_bytes"] == ranks * (2 * CHECKPOINT + PLOT)
    for name in ("checkpoint_mbps", "plotfile_mbps", "restart_mbps"):
        assert found[name] > 0
    assert bench.left() == []


@pytest.mark.parametrize("api", ["posix", "stdio", "hdf5", "null"])
def test_one_process_needs_no_mpi(tmp_path: Path, api: str) -> None:
    found = Bench(tmp_path).figures(*SMALL, "--api", api)
    assert found["phases"][0]["bytes"] == CHECKPOINT and found["right"]


def test_plot_files_are_compared_where_no_restart_reads(tmp_path: Path) -> None:
    found = Bench(tmp_path).figures(*SMALL, "--checkpoints", "0")
    assert [phase["name"] for phase in found["phases"]] == ["plotfile"]
    assert found["right"] and found["checks"][0]["checked_bytes"] == PLOT


def test_files_are_those_of_flash(tmp_path: Path) -> None:
    import h5py

    words = [*SMALL, "--split", "2", "--corners", "--collective", "--keep", "--name", "kept"]
    Bench(tmp_path, "openmpi", ranks=4).figures(*words)
    kept = tmp_path / "kept"
    assert sorted(path.name for path in kept.iterdir()) == ["chk_0.s0", "chk_0.s1", "plt_0.s0", "plt_0.s1"]
    with h5py.File(kept / "chk_0.s1") as file:
        assert (file["dens"].shape, str(file["dens"].dtype)) == ((4, 4, 4, 8), "float64")
        assert (file["bounding box"].shape, file["gid"].shape) == ((4, 3, 2), (4, 15))
        assert len(file) == 9
    with h5py.File(kept / "plt_0.s0") as file:
        assert (file["dens"].shape, str(file["dens"].dtype)) == ((4, 5, 5, 9), "float32")


def test_guard_cells_are_in_no_file(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for guard in ("0", "3"):
        bench.figures(*SMALL, "--guard", guard, "--write", "--name", guard)
    import h5py

    with h5py.File(tmp_path / "0" / "chk_0") as packed, h5py.File(tmp_path / "3" / "chk_0") as guarded:
        for name in packed:
            assert packed[name][()].tobytes() == guarded[name][()].tobytes()


def test_guard_cells_that_do_not_fit_into_memory_are_refused(tmp_path: Path) -> None:
    """400 KiB of a variable, and 800 GiB of guard cells beside it."""
    bench = Bench(tmp_path)
    words = ["flash", "--blocks", "50000", "--cells", "1x1x1", "--guard", "64", "--variables", "1"]
    done = bench.run(*words)
    assert done.returncode == 2 and "guard cells included" in done.stderr, done.stderr
    assert bench.left() == []


def test_wrong_data_is_found(tmp_path: Path) -> None:
    import h5py

    bench = Bench(tmp_path, "openmpi", ranks=2)
    bench.figures(*SMALL, "--write", "--name", "kept")
    with h5py.File(tmp_path / "kept" / "chk_0", "r+") as file:
        file["velx"][3, 1, 2, 3] = 1.0
    done = bench.run(*SMALL, "--read", "--name", "kept")
    assert done.returncode == 1 and "chk_0, read by rank 1" in done.stdout, (done.stdout, done.stderr)


def test_rows_of_cells_are_written_one_by_one(tmp_path: Path) -> None:
    """Together, or with no guard cells between them, each rank's part of a variable is one write."""
    bench = Bench(tmp_path, "mpich", ranks=2)
    words = [*SMALL, "--plots", "0", "--no-check", "--emulate", "1us"]
    alone, together, packed = (
        bench.figures(*words, *how)["emulated"]["writes"] for how in ([], ["--collective"], ["--guard", "0"])
    )
    rows, parts = 2 * 2 * 3 * 4 * 4, 2 * 3
    assert alone - together == alone - packed == rows - parts


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--split", "2"], "--split is from 1 to the number of ranks, 1"),
        (["--cells", "8x8x8x8"], "one to three dimensions"),
        (["--blocks", "0"], "--blocks"),
        (["--blocks", "1000000", "--cells", "64x64x64"], "more than 2 GiB"),
        (["--checkpoints", "0", "--plots", "0"], "nothing to do"),
        (["--read"], "--name NAME"),
        (["--api", "posix", "--align", "1M"], "--align is of --api hdf5 and pnetcdf"),
        (["--api", "posix", "--collective-metadata"], "--collective-metadata is of --api hdf5"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run("flash", *words)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert bench.left() == []
