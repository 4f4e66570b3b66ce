"""The table of files of a report that compares runs (docs/diff.md)."""

from __future__ import annotations

from array import array
from typing import Any

from headrace import _native
from headrace.analysis.changed_files import Matched
from headrace.analysis.definitions import definitions
from headrace.reports.payload import Column, Table, codes

MOST_FILES = 100_000
_FIGURES = (
    "time_ns",
    "read_ns",
    "write_ns",
    "meta_ns",
    "bytes",
    "bytes_read",
    "bytes_written",
    "calls",
    "opens",
)


def page_facts(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts of a comparison, how many changed files the page leaves out, and what figures mean."""
    left = max(0, facts["files"]["rows_in_all"] - MOST_FILES)
    return {**facts, "files_left_out": left, "definitions": definitions()}


def title(facts: dict[str, Any]) -> str:
    """What a browser calls the page."""
    command = facts["sides"][0]["runs"][0]["job"]["command"]
    words = " ".join(command) if isinstance(command, list) else str(command or "")
    return f"Headrace: changes of {words[:200] or 'runs'}"


def tables(matched: Matched) -> dict[str, Table]:
    """`files`: those that changed, most time first; columns as in docs/diff.md."""
    import pyarrow

    rows = _native.most_changed(matched.frame, "time_ns", matched.sides, MOST_FILES)
    wanted = ["path", "kind", "matched", *(f"present_{side}" for side in range(matched.sides))]
    wanted += [f"{name}_{side}" for side in range(matched.sides) for name in _FIGURES]
    batch = pyarrow.record_batch(matched.frame).select(wanted).take(pyarrow.array(rows, pyarrow.int64()))
    columns = {}
    for name, values in zip(wanted, batch.columns, strict=True):
        if name in ("kind", "matched"):
            columns[name] = codes(values.to_pylist())
        elif name == "path":
            columns[name] = _texts(values)
        else:
            columns[name] = Column("f64", (_numbers(values.cast(pyarrow.float64())),))
    return {"files": Table(len(rows), columns)}


def _numbers(values: Any) -> memoryview:
    data = values.buffers()[1]
    return (
        memoryview(data)[values.offset * 8 : (values.offset + len(values)) * 8] if data else memoryview(b"")
    )


def _texts(values: Any) -> Column:
    """A column of large_string with offsets of 32 bits. OverflowError: more than 4 GiB of text."""
    _, places, data = values.buffers()
    if len(values) == 0:
        return Column("text", (array("I", [0]).tobytes(), b""))
    starts = memoryview(places).cast("q")[values.offset : values.offset + len(values) + 1]
    first = starts[0]
    offsets = array("I", (start - first for start in starts))
    return Column("text", (offsets.tobytes(), memoryview(data)[first : starts[-1]] if data else b""))
