"""mpi4py: a few calls whose counts the test knows; prints the library's name at rank 0."""

import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
data = bytearray(100)
comm.Bcast(data, 0)
file = MPI.File.Open(comm, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_WRONLY)
file.Write_at(comm.rank * 100, data)
file.Write_at_all((comm.size + comm.rank) * 100, data)
file.Close()
total = comm.allreduce(comm.rank)
if comm.rank == 0:
    print(total, MPI.Get_library_version().split()[0])
