"""The cluster of each row as a file."""

from __future__ import annotations

from array import array
from pathlib import Path

from headrace import _native
from headrace._outputs import any_file, new_file
from headrace.analysis.clusters import Clustering


def write(found: Clustering, output: str) -> None:
    """As .npy, an int32 a row; as .parquet, row, name, cluster, outlier and score. Replaces the file.

    In a .npy file, outliers have no cluster: -1. In the other they have the nearest one.
    """
    with new_file(output, any_file) as partial:
        (_write_parquet if output.endswith(".parquet") else _write_npy)(found, partial)


def _write_npy(found: Clustering, path: Path) -> None:
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(found.assigned)},), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"  # values begin at a multiple of 64
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        limit = _native.outlier_score
        labels = array("i", found.assigned)
        for row, score in enumerate(found.score):
            if score > limit:
                labels[row] = -1
        file.write(labels)


def _write_parquet(found: Clustering, path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    score = pyarrow.Array.from_buffers(
        pyarrow.float32(), len(found.score), [None, pyarrow.py_buffer(found.score)]
    )
    columns = {
        "row": pyarrow.array(range(len(found.assigned)), pyarrow.int64()),
        "cluster": pyarrow.Array.from_buffers(
            pyarrow.int32(), len(found.assigned), [None, pyarrow.py_buffer(found.assigned)]
        ),
        "outlier": pyarrow.array([each > _native.outlier_score for each in found.score]),
        "score": score,
    }
    if found.table.names is not None:
        columns["name"] = pyarrow.array(found.table.names)
    pyarrow.parquet.write_table(pyarrow.table(columns), path, compression="zstd")
