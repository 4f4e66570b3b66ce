"""Darshan logs of many versions, and what PyDarshan reads in them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy
import pytest

PROJECT = Path(__file__).resolve().parents[2]
SAMPLES = Path(os.environ.get("HEADRACE_DARSHAN_LOGS", PROJECT.parent / "shared" / "darshan-logs"))
NAMES = [
    *("dlio-1", "dlio-2", "dlio-3", "dxt", "example", "imbalanced-io", "ior-hdf5", "ior-pnetcdf"),
    *("ior_hdf5_example", "mpi-io-test-ppc64-3.1.0", "mpi-io-test-x86_64-3.4.7", "mpi-io-test-x86_64-3.5.0"),
    *("nonmpi_dxt_anonymized", "noposix", "sample-badost", "sample-dxt-simple"),
]
# Modules whose records are counters, and the table that holds them as they are.
TABLES = {
    "POSIX": "darshan_posix",
    "MPI-IO": "darshan_mpiio",
    "H5F": "darshan_h5f",
    "H5D": "darshan_h5d",
    "PNETCDF_FILE": "darshan_pnetfile",
    "PNETCDF_VAR": "darshan_pnetvar",
    "STDIO": "darshan_stdio",
}


def sample(name: str) -> Path:
    path = SAMPLES / f"{name}.darshan"
    if not path.exists():
        pytest.skip(f"{path} is not here: sample logs lie beside the project, not in it")
    return path


class Peer:
    """A log as PyDarshan has it."""

    def __init__(self, path: Path) -> None:
        import darshan

        self.report = darshan.DarshanReport(str(path), read_all=False)
        for module in self.report.modules:
            if module in TABLES:
                self.report.mod_read_all_records(module, dtype="numpy")
        self.modules = self.report.modules
        self.job = self.report.metadata["job"]

    def records(self, module: str) -> list[dict[str, Any]]:
        return list(self.report.records[module]._records) if module in self.report.records else []

    def counters(self, module: str) -> tuple[list[str], list[str]]:
        counters = self.report.counters[module]
        return counters["counters"], counters["fcounters"]

    def dxt(self, module: str) -> list[dict[str, Any]]:
        if module not in self.modules:
            return []
        self.report.mod_read_all_dxt_records(module, dtype="dict")
        return list(self.report.records[module]._records)

    def lustre(self) -> list[dict[str, Any]]:
        if "LUSTRE" not in self.modules:
            return []
        self.report.mod_read_all_lustre_records()
        return list(self.report.records["LUSTRE"]._records)

    def heatmaps(self) -> dict[str, Any]:
        if "HEATMAP" not in self.modules:
            return {}
        self.report.read_all_heatmap_records()
        return dict(self.report.heatmaps)


def same_counters(module: str, one: Peer, other: Peer) -> None:
    """Every field of every record is equal, bit by bit."""
    a, b = one.records(module), other.records(module)
    assert len(a) == len(b), module
    for x, y in zip(a, b, strict=True):
        assert (x["id"], x["rank"]) == (y["id"], y["rank"])
        numpy.testing.assert_array_equal(x["counters"], y["counters"], err_msg=module)
        numpy.testing.assert_array_equal(x["fcounters"], y["fcounters"], err_msg=module)
