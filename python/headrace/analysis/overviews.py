"""A trace from afar: what locations spent their time with and moved, in cells of time x locations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from headrace import _native

if TYPE_CHECKING:
    import numpy
    import pyarrow

CLASSES = ("program", "messages", "collective", "wait", "read", "write", "metadata", "tracing")
BYTES = ("bytes_read", "bytes_written")


@dataclass(frozen=True)
class Overview:
    """`columns` x `rows` cells of a range of time; see docs/trace.md for what they are exact to."""

    begin_at_ns: int
    end_at_ns: int  # behind it
    columns: int
    rows: int
    locations: list[list[int]]  # of each row, numbers in `locations` of the trace
    precision_ns: int  # how long the bins are that edges of columns cut; 0: exact
    chunks: int  # that the range touches
    decoded_chunks: int  # of them
    unread_chunks: int  # of them, that cannot be used
    cells: _native.Frame

    def arrow(self) -> pyarrow.RecordBatch:
        """One row a cell, row after row: nanoseconds by class of time, bytes_read and bytes_written."""
        import pyarrow

        return pyarrow.record_batch(self.cells)

    def array(self, name: str) -> numpy.ndarray[Any, Any]:
        """One of the columns of arrow() as an array of rows x columns, not copied."""
        cells: numpy.ndarray[Any, Any] = self.arrow().column(name).to_numpy()
        return cells.reshape(self.rows, self.columns)

    def lists(self) -> dict[str, list[list[int]]]:
        """Every column of arrow() as a list of rows."""
        found: dict[str, list[list[int]]] = {}
        cells = self.cells.rows()
        for name in (*CLASSES, *BYTES):
            values = [cell[name] for cell in cells]
            found[name] = [values[row * self.columns : (row + 1) * self.columns] for row in range(self.rows)]
        return found


def overview(
    native: _native.Trace, columns: int, rows: int, begin_at_ns: int, end_at_ns: int, locations: list[int]
) -> Overview:
    """Of at least one location. `end_at_ns` is behind the range, 0 and 0 being all. Raises UsageError."""
    seen = native.overview(columns, rows, begin_at_ns, end_at_ns, locations)
    first = seen.pop("first")
    return Overview(**seen, locations=[locations[start:stop] for start, stop in pairwise(first)])
