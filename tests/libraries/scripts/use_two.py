"""Two files open at once, each in a library of its own; prints what is in them."""

import sys

import h5py
import netCDF4
import numpy as np

values = np.arange(100, dtype="f8")
with h5py.File(sys.argv[1], "w") as first, netCDF4.Dataset(sys.argv[2], "w") as second:
    second.createDimension("x", 100)
    variable = second.createVariable("v", "f8", ("x",))
    one = first.create_dataset("v", data=values)
    variable[:] = 2 * values
    print(one[:].sum(), variable[:].sum())
