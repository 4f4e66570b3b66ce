"""A trace from afar: what locations spent their time with and moved, in cells of time x locations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from headrace import _native

if TYPE_CHECKING:
    import numpy
    import pyarrow

Rows = list[list[int]]

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


def overview(native: _native.Trace, columns: int, rows: Rows, begin_at_ns: int, end_at_ns: int) -> Overview:
    """A row each of these lists of locations. `end_at_ns` is behind the range. Raises UsageError."""
    first = [0, *accumulate(map(len, rows))]
    chosen = [each for row in rows for each in row]
    seen = native.overview(columns, max(1, len(rows)), begin_at_ns, end_at_ns, chosen, first)
    del seen["first"]
    return Overview(**seen, locations=rows)
