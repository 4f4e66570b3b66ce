"""Figures of a job log as Vega-Lite specifications: plain dicts, data included.

    headrace.figures.bandwidth(log)  # as the last line of a notebook's cell: shows it

JupyterLab and Notebook draw Vega-Lite themselves, without a network and without a package to install: that is
why it is Vega-Lite and not ECharts, which a notebook would have to load from somewhere. Units are in the
titles of axes; what is hovered over says the exact figure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace._errors import UsageError
from headrace.analysis.calls import finest_spans, layers, rate
from headrace.analysis.kinds import SYSTEM_LAYERS, merge_topmost
from headrace.analysis.processes import process_rows
from headrace.analysis.summary import job_run_ns, size_buckets
from headrace.logs import JobLog

__all__ = ["Figure", "bandwidth", "files", "operations", "sizes", "time_by_layer"]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # a name; nothing is fetched
_MIME = "application/vnd.vegalite.v5+json"
_SPANS = 500
_BYTES = [(1, "B"), (1 << 10, "KiB"), (1 << 20, "MiB"), (1 << 30, "GiB"), (1 << 40, "TiB"), (1 << 50, "PiB")]
_TIMES = [(1, "ns"), (10**3, "µs"), (10**6, "ms"), (10**9, "s")]


class Figure(dict[str, Any]):
    """A Vega-Lite specification that a notebook shows."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {_MIME: dict(self), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<Figure {self.get('title')!r}: a Vega-Lite specification>"


def bandwidth(log: JobLog) -> Figure:
    """Bytes read and written over time, of all processes and descriptors."""
    return _over_time(log, {"read": "bytes_read", "write": "bytes_written"}, "Bandwidth", _BYTES)


def operations(log: JobLog) -> Figure:
    """Calls over time, of all processes and descriptors; empty of a log that does not have them."""
    keys = {"read": "reads", "write": "writes", "metadata": "metadata"}
    return _over_time(
        log, keys, "Calls over time", [(1, "calls"), (10**3, "thousand calls"), (10**6, "million calls")]
    )


def sizes(log: JobLog) -> Figure:
    """How many reads and writes of files had which size."""
    buckets = size_buckets(log, [], list(SYSTEM_LAYERS))
    values = [
        {
            "direction": direction,
            "order": bucket["to"],
            "size": f"≤ {_exact(bucket['to'])}",
            "operations": bucket["operations"],
        }
        for direction in ("read", "write")
        for bucket in buckets[direction]
    ]
    return _figure(
        "Sizes of reads and writes",
        values,
        {
            "x": {
                "field": "size",
                "type": "nominal",
                "title": "size of the operation",
                "sort": {"field": "order", "op": "min"},
            },
            "y": {"field": "operations", "type": "quantitative", "title": "operations"},
            "xOffset": {"field": "direction"},
            "color": _colour("direction"),
            "tooltip": _tooltip("direction", "size", "operations"),
        },
    )


def time_by_layer(log: JobLog) -> Figure:
    """Time inside calls on files by layer and by what they did, summed over processes and threads.

    Of a library's layer (mpiio, hdf5, pnetcdf) it contains that of the layers below.
    """
    rows = [
        {"layer": row["layer"], "part": part, "time_ns": row[part]["time_ns"], "calls": row[part]["calls"]}
        for row in layers(log, [])
        for part in ("read", "write", "metadata")
    ]
    scale, unit = _unit((row["time_ns"] for row in rows), _TIMES)
    values = [{**row, "time": row["time_ns"] / scale} for row in rows]
    return _figure(
        "Time inside calls, by layer",
        values,
        {
            "y": {"field": "layer", "type": "nominal", "title": None},
            "x": {"field": "time", "type": "quantitative", "title": f"time ({unit})"},
            "color": _colour("part"),
            "tooltip": _tooltip("layer", "part", "time_ns", "calls"),
        },
    )


