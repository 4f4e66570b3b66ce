#!/usr/bin/python3
"""Every rank writes in a phase, the last one much more often, and asks for its cluster."""

import sys
import tempfile

import headrace

NAMES = ("cluster", "clusters", "size", "representative", "outlier", "missing", "ranks_missing", "outliers")


def ask(name: str, rank: int, phase: "str | None") -> None:
    mine = headrace.cluster_phase(phase)
    values = [rank, 0 if mine else 1, *(int(getattr(mine, each)) for each in (*NAMES, "instance"))]
    sys.stdout.write(" ".join(map(str, [name, *values, repr(float(mine.distance))])) + "\n")
    assert (mine.error is None) == bool(mine), mine
    sys.stdout.flush()


early = headrace.cluster_phase("dump")
assert not early and "MPI is not" in early.error, early

from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
with tempfile.TemporaryFile(buffering=0) as file, headrace.phase("dump"):
    for _ in range(400 if world.rank == world.size - 1 else 2):
        file.write(b"one line\n")
ask("dump", world.rank, "dump")
ask("run", world.rank, None)
assert "no rank has finished" in headrace.cluster_phase("nowhere").error
