"""examples/stencil: the same result however the grid is shared, and checkpoints that have what it says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from capture_tools import Captured
from example_runs import EXAMPLES, Program, sent

SMALL = ("--grid", "13x12x12", "--steps", "1", "--stages", "3", "--checkpoint", "1", "--monitor", "1")
EXCHANGES = 3 * 45 + 24  # of such a step


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Program]:
    place = tmp_path_factory.mktemp("stencil")
    return {mpi: Program(mpi, "stencil", place, place) for mpi in ("openmpi", "mpich")}


def line(captured: Captured, begin: str) -> str:
    """What follows the begin of a line that the program printed."""
    found = [text.removeprefix(begin) for text in captured.text if text.startswith(begin)]
    assert len(found) == 1, captured.text
    return found[0]


def check_capture(captured: Captured, layer: str, ranks: int) -> None:
    """The log has the checkpoints that the program says, by file and by phase, and all its messages."""
    said = re.match(r"(\d+) in (\d+) files, (\d+) bytes, read back the same", line(captured, "checkpoints: "))
    assert said
    checkpoints, files, size = map(int, said.groups())
    assert (checkpoints, files) == (1, 1 if layer == "mpiio" else ranks)
    rows = [row for row in captured.files(layer=layer) if "/checkpoint_" in row["path"]]
    assert len({row["path"] for row in rows}) == files
    assert sum(row["bytes_written"] for row in rows) == size
    assert sum(row["bytes_read"] for row in rows) >= size
    assert sent(captured) == {2 * EXCHANGES}
    phases = [row for row in captured.rows("phases") if row["instance"] == 0]
    assert [row["instances"] for row in phases if row["phase"] == "step"] == [1] * ranks
    assert [row["instances"] for row in phases if row["phase"] == "checkpoint/verify"] == [1] * ranks
    functions = ("write",) if layer == "posix" else ("MPI_File_write_all", "MPI_File_write_at")
    writes = sum(
        row["bytes"]
        for row in captured.rows("phase_profiles")
        if (row["phase"], row["instance"]) == ("checkpoint/write", 0) and row["function"] in functions
    )
    assert writes == size


def test_any_ranks_any_mpi_one_result(built: dict[str, Program]) -> None:
    checksums = set()
    for mpi, ranks, output in (
        ("openmpi", 4, "shared"),
        ("openmpi", 6, "files"),
        ("mpich", 6, "shared"),
        ("mpich", 4, "files"),
    ):
        options = ("--output", output, "--verify", "--directory", f"{mpi}-{output}")
        captured = built[mpi].capture(ranks, *SMALL, *options)
        check_capture(captured, "mpiio" if output == "shared" else "posix", ranks)
        assert line(captured, "conserved: ").startswith("mass, energy and atoms")
        checksums.add(line(captured, "checksum: "))
    assert len(checksums) == 1
    directory = built["mpich"].directory
    one, other = (directory / f"{mpi}-shared" / "checkpoint_000001" for mpi in ("openmpi", "mpich"))
    assert one.read_bytes() == other.read_bytes()


def test_the_counter_of_events(built: dict[str, Program], tmp_path: Path) -> None:
    """Every exchange is five calls; regions are counted where the program is compiled so."""
    counter = tmp_path / "count.so"
    words = ["mpicc.mpich", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", counter]
    subprocess.run([*words, EXAMPLES / "events" / "count.c"], check=True)
    done = built["mpich"].run(2, *SMALL, "--directory", str(tmp_path / "out"), LD_PRELOAD=str(counter))
    assert done.returncode == 0, done.stderr
    found = re.search(r"\((\d+) regions, (\d+) calls of MPI, (\d+) operations on files\)", done.stderr)
    assert found, done.stderr
    regions, calls, operations = map(int, found.groups())
    reductions, barriers = 3 * 2 + 1, 1
    assert calls == 5 * EXCHANGES + reductions + barriers
    assert operations == 1 + 9 + 1
    assert regions > 5 * EXCHANGES


def test_help_and_bad_options(built: dict[str, Program]) -> None:
    program = built["mpich"]
    shown = program.run(1, "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "--checkpoint N" in shown.stdout
    for options, said in (
        (("--grid", "3x8x8"), "--grid 3x8x8: this cannot be"),
        (("--stages", "4"), "--stages 4: this cannot be"),
        (("--steps",), "--steps is no option, or lacks its value"),
        (("more",), "more is not expected"),
        (("--grid", "8x8x8", "--block", "8x8x8"), "take one of them"),
    ):
        done = program.run(1, *options)
        assert done.returncode == 2
        assert said in done.stderr and done.stdout == ""
    done = program.run(3, "--grid", "8x8x8")
    assert done.returncode == 2
    assert "stencil: 3 ranks cannot share a grid of 8x8x8: each needs 4 points" in done.stderr
    done = program.run(1, *SMALL, "--directory", "/dev/null/out")
    assert done.returncode != 0
    assert "cannot make the directory /dev/null/out: Not a directory" in done.stderr
