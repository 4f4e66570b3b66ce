"""Every rank writes its rows with h5py on parallel HDF5, together and alone."""

import sys

from mpi4py import MPI  # first: h5py chooses its parallel build by it

import h5py  # isort: skip
import numpy as np  # isort: skip

world = MPI.COMM_WORLD
with h5py.File(sys.argv[1], "w", driver="mpio", comm=world) as file:
    rows = file.create_dataset("rows", (4 * world.size, 100), "f8")
    mine = slice(4 * world.rank, 4 * world.rank + 4)
    values = np.full((4, 100), float(world.rank))
    with rows.collective:
        rows[mine] = values
    rows[mine] = values
    assert rows[4 * world.rank, 5] == world.rank
