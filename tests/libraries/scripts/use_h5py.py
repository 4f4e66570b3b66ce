"""Writes and reads with h5py in known amounts; prints what it read."""

import sys

import h5py
import numpy as np

path = sys.argv[1]
with h5py.File(path, "w") as file:
    group = file.create_group("fields")
    group["temperature"] = np.arange(1000, dtype="f8").reshape(10, 100)  # 8000 bytes
    chunked = file.create_dataset(
        "chunked", (0, 64), "i4", maxshape=(None, 64), chunks=(8, 64), compression=1
    )
    for step in range(8):  # 8 of 2048 bytes
        chunked.resize(8 * step + 8, axis=0)
        chunked[8 * step : 8 * step + 8] = step
    file.attrs["title"] = "a test"
    file["link"] = h5py.SoftLink("/fields/temperature")
with h5py.File(path, "r") as file:
    print(file["fields/temperature"][:, 3].sum())  # 80 bytes in 10 pieces
    print(file["link"][...].sum())  # 8000 bytes
    print(file["chunked"].shape, file["chunked"][63, 0], dict(file.attrs))
    names = []
    file.visititems(lambda name, item: names.append((name, getattr(item, "shape", None))))
    print(names)
    try:
        file["nothing"]
    except KeyError as error:
        print(error)
