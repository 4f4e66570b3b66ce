"""A figure as a Vega-Lite 5 specification with its data inside."""

from __future__ import annotations

import json
import math
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from headrace.study.figure import Figure

__all__ = ["spec"]

Spec = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_WIDTH, _HEIGHT = 640, 320
_SMALL = (220, 160)  # of a panel
_FORMATS = {"bytes": ".3s", "bytes/s": ".3s", "share": ".0%"}
_BOX = ("low", "q1", "median", "q3", "high")


def spec(figure: Figure) -> Spec:
    """ValueError: the figure's encoding lacks what its kind needs."""
    if figure.kind == "table":
        return _table(figure)
    needed = ("x", *_BOX) if figure.kind == "box" else ("x", "y")
    if lacking := [channel for channel in needed if channel not in figure.encoding]:
        raise ValueError(f"figure {figure.id}: nothing is drawn as {', '.join(lacking)}")
    layers = _LAYERS[figure.kind](figure)
    drawn: Spec = {"layer": layers} if len(layers) > 1 else layers[0]
    about: Spec = {
        "$schema": _SCHEMA,
        "title": figure.title,
        "description": f"{figure.definition} Counted: {figure.filter}",
        "data": {"values": _values(figure)},
    }
    if "panel" in figure.encoding:
        facet = {"field": _escaped(figure.encoding["panel"]), "type": "nominal", "title": None, "sort": None}
        return {**about, "facet": facet, "columns": 3, "spec": _sized(drawn, *_SMALL)}
    return {**about, **_sized(drawn, _WIDTH, _HEIGHT)}


def _sized(drawn: Spec, width: int, height: int) -> Spec:
    return {"width": width, "height": height, **drawn}