def files(log: JobLog, by: str = "time", most: int = 20) -> Figure:
    """The files with the most "time", "bytes" or "calls". Raises UsageError."""
    terms = {
        "time": ("read_ns", "write_ns", "meta_ns"),
        "bytes": ("bytes_read", "bytes_written"),
        "calls": ("reads", "writes", "metadata_calls"),
    }
    if by not in terms:
        raise UsageError(f"files are ranked by time, bytes or calls, not by '{by}'")
    merged = merge_topmost(log, "path", [])
    rows = merged.rows(merged.top(by, most), ["path", *terms[by]])
    names = {"read_ns": "read", "write_ns": "write", "meta_ns": "metadata", "bytes_read": "read"}
    names |= {"bytes_written": "write", "reads": "read", "writes": "write", "metadata_calls": "metadata"}
    scale, unit = _unit(
        (sum(row[term] for term in terms[by]) for row in rows),
        {"time": _TIMES, "bytes": _BYTES, "calls": [(1, "calls")]}[by],
    )
    values = [
        {"file": row["path"], "rank": place, "part": names[term], by: row[term] / scale, "exact": row[term]}
        for place, row in enumerate(rows)
        for term in terms[by]
    ]
    return _figure(
        f"Files with the most {by}",
        values,
        {
            "y": {
                "field": "file",
                "type": "nominal",
                "title": None,
                "sort": {"field": "rank", "op": "min"},
                "axis": {"labelLimit": 300},
            },
            "x": {
                "field": by,
                "type": "quantitative",
                "title": f"{by} ({unit})" if by != "calls" else "calls",
            },
            "color": _colour("part"),
            "tooltip": _tooltip("file", "part", "exact"),
        },
    )


def _over_time(log: JobLog, keys: dict[str, str], title: str, units: list[tuple[int, str]]) -> Figure:
    run_ns = job_run_ns(log.job, process_rows(log))
    facts = rate(log, [], run_ns, finest_spans([log], run_ns, _SPANS))
    span_s = facts["span_ns"] / 1e9
    per_second = {
        name: [value / span_s for value in facts[key]] if span_s else [] for name, key in keys.items()
    }
    scale, unit = _unit((value for values in per_second.values() for value in values), units)
    values = [
        {"at_s": place * span_s, "direction": name, "rate": value / scale, "exact": facts[keys[name]][place]}
        for name, each in per_second.items()
        for place, value in enumerate(each)
    ]
    figure = _figure(
        title,
        values,
        {
            "x": {"field": "at_s", "type": "quantitative", "title": "time since the start (s)"},
            "y": {"field": "rate", "type": "quantitative", "title": f"{unit}/s"},
            "color": _colour("direction"),
            "tooltip": _tooltip("direction", "at_s", "rate", "exact"),
        },
        {"type": "line", "interpolate": "step-after"},
    )
    if values:
        zoom = {"name": "zoom", "select": {"type": "interval", "encodings": ["x"]}, "bind": "scales"}
        figure["params"] = [zoom]
    return figure


def _figure(title: str, values: list[dict[str, Any]], encoding: dict[str, Any], mark: Any = "bar") -> Figure:
    if not values:
        mark = {"type": "text", "text": "nothing of this in the log", "fontSize": 14}
        values, encoding = [{}], {}
    return Figure(
        {
            "$schema": _SCHEMA,
            "title": title,
            "width": 600,
            "data": {"values": values},
            "mark": mark,
            "encoding": encoding,
        }
    )


def _colour(field: str) -> dict[str, Any]:
    """The same colour for the same thing in every figure."""
    domain, colours = ["read", "write", "metadata"], ["#4c78a8", "#f58518", "#79706e"]
    scale = {"domain": domain, "range": colours}
    return {"field": field, "type": "nominal", "title": None, "scale": scale}


def _tooltip(*fields: str) -> list[dict[str, str]]:
    return [{"field": field, "type": "nominal"} for field in fields]


def _unit(values: Iterable[float], units: list[tuple[int, str]]) -> tuple[int, str]:
    """The unit in which the greatest value has few digits."""
    greatest = max(values, default=0)
    return next(((scale, unit) for scale, unit in reversed(units) if greatest >= scale), units[0])


def _exact(size: int) -> str:
    scale, unit = _unit([size], _BYTES)
    return f"{size // scale} {unit}"
