"""`headrace convert --to trace` of OTF2 archives of other tools, whose functions are all the program's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from commands import headrace as run

SOURCE = Path(__file__).parent / "c" / "foreign_archive.c"
# By name: the layer and class that a trace of the same program has.
KNOWN = {
    "MPI_Init": ("mpi", "collective"),
    "MPI_Send": ("mpi", "messages"),
    "MPI_Recv": ("mpi", "messages"),
    "PMPI_Waitall": ("mpi", "messages"),
    "MPI_Comm_rank": ("mpi", "messages"),
    "MPI_Barrier": ("mpi", "collective"),
    "mpi_allreduce_": ("mpi", "collective"),
    "MPI_File_write_at_all": ("mpiio", "write"),
    "MPI_File_open": ("mpiio", "metadata"),
    "H5Dread": ("hdf5", "read"),
    "ncmpi_put_vara_int_all": ("pnetcdf", "write"),
    "open": ("posix", "metadata"),
    "pwrite64": ("posix", "write"),
    "fread": ("stdio", "read"),
    "fprintf": ("stdio", "write"),
    "pthread_barrier_wait": ("sync", "wait"),
    "solve": ("", "program"),
    "MPI_": ("", "program"),
}


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("foreign") / "foreign_archive"
    flags = [
        subprocess.run(["otf2-config", what], capture_output=True, text=True, check=True).stdout.split()
        for what in ("--cflags", "--ldflags", "--libs")
    ]
    words = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", *flags[0], SOURCE, "-o", out, *flags[1], *flags[2]]
    subprocess.run(words, check=True)
    return out


def imported(writer: Path, place: Path, *names: str) -> Path:
    subprocess.run([writer, place / "archive", *names], check=True)
    trace = place / "run.trace.hr"
    done = run("convert", place / "archive" / "traces.otf2", "--to", "trace", "-o", trace)
    assert (done.returncode, done.stderr) == (0, "")
    return trace


def figures(trace: Path) -> dict[str, Any]:
    done = run("trace", "stats", "--json", trace)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_functions_of_libraries_are_known_by_their_names(writer: Path, tmp_path: Path) -> None:
    stats = figures(imported(writer, tmp_path, *KNOWN))
    found = {row["name"]: (row["layer"], row["class"]) for row in stats["functions"]}
    assert found == KNOWN
    by_class = dict.fromkeys(("wait", "messages", "collective", "read", "write", "metadata"), 0)
    for _, what in KNOWN.values():
        if what != "program":
            by_class[what] += 2 * 1000  # of two ranks
    assert {name: stats["class_ns"][name] for name in by_class} == by_class


def test_what_a_compiler_marked_is_the_programs_own(writer: Path, tmp_path: Path) -> None:
    stats = figures(imported(writer, tmp_path, "+open", "+write", "+MPI_Send"))
    found = {row["name"]: (row["layer"], row["class"]) for row in stats["functions"]}
    assert found == {
        "open": ("", "program"),
        "write": ("", "program"),
        "MPI_Send": ("mpi", "messages"),
    }


def test_definitions_that_come_twice_change_nothing(writer: Path, tmp_path: Path) -> None:
    trace = imported(writer, tmp_path, "MPI_Send", "MPI_Recv", "MPI_Barrier", "fread")
    rows = [json.loads(line) for line in run("trace", "cat", "--json", trace).stdout.splitlines()]
    messages = [row for row in rows if row["kind"] in ("send", "receive", "collective")]
    assert {row["communicator"] for row in messages} == {"MPI_COMM_WORLD"}
    assert [(row["rank"], row["peer"], row["size"]) for row in messages if "peer" in row] == [
        (0, 1, 800),
        (1, 0, 800),
    ]
    read = [row for row in rows if row["kind"] == "io"]
    assert {(row["layer"], row["path"], row["moved"]) for row in read} == {("stdio", "/data/in", 100)}