def _values(figure: Figure) -> list[Spec]:
    names = figure.data.column_names
    columns = [[_plain(value) for value in figure.data.column(name).to_pylist()] for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
        return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return json.dumps(value, default=str)


def _escaped(column: str) -> str:
    """Vega takes dots and brackets for a way into an object."""
    return "".join("\\" + each if each in ".[]'\"\\" else each for each in column)


def _channel(figure: Figure, channel: str, kind: str, **more: Any) -> Spec:
    column = figure.encoding[channel]
    unit = figure.units.get(column, "")
    named = unit not in ("", "count", "share")
    title = figure.titles.get(column, column) + (f", {unit}" if named else "")
    made: Spec = {"field": _escaped(column), "type": kind, "title": title, **more}
    if kind == "quantitative" and channel != "colour":
        made["axis"] = {"format": _FORMATS[unit]} if unit in _FORMATS else {}
        if figure.options.get("log_x" if channel == "x" else "log_y"):
            made["scale"] = {"type": "log"}
    return made


def _colour(figure: Figure) -> Spec:
    if "colour" not in figure.encoding:
        return {}
    return {"color": _channel(figure, "colour", "nominal", sort=None)}


def _positive(figure: Figure) -> list[Spec]:
    """A logarithm's scale has no place for 0."""
    axes = [(channel, figure.encoding[channel]) for channel in ("x", "y") if channel in figure.encoding]
    return [
        {"filter": {"field": _escaped(column), "gt": 0}}
        for channel, column in axes
        if figure.options.get(f"log_{channel}")
    ]


def _filtered(figure: Figure) -> Spec:
    kept = _positive(figure)
    return {"transform": kept} if kept else {}


def _bars(figure: Figure) -> list[Spec]:
    beside = figure.kind == "histograms" and "colour" in figure.encoding
    encoding = {
        "x": _channel(figure, "x", "ordinal", sort=None),
        "y": _channel(figure, "y", "quantitative", stack=None if beside else "zero"),
        **_colour(figure),
        **({"xOffset": {"field": _escaped(figure.encoding["colour"]), "sort": None}} if beside else {}),
    }
    return [{"mark": {"type": "bar", "tooltip": True}, "encoding": encoding}]


def _lines(figure: Figure) -> list[Spec]:
    mark: Spec = {"type": "line", "tooltip": True}
    if figure.options.get("step"):
        mark["interpolate"] = "step-after"
    time = _is_time(figure, "x")
    x = _channel(
        figure, "x", "temporal" if time else "quantitative", **({"scale": {"type": "utc"}} if time else {})
    )
    encoding = {"x": x, "y": _channel(figure, "y", "quantitative"), **_colour(figure)}
    return [{**_filtered(figure), "mark": mark, "encoding": encoding}, *_guides(figure)]


def _points(figure: Figure) -> list[Spec]:
    axes = {channel: _channel(figure, channel, "quantitative") for channel in ("x", "y")}
    mark = {"type": "point", "filled": True, "opacity": 0.6, "tooltip": {"content": "data"}}
    return [{**_filtered(figure), "mark": mark, "encoding": {**axes, **_colour(figure)}}, *_guides(figure)]


def _box(figure: Figure) -> list[Spec]:
    x = _channel(figure, "x", "nominal", sort=None)
    median = _channel(figure, "median", "quantitative")
    if figure.options.get("log_y"):
        median["scale"] = {"type": "log"}

    def ends(mark: Spec, low: str, high: str) -> Spec:
        y = {**median, "field": _escaped(figure.encoding[low])}
        y2 = {"field": _escaped(figure.encoding[high])}
        return {"mark": mark, "encoding": {"x": x, "y": y, "y2": y2}}

    layers = [
        ends({"type": "rule"}, "low", "high"),
        ends({"type": "bar", "size": 18, "tooltip": {"content": "data"}}, "q1", "q3"),
        {
            "mark": {"type": "tick", "size": 18, "thickness": 2, "color": "black"},
            "encoding": {"x": x, "y": median},
        },
    ]
    if outliers := figure.options.get("outliers"):
        shown = [{"x": str(one["x"]), "y": one["y"], "label": str(one.get("label", ""))} for one in outliers]
        place = {"x": {"field": "x", "type": "nominal"}, "y": {"field": "y", "type": "quantitative"}}
        mark = {"type": "point", "color": "firebrick", "tooltip": {"content": "data"}}
        layers.append({"data": {"values": shown}, "mark": mark, "encoding": place})
    return [*layers, *_guides(figure)]


def _throughput(figure: Figure) -> list[Spec]:
    lines = _lines(figure)
    if not (bands := figure.options.get("bands")):
        return lines
    encoding = {
        "x": {"field": "start", "type": "temporal"},
        "x2": {"field": "end"},
        "color": {"field": "kind", "type": "nominal", "title": "calendar"},
        "tooltip": [{"field": name, "type": "nominal"} for name in ("kind", "text", "start", "end")],
    }
    mark = {"type": "rect", "opacity": 0.25}
    shown = [{key: _plain(value) for key, value in band.items()} for band in bands]
    return [
        {"data": {"values": shown}, "mark": mark, "encoding": encoding},
        *lines,
    ]


def _guides(figure: Figure) -> list[Spec]:
    """Lines that the picture is read against: y = value, or y = slope * x between the ends of the data."""
    made: list[Spec] = []
    for guide in figure.options.get("guides", []):
        label = {"type": "text", "align": "left", "dy": -6, "dx": 4, "text": str(guide["label"])}
        if "slope" in guide:
            ends = _ends(figure)
            values = [{"x": x, "y": guide["slope"] * x} for x in ends]
            axes = {key: {"field": key, "type": "quantitative"} for key in ("x", "y")}
            line: Spec = {"type": "line", "strokeDash": [6, 4], "color": "grey", "clip": True}
        else:
            values = [{"y": guide["y"]}]
            axes = {"y": {"field": "y", "type": "quantitative"}}
            line = {"type": "rule", "strokeDash": [6, 4], "color": "grey"}
            label["x"] = 0
        words: Spec = {"data": {"values": values[:1]}, "mark": label, "encoding": axes}
        made += [{"data": {"values": values}, "mark": line, "encoding": axes}, words]
    return made


def _ends(figure: Figure) -> list[float]:
    """The least and the greatest x that is drawn."""
    found = [value for value in figure.data.column(figure.encoding["x"]).to_pylist() if value is not None]
    if figure.options.get("log_x"):
        found = [value for value in found if value > 0]
    return [min(found), max(found)] if found else []


def _is_time(figure: Figure, channel: str) -> bool:
    import pyarrow

    kind = figure.data.schema.field(figure.encoding[channel]).type
    return bool(pyarrow.types.is_timestamp(kind) or pyarrow.types.is_date(kind))


def _table(figure: Figure) -> Spec:
    """Words in rows and columns; the units are in the headings."""
    names = figure.data.column_names
    headings = [
        figure.titles.get(name, name) + (f", {figure.units[name]}" if figure.units.get(name) else "")
        for name in names
    ]
    values = [
        {"row": at, "column": heading, "text": "" if row[name] is None else str(row[name])}
        for at, row in enumerate(_values(figure))
        for name, heading in zip(names, headings, strict=True)
    ]
    heads = {"orient": "top", "labelAngle": 0}
    return {
        "$schema": _SCHEMA,
        "title": figure.title,
        "description": f"{figure.definition} Counted: {figure.filter}",
        "data": {"values": values},
        "mark": {"type": "text", "limit": 160},
        "width": {"step": 160},
        "height": {"step": 20},
        "encoding": {
            "x": {"field": "column", "type": "ordinal", "sort": None, "title": None, "axis": heads},
            "y": {"field": "row", "type": "ordinal", "axis": None},
            "text": {"field": "text", "type": "nominal"},
        },
    }  # fmt: skip


_LAYERS = {
    "bars": _bars,
    "histograms": _bars,
    "lines": _lines,
    "points": _points,
    "box": _box,
    "throughput": _throughput,
}
