"""Which records of a log are files, and which of them add up."""

from __future__ import annotations

from typing import Any

from headrace import _native
from headrace.logs import LIBRARY_LAYERS, SYSTEM_LAYERS, JobLog

__all__ = [
    "CERTAINTY",
    "COUNTED",
    "FILE_KINDS",
    "LAYER_KINDS",
    "LIBRARY_LAYERS",
    "ROW_KINDS",
    "SYSTEM_LAYERS",
    "TOTAL_KINDS",
    "count_files",
    "merge_files",
    "merge_topmost",
    "whose",
]

# Time in pipes and sockets is mostly waiting for somebody else; excluded paths are counted in one sum.
FILE_KINDS = ["file", "directory_rollup", "directory"]

# Files, and calls that are in no file's row though they may have been on one: what totals are of.
TOTAL_KINDS = [*FILE_KINDS, "no_file"]

# What a row of a path is called where rows are counted.
ROW_KINDS = {"file": "files", "directory": "directories", "directory_rollup": "rollups"}

# Files and what lies in them.
LAYER_KINDS = [*FILE_KINDS, "dataset"]


def merge_files(
    log: JobLog, by: str, chosen: list[int], layers: list[str] | tuple[str, ...] = SYSTEM_LAYERS
) -> _native.Frame:
    """Records of files merged; of the layers that add up unless others are named.

    Without the MPI library's own files, unless the log is to count them. With calls that are in no file,
    unless the rows are of places.
    """
    return log.native.merge(by, chosen, _kinds(by), list(layers), whose(log))


def merge_topmost(log: JobLog, by: str, chosen: list[int]) -> _native.Frame:
    """The same of each file's topmost layer: HDF5 or PnetCDF, else MPI-IO, else the system's two.

    A call of a library lasts as long as those that it makes below: so no time and no byte counts twice, and
    none of waiting for other ranks is missing.
    """
    return log.native.merge(by, chosen, _kinds(by), ["topmost"], whose(log))


def _kinds(by: str) -> list[str]:
    return FILE_KINDS if by in ("path", "directory", "mount") else TOTAL_KINDS


def whose(log: JobLog) -> str:
    """Whose files count, as native merges take it."""
    return "" if log.mpi_files else "program"


# Columns that count_files needs.
COUNTED = ("plain_files", "folded_files")

# How well a number of files is known, by `folded_certainty`; beyond the first: small files that lost their
# rows for want of memory are among them. "at most": processes may have had the same ones.
CERTAINTY = ("counted", "estimated", "at most")


def count_files(row: dict[str, Any]) -> int:
    """The files of a row of merged records, with those folded into sums; a directory is none."""
    return sum(row[name] for name in COUNTED)
