"""Dumps as pF3D writes them: mpirun -np 4 python3 pf3d.py [OPTION=VALUE]...

See ../README.md. Needs mpi4py, numpy, and headrace or a copy of its phases.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dumps import KINDS, PARTS, Dumps
from mpi4py import MPI
from settings import settings_of


def main() -> None:
    comm = MPI.COMM_WORLD
    settings = settings_of(sys.argv[1:], comm.size)
    directory = Path(settings.directory)
    if comm.rank == 0:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "settings").write_text(settings.describe())
        leaders = [group[0] for group in settings.groups]
        print(f"{settings.scheme}: {comm.size} ranks, groups led by {' '.join(map(str, leaders))}")
    comm.Barrier()
    dumps = Dumps(comm, settings)
    for step in range(1, settings.steps + 1):
        dumps.dump("spec", step)
        if step % settings.vis_every == 0:
            dumps.dump("vis", step)
        if step % settings.checkpoint_every == 0:
            dumps.dump("checkpoint", step)
    report(comm, dumps)


def report(comm: MPI.Comm, dumps: Dumps) -> None:
    """By kind: what all ranks wrote, and the seconds of the slowest rank in each part."""
    for kind in KINDS:
        files = comm.reduce(dumps.files[kind])
        size = comm.reduce(dumps.bytes[kind])
        slowest = [comm.reduce(dumps.seconds[kind, name], MPI.MAX) for name in PARTS]
        if comm.rank == 0:
            parts = ", ".join(f"{name} {seconds:.4f} s" for name, seconds in zip(PARTS, slowest, strict=True))
            print(f"{kind}: {files} files, {size} bytes; {parts}")


if __name__ == "__main__":
    main()
