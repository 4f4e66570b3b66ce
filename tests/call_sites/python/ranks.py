"""mpi4py: all ranks write one file by MPI-IO."""

import sys

from mpi4py import MPI


def dump(name):
    file = MPI.File.Open(MPI.COMM_WORLD, name, MPI.MODE_CREATE | MPI.MODE_WRONLY)  # LINE: open
    file.Write_at(MPI.COMM_WORLD.rank * 100, bytearray(100))
    file.Close()


dump(sys.argv[1])
