"""Files by the directories they lie in."""

from __future__ import annotations

from typing import Any

from headrace import _native
from headrace.analysis.kinds import COUNTED, count_files, merge_topmost
from headrace.logs import JobLog

_MEASURES = ("files", "bytes_read", "bytes_written", "time_ns", "calls")


def treemap(by_path: _native.Frame, most: int) -> dict[str, Any]:
    """{name, files, bytes_read, bytes_written, time_ns, calls, children} of at most `most` nodes.

    `by_path` holds file records merged by path. What is too small for a node of its own is summed up in a
    child named "(N others)". A directory's sums contain those of its children.
    """
    nodes: list[dict[str, Any]] = []
    for parent, name, others, *sums in _native.path_tree(by_path, most):
        node: dict[str, Any] = {"name": f"({others} other{'s' if others > 1 else ''})" if others else name}
        node |= {key: round(value) for key, value in zip(_MEASURES, sums, strict=True)}
        nodes.append(node)
        if parent is not None:
            nodes[parent].setdefault("children", []).append(node)
    return nodes[0]


def directories(log: JobLog, chosen: list[int], most: int = 5) -> list[dict[str, Any]]:
    """The directories with most time in the files directly in them; keys as in docs/show.md."""
    merged = merge_topmost(log, "directory", chosen)
    times, calls = ("read_ns", "write_ns", "meta_ns"), ("reads", "writes", "metadata_calls")
    columns = ["directory", "directories", *COUNTED, "bytes_read", "bytes_written", *times, *calls]
    return [
        {
            "path": row["directory"],
            "files": count_files(row),
            "directories": row["directories"],
            "time_ns": sum(row[key] for key in times),
            "calls": sum(row[key] for key in calls),
            "bytes_read": row["bytes_read"],
            "bytes_written": row["bytes_written"],
        }
        for row in merged.rows(merged.top("time", most), columns)
    ]
