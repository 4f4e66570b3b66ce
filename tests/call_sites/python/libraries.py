"""Writes with numpy and, where it is there, h5py."""

import os
import sys

import numpy

directory = sys.argv[1]


def with_numpy():
    field = numpy.arange(1000.0)
    numpy.save(os.path.join(directory, "saved.npy"), field)  # LINE: save
    field.tofile(os.path.join(directory, "raw"))  # LINE: tofile
    numpy.savetxt(os.path.join(directory, "text"), field)  # LINE: savetxt


def with_h5py():
    import h5py

    with h5py.File(os.path.join(directory, "data.h5"), "w") as file:  # LINE: h5py
        file["field"] = numpy.zeros(1 << 17)  # LINE: h5py write


with_numpy()
if "h5py" in sys.argv:
    with_h5py()
