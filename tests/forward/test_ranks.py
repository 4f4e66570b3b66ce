"""Ranks of each MPI that is installed: what they write is right, and few calls reach a server."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from forward_tools import Place, Result, Servers, until
from side_by_side import tree

MPIS = pytest.mark.parametrize(("mpi", "io"), [("openmpi", "ompio"), ("openmpi", "romio"), ("mpich", "")])


@functools.cache
def romio() -> str:
    """Open MPI names its ROMIO by the version, such as romio321."""
    facts = subprocess.run(["ompi_info", "--param", "io", "all"], capture_output=True, text=True, check=True)
    found = re.search(r"MCA io: (romio\d+)", facts.stdout)
    assert found, facts.stdout
    return found[1]


class Ranks:
    def __init__(self, name: str, mpi: str, io: str, directory: Path, ranks: int = 4):
        compiler, launcher = shutil.which(f"mpicc.{mpi}"), shutil.which(f"mpirun.{mpi}")
        if compiler is None or launcher is None:
            pytest.skip(f"no {mpi}")
        source = Path(__file__).parent / "programs" / f"{name}.c"
        subprocess.run([compiler, "-O1", source, "-o", directory / "program"], check=True, timeout=60)
        self.environment = {**os.environ, **({"OMPI_MCA_io": romio() if io == "romio" else io} if io else {})}
        self.words = ["timeout", "50", launcher, "-n", str(ranks), str(directory / "program")]

    def direct(self, *words: str | Path) -> Result:
        words = (*self.words, *words)
        return subprocess.run(
            words, check=True, capture_output=True, text=True, timeout=60, env=self.environment
        )

    def forwarded(self, place: Place, *words: str) -> Result:
        return place.run(*self.words, *words, env=self.environment)


@MPIS
def test_ranks_share_a_file(place: Place, tmp_path: Path, mpi: str, io: str) -> None:
    program = Ranks("shared_file", mpi, io, tmp_path)
    direct = program.direct(tmp_path / "file")
    assert program.forwarded(place, "/fwd/file").stdout == direct.stdout
    assert (place.root / "file").read_bytes() == (tmp_path / "file").read_bytes()


@MPIS
def test_nonblocking_calls(place: Place, tmp_path: Path, mpi: str, io: str) -> None:
    program = Ranks("nonblocking", mpi, io, tmp_path, ranks=2)
    direct = program.direct(tmp_path / "file")
    assert program.forwarded(place, "/fwd/file").stdout == direct.stdout == "2 of 2 ranks are right\n"
    assert (place.root / "file").read_bytes() == (tmp_path / "file").read_bytes()


@MPIS
def test_files_and_names_of_ranks(servers: Servers, tmp_path: Path, mpi: str, io: str) -> None:
    place = Place(servers, tmp_path, servers_over_tcp=0 if io == "ompio" else 2)
    program = Ranks("ranks", mpi, io, tmp_path)
    direct = tmp_path / "direct"
    direct.mkdir()
    program.direct(direct)
    program.forwarded(place, "/fwd")
    assert tree(place.root) == tree(direct)


def test_pieces_of_one_write_are_one_call(servers: Servers, tmp_path: Path) -> None:
    place = Place(servers, tmp_path, servers_over_tcp=1)
    program = Ranks("ranks", "openmpi", "ompio", tmp_path)
    program.forwarded(place, "/fwd")
    # Of each rank: 16 rows, the rest of the square, 30 blocks twice, and 24 files. OMPIO of Open MPI 5 locks
    # each of the 16 rows that the rest has, and a lock is no place to hold anything back.
    writes = place.server.metrics()['calls_total{operation="write"}']
    assert writes in (4 * (16 + 1 + 60 + 24), 4 * (16 + 16 + 60 + 24))


@MPIS
def test_writes_after_a_call_that_was_left_go_on_at_once(
    place: Place, tmp_path: Path, mpi: str, io: str
) -> None:
    program = Ranks("leaves_writes", mpi, io, tmp_path, 1)
    assert program.forwarded(place, "/fwd/file", "/fwd/shared").stdout == "done\n"
    until(lambda: (place.root / "file").read_bytes() == bytes(range(ord("a"), ord("a") + 22)))


@MPIS
def test_writes_that_fail_are_told(servers: Servers, tmp_path: Path, mpi: str, io: str) -> None:
    place = Place(servers, tmp_path)
    server = servers.start(
        "--root", place.root, "--write-through", "--trial", "fail-after=1000,error=28", name="full", tcp=False
    )
    place.spec = f"/fwd={place.root}@{server.addresses[0]}"
    program = Ranks("ranks", mpi, io, tmp_path, 1)
    done = program.forwarded(place, "/fwd", "full")
    # OMPIO only writes a line when the file system fails, here as anywhere.
    if io == "ompio":
        assert done.stderr.count("No space left on device") == 2
    else:
        assert done.stdout == "1 1\n"
