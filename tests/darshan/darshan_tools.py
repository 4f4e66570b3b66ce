"""Darshan logs of many versions, and what PyDarshan reads in them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy
import pytest
from made_darshan import MADE

PROJECT = Path(__file__).resolve().parents[2]
SAMPLES = Path(os.environ.get("HEADRACE_DARSHAN_LOGS", PROJECT.parent / "shared" / "darshan-logs"))
# Of other sites, where they lie beside the project: they add to what the made logs show.
FOREIGN = {path.stem: path for path in sorted(SAMPLES.glob("*.darshan"))}
NAMES = [*MADE, *FOREIGN]
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
# What Darshan's library, as in PyDarshan 3.5, loses when it brings older records into the newest shape.
_LOST = {
    2: {"POSIX_F_FASTEST_RANK_TIME", "POSIX_F_SLOWEST_RANK_TIME"},
    3: {"POSIX_F_VARIANCE_RANK_TIME", "POSIX_F_VARIANCE_RANK_BYTES"},
}
_LOST[2] |= _LOST[3]
_UNSWAPPED = {"POSIX_F_META_TIME", "POSIX_F_MAX_READ_TIME", "POSIX_F_MAX_WRITE_TIME"}
_NEWEST_TRACES = {"DXT_POSIX": 1, "DXT_MPIIO": 2}


def at_hand(*cases: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Cases of a test, each of the log that it names first; those of logs that are not here are left out."""
    assert cases[0][0] in MADE, "every test has a log that is always here"
    return [case for case in cases if case[0] in NAMES]


def pydarshan() -> Any:
    """The module; skips the test where it came without Darshan's library."""
    try:
        import darshan
    except RuntimeError as error:
        if "libdarshan-util" not in str(error):
            raise
        pytest.skip("PyDarshan has no libdarshan-util.so here")
    return darshan


class Peer:
    """A log as PyDarshan has it."""

    def __init__(self, path: Path) -> None:
        self.report = pydarshan().DarshanReport(str(path), read_all=False)
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

    def same_reals(self, module: str, name: str, found: list[float], wanted: list[float]) -> None:
        """PyDarshan found the wanted doubles, bit by bit, but where its library is wrong."""
        version = self.modules[module]["ver"]
        one, other = numpy.array(found), numpy.array(wanted)
        if module == "POSIX" and name in _LOST.get(version, ()):
            return
        if module == "POSIX" and version < 4 and name in _UNSWAPPED and not numpy.array_equal(one, other):
            one = one.byteswap()
        numpy.testing.assert_array_equal(one, other, err_msg=name)

    def knows_trace(self, module: str) -> bool:
        return module not in self.modules or self.modules[module]["ver"] <= _NEWEST_TRACES[module]

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
