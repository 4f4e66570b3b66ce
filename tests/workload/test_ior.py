"""`headrace bench ior`: what it writes, reads and says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench_tools import COMMAND, MPIS, Bench

SMALL = ["ior", "--block", "64K", "--transfer", "16K", "--segments", "3"]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(
    "how",
    [
        ["--api", "posix"],
        ["--api", "stdio", "--random"],
        ["--api", "mpiio"],
        ["--api", "mpiio", "--collective", "--sync"],
        ["--api", "posix", "--per-process", "--reorder", "1"],
        ["--api", "mpiio", "--per-process", "--random", "--hint", "cb_nodes=1"],
    ],
)
def test_ranks_write_and_read(tmp_path: Path, mpi: str, how: list[str]) -> None:
    bench = Bench(tmp_path, mpi)
    found = bench.figures(*SMALL, *how)
    assert (found["ranks"], found["nodes"], found["right"]) == (4, 1, True)
    assert {"openmpi": "Open MPI", "mpich": "MPICH"}[mpi] in found["mpi"]
    write, read = found["phases"]
    (check,) = found["checks"]
    assert write["bytes"] == read["bytes"] == check["checked_bytes"] == 4 * 3 * 65536
    assert (write["calls"]["write"]["calls"], read["calls"]["read"]["calls"]) == (48, 48)
    assert found["write_mbps"] == pytest.approx(write["bytes"] / write["seconds"] / 1e6, rel=1e-3)
    assert write["fastest_rank_seconds"] <= write["seconds"]
    assert bench.left() == []


@pytest.mark.parametrize("api", ["posix", "stdio", "null"])
def test_one_process_needs_no_mpi(tmp_path: Path, api: str) -> None:
    bench = Bench(tmp_path)
    found = bench.figures(*SMALL, "--api", api, "--no-check")
    assert (found["ranks"], found["mpi"], found["checks"]) == (1, "", [])
    assert found["phases"][1]["bytes"] == 3 * 65536
    assert bench.left() == []


def test_a_later_run_reads_what_was_kept(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.figures(*SMALL, "--write", "--name", "kept", "--keep")["kept"]
    assert (bench.directory / "kept" / "data").stat().st_size == 3 * 65536
    read = bench.figures(*SMALL, "--read", "--name", "kept", "--random")
    assert [phase["name"] for phase in read["phases"]] == ["read"]
    assert read["right"] and bench.left() == ["kept"], "who has not made it does not remove it"


@pytest.mark.parametrize("what", ["a flipped bit", "a short write", "a stale file"])
def test_wrong_data_is_found(tmp_path: Path, what: str) -> None:
    bench = Bench(tmp_path)
    bench.figures(*SMALL, "--write", "--name", "kept")
    file = bench.directory / "kept" / "data"
    seed = "1"
    if what == "a flipped bit":
        text = bytearray(file.read_bytes())
        text[70_001] ^= 4
        file.write_bytes(text)
    elif what == "a short write":
        with file.open("r+b") as stream:
            stream.truncate(3 * 65536 - 5)
    else:
        seed = "2"
    done = bench.run(*SMALL, "--read", "--name", "kept", "--seed", seed)
    assert done.returncode == 1, done.stderr
    found = next(line for line in done.stdout.splitlines() if line.startswith("WRONG DATA"))
    where = {"a flipped bit": "at 70001 ", "a short write": "at 196603 ", "a stale file": "at 0 "}
    assert where[what] in found and str(file) in found


def test_wrong_data_stays_to_be_looked_at(tmp_path: Path) -> None:
    """A file that somebody changes between the writing and the reading of it."""
    import subprocess

    bench = Bench(tmp_path)
    words = bench.command("ior", "--block", "64K", "--transfer", "8K", "--emulate", "100ms", "--json")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=bench.environment) as running:
        while not (files := list(tmp_path.glob("*/data"))) or files[0].stat().st_size < 65536:
            assert running.poll() is None
        with files[0].open("r+b") as stream:
            stream.write(b"x" * 100)
        said = json.loads(running.communicate(timeout=60)[0])
    assert running.returncode == 1 and not said["right"] and said["kept"]
    assert files[0].exists()


def test_capture_sees_a_run(tmp_path: Path) -> None:
    import headrace

    bench = Bench(tmp_path)
    log = tmp_path / "job.hr"
    bench.words = [COMMAND, "run", "-q", "-o", str(log), "--", *bench.words]
    found = bench.figures(*SMALL, "--no-check")
    with headrace.open(log) as job:
        rows = [row for row in job.files.to_pylist() if row["path"].endswith("/data")]
    assert sum(row["bytes_written"] for row in rows) == found["phases"][0]["bytes"]
    assert sum(row["writes"] for row in rows) == 12


@pytest.mark.parametrize("mpi", MPIS)
def test_capture_sees_the_mpi_io_of_ranks(tmp_path: Path, mpi: str) -> None:
    import headrace

    bench = Bench(tmp_path, mpi, ranks=2)
    log = tmp_path / "job.hr"
    bench.words = [COMMAND, "run", "-q", "-o", str(log), "--", *bench.words]
    bench.figures(*SMALL, "--api", "mpiio", "--collective", "--no-check")
    with headrace.open(log) as job:
        calls = {row["function"] for row in job.profiles.to_pylist()}
    assert {"MPI_File_write_at_all", "MPI_File_read_at_all"} <= calls


@pytest.mark.parametrize("mpi", ["", "openmpi"])
def test_forwarding_servers_take_a_run(tmp_path: Path, mpi: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    bench = Bench(Path("/fwd"), mpi, ranks=2)
    up = ["forward", "up", "--root", str(root), "--prefix", "/fwd", "--quiet", "-o", str(tmp_path / "job.hr")]
    bench.words = [COMMAND, *up, "--", *bench.words]
    found = bench.figures(*SMALL, "--keep", "--name", "kept")
    assert found["right"]
    assert (root / "kept" / "data").stat().st_size == found["ranks"] * 3 * 65536


def test_an_mpi_of_another_launcher_is_refused(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.environment["PMI_SIZE"] = "4"
    done = bench.run(*SMALL, "--mpi", "libmpi.so.40")
    if "cannot open shared object" in done.stderr:
        pytest.skip("no Open MPI 4")
    assert done.returncode == 3 and "started 4 ranks" in done.stderr, done.stderr
    assert bench.left() == []


def test_hints_that_do_nothing_are_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "openmpi", ranks=2)
    bench.environment["OMPI_MCA_io"] = "ompio"
    words = [*SMALL, "--api", "mpiio", "--hint", "romio_cb_write=enable"]
    assert "OMPIO" in bench.figures(*words)["remarks"][0]
    assert "note: hints named romio_" in bench.run(*words).stdout
