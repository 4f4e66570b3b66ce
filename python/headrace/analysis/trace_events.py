"""Events of a trace as Python has them: what is not known is null or None."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

UNKNOWN = (1 << 64) - 1
NO_ROOT = (1 << 32) - 1

# Columns in which UNKNOWN means that.
EVENT = ("place", "duration_ns")
ENDS = ("sent_at_ns", "received_at_ns", "from_location", "to_location")


def with_nulls(batch: pyarrow.RecordBatch, names: tuple[str, ...]) -> list[pyarrow.RecordBatch]:
    """The batch with null for UNKNOWN in these columns."""
    import pyarrow
    import pyarrow.compute

    nothing = pyarrow.scalar(None, pyarrow.uint64())
    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name in names:
            known = pyarrow.compute.not_equal(column, pyarrow.scalar(UNKNOWN, pyarrow.uint64()))
            column = pyarrow.compute.if_else(known, column, nothing)
        columns.append(column)
    return [pyarrow.record_batch(columns, names=batch.schema.names)]


def event_batch(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """Of TraceRows: `value` is that of counters alone."""
    (known,) = with_nulls(batch, EVENT)
    names = ["value" if name == "size_as_f64" else name for name in known.schema.names]
    return known.rename_columns(names)


def event_facts(row: dict[str, Any]) -> dict[str, Any]:
    """The same of one row; `value` is there for counters alone."""
    value = row.pop("size_as_f64")
    if row["kind"] == "counter":
        row["value"] = value
    for name in EVENT:
        if row[name] == UNKNOWN:
            row[name] = None
    return row
