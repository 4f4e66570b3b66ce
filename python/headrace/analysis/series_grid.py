"""The series of a job in equal bins, as wide as those that processes recorded."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from headrace.logs import JobLog

_MOST_BINS = 4096
_LAST_NS = (1 << 64) - 1
_MOST = 0.95  # of all bytes are in bins as narrow as the grid's; the rest is spread
_LOT = 8192  # members whose series are in memory at once

MEASURES = ("read", "written", "operations")


@dataclass(frozen=True)
class Grid:
    """What all together did in each bin."""

    begin_ns: int
    width_ns: int  # 0: there is no series
    read: list[float]  # bytes
    written: list[float]
    operations: list[float]
    everything: float = 0.0  # bytes of all the job, also of processes that were not asked for

    @property
    def end_ns(self) -> int:
        return self.begin_ns + self.width_ns * len(self.read)

    def values(self, of: str) -> list[float]:
        if of == "bytes":
            return [read + written for read, written in zip(self.read, self.written, strict=True)]
        return {"bytes_read": self.read, "bytes_written": self.written, "operations": self.operations}[of]


def grid_of(log: JobLog, processes: list[int], run_ns: int) -> Grid:
    """What these moved, from the begin of the job to its end."""
    widths = log.native.series_widths()
    width = _width(widths)
    if width == 0:
        return Grid(0, 0, [], [], [])
    begin, width, bins = _bins(widths, width, run_ns)
    read, written, *calls = log.native.rate(bins, begin, begin + bins * width, processes)
    operations = [sum(each) for each in zip(*calls, strict=True)] if calls[0] else [0.0] * bins
    return Grid(begin, width, read, written, operations, float(sum(each[3] for each in widths)))


def _bins(widths: list[tuple[int, int, int, int, int]], width: int, run_ns: int) -> tuple[int, int, int]:
    """Begin, width and number of the bins, which end by the last time there can be, whatever a log says."""
    end = min(_LAST_NS, max(run_ns, *(end for _, _, end, *_ in widths)))
    # With the bins of a process, as far as there is one of this width: its own are then in one each.
    begin = next(first for wide, first, *_ in widths if wide == width) % width
    width = max(width, -(-end // _MOST_BINS))
    bins = max(1, -(-(end - begin) // width))
    if begin + bins * width > _LAST_NS:
        bins = max(1, (_LAST_NS - begin) // width)
        width = min(width, _LAST_NS - begin)
    return begin, width, bins


def _width(widths: list[tuple[int, int, int, int, int]]) -> int:
    """The narrowest with which most is told: who lives long and does little has wide bins."""
    measure = 3 if any(each[3] for each in widths) else 4
    left = _MOST * sum(each[measure] for each in widths)
    for each in widths:
        left -= each[measure]
        if left <= 0:
            return each[0]
    return widths[-1][0] if widths else 0


def member_series(log: JobLog, owned: list[list[int]], grid: Grid) -> Iterator[list[list[float]]]:
    """Of each list of processes what they did in each bin, a list a measure.

    In steps of 1/65535 of the greatest, so what stands for many is to be asked for by itself.
    """
    bins = len(grid.read)
    for first in range(0, len(owned), _LOT):
        lot = owned[first : first + _LOT]
        processes = [process for each in lot for process in each]
        line_of = [at for at, each in enumerate(lot) for _ in each]
        packed = log.native.rate_lines(
            processes, line_of, len(lot), bins, grid.end_ns, begin_at_ns=grid.begin_ns
        )
        for at in range(len(lot)):
            yield [
                [step * value for value in struct.unpack_from(f"<{bins}H", data, 2 * bins * at)]
                for data, step in packed
            ]
