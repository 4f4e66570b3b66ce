"""Records that one log keeps for all ranks of a program, where nobody knows what each of them did.

Those of files that Darshan reduced; Headrace keeps the share of each rank.
"""

from __future__ import annotations

from headrace.analysis.changes import signed
from headrace.analysis.kinds import merge_files, merge_topmost
from headrace.analysis.processes import stand_ins
from headrace.logs import JobLog

__all__ = ["REDUCED", "reduced"]

REDUCED = ("files", "bytes", "io_ns", "system_ns", "meta_ns")
_TIMES = ("read_ns", "write_ns", "meta_ns")


def reduced(log: JobLog) -> dict[int, dict[str, int]]:
    """By instance the sums of such records; the figures of its ranks are then not known."""
    return log.once("reduced", lambda: _find(log))


def _find(log: JobLog) -> dict[int, dict[str, int]]:
    standing = stand_ins(log)
    result: dict[int, dict[str, int]] = {}
    for row in merge_topmost(log, "process", []).rows() if standing else ():
        if row["process"] not in standing:
            continue
        sums = result.setdefault(standing[row["process"]], dict.fromkeys(REDUCED, 0))
        sums["files"] += row["files"]
        sums["bytes"] += row["bytes_read"] + row["bytes_written"]
        sums["io_ns"] += sum(signed(row[key]) for key in _TIMES)
        sums["meta_ns"] += signed(row["meta_ns"])
    for row in merge_files(log, "process", []).rows(None, ["process", *_TIMES]) if result else ():
        if row["process"] in standing:
            sums = result.setdefault(standing[row["process"]], dict.fromkeys(REDUCED, 0))
            sums["system_ns"] += sum(signed(row[key]) for key in _TIMES)
    return result
