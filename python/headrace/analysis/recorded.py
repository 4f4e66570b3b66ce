"""What the source of a log did not record: its counters are 0 because nobody counted, and facts have null.

The flags of a file record say it (docs/reference/counters.md). They are those of all records that a row
merges: where a part of a sum is not known, the sum is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace.logs import NOT_RECORDED, JobLog, flags

_BITS = {flag.name: 1 << flag.bit for flag in flags()}
_OF_COUNTER: dict[str, int] = {}
for _flag, _counters in NOT_RECORDED.items():
    for _counter in _counters:
        _OF_COUNTER[_counter] = _OF_COUNTER.get(_counter, 0) | _BITS[_flag]
# What a Darshan log has of profiles alone: AutoPerf's of MPI, and nobody's of MPI-IO by itself.
_OF_LAYER = {"mpi": ("mpi_ns", "mpi_calls", "mpi_bytes"), "mpiio": ("mpiio_ns",)}
_OTHER_CALLS, _CREATION = _BITS["calls_not_recorded"], _BITS["creation_not_recorded"]


def recorded(row: dict[str, Any], counter: str) -> Any:
    """The counter of a row of file records; None where nobody recorded it."""
    return None if row["flags"] & _OF_COUNTER[counter] else row[counter]


def unaligned(row: dict[str, Any]) -> int | None:
    """Reads and writes that were not aligned, which some sources count together; None where nobody did."""
    if row["flags"] & _BITS["alignment_not_recorded"]:
        return None
    return int(row["reads_unaligned_file"] + row["writes_unaligned_file"])


def all_calls_recorded(row: dict[str, Any]) -> bool:
    """Whether `meta_ns` is the time of calls that are all counted."""
    return not row["flags"] & _OTHER_CALLS


def creation_recorded(flags: int) -> bool:
    return not flags & _CREATION


def not_in_source(log: JobLog) -> dict[str, None]:
    """Figures of ranks and processes that the source of the log does not have, each null."""
    if "darshan_job_id" not in log.job:
        return {}
    known = {row["layer"] for row in log.native.process_layers().rows()}
    return {name: None for layer, names in _OF_LAYER.items() if layer not in known for name in names}


def added(values: Iterable[int | None]) -> int | None:
    """The sum; None if one is not known."""
    known = list(values)
    return None if None in known else sum(value for value in known if value is not None)


def most(values: Iterable[int | None]) -> int | None:
    """The greatest; None if one is not known, and 0 of none."""
    known = list(values)
    return None if None in known else max((value for value in known if value is not None), default=0)
