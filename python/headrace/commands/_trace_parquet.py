"""A trace as Parquet files, some rows at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import _native
from headrace.analysis.traces import Trace

if TYPE_CHECKING:
    import pyarrow

Facts = dict[str, Any]

_ROWS = 1 << 18  # of a group in a file, about: what is in memory
_NULL = (1 << 64) - 1
_CAN_BE_NULL = frozenset({"offset", "size", "moved", "root"})
_NARROW = frozenset({"location", "function", "depth", "handle", "communicator", "peer", "counter", "error"})


def write(
    trace: Trace,
    directory: Path,
    job: int,
    locations: list[int],
    begin_ns: int,
    end_ns: int,
    told: Callable[[int], None],
) -> Facts:
    """Makes the directory, with a file a table: docs/interchange.md. OSError."""
    directory.mkdir()
    tables = _native.TraceTables(os.fsencode(trace.path), job, locations, begin_ns, end_ns)
    with ExitStack() as stack:
        writers: dict[str, Any] = {}
        while True:
            frames = tables.next(_ROWS)
            for frame in frames:
                batch = _batch(frame)
                if frame.name not in writers:
                    path = directory / f"{frame.name}.parquet"
                    writers[frame.name] = stack.enter_context(_file(path, batch.schema, trace))
                if batch.num_rows:
                    writers[frame.name].write_batch(batch)
            facts = tables.told()
            told(facts["events"])
            if not any(map(len, frames)):
                break
    for frame in (tables.functions(), tables.handles()):
        _one(directory / f"{frame.name}.parquet", _batch(frame), trace)
    _one(directory / "locations.parquet", _locations(trace, locations), trace)
    return facts


def _batch(frame: _native.Frame) -> pyarrow.RecordBatch:
    """Numbers as narrow as they are, and null where nothing is known."""
    import pyarrow
    import pyarrow.compute

    made = pyarrow.record_batch(frame)
    columns = {}
    for name, column in zip(made.schema.names, made.columns, strict=True):
        if name in _CAN_BE_NULL:
            column = pyarrow.compute.if_else(
                pyarrow.compute.equal(column, pyarrow.scalar(_NULL, pyarrow.uint64())), None, column
            )
        if name == "whole" or (name == "sent" and frame.name == "messages"):
            column = column.cast(pyarrow.bool_())
        elif name in _NARROW or name == "root":
            column = column.cast(pyarrow.uint32())
        columns[name] = column
    return pyarrow.RecordBatch.from_pydict(columns)


def _locations(trace: Trace, locations: list[int]) -> pyarrow.RecordBatch:
    import pyarrow

    rows = [{**trace.locations[number], "location": number} for number in locations]
    small, large = pyarrow.uint32(), pyarrow.uint64()
    types = {
        "location": small, "rank": pyarrow.int32(), "process": large, "thread": small,
        "host": pyarrow.string(), "pid": small, "events": large, "lost": large, "missing": large,
    }  # fmt: skip
    for row in rows:
        row["rank"] = None if row["rank"] < 0 else row["rank"]
    return pyarrow.RecordBatch.from_pydict(
        {name: pyarrow.array([row[name] for row in rows], kind) for name, kind in types.items()}
    )


@contextmanager
def _file(path: Path, schema: pyarrow.Schema, trace: Trace) -> Iterator[Any]:
    import pyarrow.parquet

    metadata = {"headrace.trace": json.dumps(trace.facts)}
    with pyarrow.parquet.ParquetWriter(path, schema.with_metadata(metadata), compression="zstd") as writer:
        yield writer


def _one(path: Path, batch: pyarrow.RecordBatch, trace: Trace) -> None:
    with _file(path, batch.schema, trace) as writer:
        writer.write_batch(batch)
